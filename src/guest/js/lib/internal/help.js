/* What --help prints. */
'use strict';

exports.text = `Usage: node [options] [ script.js ] [arguments]

Options:
  -                            script read from stdin (default if no file name is provided, interactive mode if a tty)
  --                           indicate the end of node options
  -c, --check                  syntax check script without executing
  -C, --conditions=...         additional user conditions for conditional exports and imports
  -e, --eval=...               evaluate script
  --expose-gc                  make the function gc() known
  -h, --help                   print node command line options (currently set)
  --import=...                 ES module to preload (option can be repeated)
  --input-type=...             set module type for string input
  -i, --interactive            always enter the REPL even if stdin does not appear to be a terminal
  --max-old-space-size=...     memory limit in MiB
  --no-deprecation             silence deprecation warnings
  --no-warnings                silence all process warnings
  --preserve-symlinks          preserve symbolic links when resolving
  -p, --print [...]            evaluate script and print result
  -r, --require=...            CommonJS module to preload (option can be repeated)
  --stack-trace-limit=...      frames that a stack trace has
  --throw-deprecation          throw an exception on deprecations
  --title=...                  the process title to use on startup
  --trace-deprecation          show stack traces on deprecations
  --trace-warnings             show stack traces on process warnings
  --unhandled-rejections=...   define unhandled rejections behavior
  -v, --version                print Node.js version
`;
