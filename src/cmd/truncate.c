/* truncate: see below. */
/* taken by the sed helper */
