/* echo: see below. */
/* taken by the sed helper */
