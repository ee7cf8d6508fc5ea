/* Made by regenerate: what bash 5.2.15(1)-release says. */
	{ "a |\\\n"
	  "| b &\\\n"
	  "& c ;\\\n"
	  "; d",
	  "line 4: syntax error near unexpected token `;;'\n"
	  "line 4: `; d'\n" },
	{ "[[ a\n"
	  "&& b ]]",
	  "line 1: unexpected token `newline', conditional binary operator expected\n" },
	{ "for i in a b\n"
	  "c\n"
	  "do d; done",
	  "line 2: syntax error near unexpected token `c'\n"
	  "line 2: `c'\n" },
	{ "(a) (b)",
	  "line 1: syntax error near unexpected token `('\n"
	  "line 1: `(a) (b)'\n" },
	{ "echo a=(b",
	  "line 1: syntax error near unexpected token `('\n"
	  "line 1: `echo a=(b'\n" },
	{ "echo \"a",
	  "line 1: unexpected EOF while looking for matching `\"'\n" },
	{ "echo 'a",
	  "line 1: unexpected EOF while looking for matching `''\n" },
	{ "echo $(a",
	  "line 2: unexpected EOF while looking for matching `)'\n" },
	{ "echo ${a",
	  "line 1: unexpected EOF while looking for matching `}'\n" },
	{ "echo `a",
	  "line 1: unexpected EOF while looking for matching ``'\n" },
	{ "( a",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "{ a",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "if a",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "case x in",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "[[ a",
	  "line 1: unexpected token `newline', conditional binary operator expected\n" },
	{ "((a",
	  "line 1: unexpected EOF while looking for matching `)'\n" },
	{ "a | ",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "a &&",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "a >",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `a >'\n" },
	{ "a > > b",
	  "line 1: syntax error near unexpected token `>'\n"
	  "line 1: `a > > b'\n" },
	{ "a ;; b",
	  "line 1: syntax error near unexpected token `;;'\n"
	  "line 1: `a ;; b'\n" },
	{ "; a",
	  "line 1: syntax error near unexpected token `;'\n"
	  "line 1: `; a'\n" },
	{ "& a",
	  "line 1: syntax error near unexpected token `&'\n"
	  "line 1: `& a'\n" },
	{ "| a",
	  "line 1: syntax error near unexpected token `|'\n"
	  "line 1: `| a'\n" },
	{ "&& a",
	  "line 1: syntax error near unexpected token `&&'\n"
	  "line 1: `&& a'\n" },
	{ ") a",
	  "line 1: syntax error near unexpected token `)'\n"
	  "line 1: `) a'\n" },
	{ "a )",
	  "line 1: syntax error near unexpected token `)'\n"
	  "line 1: `a )'\n" },
	{ "for i in a; b; done",
	  "line 1: syntax error near unexpected token `b'\n"
	  "line 1: `for i in a; b; done'\n" },
	{ "for i in a do b; done",
	  "line 1: syntax error near unexpected token `done'\n"
	  "line 1: `for i in a do b; done'\n" },
	{ "while a; b; done",
	  "line 1: syntax error near unexpected token `done'\n"
	  "line 1: `while a; b; done'\n" },
	{ "if a; b; fi",
	  "line 1: syntax error near unexpected token `fi'\n"
	  "line 1: `if a; b; fi'\n" },
	{ "if a then b; fi",
	  "line 1: syntax error near unexpected token `fi'\n"
	  "line 1: `if a then b; fi'\n" },
	{ "function { a; }",
	  "line 1: syntax error near unexpected token `a'\n"
	  "line 1: `function { a; }'\n" },
	{ "function f",
	  "line 2: syntax error: unexpected end of file\n" },
	{ "f ( a ) { b; }",
	  "line 1: syntax error near unexpected token `a'\n"
	  "line 1: `f ( a ) { b; }'\n" },
	{ "f() a",
	  "line 1: syntax error near unexpected token `a'\n"
	  "line 1: `f() a'\n" },
	{ "case x a) b;; esac",
	  "line 1: syntax error near unexpected token `a'\n"
	  "line 1: `case x a) b;; esac'\n" },
	{ "case x in a b) c;; esac",
	  "line 1: syntax error near unexpected token `b'\n"
	  "line 1: `case x in a b) c;; esac'\n" },
	{ "case x in a) b;; c",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `case x in a) b;; c'\n" },
	{ "select in a; do b; done",
	  "line 1: syntax error near unexpected token `a'\n"
	  "line 1: `select in a; do b; done'\n" },
	{ "coproc",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `coproc'\n" },
	{ "time | a",
	  "line 1: syntax error near unexpected token `|'\n"
	  "line 1: `time | a'\n" },
	{ "! | a",
	  "line 1: syntax error near unexpected token `|'\n"
	  "line 1: `! | a'\n" },
	{ "a | ! b",
	  "line 1: syntax error near unexpected token `!'\n"
	  "line 1: `a | ! b'\n" },
	{ "a || ; b",
	  "line 1: syntax error near unexpected token `;'\n"
	  "line 1: `a || ; b'\n" },
	{ "a && && b",
	  "line 1: syntax error near unexpected token `&&'\n"
	  "line 1: `a && && b'\n" },
	{ "a & & b",
	  "line 1: syntax error near unexpected token `&'\n"
	  "line 1: `a & & b'\n" },
	{ "a ; ; b",
	  "line 1: syntax error near unexpected token `;'\n"
	  "line 1: `a ; ; b'\n" },
	{ "a & ; b",
	  "line 1: syntax error near unexpected token `;'\n"
	  "line 1: `a & ; b'\n" },
	{ "((a) b",
	  "line 1: syntax error near unexpected token `b'\n"
	  "line 1: `((a) b'\n" },
	{ "for ((a;b)); do c; done",
	  "line 1: syntax error: arithmetic expression required\n"
	  "line 1: syntax error: `((a;b))'\n" },
	{ "for ((a;b;c;d)); do e; done",
	  "line 1: syntax error: `;' unexpected\n"
	  "line 1: syntax error: `((a;b;c;d))'\n" },
	{ "[[ a b c ]]",
	  "line 1: conditional binary operator expected\n" },
	{ "[[ a = ]]",
	  "line 1: unexpected argument `]]' to conditional binary operator\n" },
	{ "[[ -f ]]",
	  "line 1: unexpected argument `]]' to conditional unary operator\n" },
	{ "[[ ( a ]]",
	  "line 1: unexpected token `]]', expected `)'\n" },
	{ "[[ a ) ]]",
	  "line 1: syntax error in conditional expression: unexpected token `)'\n" },
	{ "<<",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `<<'\n" },
	{ "cat << ; a",
	  "line 1: syntax error near unexpected token `;'\n"
	  "line 1: `cat << ; a'\n" },
	{ "a <<<",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `a <<<'\n" },
	{ "a 2>& ",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `a 2>& '\n" },
	{ "a >&",
	  "line 1: syntax error near unexpected token `newline'\n"
	  "line 1: `a >&'\n" },
	{ "done",
	  "line 1: syntax error near unexpected token `done'\n"
	  "line 1: `done'\n" },
	{ "a; done",
	  "line 1: syntax error near unexpected token `done'\n"
	  "line 1: `a; done'\n" },
	{ "} a",
	  "line 1: syntax error near unexpected token `}'\n"
	  "line 1: `} a'\n" },
	{ "esac",
	  "line 1: syntax error near unexpected token `esac'\n"
	  "line 1: `esac'\n" },
	{ "then",
	  "line 1: syntax error near unexpected token `then'\n"
	  "line 1: `then'\n" },
	{ "in",
	  "line 1: syntax error near unexpected token `in'\n"
	  "line 1: `in'\n" },
	{ "do",
	  "line 1: syntax error near unexpected token `do'\n"
	  "line 1: `do'\n" },
