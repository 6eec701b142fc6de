/** Signs that a change is fitted to the test instead of repairing the code. */
export function overfitMarks(before: string, after: string, tests: string): readonly string[] {
  const added = addedLines(before, after);
  const marks: string[] = [];
  const literals = longLiterals(tests);
  for (const line of added) {
    if (literals.some((literal) => line.includes(literal) && !before.includes(literal)))
      marks.push(`copies a value from the test: ${line.trim()}`);
    if (comparesToTestInput(line, tests, before)) marks.push(`asks for a test's input: ${line.trim()}`);
    if (/\b(pytest\.skip|unittest\.skip|test\.skip|it\.skip)\b/.test(line)) marks.push(`skips a test: ${line.trim()}`);
    if (/\b(sys\.exit|process\.exit|os\._exit)\s*\(/.test(line)) marks.push(`ends the program: ${line.trim()}`);
    if (/(pytest|unittest|NODE_TEST|process\.env\.NODE_ENV)/.test(line) && /\bif\b/.test(line))
      marks.push(`asks whether it is tested: ${line.trim()}`);
  }
  if (emptyCatches(after) > emptyCatches(before)) marks.push('swallows an error');
  // A rewrite that ignores what the visible tests do not ask for usually loses this first.
  if (errorPaths(after) < errorPaths(before)) marks.push('no longer raises or handles an error that it did');
  return marks;
}

function addedLines(before: string, after: string): readonly string[] {
  const known = new Set(before.split('\n').map((line) => line.trim()));
  return after.split('\n').filter((line) => line.trim() !== '' && !known.has(line.trim()));
}

/** Texts and numbers of the tests that are unlikely to occur by chance. */
function longLiterals(tests: string): readonly string[] {
  const texts = [...tests.matchAll(/(['"`])((?:(?!\1)[^\\\n]){4,})\1/g)].map((match) => match[2] ?? '');
  const numbers = [...tests.matchAll(/(?<![\w.])(\d{3,}(?:\.\d+)?|\d+\.\d{2,})(?![\w.])/g)].map(
    (match) => match[1] ?? '',
  );
  return [...new Set([...texts.filter((text) => !/^[\w-]{1,12}$/.test(text)), ...numbers])];
}

/** `if x == "abc"` where "abc" is in the test, but not in the file before the change. */
function comparesToTestInput(line: string, tests: string, before: string): boolean {
  const match = /(?:===?|is)\s*(['"`][^'"`]{2,}['"`]|\d{2,})/.exec(line);
  const value = match?.[1];
  if (value === undefined || !/\b(if|elif|case|\?|return)\b|\?/.test(line)) return false;
  const bare = value.replaceAll(/['"`]/g, '');
  return tests.includes(bare) && !before.includes(bare);
}

function emptyCatches(text: string): number {
  return [...text.matchAll(/catch\s*(?:\([^()]*\)\s*)?\{\s*\}|except[^:\n]{0,200}:\s*pass\b/g)].length;
}

function errorPaths(text: string): number {
  return [...text.matchAll(/^[ \t]*(?:raise|except|throw)\b|\bcatch\b|\breject\(/gm)].length;
}
