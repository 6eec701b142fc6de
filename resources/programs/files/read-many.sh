# Arguments: paths. Prints a line for each file (size, mode, inode, times), then all bytes, then the lines again. If
# the lines differ, a file was changed meanwhile. Fails completely if a file cannot be read.
all() { stat -Lc '%s %a %i %y %z' -- "$@" || exit 48; }
for f; do [ -f "$f" ] || exit 42; done
all "$@"
cat -- "$@" || exit 48
all "$@"
