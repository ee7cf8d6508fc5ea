text="the quick brown fox jumps over the lazy dog and runs away"; n=0
for ((i=0; i<10000; i++)); do for w in $text; do n=$((n + ${#w})); done; done; echo $n
