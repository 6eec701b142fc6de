# Arguments: path, expected hash or `any`. A link itself is removed.
f=$1 expect=$2
[ -e "$f" ] || [ -L "$f" ] || exit 40
link=
if [ -L "$f" ]; then link=${f##*/}; [ "$expect" = any ] || [ "$(sha256sum < "$f" 2>/dev/null | cut -c1-64)" = "$expect" ] || exit 44; expect=any; f=${f%/*}/.; fi
enter keep
[ -n "$link" ] && base=$link
[ -n "$link" ] || { [ -d "./$base" ] && exit 41; }
check || exit 44
rm -f -- "./$base" 2>/dev/null || exit 47
