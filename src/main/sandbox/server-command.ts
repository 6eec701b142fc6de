import { shellQuote } from '../lib/programs/shell-quote.ts';

/** What package runners get stays in the server's own folder, so that its next start is quick. */
export const keptPackages = '/workspace/.packages';

/**
 * Removes what npx did not finish, before it starts: ended in the middle, it starts half a package from then on. npm
 * writes its list last, and moves what it replaces to a name such as `.left-pad-x1y2z3a4` until then. What was
 * downloaded is kept.
 */
export function cleanStart(command: string): string {
  const modules = '"$one"node_modules';
  const moved = `ls -d ${modules}/.*-???????? ${modules}/@*/.*-???????? 2>/dev/null | grep -q .`;
  const isHalf = `[ ! -e ${modules}/.package-lock.json ] || ${moved}`;
  return `for one in ${keptPackages}/npm/_npx/*/; do if ${isHalf}; then rm -rf "$one"; fi; done; ${command}`;
}

/**
 * The words of a tool server as one command of the container. The image has npx and pip, but neither bun nor uv: their
 * runners are done by these.
 */
export function serverCommand(words: readonly string[]): string {
  const plain = `exec ${quoted(words)}`;
  const [first = '', ...rest] = words;
  if (first === 'bunx') return `exec npx -y ${quoted(rest)}`;
  const tool = first === 'uvx' ? rest : afterRunner(words);
  const python = tool === null ? null : pythonTool(tool);
  return python === null ? plain : `if command -v ${first} >/dev/null; then ${plain}; fi; ${python}`;
}

function quoted(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}

function afterRunner([first = '', second = '', third = '', ...rest]: readonly string[]): readonly string[] | null {
  if (first === 'pipx' && second === 'run') return [third, ...rest];
  return first === 'uv' && second === 'tool' && third === 'run' ? rest : null;
}

/** Options of uv that name more packages, or a Python that the image does not have. */
const packageOptions = ['--from', '--with', '--spec'];
const otherOptions = ['--python', '-p', '--index-url', '--refresh-package'];

/** Installs the package into a folder that is kept, then starts it. Null: no package is named. */
function pythonTool(words: readonly string[]): string | null {
  const packages: string[] = [];
  let hasOwn = false;
  let at = 0;
  for (; at < words.length && words[at]?.startsWith('-') === true; at += 1) {
    const [, option = '', inline] = /^([^=]*)(?:=([\s\S]*))?$/u.exec(words[at] ?? '') ?? [];
    const takes = packageOptions.includes(option) || otherOptions.includes(option);
    if (takes && inline === undefined) at += 1;
    if (packageOptions.includes(option)) packages.push(inline ?? words[at] ?? '');
    hasOwn ||= option === '--from' || option === '--spec';
  }
  const [named, ...args] = words.slice(at);
  if (named === undefined) return null;
  const [wanting = named, version] = named.split(/@|==/u, 2);
  const pinned = version === undefined || version === 'latest' ? wanting : `${wanting}==${version}`;
  // The extras of a package are no part of its program's name: `mcp[cli]` starts `mcp`.
  const program = wanting.split('[', 1)[0] ?? wanting;
  const wanted = quoted(hasOwn ? packages : [pinned, ...packages]);
  const folder = `${keptPackages}/python`;
  const python = `${folder}/bin/python`;
  // An output that is no message would confuse the client, so all of it goes to the error output.
  const install = `{ [ -x ${folder}/bin/pip ] || python3 -m venv ${folder}; } >&2 && ${python} -m pip install -q ${wanted} >&2`;
  return `${install} && exec ${shellQuote(`${folder}/bin/${program}`)} ${quoted(args)}`;
}
