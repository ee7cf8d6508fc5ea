/*
 * The host's parts among themselves: a host that has loaded the module, its calls, what is driven.
 */
#ifndef MODULE_HOST_H
#define MODULE_HOST_H

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "module/abi.h"

#define IFACE "ai.tinyhumans.tinybox.Box"
#define OBJECT "/ai/tinyhumans/tinybox/Box"
#define PATIENCE 40

struct host {
	struct tb_host table;
	struct tb_module module;
	pthread_mutex_t lock;
	pthread_cond_t news;
	json_t *replies;		/* by serial, as text */
	int hello, named, ready, faults, wakes, logs, sent, refused;
	bool full;			/* send() says so */
	bool closed;
	uint64_t serial;
};

struct timespec later(int seconds);
void ok(bool good, const char *fmt, ...);
uint64_t post(struct host *h, const char *member, json_t *args);
json_t *call(struct host *h, const char *member, json_t *args);
json_t *body(json_t *reply);
bool is_return(json_t *reply);
const char *error_of(json_t *reply);
void say(json_t *reply);
void refuses(struct host *h, const char *member, json_t *args, const char *error, const char *what);
void gives(struct host *h, const char *member, json_t *args, const char *what);
char *reserve(struct host *h, const char *kind, const char *of);
char *text_of(json_t *bytes);
bool runs_as(struct host *h, json_t *args, int code, const char *out, const char *err, const char *what);
json_t *wait_reply(struct host *h, uint64_t serial, int seconds);
int32_t deliver_text(struct host *h, const char *text);
void plain_calls(struct host *h);
void bad_creates(struct host *h);
json_t *cmd(const char *id, const char *script);
json_t *create_args(const char *id, const char *backend);
char *create(struct host *h, const char *backend, json_t **reply);
void drive(struct host *h, const char *backend);
void objects(struct host *h);
void race(struct host *h, const char *backend);
void crowd(struct host *h, const char *backend);
void hostile(struct host *h);
void backpressure(struct host *h);
void reservations(struct host *h);

#endif
