# Arguments: path, expected hash or `any` or `none`, size of the input, name for the temporary file. The file is
# written completely or not at all. If a rename would change the owner, it is written in place.
f=$1 expect=$2 size=$3 temp=$4
umask 022
enter make
[ -d "./$base" ] && exit 41
[ -e "./$base" ] && [ ! -f "./$base" ] && exit 42
[ -e "./$base" ] && [ ! -w "./$base" ] && exit 47
check || exit 44
trap 'rm -f -- "./$temp"' EXIT
trap 'exit 46' TERM HUP INT
( : > "./$temp" ) 2>/dev/null || exit 47
cat > "./$temp" || exit 48
[ "$(wc -c < "./$temp")" -eq "$size" ] || exit 46
if [ -f "./$base" ]; then
  set -- $(stat -c '%a %u %g' -- "./$base")
  chmod "$1" "./$temp" || exit 48
  if [ "$2:$3" != "$(id -u):$(id -g)" ]; then
    check || exit 44
    cat "./$temp" > "./$base" || exit 48
    exit 0
  fi
fi
check || exit 44
mv -f -- "./$temp" "./$base" || exit 48
