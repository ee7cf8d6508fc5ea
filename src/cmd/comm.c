/* comm: being written. */
/* taken by the sed helper */
