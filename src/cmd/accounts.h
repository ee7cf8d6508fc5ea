/*
 * Users and groups by number and name, out of /etc/passwd and /etc/group. What
 * is returned is the process's; NULL: not there.
 */
#ifndef CMD_ACCOUNTS_H
#define CMD_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsb_proc;

char *accounts_user_name(struct tsb_proc *p, uint32_t uid);
char *accounts_group_name(struct tsb_proc *p, uint32_t gid);
/* By name, or by number where the file has that number. */
bool accounts_user(struct tsb_proc *p, const char *name, uint32_t *uid, uint32_t *gid);
bool accounts_group(struct tsb_proc *p, const char *name, uint32_t *gid);
/* The groups of a user, the primary one first. */
uint32_t *accounts_groups(struct tsb_proc *p, const char *user, uint32_t primary, size_t *n);

#endif
