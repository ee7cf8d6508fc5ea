for ((i=0; i<4000; i++)); do x=$(echo "$i"); done; echo $x
