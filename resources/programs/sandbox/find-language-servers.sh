# Prints "program<tab>path" for each program that is there. The first value is the workspace, each other one is
# "program:version", where the version is the lowest that will do.
workspace=$1
shift
for word in "$@"; do
  program=${word%%:*}
  version=${word#*:}
  path=$workspace/node_modules/.bin/$program
  [ -x "$path" ] || path=$(command -v "$program") || continue
  case "$path" in /*) ;; *) continue ;; esac
  if [ -n "$version" ]; then
    printed=$("$path" --version 2>/dev/null </dev/null | head -n 1 | tr -dc '0-9.')
    [ "${printed%%.*}" -ge "$version" ] 2>/dev/null || continue
  fi
  printf '%s\t%s\n' "$program" "$path"
done
