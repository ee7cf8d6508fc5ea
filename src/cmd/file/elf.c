/*
 * ELF: the header, the program's segments, the notes and the sections. Parts
 * that lie behind the bytes which were read are fetched from the file.
 */
#include "cmd/file/file.h"

enum { NAME_MAX_READ = 64, NOTES_READ = 4096, INTERPRETER_MAX = 64 };

struct elf {
	struct file_look *f;
	bool big, wide;		/* most significant byte first; 64 bits */
	bool did_id, did_os, did_go, debug, symbols;
	uint64_t notes;
};

static const struct { unsigned id; const char *name; } machines[] = {
	{ 0, "no machine," }, { 1, "AT&T WE32100," }, { 2, "SPARC," }, { 3, "Intel 80386," },
	{ 4, "Motorola m68k," }, { 5, "Motorola m88k," }, { 6, "Intel 80486," },
	{ 7, "Intel 80860," }, { 8, "MIPS," }, { 9, "Amdahl," }, { 10, "MIPS (deprecated)," },
	{ 15, "PA-RISC," }, { 18, "SPARC32PLUS, V8+ Required," }, { 20, "PowerPC or cisco 4500," },
	{ 21, "64-bit PowerPC or cisco 7500," }, { 22, "IBM S/390," }, { 36, "NEC V800," },
	{ 40, "ARM," }, { 41, "Alpha," }, { 42, "Renesas SH," }, { 43, "SPARC V9," },
	{ 50, "IA-64," }, { 62, "x86-64," }, { 83, "Atmel AVR 8-bit," }, { 93, "ARC Cores," },
	{ 94, "Tensilica Xtensa," }, { 105, "TI MSP430," }, { 113, "Altera Nios II," },
	{ 183, "ARM aarch64," }, { 189, "Xilinx MicroBlaze 32-bit RISC," }, { 243, "UCB RISC-V," },
	{ 247, "eBPF," }, { 258, "LoongArch," }
};

static bool elf_bytes(struct elf *e, uint64_t at, void *buf, size_t n)
{
	if (at > e->f->n || n > e->f->n - at)
		return false;
	memcpy(buf, e->f->at + at, n);
	return true;
}

static uint64_t elf_word(struct elf *e, uint64_t at)
{
	return e->wide ? file_any64(e->f, at, e->big) : file_any32(e->f, at, e->big);
}

/* ---- The header ---- */

static void elf_flags(struct elf *e, unsigned machine)
{
	struct str *s = &e->f->text;
	uint32_t v = file_any32(e->f, e->wide ? 48 : 36, e->big);
	static const char *const mips[] = { "MIPS-I", "MIPS-II", "MIPS-III", "MIPS-IV", "MIPS-V",
		"MIPS32", "MIPS64", "MIPS32 rel2", "MIPS64 rel2", "MIPS32 rel6", "MIPS64 rel6" };
	static const char *const floats[] = { "soft-float", "single-float", "double-float",
					      "quad-float" };

	if (e->f->n < (e->wide ? 52 : 40))
		return;
	if (machine == 8 && v >> 28 < 11) {
		str_addf(s, " %s", mips[v >> 28]);
	} else if (machine == 40 && v >> 24 >= 1 && v >> 24 <= 5) {
		str_addf(s, " EABI%u", v >> 24);
	} else if (machine == 243) {
		str_addf(s, "%s%s %s ABI,", v & 1 ? " RVC," : "", v & 8 ? " RVE," : "",
			 floats[v >> 1 & 3]);
	} else if (machine == 21) {
		str_adds(s, v == 1 ? " Power ELF V1 ABI," : v == 2 ? " OpenPOWER ELF V2 ABI," :
			 " Unspecified or Power ELF V1 ABI,");
	} else if (machine == 43) {
		static const char *const orders[] = { " total store ordering,",
			" partial store ordering,", " relaxed memory ordering,", "" };

		str_adds(s, orders[v & 3]);
	} else if (machine == 4) {
		str_adds(s, v & 0x1000000 ? " 68000," : v & 0x810000 ? " CPU32," : v ? "" :
			 " 68020,");
	}
}

static void elf_machine(struct elf *e)
{
	struct str *s = &e->f->text;
	unsigned machine = file_any16(e->f, 18, e->big);
	size_t i = 0, n = sizeof(machines) / sizeof(*machines);

	while (i < n && machines[i].id != machine)
		i++;
	if (i == n)
		str_addf(s, " *unknown arch 0x%x*", machine);
	else
		str_addf(s, " %s", machines[i].name);
	elf_flags(e, machine);
}

static void elf_system(struct elf *e)
{
	static const char *const systems[] = {
		"SYSV", "HP-UX", "NetBSD", "GNU/Linux", "GNU/Hurd", "86Open", "Solaris",
		"Monterey", "IRIX", "FreeBSD", "Tru64", "Novell Modesto", "OpenBSD"
	};
	unsigned id = file_u8(e->f, 7);

	if (e->f->n <= 7)
		return;
	if (id < 13)
		str_addf(&e->f->text, " (%s)", systems[id]);
	else if (id == 97 || id == 255)
		str_adds(&e->f->text, id == 97 ? " (ARM)" : " (embedded)");
}

/* ---- Notes ---- */

static void elf_id(struct elf *e, const unsigned char *at, size_t n)
{
	const char *kind = n == 8 ? "xxHash" : n == 16 ? "md5/uuid" : n == 20 ? "sha1" : "unknown";

	if (e->did_id || n < 4 || n > 20)
		return;
	e->did_id = true;
	str_addf(&e->f->text, ", BuildID[%s]=", kind);
	for (size_t i = 0; i < n; i++)
		str_addf(&e->f->text, "%02x", at[i]);
}

static void elf_note(struct elf *e, const struct file_look *b, uint64_t name, uint32_t name_n,
		     uint64_t desc, uint32_t desc_n, uint32_t type)
{
	static const char *const systems[] = { "Linux", "Hurd", "Solaris", "kFreeBSD", "kNetBSD" };
	bool gnu = name_n == 4 && file_has(b, name, "GNU", 4);

	if (desc > b->n || desc_n > b->n - desc)
		return;
	if (gnu && type == 3) {
		elf_id(e, b->at + desc, desc_n);
	} else if (gnu && type == 1 && desc_n == 16 && !e->did_os) {
		uint32_t os = file_any32(b, desc, e->big);

		e->did_os = true;
		str_addf(&e->f->text, ", for GNU/%s %u.%u.%u", os < 5 ? systems[os] : "<unknown>",
			 file_any32(b, desc + 4, e->big), file_any32(b, desc + 8, e->big),
			 file_any32(b, desc + 12, e->big));
	} else if (name_n == 4 && file_has(b, name, "Go\0", 4) && type == 4 && desc_n < 128 &&
		   !e->did_go) {
		e->did_go = true;
		str_addf(&e->f->text, ", Go BuildID=%.*s", (int)desc_n,
			 (const char *)b->at + desc);
	}
}

static void elf_notes(struct elf *e, uint64_t at, uint64_t size, uint64_t align)
{
	unsigned char *buf;
	size_t n = size < NOTES_READ ? (size_t)size : NOTES_READ, i = 0;
	struct file_look b = { 0 };

	if (align != 8)
		align = 4;
	if (at >= e->f->n)
		return;
	n = n < e->f->n - at ? n : e->f->n - (size_t)at;
	buf = tsb_alloc(e->f->p, n + 1);
	elf_bytes(e, at, buf, n);
	b.at = buf;
	b.n = n;
	while (i + 12 <= n && e->notes++ < e->f->o->elf_notes) {
		uint32_t name_n = file_any32(&b, i, e->big), desc_n = file_any32(&b, i + 4, e->big);
		uint64_t desc = i + 12 + ((uint64_t)name_n + align - 1) / align * align;

		if (!name_n && !desc_n)
			break;
		elf_note(e, &b, i + 12, name_n, desc, desc_n, file_any32(&b, i + 8, e->big));
		desc += ((uint64_t)desc_n + align - 1) / align * align;
		if (desc >= n)
			break;
		i = (size_t)desc;
	}
	tsb_free(e->f->p, buf);
}

/* ---- Segments ---- */

struct segment {
	uint32_t type;
	uint64_t at, size, align;
};

static bool elf_segment(struct elf *e, uint64_t i, struct segment *s)
{
	uint64_t at = elf_word(e, e->wide ? 32 : 28);
	uint64_t step = file_any16(e->f, e->wide ? 54 : 42, e->big);

	if (at >= e->f->n || step < (e->wide ? 56u : 32u))
		return false;
	at += i * step;
	s->type = file_any32(e->f, at, e->big);
	s->at = elf_word(e, at + (e->wide ? 8 : 4));
	s->size = elf_word(e, at + (e->wide ? 32 : 16));
	s->align = elf_word(e, at + (e->wide ? 48 : 28));
	return at < e->f->n;
}

/* DF_1_PIE among the dynamic entries. */
static bool elf_is_pie(struct elf *e, uint64_t n)
{
	struct segment s;
	unsigned step = e->wide ? 16 : 8;

	for (uint64_t i = 0; i < n && elf_segment(e, i, &s); i++) {
		if (s.type != 2)
			continue;
		for (uint64_t at = s.at; at < e->f->n && at - s.at < s.size; at += step)
			if (elf_word(e, at) == 0x6ffffffb)
				return elf_word(e, at + step / 2) & 0x08000000;
	}
	return false;
}

static void elf_segments(struct elf *e, uint64_t n, bool pie)
{
	bool dynamic = false, interpreted = false;
	uint64_t interpreter = 0;
	struct segment s;
	struct str *out = &e->f->text;

	for (uint64_t i = 0; i < n && elf_segment(e, i, &s); i++) {
		dynamic |= s.type == 2;
		if (s.type == 3 && !interpreted) {
			interpreted = true;
			interpreter = s.at;
		}
	}
	if (dynamic && pie && !interpreted)
		str_adds(out, ", static-pie linked");
	else
		str_adds(out, dynamic ? ", dynamically linked" : ", statically linked");
	if (interpreted)
		file_add_text(e->f, interpreter, INTERPRETER_MAX, ", interpreter ", "");
	for (uint64_t i = 0; i < n && elf_segment(e, i, &s); i++)
		if (s.type == 4)
			elf_notes(e, s.at, s.size, s.align);
}

/* ---- Sections ---- */

static void elf_sections(struct elf *e, uint64_t n)
{
	uint64_t at = elf_word(e, e->wide ? 40 : 32);
	uint64_t step = file_any16(e->f, e->wide ? 58 : 46, e->big);
	uint64_t names = file_any16(e->f, e->wide ? 62 : 50, e->big);
	uint64_t strings = elf_word(e, at + names * step + (e->wide ? 24 : 16));
	bool symbols = false, debug = false;

	for (uint64_t i = 0; i < n && at + i * step < e->f->n; i++) {
		uint64_t s = at + i * step, name = strings + file_any32(e->f, s, e->big);
		uint32_t type = file_any32(e->f, s + 4, e->big);

		symbols |= type == 2;
		debug |= FILE_HAS(e->f, name, ".debug_info\0");
		if (type == 7)
			elf_notes(e, elf_word(e, s + (e->wide ? 24 : 16)),
				  elf_word(e, s + (e->wide ? 32 : 20)),
				  elf_word(e, s + (e->wide ? 48 : 32)));
	}
	if (debug)
		str_adds(&e->f->text, ", with debug_info");
	str_adds(&e->f->text, symbols ? ", not stripped" : ", stripped");
}

/* Behind the header of the section that holds the names of sections. */
static uint64_t elf_table_end(struct elf *e)
{
	return elf_word(e, e->wide ? 40 : 32) +
	       (uint64_t)file_any16(e->f, e->wide ? 62 : 50, e->big) * (e->wide ? 64 : 40);
}

static void elf_inside(struct elf *e, unsigned type, bool pie)
{
	uint64_t segments = file_any16(e->f, e->wide ? 56 : 44, e->big);
	uint64_t sections = file_any16(e->f, e->wide ? 60 : 48, e->big);

	if ((e->f->o->skip & FILE_ELF) || e->f->n <= (e->wide ? 64u : 52u) || type < 1 || type > 4)
		return;
	if (type == 2 || type == 3) {
		if (segments > e->f->o->elf_phdrs) {
			str_addf(&e->f->text, ", too many program (%llu)",
				 (unsigned long long)segments);
			return;
		}
		if (segments)
			elf_segments(e, segments, pie);
		else
			str_adds(&e->f->text, ", no program header");
	}
	if (type == 4)
		return;
	if (sections && elf_table_end(e) > e->f->size)
		str_addf(&e->f->text, ", missing section headers at %llu",
			 (unsigned long long)elf_table_end(e));
	else if (sections > e->f->o->elf_shdrs)
		str_addf(&e->f->text, ", too many section (%llu)", (unsigned long long)sections);
	else if (sections)
		elf_sections(e, sections);
	else
		str_adds(&e->f->text, ", no section header");
}

bool file_elf(struct file_look *f)
{
	static const char *const types[] = {
		" no file type,", " relocatable,", " executable,", " shared object,", " core file,"
	};
	static const char *const mimes[] = {
		"application/octet-stream", "application/x-object", "application/x-executable",
		"application/x-sharedlib", "application/x-coredump"
	};
	struct elf e = { .f = f, .big = file_u8(f, 5) == 2, .wide = file_u8(f, 4) == 2 };
	unsigned type = file_any16(f, 16, e.big);
	bool pie;

	if (file_u8(f, 4) > 2) {
		elf_system(&e);
		str_addf(&f->text, ", unknown class %u", file_u8(f, 4));
		return true;
	}
	str_addf(&f->text, " %d-bit %s", e.wide ? 64 : 32, e.big ? "MSB" : "LSB");
	if (f->n < 20)
		return true;
	pie = type == 3 && elf_is_pie(&e, file_any16(f, e.wide ? 56 : 44, e.big));
	str_adds(&f->text, pie ? " pie executable," : type < 5 ? types[type] : "");
	f->mime = pie ? "application/x-pie-executable" : type < 5 ? mimes[type] : NULL;
	elf_machine(&e);
	str_addf(&f->text, " version %u", file_any32(f, 20, e.big));
	elf_system(&e);
	elf_inside(&e, type, pie);
	return true;
}
