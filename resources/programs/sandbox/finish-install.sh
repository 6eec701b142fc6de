# Run by bash in the copy of the project, after everything is installed. `$1` is the volume, and `$2` is the
# folder's path in a session. Members of a workspace (npm, pnpm, yarn) are links from `node_modules` into the
# project. In the volume they lead to the session's project, and a trial makes its own in its copy (`shareMembers`).
# Packages in a member's own `node_modules` move to the top if the name is free there. Otherwise they are reported
# (`APART`).
set -u
inside() { # the part of the project that a link leads to; fails for what is no link to a member
  local to
  to=$(readlink -f "$1") || return 1
  case $to in "$PWD"/node_modules/* | */node_modules/*) return 1 ;; "$PWD"/*) printf '%s' "${to#"$PWD"/}" ;; *) return 1 ;; esac
}
keep() { # entry, name
  local member
  if [ -L "$1" ] && member=$(inside "$1"); then
    [ -e "$volume/$2" ] && [ ! -L "$volume/$2" ] && return
    mkdir -p "$(dirname "$volume/$2")" && ln -sfn "$place/$member" "$volume/$2"
  elif [ ! -e "$volume/$2" ]; then
    mkdir -p "$(dirname "$volume/$2")" && cp -a "$1" "$volume/$2"
  elif ! cmp -s "$1/package.json" "$volume/$2/package.json"; then
    echo "APART $2"
  fi
}
volume=$1 place=$2
shopt -s nullglob
for link in node_modules/* node_modules/@*/*; do [ -L "$link" ] && keep "$link" "${link#node_modules/}"; done
find . -path ./node_modules -prune -o -type d -name node_modules -prune -print | while IFS= read -r folder; do
  for entry in "$folder"/* "$folder"/@*/*; do
    name=${entry#"$folder"/}
    case $name in @*/*) ;; @*) continue ;; esac
    keep "$entry" "$name"
  done
done
