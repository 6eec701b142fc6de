import { z } from 'zod';
import { compileFailures } from './parse-compiler.ts';
import {
  parsedJson,
  relativeTo,
  tidy,
  withShortLines,
  type Frame,
  type TestFailure,
  type TestReport,
} from './test-report.ts';

const rspecSchema = z.object({
  messages: z.array(z.string()).optional(),
  examples: z.array(
    z.object({
      full_description: z.string(),
      status: z.string(),
      file_path: z.string(),
      line_number: z.number(),
      exception: z
        .object({ class: z.string(), message: z.string().nullable(), backtrace: z.array(z.string()).nullish() })
        .optional(),
    }),
  ),
  summary: z.object({ errors_outside_of_examples_count: z.number().optional() }),
});

/** Reads the report of `rspec --format json`. `output`: what the run printed besides. */
export function parseRspec(report: string, output: string, roots: readonly string[]): TestReport | null {
  const parsed = rspecSchema.safeParse(parsedJson(report.trim()));
  if (!parsed.success) return null;
  const { examples, messages = [], summary } = parsed.data;
  const passed = examples.filter(({ status }) => status === 'passed').map((one) => one.full_description);
  const failures = examples
    .filter(({ status }) => status === 'failed')
    .map((one): TestFailure => {
      const path = one.file_path.replace(/^\.\//u, '');
      const frames = rubyFrames((one.exception?.backtrace ?? []).join('\n'), roots);
      return {
        id: one.full_description,
        path,
        line: frames.find((frame) => frame.path === path)?.line ?? one.line_number,
        errorName: one.exception?.class.split('::').at(-1) ?? null,
        message: tidy((one.exception?.message ?? '').split('\n'), 12),
        frames,
      };
    });
  const said = [...messages, output].join('\n');
  const unloaded = summary.errors_outside_of_examples_count ?? 0;
  const loading = unloaded === 0 ? [] : loadFailures(said, roots);
  return {
    passed: new Set(passed),
    failures: [...failures, ...loading],
    parsed: true,
    counts: {
      passed: passed.length,
      failed: failures.length,
      errors: unloaded,
      skipped: examples.length - passed.length - failures.length,
    },
  };
}

/** Files of tests that could not be loaded. */
function loadFailures(said: string, roots: readonly string[]): readonly TestFailure[] {
  const compiled = compileFailures(said, roots);
  if (compiled.length > 0) return compiled;
  const heads = [...said.matchAll(/^An error occurred while loading (?:\.\/)?(\S+?)\.?$/gmu)];
  return heads.map((match, at) => {
    const rest = said.slice(match.index + match[0].length, heads[at + 1]?.index).trimStart();
    const message = tidy(rest.split(/\n# /u)[0]?.split('\n') ?? [], 12);
    const errorName = /^(\w*(?:Error|Exception))\b/mu.exec(message)?.[1] ?? null;
    return {
      id: match[1] ?? '',
      path: match[1] ?? null,
      line: null,
      errorName,
      message,
      frames: rubyFrames(rest, roots),
    };
  });
}

export const isMinitest = (output: string): boolean =>
  /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ (?:skips|pendings)/mu.test(output);

/** Reads the output of minitest. Passing tests are known if it ran with `-v`. */
export function parseMinitest(printed: string, roots: readonly string[]): TestReport {
  const output = withShortLines(printed);
  const total = /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) (?:skips|pendings)/mu.exec(
    output,
  );
  const [ran, failed, errors, skipped] = [1, 2, 3, 4].map((at) => Number(total?.[at] ?? 0));
  const passed = [...output.matchAll(/^([^\s#]+#[^\n\r=]+) = [\d.]+ s = \.$/gmu)].map((match) => match[1] ?? '');
  const failures = [
    ...output.matchAll(
      /^ +\d+\) (Failure|Error):\n([^\s[]+#[^\n]+?)(?: \[(\S+?):(\d+)\])?:?\n((?:[^\n]+(?:\n|$(?![\s\S])))*)/gmu,
    ),
  ];
  return {
    passed: new Set(passed),
    failures: failures.map((match) => failureOf(match, roots)),
    parsed: true,
    counts: {
      passed: Math.max(0, (ran ?? 0) - (failed ?? 0) - (errors ?? 0) - (skipped ?? 0)),
      failed: failed ?? 0,
      errors: errors ?? 0,
      skipped: skipped ?? 0,
    },
  };
}

function failureOf(match: RegExpExecArray, roots: readonly string[]): TestFailure {
  const [, kind, id = '', place, line, body = ''] = match;
  const frames = rubyFrames(body, roots);
  const last = frames[0] ?? null;
  const path = place === undefined ? (last?.path ?? null) : relativeTo(roots, place);
  const message = tidy(
    body.split('\n').filter((text) => !/^\s+\S+\.rb:\d+:in /u.test(text)),
    12,
  );
  const at = line === undefined ? (last?.line ?? null) : Number(line);
  const own = path === null || at === null ? [] : [{ path, line: at, name: null }];
  return {
    id: id.replace(/:$/u, ''),
    path,
    line: at,
    errorName: kind === 'Error' ? (/^(?:\w+::)*(\w+):/u.exec(message)?.[1] ?? null) : 'Assertion',
    message,
    frames: frames.length > 0 ? frames : own,
  };
}

/** Frames of a backtrace, outermost first, without those of packages. */
function rubyFrames(text: string, roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const match of withShortLines(text).matchAll(/^[# \t]*(\S+\.rb):(\d+):in ['`](?:[\w:]+[#.])?([^'\n]+)'$/gmu)) {
    const path = relativeTo(roots, match[1] ?? '');
    if (path === null || /(?:^|\/)gems\//u.test(path)) continue;
    frames.unshift({ path, line: Number(match[2]), name: match[3] ?? null });
  }
  return frames;
}
