import { withoutEscapes } from '@shared/text/seen-text.ts';

export interface LintFinding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const MAX_TEXT = 300;
/**
 * `path:line:col: text`, the format of ruff, flake8, `--format unix` and most others; tsc writes `path(line,col):
 * text`.
 */
const oneLine = /^(?<path>[^\s:(][^:(]*\.\w+)(?::(?<line>\d+)(?::\d+)?:|\((?<other>\d+),\d+\):)\s*(?<text>\S.*)$/u;
/** ESLint's default format: the path alone, then a line for each finding. */
const pathAlone = /^(?<path>\S.*\.\w+)$/u;
const underPath = /^\s+(?<line>\d+):\d+\s+error\s+(?<text>\S.*)$/u;
/** oxlint's default format: the text, then the place. */
const marked = /^\s*[x×]\s+(?<text>\S.*)$/u;
const where = /^\s*(?:,-|╭─)\[(?<path>.+?):(?<line>\d+):\d+\]/u;
/** Biome: the place and the rule; the text follows further below. */
const headed = /^(?<path>\S+\.\w+):(?<line>\d+):\d+\s+(?<text>(?:lint|parse|assist)\S*)\s.*━/u;

/**
 * The errors in a linter's output, for the formats of common linters. Warnings are left out if the format tells them
 * apart. `root`: the folder in which the linter ran. Other formats give no findings.
 */
export function parseLint(output: string, root: string): readonly LintFinding[] {
  const found: LintFinding[] = [];
  const say = (path: string, line: string, text: string): void => {
    const short = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path.replace(/^\.\//u, '');
    found.push({ path: short, line: Number(line), text: text.trim().replaceAll(/\s+/gu, ' ').slice(0, MAX_TEXT) });
  };
  let path: string | null = null;
  let text: string | null = null;
  for (const row of withoutEscapes(output).split(/\r?\n/u)) {
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

/** The findings of `after` that `before` has less often. Line numbers, and numbers in the text, are ignored. */
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
