import deleteFile from '../../../../../resources/programs/files/delete.sh?raw';
import enter from '../../../../../resources/programs/files/enter.sh?raw';
import grep from '../../../../../resources/programs/files/grep.sh?raw';
import mode from '../../../../../resources/programs/files/mode.sh?raw';
import readMany from '../../../../../resources/programs/files/read-many.sh?raw';
import read from '../../../../../resources/programs/files/read.sh?raw';
import realPath from '../../../../../resources/programs/files/real-path.sh?raw';
import write from '../../../../../resources/programs/files/write.sh?raw';
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

export const fileScripts = {
  read,
  readMany,
  write: `${enter}${write}`,
  delete: `${enter}${deleteFile}`,
  realPath,
  mode,
  grep,
} as const;

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
