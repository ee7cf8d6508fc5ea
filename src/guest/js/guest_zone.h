/*
 * Local time, as the host tells it (sys_zone.c). Included into quickjs.c before the dates. Without a zone no call is made: it is
 * asked for once, and again when a script changes process.env.TZ.
 */
static enum { ZONE_UNKNOWN, ZONE_UTC, ZONE_ASK } guest_zone_state;
enum { ZONE_IS_OTHER = 4 };	/* of sys_zone.c */

/* Minutes from local time to UTC at an instant of UTC, or of local time; in milliseconds. */
static int guest_zone(int64_t time, bool local)
{
	struct sys_arg args[2] = { { .number = ZONE_IS_OTHER }, { .number = time } };
	const long long found = 1 << 20;	/* an offset, and no error */

	if (guest_zone_state == ZONE_UNKNOWN)
		guest_zone_state = h_sys(SYS_ZONE, args, 1) == 1 ? ZONE_ASK : ZONE_UTC;
	if (guest_zone_state == ZONE_UTC)
		return 0;
	args[0].number = local;
	return (int)((found - h_sys(SYS_ZONE, args, 2)) / 60);
}
