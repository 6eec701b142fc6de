import ignore from 'ignore';

/** Whether a path fits a glob as ripgrep and git read it: without a slash it counts at any depth; `!` turns it round. */
export function globMatcher(glob: string): (path: string) => boolean {
  const isNegated = glob.startsWith('!');
  const rules = ignore({ allowRelativePaths: true }).add(isNegated ? glob.slice(1) : glob);
  return (path) => rules.ignores(path) !== isNegated;
}
