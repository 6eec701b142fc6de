import { relativeTo, tidy, type Frame, type TestCounts, type TestFailure, type TestReport } from './test-report.ts';

const maxMessageLines = 14;

/** Reads the output of `node --test`, as TAP or in the "spec" form. */
export function parseNodeTest(output: string, roots: readonly string[]): TestReport {
  return /^TAP version \d+/m.test(output) ? parseTap(output, roots) : parseSpec(output, roots);
}

/** `# pass 3` of TAP, `ℹ pass 3` of the spec form. */
function countsOf(output: string): TestCounts | null {
  const count = (name: string): number | null => {
    const value = new RegExp(`^[#\\u2139] ${name} (\\d+)$`, 'mu').exec(output)?.[1];
    return value === undefined ? null : Number(value);
  };
  const [passed, failed] = [count('pass'), count('fail')];
  return passed === null || failed === null ? null : { passed, failed, errors: 0, skipped: count('skipped') ?? 0 };
}

/** The names of the enclosing suites, by indentation. */
type Trajectory = { readonly indent: number; readonly name: string }[];

function idOf(trajectory: Trajectory, indent: number, name: string): string {
  return [...trajectory.filter((one) => one.indent < indent).map((one) => one.name), name].join(' > ');
}

function parseTap(output: string, roots: readonly string[]): TestReport {
  const lines = output.split('\n');
  const passed = new Set<string>();
  const failures: TestFailure[] = [];
  const trajectory: Trajectory = [];
  let comments: string[] = [];
  for (const [index, line] of lines.entries()) {
    const subtest = /^( *)# Subtest: (.*)$/.exec(line);
    const result = /^( *)(not ok|ok) \d+(?: - (.*?))?(?: # (SKIP|TODO).*)?$/.exec(line);
    if (subtest !== null) {
      const indent = (subtest[1] ?? '').length;
      while ((trajectory[trajectory.length - 1]?.indent ?? -1) >= indent) trajectory.pop();
      trajectory.push({ indent, name: unescapeTap(subtest[2] ?? '') });
    } else if (result !== null) {
      const indent = (result[1] ?? '').length;
      const id = idOf(trajectory, indent, unescapeTap(result[3] ?? ''));
      const details = detailsAfter(lines, index);
      if (result[2] === 'ok') passed.add(id);
      else if (result[4] === undefined && details.get('failureType')?.[0] !== "'subtestsFailed'") {
        failures.push(tapFailure(id, details, comments, roots));
      }
      comments = [];
    } else if (/^ *# /.test(line)) comments.push(line.replace(/^ *# /, ''));
  }
  // Two files may have a test of the same name. If one of them fails, that name does not pass.
  for (const { id } of failures) passed.delete(id);
  return {
    passed,
    failures,
    parsed: /^# tests \d+/m.test(output),
    counts: countsOf(output),
  };
}

function unescapeTap(name: string): string {
  return name.replace(/\\([#\\])/g, '$1');
}

/** The YAML block under a result: top-level keys with their lines. */
function detailsAfter(lines: readonly string[], index: number): ReadonlyMap<string, readonly string[]> {
  const details = new Map<string, string[]>();
  const opening = lines[index + 1] ?? '';
  if (opening.trim() !== '---') return details;
  const indent = opening.length - opening.trimStart().length;
  let current: string[] = [];
  for (let at = index + 2; at < lines.length && lines[at]?.trim() !== '...'; at += 1) {
    const line = lines[at] ?? '';
    const key = /^( *)([A-Za-z_]+):(?: (.*))?$/.exec(line);
    if (key !== null && (key[1] ?? '').length === indent) {
      current = key[3] === undefined || /^[|>]-?$/.test(key[3]) ? [] : [key[3]];
      details.set(key[2] ?? '', current);
    } else current.push(line.slice(indent + 2));
  }
  return details;
}

function tapFailure(
  id: string,
  details: ReadonlyMap<string, readonly string[]>,
  comments: readonly string[],
  roots: readonly string[],
): TestFailure {
  const location = /^'(.*):(\d+):\d+'$/.exec(details.get('location')?.[0] ?? '');
  const path = location === null ? null : relativeTo(roots, location[1] ?? '');
  const error = details.get('error') ?? [];
  const crashed = error[0] === "'test failed'" || error.length === 0;
  const source = crashed ? comments : (details.get('stack') ?? []);
  // Only a single-line value is quoted itself; in a block, quotes belong to the values.
  const said = error.length === 1 ? error.map(unquote) : error;
  const message = crashed ? crashMessage(comments) : tidy(said, maxMessageLines);
  const name = crashed ? (/^(\w*Error)\b/m.exec(message)?.[1] ?? null) : unquote(details.get('name')?.[0] ?? '');
  return assemble({
    id,
    path,
    message,
    errorName: name === '' ? null : name,
    frames: nodeFrames(source.join('\n'), roots),
  });
}

function unquote(text: string): string {
  const match = /^(['"])(.*)\1$/s.exec(text);
  return match === null ? text : (match[2] ?? '').replace(/''/g, "'").replace(/\\"/g, '"');
}

/** A test file that could not be loaded prints the reason before it fails as a whole. */
function crashMessage(lines: readonly string[]): string {
  const at = lines.findIndex((line) => /^\w*Error\b.*:/.test(line));
  const shown = at < 0 ? lines.slice(0, 6) : lines.slice(Math.max(0, at - 3), at + 1);
  return tidy(
    shown.filter((line) => !/^\s*\^+\s*$/.test(line) && !/^(file:|\/)/.test(line)),
    maxMessageLines,
  );
}

function parseSpec(output: string, roots: readonly string[]): TestReport {
  const [listing, ...rest] = output.split(/^✖ failing tests:$/m);
  const passed = new Set<string>();
  const failedIds: string[] = [];
  const trajectory: Trajectory = [];
  for (const line of (listing ?? '').split('\n')) {
    const match = /^( *)([✔✖▶]) (.*?)(?: \([\d.]+ms\))?(?: # .*)?$/u.exec(line);
    if (match === null) continue;
    const indent = (match[1] ?? '').length;
    const name = match[3] ?? '';
    while ((trajectory[trajectory.length - 1]?.indent ?? -1) >= indent) trajectory.pop();
    if (match[2] === '▶') trajectory.push({ indent, name });
    else if (match[2] === '✔') passed.add(idOf(trajectory, indent, name));
    else failedIds.push(idOf(trajectory, indent, name));
  }
  const failures = rest
    .join('')
    .split(/^test at /m)
    .slice(1)
    .map((block) => specFailure(block, failedIds, listing ?? '', roots));
  return { passed, failures, parsed: /^ℹ tests \d+/mu.test(output), counts: countsOf(output) };
}

function specFailure(block: string, ids: readonly string[], listing: string, roots: readonly string[]): TestFailure {
  const [where, heading, ...body] = block.split('\n');
  const location = /^(.*):(\d+):\d+$/.exec(where ?? '');
  const name = (heading ?? '').replace(/^✖ /u, '').replace(/ \([\d.]+ms\)$/, '');
  const id = ids.find((one) => one === name || one.endsWith(` > ${name}`)) ?? name;
  const crashed = body[0]?.trim() === "'test failed'";
  const stackAt = body.findIndex((line) => /^\s+at .*[):\d]$/.test(line));
  const text = crashed
    ? crashMessage(listing.split('\n'))
    : tidy(stackAt < 0 ? body : body.slice(0, stackAt), maxMessageLines);
  const errorName = /^(\w*Error)\b/m.exec(text)?.[1] ?? null;
  const message = text.replace(/^(\w*Error)(?: \[\w+\])?: /, '');
  const path = location === null ? null : relativeTo(roots, location[1] ?? '');
  const source = crashed ? listing : body.join('\n');
  return assemble({ id, path, message, errorName, frames: nodeFrames(source, roots) });
}

function assemble(failure: Omit<TestFailure, 'line'>): TestFailure {
  const own = failure.frames.find((frame) => frame.path === failure.path);
  return { ...failure, line: own?.line ?? null };
}

/** Frames of a V8 stack, outermost first. */
export function nodeFrames(stack: string, roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const line of stack.split('\n')) {
    const match = /^(?:at )?(?:async )?(?:(.*?) \()?((?:file:\/\/|\/)[^()]*?):(\d+):\d+\)?$/.exec(line.trim());
    const path = match === null ? null : relativeTo(roots, match[2] ?? '');
    if (match === null || path === null || path.includes('node_modules/')) continue;
    frames.unshift({
      path,
      line: Number(match[3]),
      name: match[1]?.replace(/^(new|Object\.|Function\.) ?/, '') ?? null,
    });
  }
  return frames;
}
