# Prints "program<tab>path" for each program that is there. The first value is the workspace, each other one is
# "program:version", where the version is the lowest that will do.
workspace=$1
shift
for word in "$@"; do
  program=${word%%:*}
  version=${word#*:}
  for path in "$workspace/node_modules/.bin/$program" "$(command -v "$program")" \
    "/deps/python/.language-servers/$program/data/bin/$program" "/deps/python/.language-servers/bin/$program" \
    "/deps/go/.language-servers/$program" "/node_modules/.language-servers/node_modules/.bin/$program"; do
    case "$path" in /*) ;; *) continue ;; esac
    [ -x "$path" ] || continue
    if [ -n "$version" ]; then
      printed=$("$path" --version 2>/dev/null </dev/null | head -n 1 | tr -dc '0-9.')
      [ "${printed%%.*}" -ge "$version" ] 2>/dev/null || continue
    fi
    printf '%s\t%s\n' "$program" "$path"
    break
  done
done
