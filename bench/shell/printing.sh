for ((i=0; i<25000; i++)); do
	printf -v s '%05d:%s' $i abc
	printf '%s\n' "$s"; echo "$i $s"
done | tail -1
