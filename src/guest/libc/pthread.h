/* Threads there are none in a guest: once and per-thread values are plain ones. */
#ifndef GUEST_PTHREAD_H
#define GUEST_PTHREAD_H

typedef int pthread_once_t;
typedef unsigned pthread_key_t;
#define PTHREAD_ONCE_INIT 0

int pthread_once(pthread_once_t *once, void (*fn)(void));
int pthread_key_create(pthread_key_t *key, void (*end)(void *));
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key);

#endif
