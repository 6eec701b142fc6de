import ignore from 'ignore';

/**
 * Whether a path matches a glob as in ripgrep and git: without a slash it matches at any depth; `!` negates it. Braces
 * list alternatives, as in a shell: `*.{py,toml}`.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const isNegated = glob.startsWith('!');
  const rules = ignore({ allowRelativePaths: true }).add([...alternatives(isNegated ? glob.slice(1) : glob)]);
  return (path) => rules.ignores(path) !== isNegated;
}

/** More are not made of one glob. The rest keeps its braces and matches nothing. */
const mostAlternatives = 200;

/** The globs that one with braces stands for. Braces without a comma, and those in a backslash, are ordinary text. */
function alternatives(glob: string): readonly string[] {
  const done: string[] = [];
  const open = [glob];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const inner = /(?<!\\)\{([^{}]{1,200})\}/u.exec(one);
    if (inner?.[1]?.includes(',') !== true || done.length + open.length >= mostAlternatives) {
      done.push(one);
      continue;
    }
    const [before, after] = [one.slice(0, inner.index), one.slice(inner.index + inner[0].length)];
    const parts = (inner[1] ?? '').split(',');
    open.push(...parts.map((part) => `${before}${part}${after}`));
  }
  return done;
}
