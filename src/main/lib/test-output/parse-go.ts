import { z } from 'zod';
import { compileFailures } from './parse-compiler.ts';
import { parsedJson, relativeTo, tidy, type Frame, type TestFailure, type TestReport } from './test-report.ts';

const eventSchema = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

interface Case {
  outcome: 'pass' | 'fail' | 'skip' | null;
  readonly output: string[];
}

/** The most lines of one test that are kept. A test that floods its log says nothing more. */
const maxLines = 400;

/** Reads the report of `go test -json`. Tests are named by their package and name. */
export function parseGo(report: string, roots: readonly string[]): TestReport {
  const cases = new Map<string, Case>();
  let module = '';
  const plain: string[] = [];
  for (const line of report.split('\n')) {
    const event = line.startsWith('{') ? eventSchema.safeParse(parsedJson(line)) : null;
    if (event?.success !== true) {
      plain.push(line);
      continue;
    }
    const { Action: action, Package: inside, Test: test, Output: output } = event.data;
    if (action === 'module') module = inside ?? '';
    if (inside === undefined || test === undefined) {
      plain.push((output ?? '').replace(/\n$/u, ''));
      continue;
    }
    const id = `${inside} > ${test}`;
    const one = cases.get(id) ?? { outcome: null, output: [] };
    cases.set(id, one);
    if (output !== undefined && one.output.length < maxLines) one.output.push(output.replace(/\n$/u, ''));
    if (action === 'pass' || action === 'fail' || action === 'skip') one.outcome = action;
  }
  return reportOf(cases, { plain: plain.join('\n'), module, roots });
}

interface Rest {
  /** What belongs to no test. */
  readonly plain: string;
  /** The start of the names of all packages. What follows is a package's folder. */
  readonly module: string;
  readonly roots: readonly string[];
}

function reportOf(cases: ReadonlyMap<string, Case>, { plain, module, roots }: Rest): TestReport {
  const all = [...cases];
  const of = (outcome: Case['outcome']): readonly string[] =>
    all.flatMap(([id, one]) => (one.outcome === outcome ? [id] : []));
  const failures = all
    // A test whose subtests fail says nothing of its own. A test without an end was running when the process ended.
    .filter(([id, one]) => (one.outcome === 'fail' && !hasFailedChild(all, id)) || one.outcome === null)
    .map(([id, one]) => failureOf({ id, output: one.output, module, roots }));
  const compiled = compileFailures(plain, roots);
  const panicked = failures.length + compiled.length === 0 ? packageFailures(plain, roots) : [];
  return {
    passed: new Set(of('pass')),
    failures: [...failures, ...compiled, ...panicked],
    parsed: all.length > 0 || compiled.length > 0,
    counts: {
      passed: of('pass').length,
      failed: failures.length,
      errors: compiled.length + panicked.length,
      skipped: of('skip').length,
    },
  };
}

function hasFailedChild(all: readonly (readonly [string, Case])[], id: string): boolean {
  return all.some(([other, one]) => one.outcome === 'fail' && other.startsWith(`${id}/`));
}

interface Failed {
  readonly id: string;
  readonly output: readonly string[];
  readonly module: string;
  readonly roots: readonly string[];
}

function failureOf({ id, output, module, roots }: Failed): TestFailure {
  const said = output.filter((line) => !/^(?:=== | *--- (?:FAIL|PASS|SKIP))/u.test(line));
  const panic = said.findIndex((line) => line.startsWith('panic: '));
  const frames = panic < 0 ? [] : goFrames(said.slice(panic).join('\n'), roots);
  // `go test` names a test's file without its folder.
  const at = /^\s*([\w.-]+\.go):(\d+): /u.exec(said.find((line) => /^\s*[\w.-]+\.go:\d+: /u.test(line)) ?? '');
  const own = frames.findLast((frame) => frame.path.endsWith('_test.go'));
  const folder = (id.split(' > ')[0] ?? '').slice(module.length + 1);
  const name = at?.[1] ?? null;
  const path = own?.path ?? (name === null ? null : folder === '' ? name : `${folder}/${name}`);
  const line = own?.line ?? (at === null ? null : Number(at[2]));
  const message =
    panic < 0
      ? tidy(
          said.map((text) => text.replace(/^(\s*)[\w.-]+\.go:\d+: /u, '$1')),
          12,
        )
      : (said[panic] ?? '').replace(/^panic: /u, '').replace(/ \[recovered[^[\]]*\]$/u, '');
  return {
    id,
    path,
    line,
    errorName: panic < 0 ? null : 'panic',
    message: message === '' ? 'The test did not end.' : message,
    frames: frames.length > 0 || path === null || line === null ? frames : [{ path, line, name: null }],
  };
}

/** Frames of a goroutine's stack, outermost first. */
function goFrames(stack: string, roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  const [first = ''] = stack.split(/\n\ngoroutine \d+ \[(?!running)/u);
  for (const match of first.matchAll(/^([^\s(][^\n\r]*)\n\t(\S+\.go):(\d+)/gmu)) {
    const path = relativeTo(roots, match[2] ?? '');
    if (path === null) continue;
    const name = /\.([\w·]+)\([^()]*\)?$/u.exec(match[1] ?? '')?.[1] ?? null;
    frames.unshift({ path, line: Number(match[3]), name });
  }
  return frames;
}

/** A package that ended without a failed test: its set-up failed, or it called `os.Exit`. */
function packageFailures(plain: string, roots: readonly string[]): readonly TestFailure[] {
  return [...plain.matchAll(/^FAIL\t(\S+)(?:\t| \[)/gmu)].map((match) => {
    const before = plain.slice(0, match.index).split('\n').slice(-12);
    const frames = goFrames(plain.slice(0, match.index), roots);
    return { id: match[1] ?? '', path: null, line: null, errorName: null, message: tidy(before, 12), frames };
  });
}
