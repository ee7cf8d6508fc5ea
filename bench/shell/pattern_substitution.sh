s="hello world foo bar baz"; for ((i=0; i<30000; i++)); do t=${s//o/0}; t=${t/world/there}; t=${t%% *}; t=${s##* }; t=${s^^}; done; echo $t
