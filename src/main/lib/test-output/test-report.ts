/** A place in the project's own code that a failing test passed through. */
export interface Frame {
  /** Relative to the folder in which the tests ran. */
  readonly path: string;
  readonly line: number;
  readonly name: string | null;
}

export interface TestFailure {
  /** Stable between runs of the same tests: a pytest node id, or names joined by " > ". */
  readonly id: string;
  /** The file of the test; null if the output does not name it. */
  readonly path: string | null;
  /** The line of the assertion or of the failing call in the test file. */
  readonly line: number | null;
  readonly errorName: string | null;
  /** The actual and expected values in the runner's words; at most a few lines. */
  readonly message: string;
  /** Outermost first; only files of the project. */
  readonly frames: readonly Frame[];
}

/** The counts in a runner's own summary. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
}

/** The result of a test run. Sets are by id. If a runner does not name passing tests, `passed` is empty. */
export interface TestReport {
  readonly passed: ReadonlySet<string>;
  readonly failures: readonly TestFailure[];
  /** True if the output was understood; otherwise only the exit code is reliable. */
  readonly parsed: boolean;
  /** Null: there is no summary. */
  readonly counts: TestCounts | null;
}

export const emptyReport: TestReport = { passed: new Set(), failures: [], parsed: false, counts: null };

/** Converts `/root/a/b.py` and `file:///root/a/b.js` to `a/b…`; null for a path outside the roots. */
export function relativeTo(roots: readonly string[], path: string): string | null {
  const plain = path.replace(/^file:\/\//, '').replace(/^\.\//, '');
  for (const root of roots) {
    if (plain.startsWith(`${root}/`)) return plain.slice(root.length + 1);
  }
  if (plain.startsWith('/') || plain.startsWith('<') || plain.startsWith('node:') || plain.startsWith('../'))
    return null;
  return plain;
}

/** The lines of a message without their common indentation, at most `limit` of them. */
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

const mostLineCharacters = 1_000;

/** The text with short lines only, so that a pattern that reads a line again and again stays quick. */
export function withShortLines(text: string): string {
  if (text.length <= mostLineCharacters) return text;
  return text
    .split('\n')
    .map((line) => line.slice(0, mostLineCharacters))
    .join('\n');
}

/** Null: the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A report may be cut, and a test may print anything between its lines.
    return null;
  }
}
