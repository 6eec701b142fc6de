import { relativeTo, tidy, type Frame, type TestCounts, type TestFailure, type TestReport } from './test-report.ts';

/** Reads the output of `python3 -m unittest`. Passing tests are known if it ran with `-v`. */
export function parseUnittest(output: string, roots: readonly string[]): TestReport {
  const passed = new Set<string>();
  for (const match of output.matchAll(/^(\w+) \(([\w.]+)\)(?:\n.*)? \.\.\. (?:ok|expected failure)$/gm)) {
    passed.add(idOf(match[1] ?? '', match[2] ?? ''));
  }
  const failures = new Map<string, TestFailure>();
  const blocks = output.split(/^={20,}\n/m).slice(1);
  for (const block of blocks) {
    const heading = /^(?:ERROR|FAIL): (\w+) \(([\w.]+)\)/.exec(block);
    if (heading === null) continue;
    const id = idOf(heading[1] ?? '', heading[2] ?? '');
    if (!failures.has(id)) failures.set(id, failureOf(id, block.split(/^-{20,}\n/m)[1] ?? '', roots));
  }
  const counts = countsOf(output);
  return { passed, failures: [...failures.values()], parsed: counts !== null, counts };
}

function countsOf(output: string): TestCounts | null {
  const ran = /^Ran (\d+) tests?/m.exec(output)?.[1];
  if (ran === undefined) return null;
  const count = (name: string): number => Number(new RegExp(`\\b${name}=(\\d+)`).exec(output)?.[1] ?? 0);
  const [failed, errors, skipped] = [count('failures'), count('errors'), count('skipped')];
  return { passed: Number(ran) - failed - errors - skipped, failed, errors, skipped };
}

/** `test_add (test_ut.CalcTest.test_add)` in newer Pythons, `test_add (test_ut.CalcTest)` in older ones. */
function idOf(name: string, inside: string): string {
  return inside.endsWith(`.${name}`) ? inside : `${inside}.${name}`;
}

function failureOf(id: string, block: string, roots: readonly string[]): TestFailure {
  const frames = pythonFrames(block, roots);
  const lines = block.trimEnd().split('\n');
  const lastFrame = lines.findLastIndex((line) => /^ {2}File "/.test(line));
  const errorAt = lines.findIndex((line, index) => index > lastFrame && /^\S/.test(line));
  const message = tidy(errorAt < 0 ? lines.slice(-3) : lines.slice(errorAt), 12);
  const module = id.split('.').slice(0, -2).join('/');
  const own = frames.find((frame) => /(^|\/)test|_test\.py$/.test(frame.path)) ?? null;
  return {
    id,
    path: own?.path ?? (module === '' ? null : `${module}.py`),
    line: own?.line ?? null,
    errorName: /^(?:[\w.]+\.)?(\w+)(?::|$)/.exec(message)?.[1] ?? null,
    message,
    frames,
  };
}

/** Frames of a Python traceback, outermost first. */
export function pythonFrames(text: string, roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const match of text.matchAll(/^[ \t]*File "([^"\n]+)", line (\d+)(?:, in (\S+))?/gm)) {
    const path = relativeTo(roots, match[1] ?? '');
    if (path !== null) frames.push({ path, line: Number(match[2]), name: match[3] ?? null });
  }
  return frames;
}
