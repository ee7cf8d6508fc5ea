/*
 * Programs: PE, Mach-O, Java, Python's byte code, WebAssembly, Lua.
 */
#include "cmd/file/file.h"

#define ROW FILE_KIND

/* ---- Windows ---- */

static const struct { unsigned id; const char *name; } pe_machines[] = {
	{ 0x14c, "Intel 80386" }, { 0x166, "MIPS R4000" }, { 0x1a2, "Hitachi SH3" },
	{ 0x1c0, "ARM" }, { 0x1c2, "ARM Thumb" }, { 0x1c4, "ARMv7 Thumb" }, { 0x1f0, "PowerPC" },
	{ 0x200, "Intel Itanium" }, { 0xebc, "EFI byte code" }, { 0x5032, "RISC-V 32-bit" },
	{ 0x5064, "RISC-V 64-bit" }, { 0x8664, "x86-64" }, { 0xaa64, "Aarch64" }
};

static void pe_subsystem(struct file_look *f, unsigned sub, bool dll)
{
	static const struct { unsigned id; const char *text, *ext; } rows[] = {
		{ 1, "(native)", "exe/sys" }, { 2, "(GUI)", "exe/scr" }, { 3, "(console)", "exe/com" },
		{ 7, "(POSIX)", NULL }, { 9, "(Windows CE)", NULL },
		{ 10, "(EFI application)", "efi" }, { 11, "(EFI boot service driver)", "efi" },
		{ 12, "(EFI runtime driver)", "efi" }, { 13, "(EFI ROM)", "efi" },
		{ 14, "(XBOX)", NULL }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].id == sub) {
			str_addf(&f->text, " %s", rows[i].text);
			f->ext = dll ? "dll/cpl/tlb/ocx/acm/ax/ime" : rows[i].ext;
		}
}

static void pe_more(struct file_look *f, uint64_t at)
{
	unsigned machine = file_le16(f, at + 4), bits = file_le16(f, at + 22);
	unsigned magic = file_le16(f, at + 24), sections = file_le16(f, at + 6);
	uint64_t dirs = at + 24 + (magic == 0x20b ? 108 : 92);
	size_t i = 0, n = sizeof(pe_machines) / sizeof(*pe_machines);

	str_reset(&f->text);
	f->mime = "application/vnd.microsoft.portable-executable";
	str_adds(&f->text, magic == 0x20b ? "PE32+ executable" : magic == 0x10b ?
		 "PE32 executable" : magic == 0x107 ? "PE ROM image" : "PE unknown executable");
	if (bits & 0x2000)
		str_adds(&f->text, " (DLL)");
	pe_subsystem(f, file_le16(f, at + 24 + 68), bits & 0x2000);
	while (i < n && pe_machines[i].id != machine)
		i++;
	if (i < n)
		str_addf(&f->text, " %s", pe_machines[i].name);
	else
		str_addf(&f->text, " Unknown processor type 0x%x", machine);
	if (bits & 0x200)
		str_adds(&f->text, " (stripped to external PDB)");
	if (file_le32(f, dirs) > 14 && file_le32(f, dirs + 4 + 14 * 8))
		str_adds(&f->text, " Mono/.Net assembly");
	str_addf(&f->text, ", for MS Windows, %u section%s", sections, sections == 1 ? "" : "s");
}

static bool dos_more(struct file_look *f)
{
	uint32_t at = file_le32(f, 0x3c);

	if (f->n < 64)
		return false;
	if (FILE_HAS(f, at, "PE\0\0")) {
		pe_more(f, at);
		return true;
	}
	f->ext = "exe/com/vlm/drv";
	return true;
}

static bool coff_more(struct file_look *f)
{
	unsigned machine = file_le16(f, 0), n = file_le16(f, 2), flags = file_le16(f, 18);

	if (!n || n > 999 || file_le16(f, 16) || f->n < 28 || file_u8(f, 20) != '.')
		return false;
	str_addf(&f->text, "%s COFF object file", machine == 0x14c ? "Intel 80386" : "Intel amd64");
	if (flags & 2)
		str_adds(&f->text, ", executable");
	if (flags & 4)
		str_adds(&f->text, ", no line number info");
	str_adds(&f->text, flags & 8 ? ", stripped" : ", not stripped");
	str_addf(&f->text, ", %u section%s", n, n == 1 ? "" : "s");
	if (file_le32(f, 8))
		str_addf(&f->text, ", symbol offset=0x%x", file_le32(f, 8));
	if (file_le32(f, 12))
		str_addf(&f->text, ", %u symbols", file_le32(f, 12));
	if (file_le32(f, 4))
		file_add_time(f, ", created ", file_le32(f, 4));
	file_add_text(f, 20, 8, ", 1st section name \"", "\"");
	return true;
}

/* ---- Mach-O ---- */

static const char *macho_cpu(uint32_t cpu, uint32_t sub)
{
	switch (cpu) {
	case 7: return "i386";
	case 0x1000007: return "x86_64";
	case 12: return "arm";
	case 0x100000c: return (sub & 0xff) == 2 ? "arm64e" : "arm64";
	case 18: return "ppc";
	case 0x1000012: return "ppc64";
	default: return NULL;
	}
}

static void macho_flags(struct file_look *f, uint32_t flags)
{
	static const char *const names[] = {
		"NOUNDEFS", "INCRLINK", "DYLDLINK", "BINDATLOAD", "PREBOUND", "SPLIT_SEGS",
		"LAZY_INIT", "TWOLEVEL", "FORCE_FLAT", "NOMULTIDEFS", "NOFIXPREBINDING",
		"PREBINDABLE", "ALLMODSBOUND", "SUBSECTIONS_VIA_SYMBOLS", "CANONICAL",
		"WEAK_DEFINES", "BINDS_TO_WEAK", "ALLOW_STACK_EXECUTION", "ROOT_SAFE",
		"SETUID_SAFE", "NO_REEXPORTED_DYLIBS", "PIE", "DEAD_STRIPPABLE_DYLIB",
		"HAS_TLV_DESCRIPTORS", "NO_HEAP_EXECUTION", "APP_EXTENSION_SAFE"
	};

	if (!flags)
		return;
	str_adds(&f->text, ", flags:<");
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags >> i & 1)
			str_addf(&f->text, "%s%s", i ? "|" : "", names[i]);
	str_addc(&f->text, '>');
}

static bool macho_more(struct file_look *f)
{
	static const char *const types[] = {
		NULL, "object", "executable", "fixed virtual memory shared library", "core",
		"preload executable", "dynamically linked shared library", "dynamic linker",
		"bundle", "dynamically linked shared library stub", "dSYM companion file",
		"kext bundle"
	};
	static const char *const exts[] = { NULL, "o/", "16/18/", NULL, NULL, NULL, "dylib/", NULL,
					    "bundle/dylib/" };
	bool big = file_u8(f, 0) == 0xfe;
	uint32_t cpu = file_any32(f, 4, big), sub = file_any32(f, 8, big);
	uint32_t type = file_any32(f, 12, big);
	const char *name = macho_cpu(cpu, sub);

	str_addf(&f->text, cpu & 0x1000000 ? " 64-bit %s" : " %s", name ? name : "architecture");
	if (type && type < 12)
		str_addf(&f->text, " %s", types[type]);
	else
		str_addf(&f->text, " filetype=%u", type);
	f->ext = type < 9 ? exts[type] : NULL;
	macho_flags(f, file_any32(f, 24, big));
	return f->n >= 28;
}

/* The same first bytes: Mach-O for several machines, and Java. */
static bool cafebabe_more(struct file_look *f)
{
	static const char *const old[] = { " (Java 1.2)", " (Java 1.3)", " (Java 1.4)",
					   " (Java 1.5)", " (Java 1.6)", " (Java 1.7)",
					   " (Java 1.8)" };
	uint32_t n = file_be32(f, 4);
	unsigned major = n & 0xffff;

	if (f->n < 8)
		return false;
	if (n && n < 20) {
		str_addf(&f->text, "Mach-O universal binary with %u architecture%s:", n,
			 n == 1 ? "" : "s");
		f->mime = "application/x-mach-binary";
		for (uint32_t i = 0; i < n && 8 + 20 * (uint64_t)i < f->n; i++) {
			const char *name = macho_cpu(file_be32(f, 8 + 20 * i),
						     file_be32(f, 12 + 20 * i));

			str_addf(&f->text, i ? " [\\012- %s]" : " [%s]", name ? name : "unknown");
		}
		return true;
	}
	if (major < 45)
		return false;
	str_addf(&f->text, "compiled Java class data, version %u.%u", major, n >> 16);
	if (major >= 46 && major <= 52)
		str_adds(&f->text, old[major - 46]);
	else if (major >= 53 && major <= 64)
		str_addf(&f->text, " (Java SE %u)", major - 44);
	f->mime = "application/x-java-applet";
	f->ext = "class";
	return true;
}

/* ---- Python ---- */

static void pyc_new(struct file_look *f, const char *version)
{
	unsigned flags = file_le32(f, 4);

	str_addf(&f->text, "Byte-compiled Python module for CPython %s", version);
	if (flags & 1) {
		str_addf(&f->text, ", hash-based, check-source flag %sset, hash: 0x%llx",
			 flags & 2 ? "" : "un", (unsigned long long)file_le64(f, 8));
		return;
	}
	file_add_time(f, ", timestamp-based, .py timestamp: ", file_le32(f, 8));
	str_addf(&f->text, " UTC, .py size: %u bytes", file_le32(f, 12));
}

static bool pyc_more(struct file_look *f)
{
	static const struct { unsigned low, high; const char *name; bool is_new; } rows[] = {
		{ 3390, 3399, "3.7", true }, { 3400, 3419, "3.8", true },
		{ 3420, 3429, "3.9", true }, { 3430, 3449, "3.10", true },
		{ 3450, 3499, "3.11", true }, { 3500, 3600, "3.12 or newer", true },
		{ 20121, 20121, "1.5/1.6", false }, { 50428, 50428, "2.0", false },
		{ 60202, 60202, "2.1", false }, { 60717, 60717, "2.2", false },
		{ 62011, 62021, "2.3", false }, { 62041, 62061, "2.4", false },
		{ 62071, 62131, "2.5", false }, { 62151, 62161, "2.6", false },
		{ 62171, 62211, "2.7", false }, { 3000, 3131, "3.0", false },
		{ 3141, 3151, "3.1", false }, { 3160, 3180, "3.2", false },
		{ 3190, 3230, "3.3", false }, { 3250, 3310, "3.4", false },
		{ 3320, 3350, "3.5.1-", false }, { 3351, 3351, "3.5.2+", false },
		{ 3360, 3379, "3.6", false }
	};
	unsigned magic = file_le16(f, 0);

	if (FILE_HAS(f, 0, "\n\r\r\n"))	/* pcapng */
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (magic < rows[i].low || magic > rows[i].high)
			continue;
		f->mime = "application/x-bytecode.python";
		if (rows[i].is_new)
			pyc_new(f, rows[i].name);
		else
			str_addf(&f->text, "python %s byte-compiled", rows[i].name);
		return true;
	}
	return false;
}

/* ---- Others ---- */

static bool wasm_more(struct file_look *f)
{
	uint32_t v = file_le32(f, 4);

	str_addf(&f->text, " module version %#x", v);
	if (v == 1) {
		str_adds(&f->text, " (MVP)");
		f->mime = "application/wasm";
		f->ext = "wasm";
	}
	return f->n >= 8;
}

static bool lua_more(struct file_look *f)
{
	str_addf(&f->text, " %u.%u", file_u8(f, 4) >> 4, file_u8(f, 4) & 15);
	return true;
}

static bool dex_more(struct file_look *f)
{
	file_add_text(f, 4, 3, "", "");
	return true;
}

const struct file_kind file_programs[] = {
	ROW(0, "\x7f" "ELF", "ELF", NULL, NULL, file_elf),
	ROW(0, "MZ", "MS-DOS executable, MZ for MS-DOS", "application/x-dosexec", NULL, dos_more),
	ROW(0, "\xce\xfa\xed\xfe", "Mach-O", "application/x-mach-binary", NULL, macho_more),
	ROW(0, "\xcf\xfa\xed\xfe", "Mach-O", "application/x-mach-binary", NULL, macho_more),
	ROW(0, "\xfe\xed\xfa\xce", "Mach-O", "application/x-mach-binary", NULL, macho_more),
	ROW(0, "\xfe\xed\xfa\xcf", "Mach-O", "application/x-mach-binary", NULL, macho_more),
	ROW(0, "\xca\xfe\xba\xbe", "", NULL, NULL, cafebabe_more),
	ROW(2, "\r\n", "", NULL, NULL, pyc_more),
	ROW(0, "\0asm", "WebAssembly (wasm) binary", NULL, NULL, wasm_more),
	ROW(0, "dex\n", "Dalvik dex file version ", NULL, NULL, dex_more),
	ROW(0, "\x1bLua", "Lua bytecode, version", NULL, NULL, lua_more),
	ROW(0, "BC\xc0\xde", "LLVM IR bitcode", NULL, NULL, NULL),
	ROW(0, "\x64\x86", "", "application/x-coff", "o/obj/lib", coff_more),
	ROW(0, "\x4c\x01", "", "application/x-coff", "o/obj/lib", coff_more),
	{ 0 }
};
