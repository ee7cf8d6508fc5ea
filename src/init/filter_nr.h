/*
 * What the headers of one architecture or of an older distribution lack: -1 where there is no such
 * call; calls that are newer than the headers have the same number everywhere.
 */
#ifndef INIT_FILTER_NR_H
#define INIT_FILTER_NR_H

#ifndef __NR_stat
#define __NR_stat -1
#endif
#ifndef __NR_lstat
#define __NR_lstat -1
#endif
#ifndef __NR_pipe
#define __NR_pipe -1
#endif
#ifndef __NR_dup2
#define __NR_dup2 -1
#endif
#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif
#ifndef __NR_poll
#define __NR_poll -1
#endif
#ifndef __NR_select
#define __NR_select -1
#endif
#ifndef __NR_epoll_create
#define __NR_epoll_create -1
#endif
#ifndef __NR_epoll_wait
#define __NR_epoll_wait -1
#endif
#ifndef __NR_eventfd
#define __NR_eventfd -1
#endif
#ifndef __NR_signalfd
#define __NR_signalfd -1
#endif
#ifndef __NR_inotify_init
#define __NR_inotify_init -1
#endif
#ifndef __NR_open
#define __NR_open -1
#endif
#ifndef __NR_creat
#define __NR_creat -1
#endif
#ifndef __NR_access
#define __NR_access -1
#endif
#ifndef __NR_getdents
#define __NR_getdents -1
#endif
#ifndef __NR_rename
#define __NR_rename -1
#endif
#ifndef __NR_mkdir
#define __NR_mkdir -1
#endif
#ifndef __NR_rmdir
#define __NR_rmdir -1
#endif
#ifndef __NR_link
#define __NR_link -1
#endif
#ifndef __NR_unlink
#define __NR_unlink -1
#endif
#ifndef __NR_symlink
#define __NR_symlink -1
#endif
#ifndef __NR_readlink
#define __NR_readlink -1
#endif
#ifndef __NR_chmod
#define __NR_chmod -1
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_chown
#define __NR_chown -1
#endif
#ifndef __NR_lchown
#define __NR_lchown -1
#endif
#ifndef __NR_mknod
#define __NR_mknod -1
#endif
#ifndef __NR_utime
#define __NR_utime -1
#endif
#ifndef __NR_utimes
#define __NR_utimes -1
#endif
#ifndef __NR_futimesat
#define __NR_futimesat -1
#endif
#ifndef __NR_mseal
#define __NR_mseal 462
#endif
#ifndef __NR_map_shadow_stack
#define __NR_map_shadow_stack 453
#endif
#ifndef __NR_fork
#define __NR_fork -1
#endif
#ifndef __NR_vfork
#define __NR_vfork -1
#endif
#ifndef __NR_getpgrp
#define __NR_getpgrp -1
#endif
#ifndef __NR_futex_wake
#define __NR_futex_wake 454
#endif
#ifndef __NR_futex_wait
#define __NR_futex_wait 455
#endif
#ifndef __NR_futex_requeue
#define __NR_futex_requeue 456
#endif
#ifndef __NR_arch_prctl
#define __NR_arch_prctl -1
#endif
#ifndef __NR_pause
#define __NR_pause -1
#endif
#ifndef __NR_alarm
#define __NR_alarm -1
#endif
#ifndef __NR_time
#define __NR_time -1
#endif
#ifndef __NR_iopl
#define __NR_iopl -1
#endif
#ifndef __NR_ioperm
#define __NR_ioperm -1
#endif

#endif
