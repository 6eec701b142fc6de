import {
  relativeTo,
  tidy,
  withShortLines,
  type Frame,
  type TestCounts,
  type TestFailure,
  type TestReport,
} from './test-report.ts';
import { compileFailures } from './parse-compiler.ts';

export const isCargo = (output: string): boolean =>
  /^test result: (?:ok|FAILED)\. \d+ passed/mu.test(output) || /^error: could not compile `/mu.test(output);

/**
 * Reads the output of `cargo test`, whose only form for programs is not in stable versions. Where both streams come
 * together, tests are named by the file of their target and their path.
 */
export function parseCargo(printed: string, roots: readonly string[]): TestReport {
  const output = withShortLines(printed);
  const passed = new Set<string>();
  const failures: TestFailure[] = [];
  let counts: TestCounts | null = null;
  for (const { target, text } of targetsOf(output)) {
    const idOf = (name: string): string => (target === null ? name : `${target} > ${name}`);
    const failed = new Set<string>();
    for (const match of text.matchAll(/^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED)$/gmu)) {
      if (match[2] === 'ok') passed.add(idOf(match[1] ?? ''));
      else failed.add(match[1] ?? '');
    }
    const sections = sectionsOf(text);
    for (const name of new Set([...failed, ...sections.keys()]))
      failures.push(failureOf({ id: idOf(name), section: sections.get(name) ?? '', target, roots }));
    counts = added(counts, countsOf(text));
  }
  const compiled = compileFailures(output, roots);
  return {
    passed,
    failures: [...failures, ...compiled],
    parsed: counts !== null || compiled.length > 0,
    counts: added(counts, compiled.length === 0 ? null : { passed: 0, failed: 0, errors: compiled.length, skipped: 0 }),
  };
}

interface Target {
  /** Null: the output does not say it. */
  readonly target: string | null;
  readonly text: string;
}

function targetsOf(output: string): readonly Target[] {
  const heads = [...output.matchAll(/^ +(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+)$)/gmu)];
  const first = heads[0];
  if (first === undefined) return [{ target: null, text: output }];
  return heads.map((head, index) => ({
    target: head[1] ?? `doc ${head[2] ?? ''}`,
    text: output.slice(head.index, heads[index + 1]?.index ?? output.length),
  }));
}

/** What each failed test printed, by its name. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const heads = [...text.matchAll(/^---- (.+?) (?:stdout|stderr) ----$/gmu)];
  const end = text.lastIndexOf('\nfailures:\n');
  return new Map(
    heads.map((head, index) => {
      const from = head.index + head[0].length;
      const to = heads[index + 1]?.index ?? (end > from ? end : text.length);
      return [head[1] ?? '', text.slice(from, to)] as const;
    }),
  );
}

function countsOf(text: string): TestCounts | null {
  const line = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/mu.exec(text);
  return line === null
    ? null
    : { passed: Number(line[1]), failed: Number(line[2]), errors: 0, skipped: Number(line[3]) };
}

function added(left: TestCounts | null, right: TestCounts | null): TestCounts | null {
  if (left === null || right === null) return left ?? right;
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    errors: left.errors + right.errors,
    skipped: left.skipped + right.skipped,
  };
}

interface Failed {
  readonly id: string;
  readonly section: string;
  readonly target: string | null;
  readonly roots: readonly string[];
}

function failureOf({ id, section, target, roots }: Failed): TestFailure {
  const panic = panicOf(section);
  const frames = framesOf(section, roots);
  const place = panic === null ? null : relativeTo(roots, panic.path);
  const at: Frame[] = place === null || panic === null ? [] : [{ path: place, line: panic.line, name: null }];
  const after = panic === null ? section : section.slice(panic.end);
  const [said = ''] = after.split(/^(?:stack backtrace:|note: )/mu);
  const path = target === null || target.startsWith('doc ') ? (at[0]?.path ?? null) : sourceOf(target, frames, at);
  const own = frames.find((frame) => frame.path === path) ?? at.find((frame) => frame.path === path);
  return {
    id,
    path,
    line: own?.line ?? null,
    errorName: panic === null ? null : 'panic',
    message: panic?.message ?? tidy(said.split('\n'), 12),
    frames: frames.length > 0 ? frames : at,
  };
}

interface Panic {
  readonly path: string;
  readonly line: number;
  /** Before Rust 1.73 it stands in the same line. */
  readonly message: string | null;
  /** Where the text after its line begins. */
  readonly end: number;
}

/** `thread 'name' panicked at src/lib.rs:3:5:`, and before Rust 1.73 `thread 'name' panicked at 'message', src/lib.rs:3:5`. */
function panicOf(section: string): Panic | null {
  for (const head of section.matchAll(/^thread '.*?panicked at (.+)$/gmu)) {
    const said = head[1] ?? '';
    const place = /:(\d+):\d+:?$/u.exec(said);
    const before = said.slice(0, place?.index ?? 0);
    const from = before.startsWith("'") ? before.lastIndexOf("', ") : -1;
    const path = from < 0 ? before : before.slice(from + 3);
    if (place === null || !/^\S+$/u.test(path)) continue;
    const message = from < 0 ? null : before.slice(1, from);
    return { path, line: Number(place[1]), message, end: head.index + head[0].length };
  }
  return null;
}

/** A unit test may be in any file below `src`. The outermost frame in the project is the test. */
function sourceOf(target: string, frames: readonly Frame[], at: readonly Frame[]): string | null {
  return frames[0]?.path ?? (target.startsWith('src/') ? at[0]?.path : undefined) ?? target;
}

/** Frames of a backtrace, outermost first, each place once. */
function framesOf(section: string, roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const match of section.matchAll(/^ +\d+: (.+)\n +at (\S+):(\d+):\d+$/gmu)) {
    const path = relativeTo(roots, match[2] ?? '');
    const name =
      (match[1] ?? '')
        .replaceAll(/::\{\{closure\}\}/gu, '')
        .split('::')
        .at(-1) ?? null;
    if (path === null || (frames[0]?.path === path && frames[0].name === name)) continue;
    frames.unshift({ path, line: Number(match[3]), name });
  }
  return frames;
}
