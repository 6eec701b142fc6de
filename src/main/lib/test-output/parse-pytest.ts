import { relativeTo, tidy, type Frame, type TestCounts, type TestFailure, type TestReport } from './test-report.ts';

const maxMessageLines = 12;

/** Reads the output of pytest in any traceback style. Passing tests are known if it ran with `-rp`. */
export function parsePytest(output: string, roots: readonly string[]): TestReport {
  const lines = output.split('\n');
  const sections = sectionsOf(lines);
  const passed = new Set<string>();
  const failures: TestFailure[] = [];
  for (const line of lines) {
    const match = /^(PASSED|XFAIL|FAILED|ERROR) (\S+?\.py(?:::.*?)?)(?: - (.*))?$/.exec(line);
    const id = match?.[2];
    if (match === null || id === undefined) continue;
    if (match[1] === 'PASSED' || match[1] === 'XFAIL') passed.add(id);
    else if (!failures.some((failure) => failure.id === id))
      failures.push(failureOf(id, match[3] ?? '', sections, roots));
  }
  const parsed = /\b\d+ (passed|failed|error)/.test(output) || failures.length > 0;
  return { passed, failures, parsed, counts: countsOf(lines) };
}

const summary = /\b\d+ (passed|failed|errors?|skipped|xfailed|deselected)\b.{0,200} in [\d.]+s|no tests ran in/;

/** Recognizes pytest by its headings or its last line, which is all that a quiet run has. */
export function isPytest(output: string): boolean {
  return /^=+ (short test summary|FAILURES|ERRORS)/m.test(output) || summary.test(output);
}

function countsOf(lines: readonly string[]): TestCounts | null {
  const line = lines.findLast((candidate) => summary.test(candidate));
  if (line === undefined) return null;
  const count = (name: string): number => Number(new RegExp(`(?<!\\d)(\\d+) ${name}`).exec(line)?.[1] ?? 0);
  return { passed: count('passed'), failed: count('failed'), errors: count('errors?'), skipped: count('skipped') };
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The sections below `____ title ____` headings. */
function sectionsOf(lines: readonly string[]): readonly Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of lines) {
    const title = /^_{3,} (.+?) _{3,}$/.exec(line)?.[1];
    if (title !== undefined) sections.push({ title, lines: [] });
    else if (/^={3,} .* ={3,}$/.test(line)) sections.push({ title: '', lines: [] });
    else sections[sections.length - 1]?.lines.push(line);
  }
  return sections.filter((section) => section.title !== '');
}

function failureOf(id: string, summary: string, sections: readonly Section[], roots: readonly string[]): TestFailure {
  const path = id.split('::')[0] ?? id;
  const title = id.includes('::') ? id.split('::').slice(1).join('.') : path;
  const section = sections.find(
    (one) => one.title === title || one.title.endsWith(` of ${title}`) || one.title === `ERROR collecting ${path}`,
  );
  const lines = section?.lines ?? [];
  const errorLines = lines.filter((line) => /^E( |$)/.test(line)).map((line) => line.slice(1));
  const frames = framesOf(lines, roots);
  const message =
    errorLines.length > 0
      ? tidy(
          errorLines.map((line) => line.replace(/^ {1,3}/, '')),
          maxMessageLines,
        )
      : summary;
  const own = frames.findLast((frame) => frame.path === path);
  return {
    id,
    path,
    line: own?.line ?? null,
    errorName:
      /^(?:[\w.]+\.)?(\w+(?:Error|Exception|Exit|Interrupt|Warning)|Failed)\b/.exec(message)?.[1] ??
      (message.startsWith('assert') ? 'AssertionError' : null),
    message,
    frames,
  };
}

function framesOf(lines: readonly string[], roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const line of lines) {
    const match = /^(\S+\.py):(\d+): (?:in (\S+))?/.exec(line);
    const path = match === null ? null : relativeTo(roots, match[1] ?? '');
    if (match === null || path === null) continue;
    frames.push({ path, line: Number(match[2]), name: match[3] ?? null });
  }
  return frames;
}
