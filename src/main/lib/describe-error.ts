const longestMessage = 300;
/** Longer quotations are more likely content than a name. */
const longestQuote = 80;
const deepestCause = 3;
const longestRead = 2_000;

/**
 * An error for the log: its kind, its code, its message without long quotations, where it was thrown and what caused
 * it. Errors of parsers quote what they read, and errors of programs name all arguments, so neither is taken over.
 */
export function describeError(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return `a thrown ${error === null ? 'null' : typeof error}`;
  const code = 'code' in error && isCode(error.code) ? ` ${error.code}` : '';
  const place = placeOf(error);
  const cause =
    error.cause !== undefined && depth < deepestCause ? `; cause: ${describeError(error.cause, depth + 1)}` : '';
  return `${error.name}${code}: ${messageFor(error)}${place === null ? '' : ` (${place})`}${cause}`;
}

const isCode = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && /^[\w-]{1,60}$/u.test(value));

function messageFor(error: Error): string {
  // Node's errors of started programs hold the whole command.
  if ('cmd' in error) return 'a program failed';
  if ('issues' in error && Array.isArray(error.issues)) return issuesOf(error.issues);
  const [first = ''] = error.message.slice(0, longestRead).split(/[\r\n]/u, 1);
  const longest = error instanceof SyntaxError ? 0 : longestQuote;
  const quoted = first.replaceAll(
    /"[^"]{0,2000}(?:"|$)|'[^']{0,2000}'|`[^`]{0,2000}`|“[^“”]{0,2000}(?:”|$)/gu,
    (quote) => (quote.length - 2 > longest ? '"…"' : quote),
  );
  return quoted.length > longestMessage ? `${quoted.slice(0, longestMessage)}…` : quoted;
}

/** A schema's complaints: where, and of what kind. */
function issuesOf(issues: readonly unknown[]): string {
  const texts = issues.slice(0, 5).map((issue) => {
    const path: unknown = Reflect.get(Object(issue), 'path');
    const code: unknown = Reflect.get(Object(issue), 'code');
    return `${Array.isArray(path) ? path.map(String).join('.').slice(0, 100) : ''} ${String(code)}`.trim();
  });
  return `wrong shape: ${texts.join(', ')}`;
}

/** The first line of the program itself in the stack. */
function placeOf(error: Error): string | null {
  for (const line of error.stack?.split('\n').slice(1, 20) ?? []) {
    if (line.length > longestRead) continue;
    const found = /^\s*at (?:(?<name>[^\s(]+) \()?(?:.*[\\/])?(?<file>[^\\/()]+:\d+:\d+)\)?$/u.exec(line);
    if (found !== null && !/\bnode:/u.test(line)) return `${found.groups?.name ?? 'at'} ${found.groups?.file ?? ''}`;
  }
  return null;
}
