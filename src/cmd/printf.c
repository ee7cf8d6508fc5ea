/* printf: see below. */
/* taken by the sed helper */
