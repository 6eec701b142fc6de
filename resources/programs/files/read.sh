# Arguments: path, most bytes. Prints the mode in octal and a line end, then the bytes. With `tooLarge`, prints the
# size.
f=$1
[ -e "$f" ] || exit 40
[ -d "$f" ] && exit 41
[ -f "$f" ] || exit 42
[ -r "$f" ] || exit 47
max=$2
set -- $(stat -Lc '%s %a' -- "$f")
[ "$1" -gt "$max" ] && { printf '%s' "$1"; exit 43; }
printf '%s\n' "$2"
exec head -c "$((max + 1))" -- "$f"
