/* Shared by both sides of door.h. */
#ifndef INIT_DOOR_IN_H
#define INIT_DOOR_IN_H

#include "init/door.h"

#define DOOR_NAME "door"

#endif
