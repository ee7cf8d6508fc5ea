/*
 * bc's mathematical library, in its own language. The digits it gives are those of GNU's:
 * the same series to the same scales in the same order, since the last digits of a result
 * are those of its approximation.
 *
 * Constants are converted by the input base at the call, so a function that has any calls
 * itself to the base 10 (A is 10 in every base). Names and their order are GNU's, because -c
 * numbers them.
 */
#include "cmd/bc/bc.h"

#define TO_BASE_10(call) \
	"if (ibase != A) { b = ibase; ibase = A; v = " call "; ibase = b; return (v); }\n"

/* e^x: halved until it is at most 1, then the series, then squared as often. */
#define EXPONENTIAL \
	"define e(x) {\n" \
	"auto a, b, d, e, f, i, m, n, v, z\n" \
	TO_BASE_10("e(x)") \
	"if (x < 0) { m = 1; x = -x; }\n" \
	"z = scale; n = 6 + z + .44 * x\n" \
	"for (scale = scale(x) + 1; x > 1; scale = scale + 1) { f = f + 1; x = x / 2; }\n" \
	"scale = n; v = 1 + x; a = x; d = 1\n" \
	"for (i = 2; 1; i++) {\n" \
	"a = a * x; d = d * i; e = a / d\n" \
	"if (e == 0) break\n" \
	"v = v + e }\n" \
	"for (; f > 0; f--) v = v * v\n" \
	"scale = z\n" \
	"if (m) return (1 / v)\n" \
	"return (v / 1) }\n"

/* The root is taken until x is near 1; then 2 artanh((x - 1) / (x + 1)). */
#define LOGARITHM \
	"define l(x) {\n" \
	"auto b, e, f, i, m, n, v, z\n" \
	TO_BASE_10("l(x)") \
	"if (x <= 0) return ((1 - 10 ^ scale) / 1)\n" \
	"z = scale; scale = 6 + scale; f = 2\n" \
	"for (; x >= 2; f = f * 2) x = sqrt(x)\n" \
	"for (; x <= .5; f = f * 2) x = sqrt(x)\n" \
	"v = n = (x - 1) / (x + 1); m = n * n\n" \
	"for (i = 3; 1; i = i + 2) {\n" \
	"n = n * m; e = n / i\n" \
	"if (e == 0) break\n" \
	"v = v + e }\n" \
	"v = f * v; scale = z\n" \
	"return (v / 1) }\n"

/* Brought to an eighth of a turn around 0, then the series. */
#define SINE \
	"define s(x) {\n" \
	"auto b, e, i, m, n, s, v, z\n" \
	TO_BASE_10("s(x)") \
	"z = scale; scale = 1.1 * z + 2; v = a(1)\n" \
	"if (x < 0) { m = 1; x = -x; }\n" \
	"scale = 0; n = (x / v + 2) / 4; x = x - 4 * n * v\n" \
	"if (n % 2) x = -x\n" \
	"scale = z + 2; v = e = x; s = -x * x\n" \
	"for (i = 3; 1; i = i + 2) {\n" \
	"e = e * (s / (i * (i - 1)))\n" \
	"if (e == 0) break\n" \
	"v = v + e }\n" \
	"scale = z\n" \
	"if (m) return (-v / 1)\n" \
	"return (v / 1) }\n"

#define COSINE \
	"define c(x) {\n" \
	"auto b, v, z\n" \
	TO_BASE_10("c(x)") \
	"z = scale; scale = scale * 1.2; v = s(x + a(1) * 2); scale = z\n" \
	"return (v / 1) }\n"

/* The arc tangents of 1 and .2 are known to 60 digits; above .2 as many of the latter are
 * taken off as there are. */
#define ARCTANGENT \
	"define a(x) {\n" \
	"auto a, b, e, f, i, m, n, s, v, z\n" \
	TO_BASE_10("a(x)") \
	"m = 1; if (x < 0) { m = -1; x = -x; }\n" \
	"if (x == 1) {\n" \
	"if (scale <= 25) return (.7853981633974483096156608 / m)\n" \
	"if (scale <= 40) return (.7853981633974483096156608458198757210492 / m)\n" \
	"if (scale <= 60) return (.785398163397448309615660845819875721049292349843776455243736 / m)\n" \
	"}\n" \
	"if (x == .2) {\n" \
	"if (scale <= 25) return (.1973955598498807583700497 / m)\n" \
	"if (scale <= 40) return (.1973955598498807583700497651947902934475 / m)\n" \
	"if (scale <= 60) return (.197395559849880758370049765194790293447585103787852101517688 / m)\n" \
	"}\n" \
	"z = scale; if (x > .2) { scale = z + 5; a = a(.2); }\n" \
	"for (scale = z + 3; x > .2; x = (x - .2) / (1 + x * .2)) f = f + 1\n" \
	"v = n = x; s = -x * x\n" \
	"for (i = 3; 1; i = i + 2) {\n" \
	"n = n * s; e = n / i\n" \
	"if (e == 0) break\n" \
	"v = v + e }\n" \
	"scale = z\n" \
	"return ((f * a + v) / m) }\n"

#define BESSEL \
	"define j(n, x) {\n" \
	"auto a, b, d, e, f, i, m, s, v, z\n" \
	TO_BASE_10("j(n, x)") \
	"z = scale; scale = 0; n = n / 1\n" \
	"if (n < 0) { n = -n; if (n % 2 == 1) m = 1; }\n" \
	"f = 1; for (i = 2; i <= n; i++) f = f * i\n" \
	"scale = 1.5 * z; f = x ^ n / 2 ^ n / f\n" \
	"v = e = 1; s = -x * x / 4; scale = 1.5 * z + length(f) - scale(f)\n" \
	"for (i = 1; 1; i++) {\n" \
	"e = e * s / i / (n + i)\n" \
	"if (e == 0) break\n" \
	"v = v + e }\n" \
	"scale = z\n" \
	"if (m) return (-f * v / 1)\n" \
	"return (f * v / 1) }\n"

const char bc_library[] = "scale = 20\n" EXPONENTIAL LOGARITHM SINE COSINE ARCTANGENT BESSEL;
