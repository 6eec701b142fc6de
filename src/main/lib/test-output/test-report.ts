/** One place in the project's own code that a failing test went through. */
export interface Frame {
  /** Relative to the root the tests ran in. */
  readonly path: string;
  readonly line: number;
  readonly name: string | null;
}

export interface TestFailure {
  /** Stable between runs of the same tests: a pytest node id, or names joined by " > ". */
  readonly id: string;
  /** The file the test is in, where the output tells. */
  readonly path: string | null;
  /** The line of the assertion or of the failing call in the test file. */
  readonly line: number | null;
  readonly errorName: string | null;
  /** What was got and what was wanted, in the runner's words; at most some lines. */
  readonly message: string;
  /** Outermost first; only files of the project. */
  readonly frames: readonly Frame[];
}

/** What a runner's own summary counts. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
}

/** What a run of the tests says. Sets are by id; a runner that names no passing tests leaves `passed` empty. */
export interface TestReport {
  readonly passed: ReadonlySet<string>;
  readonly failures: readonly TestFailure[];
  /** True when the output was understood; else only the exit code can be believed. */
  readonly parsed: boolean;
  /** Null where there is no summary. */
  readonly counts: TestCounts | null;
}

export const emptyReport: TestReport = { passed: new Set(), failures: [], parsed: false, counts: null };

/** `/root/a/b.py` and `file:///root/a/b.js` to `a/b…`; null for what lies elsewhere. */
export function relativeTo(roots: readonly string[], path: string): string | null {
  const plain = path.replace(/^file:\/\//, '').replace(/^\.\//, '');
  for (const root of roots) {
    if (plain.startsWith(`${root}/`)) return plain.slice(root.length + 1);
  }
  if (plain.startsWith('/') || plain.startsWith('<') || plain.startsWith('node:') || plain.startsWith('../'))
    return null;
  return plain;
}

/** Lines of a message without the indentation they share, at most `limit` of them. */
export function tidy(lines: readonly string[], limit: number): string {
  const kept = lines.filter((line, index) => line.trim() !== '' || (index > 0 && index < lines.length - 1));
  const indents = kept.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const shared = indents.reduce((least, indent) => Math.min(least, indent), indents[0] ?? 0);
  return kept
    .slice(0, limit)
    .map((line) => line.slice(shared))
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}
