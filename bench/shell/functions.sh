add() { local x=$1 y=$2; REPLY=$((x + y)); }; s=0; for ((i=0; i<40000; i++)); do add $s $i; s=$REPLY; done; echo $s
