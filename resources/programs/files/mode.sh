# Arguments: path, mode in octal. The runner has no such operation, because it is seldom needed.
f=$1
[ -L "$f" ] && exit 42
[ -e "$f" ] || exit 40
[ -d "$f" ] && exit 41
[ -f "$f" ] || exit 42
chmod "$2" "$f" 2>/dev/null || exit 47
