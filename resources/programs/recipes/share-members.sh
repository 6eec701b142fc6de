# Gives a copy its own links to the packages of the project that lie in `node_modules`. Variable: trial, the copy.
unshare_links() { # a link to a folder becomes a folder of links to what is in it
  [ -L "$1" ] || { mkdir -p "$1"; return; }
  from=$(readlink "$1") && rm "$1" && mkdir -p "$1" && find "$from" -mindepth 1 -maxdepth 1 -exec ln -s -t "$1" {} +
}
for packages in "$PWD/node_modules" /node_modules; do
  [ -d "$packages" ] || continue
  find "$packages" -mindepth 1 -maxdepth 2 -type l ! -path '*/.bin/*' | while IFS= read -r link; do
    to=$(readlink -f "$link") || continue
    case $to in */node_modules/*) continue ;; "$PWD"/*) ;; *) continue ;; esac
    name=${link#"$packages"/}
    unshare_links "$trial/node_modules"
    case $name in */*) unshare_links "$trial/node_modules/${name%%/*}" ;; esac
    ln -sfn "$trial/${to#"$PWD"/}" "$trial/node_modules/$name"
  done
done
