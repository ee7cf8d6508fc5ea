declare -A c; for ((i=0; i<60000; i++)); do k=key$((i % 997)); ((c[$k]++)); done; echo ${#c[@]} ${c[key5]}
for ((i=0; i<30000; i++)); do c[x$i]=$i; done; s=0; for k in "${!c[@]}"; do s=$((s + c[$k])); done; echo $s
