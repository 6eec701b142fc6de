# Arguments: path. Prints where it leads, relative to the workspace. Parts that do not exist yet stay as they are.
f=$1 tail= nl='
'
while [ "$f" != . ] && [ ! -e "$f" ] && [ ! -L "$f" ]; do tail=/${f##*/}$tail; f=${f%/*}; done
f=$(readlink -f -- "$f" && printf x) || exit 40
f=${f%"$nl"x}$tail
root=$(pwd -P)
case "$f" in "$root"/*) printf '%s' "${f#"$root"/}" ;; *) exit 45 ;; esac
