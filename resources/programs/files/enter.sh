# Goes to the folder of "$f" by its real path, following a link at the end, and sets $base to the name. A link out of
# the workspace fails here. The trailing x protects names that end with a line break.
enter() {
  nl='
'
  if [ -L "$f" ]; then
    f=$(readlink -f -- "$f" && printf x) || exit 40
    f=${f%"$nl"x}
  fi
  folder=${f%/*}; base=${f##*/}
  [ "$1" = make ] && { mkdir -p -- "$folder" 2>/dev/null || { [ -d "$folder" ] || exit 49; }; }
  root=$(pwd -P)
  cd -P -- "$folder" 2>/dev/null || exit 40
  case "$(pwd -P)/" in "$root"/*) ;; *) exit 45 ;; esac
}
check() {
  case $expect in
    any) return 0 ;;
    none) [ ! -e "./$base" ] && [ ! -L "./$base" ] ;;
    *) [ -f "./$base" ] && [ "$(sha256sum < "./$base" | cut -c1-64)" = "$expect" ] ;;
  esac
}
