s=; for i in {1..60000}; do s+="item $i,"; done; echo ${#s}
t=; for ((i=0; i<3000; i++)); do t="$t$i "; done; echo ${#t}
