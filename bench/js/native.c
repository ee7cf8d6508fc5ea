/*
 * native FILE: QuickJS-ng as the machine's compiler makes it, for bench/js.c: runs a script
 * that knows console.log() and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>

#include "quickjs.h"

static JSValue print(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
	(void)self;
	for (int i = 0; i < argc; i++) {
		const char *text = JS_ToCString(ctx, argv[i]);

		printf("%s%s", i ? " " : "", text ? text : "?");
		JS_FreeCString(ctx, text);
	}
	putchar('\n');
	return JS_UNDEFINED;
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(1 << 20);

	if (!f || !text)
		exit(2);
	*n = fread(text, 1, (1 << 20) - 1, f);
	text[*n] = '\0';
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	JSRuntime *rt = JS_NewRuntime();
	JSContext *ctx = JS_NewContext(rt);
	JSValue console = JS_NewObject(ctx), r;
	size_t n;
	char *text;

	if (argc != 2)
		return 2;
	text = read_file(argv[1], &n);
	JS_SetPropertyStr(ctx, console, "log", JS_NewCFunction(ctx, print, "log", 1));
	JS_SetPropertyStr(ctx, JS_GetGlobalObject(ctx), "console", console);
	r = JS_Eval(ctx, text, n, argv[1], 0);
	return JS_IsException(r) ? 1 : 0;
}
