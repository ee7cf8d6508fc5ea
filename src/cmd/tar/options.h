/*
 * The functions behind tar's options.
 */
#ifndef CMD_TAR_OPTIONS_H
#define CMD_TAR_OPTIONS_H

#include "cmd/tar/tar.h"

#define TAR_HINT "Try 'tar --help' or 'tar --usage' for more information.\n"

tsb_opt_fn tar_opt_action, tar_opt_switch, tar_opt_compress, tar_opt_match, tar_opt_exclude,
	tar_opt_old_files, tar_opt_number, tar_opt_word, tar_opt_text, tar_opt_owner, tar_opt_date,
	tar_opt_name, tar_opt_format, tar_opt_checkpoint;

#endif
