#ifndef INIT_SLIM_H
#define INIT_SLIM_H

/* Gives back what the process can have again when it needs it: for whoever is about to wait long. */
void slim_down(void);

#endif
