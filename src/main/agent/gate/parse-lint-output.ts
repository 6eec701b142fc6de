export interface LintFinding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const MAX_TEXT = 300;
// oxlint-disable-next-line no-control-regex -- colors are what must go
const colour = /\u001b\[[0-9;]*[A-Za-z]/gu;
/** `path:line:col: text`, as ruff, flake8, `--format unix` and most others have it; tsc has `path(line,col): text`. */
const oneLine = /^(?<path>[^\s:(][^:(]*\.\w+)(?::(?<line>\d+)(?::\d+)?:|\((?<other>\d+),\d+\):)\s*(?<text>\S.*)$/u;
/** ESLint's usual form: the path alone, and under it a line for each finding. */
const pathAlone = /^(?<path>\S.*\.\w+)$/u;
const underPath = /^\s+(?<line>\d+):\d+\s+error\s+(?<text>\S.*)$/u;
/** oxlint's usual form: the text, and under it where. */
const marked = /^\s*[x×]\s+(?<text>\S.*)$/u;
const where = /^\s*(?:,-|╭─)\[(?<path>.+?):(?<line>\d+):\d+\]/u;
/** Biome: where and by which rule; what is said stands further below. */
const headed = /^(?<path>\S+\.\w+):(?<line>\d+):\d+\s+(?<text>(?:lint|parse|assist)\S*)\s.*━/u;

/**
 * What a linter calls wrong, in the forms that the usual ones print; warnings are left out where they are told apart.
 * `root`: the folder in which it ran. What is in no known form is not found.
 */
export function parseLint(output: string, root: string): readonly LintFinding[] {
  const found: LintFinding[] = [];
  const say = (path: string, line: string, text: string): void => {
    const short = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path.replace(/^\.\//u, '');
    found.push({ path: short, line: Number(line), text: text.trim().replaceAll(/\s+/gu, ' ').slice(0, MAX_TEXT) });
  };
  let path: string | null = null;
  let text: string | null = null;
  for (const row of output.replaceAll(colour, '').split(/\r?\n/u)) {
    const hit = headed.exec(row)?.groups ?? oneLine.exec(row)?.groups;
    if (hit !== undefined) {
      if (!/^(?:warning|note)\b|\[Warning\//iu.test(hit['text'] ?? ''))
        say(hit['path'] ?? '', hit['line'] ?? hit['other'] ?? '0', hit['text'] ?? '');
      continue;
    }
    const under = underPath.exec(row)?.groups;
    const at = where.exec(row)?.groups;
    if (under !== undefined && path !== null) say(path, under['line'] ?? '0', under['text'] ?? '');
    else if (at !== undefined) {
      if (text !== null) say(at['path'] ?? '', at['line'] ?? '0', text);
      text = null;
    } else {
      path = pathAlone.exec(row)?.groups?.['path'] ?? (row.trim() === '' ? null : path);
      text = marked.exec(row)?.groups?.['text'] ?? (row.trim() === '' ? null : text);
    }
  }
  return found;
}

/** Those of `after` that `before` does not have as often; where a line stands, and numbers in the words, do not count. */
export function newFindings(before: readonly LintFinding[], after: readonly LintFinding[]): readonly LintFinding[] {
  const known = new Map<string, number>();
  for (const one of before) known.set(keyOf(one), (known.get(keyOf(one)) ?? 0) + 1);
  return after.filter((one) => {
    const left = known.get(keyOf(one)) ?? 0;
    known.set(keyOf(one), left - 1);
    return left <= 0;
  });
}

function keyOf({ path, text }: LintFinding): string {
  return `${path} ${text.replaceAll(/\b\d+\b/gu, '#')}`;
}
