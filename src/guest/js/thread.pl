# thread.pl FILE.c: the loop that runs bytecode, in wasm2c's C, jumps from the end of each operation to the next one's beginning,
# by a table of labels. It is not counted: all jumps backwards and all calls of scripts are (h_turn() in js_poll_interrupts()).
use strict;
use warnings;

local $/;
open(my $in, '<', $ARGV[0]) or die;
my $c = <$in>;
my @found;
while ($c =~ /(w2c_L\d+): GUEST_LOOP\(instance\);\n((?: [^\n:]*;\n){6,16}?) +switch \(w2c_i0\) \{\n((?: +case \d+: goto \w+;\n){240,}) +default: goto (\w+);\n +\}/g) {
	push @found, [$-[0], $+[0], $1, $2, $3, $4] if index($2, 'i32_load8_u(') >= 0;
}
die "thread.pl: the loop that runs bytecode is not what it was\n" if @found != 1;
my ($from, $to, $loop, $head, $cases, $default) = @{$found[0]};
die "thread.pl: operations are numbered in another way\n" if $head !~ /w2c_i1 = 4294967295u;\n +w2c_i0 \+= w2c_i1;\n$/;
my $start = rindex($c, "\n}\n", $from) + 3;
my $end = index($c, "\n}\n", $to);
my @label = ("&&$default") x 256;
$label[$1 + 1] = "&&$2" while $cases =~ /case (\d+): goto (\w+);/g;
my $table = 'static const void *const operations[256] = { ' . join(', ', @label) . " };\n";
my $next = $head . "goto *operations[(u8)(w2c_i0 + 1)];";
my $f = substr($c, $start, $from - $start) . "$loop:;\n$next" . substr($c, $to, $end - $to);
# What all operations go to: two variables move, a flag is cleared and looked at, and the loop begins anew.
$f =~ /(w2c_B\d+):;\n +w2c_i0 = 0u;\n +(\w+) = w2c_i0;\n +w2c_B\d+:;\n +w2c_i0 = (\w+);\n +(\w+) = w2c_i0;\n +w2c_i0 = (\w+);\n +(\w+) = w2c_i0;\n +w2c_i0 = \2;\n +w2c_i0 = !\(w2c_i0\);\n +if \(w2c_i0\) \{goto $loop;\}/
	or die "thread.pl: operations end in another way\n";
my ($tail, $moves) = ($1, "$4 = $3; $6 = $5;");
my $threaded = ($f =~ s/goto $tail;/{ $moves\n$next }/g);
die "thread.pl: few operations end where all do\n" if $threaded < 100;
$f =~ s/FUNC_PROLOGUE;/FUNC_PROLOGUE;\n$table/;
substr($c, $start, $end - $start) = $f;
open(my $out, '>', $ARGV[0]) or die;
print $out $c;
close($out) or die;
