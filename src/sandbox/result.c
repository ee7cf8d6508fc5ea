/*
 * Results outlive their run and its kernel, so all that a report borrows is
 * copied. The limit's name points into the constant table of limits.
 */
#include "sandbox/result.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"

struct tsb_result *result_new(const struct tsb_limits *limits)
{
	const size_t rest = offsetof(struct tsb_result, out_text);
	struct tsb_result *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	/* Not all of it: a compiler makes calloc() of that, which takes nothing from glibc's cache. */
	memset((char *)r + rest, 0, sizeof(*r) - rest);
	capture_init(&r->out, limits->stdout_bytes, "stdout_bytes");
	capture_init(&r->err, limits->stderr_bytes, "stderr_bytes");
	return r;
}

static const char *static_limit_name(const char *name)
{
	const char *s;

	if (!name)
		return NULL;
	for (size_t i = 0; (s = tsb_limit_name(i, NULL, NULL, NULL)); i++) {
		if (!strcmp(s, name))
			return s;
	}
	return NULL;
}

static void copy_records(struct tsb_result *r, const struct kernel_report *report)
{
	size_t bytes = 1;
	char *p;

	for (size_t i = 0; i < report->n_records; i++)
		bytes += strlen(report->records[i].name) + 1;
	r->records = calloc(report->n_records + 1, sizeof(*r->records));
	r->names = p = malloc(bytes);
	if (!r->records || !p)
		return;
	for (size_t i = 0; i < report->n_records; i++) {
		size_t n = strlen(report->records[i].name) + 1;

		r->records[i] = report->records[i];
		r->records[i].name = memcpy(p, report->records[i].name, n);
		p += n;
	}
	r->n_records = report->n_records;
}

void result_fill(struct tsb_result *r, int status, const struct kernel_report *report)
{
	r->status = status;
	r->stop = report->stop;
	r->limit = static_limit_name(report->limit);
	r->wall_ns = report->wall_ns;
	r->memory_peak = report->memory_peak;
	r->cpu_ns = report->cpu_ns;
	if (report->n_records)
		copy_records(r, report);
	if (report->n_pipes && (r->pipes = calloc(report->n_pipes, sizeof(*r->pipes)))) {
		memcpy(r->pipes, report->pipe_bytes, report->n_pipes * sizeof(*r->pipes));
		r->n_pipes = report->n_pipes;
	}
}

bool result_seal(struct tsb_result *r)
{
	r->out_text = capture_take(&r->out, &r->out_n, &r->out_cut);
	r->err_text = capture_take(&r->err, &r->err_n, &r->err_cut);
	capture_end(&r->out);
	capture_end(&r->err);
	return r->out_text && r->err_text;
}

void tsb_result_free(struct tsb_result *r)
{
	if (!r)
		return;
	capture_end(&r->out);
	capture_end(&r->err);
	capture_free(r->out_text);
	capture_free(r->err_text);
	free(r->records);
	free(r->names);
	free(r->pipes);
	free(r);
}

int tsb_result_status(const struct tsb_result *r)
{
	return r->status;
}

enum tsb_stop tsb_result_stop(const struct tsb_result *r)
{
	return r->stop;
}

const char *tsb_result_limit(const struct tsb_result *r)
{
	return r->limit;
}

const char *tsb_result_out(const struct tsb_result *r, size_t *n)
{
	if (n)
		*n = r->out_n;
	return r->out_text;
}

const char *tsb_result_err(const struct tsb_result *r, size_t *n)
{
	if (n)
		*n = r->err_n;
	return r->err_text;
}

bool tsb_result_out_truncated(const struct tsb_result *r)
{
	return r->out_cut;
}

bool tsb_result_err_truncated(const struct tsb_result *r)
{
	return r->err_cut;
}

uint64_t tsb_result_wall_ns(const struct tsb_result *r)
{
	return r->wall_ns;
}

uint64_t tsb_result_cpu_ns(const struct tsb_result *r)
{
	return r->cpu_ns;
}

uint64_t tsb_result_memory_peak(const struct tsb_result *r)
{
	return r->memory_peak;
}

size_t tsb_result_commands(const struct tsb_result *r, const struct tsb_command_record **at)
{
	*at = r->records;
	return r->n_records;
}

size_t tsb_result_pipes(const struct tsb_result *r, const uint64_t **bytes)
{
	*bytes = r->pipes;
	return r->n_pipes;
}
