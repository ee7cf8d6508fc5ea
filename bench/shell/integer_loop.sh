s=0; for ((i=0; i<300000; i++)); do ((s += i * 3 % 7)); done; echo $s
