n=0; for ((i=0; i<60000; i++)); do case $((i % 5)) in 0) n=$((n+1));; [12]) n=$((n+2));; *) : ;; esac; if [[ $i == *7* && $i -gt 100 ]]; then n=$((n+3)); fi; done; echo $n
