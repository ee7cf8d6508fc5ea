n=0; for ((i=0; i<20000; i++)); do s="user$i@example$((i%7)).com"; if [[ $s =~ ^([a-z]+)([0-9]+)@(.*)\.com$ ]]; then n=$((n + ${BASH_REMATCH[2]})); fi; done; echo $n
