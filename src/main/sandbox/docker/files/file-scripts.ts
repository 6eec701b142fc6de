import { maybeEnvironments, skippedFolders } from '../../files/skipped-folders.ts';

/**
 * One shell program for each file operation, run in the workspace of images without the runner. The runner does the
 * same itself (`resources/sandbox/runner`), with the same output and codes. A path is always an argument, never part
 * of the program, and begins with `./`. The exit code says what went wrong.
 */
export const fileExits = {
  notFound: 40,
  isFolder: 41,
  notRegular: 42,
  tooLarge: 43,
  stale: 44,
  outside: 45,
  shortInput: 46,
  denied: 47,
  failed: 48,
  notFolder: 49,
} as const;

const x = fileExits;

/**
 * Arguments: path, most bytes. Prints the mode in octal and a line end, then the bytes. With `tooLarge`, prints the
 * size.
 */
export const readScript = `f=$1
[ -e "$f" ] || exit ${x.notFound}
[ -d "$f" ] && exit ${x.isFolder}
[ -f "$f" ] || exit ${x.notRegular}
[ -r "$f" ] || exit ${x.denied}
max=$2
set -- $(stat -Lc '%s %a' -- "$f")
[ "$1" -gt "$max" ] && { printf '%s' "$1"; exit ${x.tooLarge}; }
printf '%s\\n' "$2"
exec head -c "$((max + 1))" -- "$f"`;

/**
 * Arguments: paths. Prints a line for each file (size, mode, inode, times), then all bytes, then the lines again. If
 * the lines differ, a file was changed meanwhile. Fails completely if a file cannot be read.
 */
export const readManyScript = `all() { stat -Lc '%s %a %i %y %z' -- "$@" || exit ${x.failed}; }
for f; do [ -f "$f" ] || exit ${x.notRegular}; done
all "$@"
cat -- "$@" || exit ${x.failed}
all "$@"`;

// Goes to the folder of "$f" by its real path, following a link at the end, and sets $base to the name. A link out of
// the workspace fails here. The trailing x protects names that end with a line break.
const enterFolder = `enter() {
  nl='
'
  if [ -L "$f" ]; then
    f=$(readlink -f -- "$f" && printf x) || exit ${x.notFound}
    f=\${f%"$nl"x}
  fi
  folder=\${f%/*}; base=\${f##*/}
  [ "$1" = make ] && { mkdir -p -- "$folder" 2>/dev/null || { [ -d "$folder" ] || exit ${x.notFolder}; }; }
  root=$(pwd -P)
  cd -P -- "$folder" 2>/dev/null || exit ${x.notFound}
  case "$(pwd -P)/" in "$root"/*) ;; *) exit ${x.outside} ;; esac
}
check() {
  case $expect in
    any) return 0 ;;
    none) [ ! -e "./$base" ] && [ ! -L "./$base" ] ;;
    *) [ -f "./$base" ] && [ "$(sha256sum < "./$base" | cut -c1-64)" = "$expect" ] ;;
  esac
}`;

/**
 * Arguments: path, expected hash or `any` or `none`, size of the input, name for the temporary file. The file is
 * written completely or not at all. If a rename would change the owner, it is written in place.
 */
export const writeScript = `${enterFolder}
f=$1 expect=$2 size=$3 temp=$4
umask 022
enter make
[ -d "./$base" ] && exit ${x.isFolder}
[ -e "./$base" ] && [ ! -f "./$base" ] && exit ${x.notRegular}
[ -e "./$base" ] && [ ! -w "./$base" ] && exit ${x.denied}
check || exit ${x.stale}
trap 'rm -f -- "./$temp"' EXIT
trap 'exit ${x.shortInput}' TERM HUP INT
( : > "./$temp" ) 2>/dev/null || exit ${x.denied}
cat > "./$temp" || exit ${x.failed}
[ "$(wc -c < "./$temp")" -eq "$size" ] || exit ${x.shortInput}
if [ -f "./$base" ]; then
  set -- $(stat -c '%a %u %g' -- "./$base")
  chmod "$1" "./$temp" || exit ${x.failed}
  if [ "$2:$3" != "$(id -u):$(id -g)" ]; then
    check || exit ${x.stale}
    cat "./$temp" > "./$base" || exit ${x.failed}
    exit 0
  fi
fi
check || exit ${x.stale}
mv -f -- "./$temp" "./$base" || exit ${x.failed}`;

/** Arguments: path, expected hash or `any`. A link itself is removed. */
export const deleteScript = `${enterFolder}
f=$1 expect=$2
[ -e "$f" ] || [ -L "$f" ] || exit ${x.notFound}
link=
if [ -L "$f" ]; then link=\${f##*/}; [ "$expect" = any ] || [ "$(sha256sum < "$f" 2>/dev/null | cut -c1-64)" = "$expect" ] || exit ${x.stale}; expect=any; f=\${f%/*}/.; fi
enter keep
[ -n "$link" ] && base=$link
[ -n "$link" ] || { [ -d "./$base" ] && exit ${x.isFolder}; }
check || exit ${x.stale}
rm -f -- "./$base" 2>/dev/null || exit ${x.denied}`;

/**
 * Arguments: path. Prints where it leads, relative to the workspace. Parts that do not exist yet stay as they are.
 */
export const realPathScript = `f=$1 tail= nl='
'
while [ "$f" != . ] && [ ! -e "$f" ] && [ ! -L "$f" ]; do tail=/\${f##*/}$tail; f=\${f%/*}; done
f=$(readlink -f -- "$f" && printf x) || exit ${x.notFound}
f=\${f%"$nl"x}$tail
root=$(pwd -P)
case "$f" in "$root"/*) printf '%s' "\${f#"$root"/}" ;; *) exit ${x.outside} ;; esac`;

/** Arguments: path, mode in octal. The runner has no such operation, because it is seldom needed. */
export const modeScript = `f=$1
[ -L "$f" ] && exit ${x.notRegular}
[ -e "$f" ] || exit ${x.notFound}
[ -d "$f" ] && exit ${x.isFolder}
[ -f "$f" ] || exit ${x.notRegular}
chmod "$2" "$f" 2>/dev/null || exit ${x.denied}`;

/** Arguments: path. Prints the raw mode in hex, size, and the modification time in seconds. */
export const statScript = `f=$1
[ -e "$f" ] || [ -L "$f" ] || exit ${x.notFound}
exec stat -c "$2" -- "$f"`;

/** What the runner must leave out of lists and scans, as the programs below do. */
export const leftOut: readonly string[] = [...skippedFolders, '--', ...maybeEnvironments];

const anyOf = (names: readonly string[]): string => names.map((name) => `-name ${name}`).join(' -o ');

// `-exec test` costs a process, so it is used only for folders with one of two names.
const prune =
  `( -type d ( ${anyOf(skippedFolders)} ) -prune ) -o ( -type d ( ${anyOf(maybeEnvironments)} ) -exec test -e {}/pyvenv.cfg ; -prune )`.replaceAll(
    /([();])/g,
    '\\$1',
  );

// A folder that cannot be read. Without GNU find, long paths cannot be read, either.
const gnuUnseen = `-type d \\( ! -readable -o ! -executable \\)`;
const shellUnseen = `[ -d "$f" ] && [ ! -L "$f" ] && { [ ! -r "$f" ] || [ ! -x "$f" ] || [ \${#f} -gt 3800 ]; }`;

/**
 * Arguments: path, depth, `all` or `some`. Prints entries, each ended by NUL: the kind as in find, size, path. For a
 * folder that cannot be read, it prints another entry with the kind `!`. An empty entry follows, then the ignore
 * files: length of the text, path, NUL, text.
 */
export function listScript(isGnu: boolean): string {
  const entry = isGnu
    ? `-printf '%y %s %p\\0' ${gnuUnseen} -printf '! 0 %p\\0'`
    : `-exec sh -c 'for f; do k=o; if [ -L "$f" ]; then k=l; elif [ -d "$f" ]; then k=d; elif [ -f "$f" ]; then k=f; fi; printf "%s %s %s\\0" "$k" "$(stat -c %s -- "$f")" "$f"; if ${shellUnseen}; then printf "! 0 %s\\0" "$f"; fi; done' list {} +`;
  return `f=$1
[ -e "$f" ] || exit ${x.notFound}
[ -d "$f" ] || exit ${x.notFolder}
[ -r "$f" ] || exit ${x.denied}
[ -x "$f" ] || printf '! 0 %s\\0' "$f"
if [ "$3" = all ]; then
  find -H "$f" -mindepth 1 -maxdepth "$2" ${entry} 2>/dev/null
  printf '\\0'
else
  find -H "$f" -mindepth 1 -maxdepth "$2" ${prune} -o ${entry} 2>/dev/null
  printf '\\0'
  { find . -maxdepth 1 -name .gitignore -type f -size -128k; find . -mindepth 2 ${prune} -o -name .gitignore -type f -size -128k -print; } 2>/dev/null | head -n 1000 |
  while IFS= read -r g; do text=$(tr -d '\\000' < "$g"; printf x); printf '%s %s\\0%s\\0' "\${#text}" "$g" "$text"; done
fi
exit 0`;
}

/**
 * Prints every tracked file, each ended by NUL: size, mode, inode, times, a tab, path. For every folder that cannot
 * be read, it prints `!`, a space and the path.
 */
export function scanScript(isGnu: boolean): string {
  const entry = isGnu
    ? `-type f -printf '%s %m %i %T@|%C@\\t%P\\0' -o ${gnuUnseen} -printf '! %P\\0'`
    : `\\( -type f -o -type d \\) -exec sh -c 'for f; do if ${shellUnseen}; then printf "! %s\\0" "\${f#./}"; elif [ ! -d "$f" ]; then printf "%s\\t%s\\0" "$(stat -c "%s %a %i %y|%z" -- "$f")" "\${f#./}"; fi; done' scan {} +`;
  return `find . ${prune} -o ${entry} 2>/dev/null; exit 0`;
}

/** Arguments: path, options and pattern for ripgrep. A pipe is not searched, because reading it would block. */
export const searchScript = `f=$1; shift
[ -e "$f" ] && [ ! -f "$f" ] && [ ! -d "$f" ] && exit ${x.notRegular}
exec rg "$@" "$f"`;

/**
 * For an image without ripgrep: reads file names, each ended by NUL, and prints like ripgrep. Arguments: pattern,
 * options for grep. Exits with 2 if the pattern is not valid.
 */
export const grepScript = `pattern=$1; shift
echo x | grep "$@" -e "$pattern" >/dev/null; [ $? -eq 2 ] && exit 2
exec xargs -0 -r sh -c 'pattern=$1; options=$2; shift 2
for f; do
  grep -n $options -e "$pattern" -- "$f" 2>/dev/null |
  while IFS= read -r line; do printf "%s\\0%s\\n" "$f" "$line"; done
done; exit 0' grep "$pattern" "$*"`;
