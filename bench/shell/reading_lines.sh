for ((i=0; i<20000; i++)); do echo "line $i of the file with words"; done > f.txt; n=0
while IFS=' ' read -r a b rest; do n=$((n + b)); done < f.txt; echo $n
mapfile -t l < f.txt; for x in "${l[@]}"; do [[ $x == *9*words ]] && n=$((n+1)); done; echo $n
