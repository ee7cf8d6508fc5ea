/*
 * cp --parents: the directories of the source's name are made anew under the
 * target directory, with the attributes of the originals.
 */
#ifndef CMD_CP_PARENTS_H
#define CMD_CP_PARENTS_H

#include "cmd/copy.h"

/* Copies source to DIR/source, parents first. true: all went well. */
bool cp_with_parents(struct copy *c, const char *source, const char *dir);

#endif
