a=(); for ((i=0; i<400; i++)); do a[i]=$(( (i * 7919 + 13) % 1000 )); done
n=${#a[@]}; for ((i=1; i<n; i++)); do v=${a[i]}; for ((j=i-1; j>=0 && a[j]>v; j--)); do a[j+1]=${a[j]}; done; a[j+1]=$v; done; echo "${a[@]:0:5}"
