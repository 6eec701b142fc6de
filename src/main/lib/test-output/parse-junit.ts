import { compileFailures } from './parse-compiler.ts';
import { relativeTo, tidy, withShortLines, type Frame, type TestFailure, type TestReport } from './test-report.ts';

/** The most tests of one report. What follows is left out. */
const maxCases = 50_000;
const maxLines = 12;

/**
 * Reads reports in the format of JUnit, as Surefire, Gradle, CTest and PHPUnit write them. It looks for the few elements
 * that it needs and resolves no entities but the five of XML, so a hostile file can only be wrong.
 * `output`: what the run printed besides.
 */
export function parseJunit(report: string, output: string, roots: readonly string[]): TestReport {
  const passed = new Set<string>();
  const failures: TestFailure[] = [];
  const counts = { passed: 0, failed: 0, errors: 0, skipped: 0 };
  let seen = 0;
  for (const { file, text } of filesOf(report)) {
    for (const { attributes, inside } of elements(text, 'testcase')) {
      seen += 1;
      if (seen > maxCases) break;
      const id = idOf(attributes);
      const [failure = null] = elements(inside, 'failure');
      const [error = null] = failure === null ? elements(inside, 'error') : [];
      const failed = failure ?? error;
      if (failed !== null) {
        counts[error === null ? 'failed' : 'errors'] += 1;
        failures.push(failureOf({ id, attributes, failed, inside, module: moduleOf(file), roots }));
      } else if (inside.includes('<skipped') || ['notrun', 'disabled'].includes(attributes.get('status') ?? '')) {
        counts.skipped += 1;
      } else {
        counts.passed += 1;
        passed.add(id);
      }
    }
  }
  const compiled = compileFailures(output, roots);
  if (seen === 0) counts.errors += compiled.length;
  return {
    passed,
    failures: seen === 0 ? compiled : failures,
    parsed: seen > 0 || compiled.length > 0,
    counts: seen > 0 || compiled.length > 0 ? counts : null,
  };
}

interface Element {
  readonly attributes: ReadonlyMap<string, string>;
  readonly inside: string;
}

/** The elements of this name. One that does not end ends where the next begins. */
function elements(text: string, name: string): readonly Element[] {
  return text
    .split(`<${name}`)
    .slice(1)
    .filter((part) => /^[\s/>]/u.test(part))
    .map((part) => {
      const end = part.indexOf('>');
      const head = end < 0 ? part : part.slice(0, end);
      if (end < 0 || head.endsWith('/')) return { attributes: attributesOf(head), inside: '' };
      const close = part.indexOf(`</${name}>`, end);
      return { attributes: attributesOf(head), inside: part.slice(end + 1, close < 0 ? part.length : close) };
    });
}

/** The text of the first element of this name. */
function elementText(text: string, name: string): string {
  return textOf(elements(text, name)[0]?.inside ?? '');
}

interface ReportFile {
  /** Null: the report is one file that the command names itself. */
  readonly file: string | null;
  readonly text: string;
}

function filesOf(report: string): readonly ReportFile[] {
  const heads = [...report.matchAll(/^<!-- file (.+) -->$/gmu)];
  if (heads.length === 0) return [{ file: null, text: report }];
  return heads.map((head, index) => ({
    file: head[1] ?? null,
    text: report.slice(head.index, heads[index + 1]?.index ?? report.length),
  }));
}

/** The folder of the module that a report of Maven or Gradle is about. */
function moduleOf(file: string | null): string | null {
  const folder = /^(?:\.\/)?(.*?)(?:target\/(?:surefire|failsafe)-reports|build\/test-results)\//u.exec(
    file ?? '',
  )?.[1];
  return folder ?? null;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/(?<=\s)([\w:.-]{1,100})=(?:"([^"]*)"|'([^']*)')/gu)].map((match) => [
      match[1] ?? '',
      plain(match[2] ?? match[3] ?? ''),
    ]),
  );
}

function idOf(attributes: ReadonlyMap<string, string>): string {
  const name = attributes.get('name') ?? 'unnamed';
  const inside = attributes.get('classname') ?? attributes.get('class') ?? '';
  return inside === '' || inside === name ? name : `${inside} > ${name}`;
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/giu, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return named[name.toLowerCase()] ?? whole;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x10_ff_ff ? whole : String.fromCodePoint(code);
  });
}

/** The text in an element, with its parts that are marked as plain. */
function textOf(inside: string): string {
  return inside
    .split('<![CDATA[')
    .map((part, index) => {
      const end = index === 0 ? 0 : part.indexOf(']]>');
      if (index === 0) return plain(part);
      return end < 0 ? part : part.slice(0, end) + plain(part.slice(end + 3));
    })
    .join('');
}

interface Failed {
  readonly id: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly failed: Element;
  /** All of the test case. */
  readonly inside: string;
  readonly module: string | null;
  readonly roots: readonly string[];
}

function failureOf({ id, attributes, failed, inside, module, roots }: Failed): TestFailure {
  const body = textOf(failed.inside);
  const said = withShortLines(body.trim() === '' ? elementText(inside, 'system-out') : body);
  const type = (failed.attributes.get('type') ?? '').split(/[.\\]/u).at(-1) ?? '';
  const frames = [...javaFrames(said, attributes, module), ...plainFrames(said, roots)];
  const own = attributes.get('file');
  const path = (own === undefined ? null : relativeTo(roots, own)) ?? frames[0]?.path ?? null;
  const line = frames.find((frame) => frame.path === path)?.line ?? null;
  return {
    id,
    path,
    line,
    errorName: type === '' ? null : type.slice(0, 100),
    message: messageOf(failed.attributes.get('message') ?? '', said, id),
    frames,
  };
}

function messageOf(attribute: string, said: string, id: string): string {
  if (attribute.trim() !== '') return tidy(attribute.split('\n'), maxLines);
  const name = id.split(' > ').at(-1) ?? id;
  // PHPUnit begins with the test's name and ends with the frames.
  const lines = said.split('\n').filter((line, index) => !(index === 0 && line.includes(`::${name}`)));
  return tidy(
    lines.filter((line) => !/^(?:\/\S+:\d+|\s+at .*)$/u.test(line)),
    maxLines,
  );
}

/**
 * The lines of the test's own class. A stack of Java names a file without its folder; by the usual layout of a project,
 * it lies in `src/test`, in the folder of its package.
 */
function javaFrames(stack: string, attributes: ReadonlyMap<string, string>, module: string | null): readonly Frame[] {
  const inside = attributes.get('classname') ?? '';
  if (module === null || !/^[\w.$]+$/u.test(inside)) return [];
  const folder = inside.split('.').slice(0, -1).join('/');
  const frames: Frame[] = [];
  for (const match of stack.matchAll(
    /^[ \t]+at (?:[\w.@-]+\/)?([\w.$]+)\.([\w$<>]+)\((\w+\.(java|kt|groovy|scala)):(\d+)\)$/gmu,
  )) {
    const [, owner = '', name = '', file = '', language = '', line = ''] = match;
    if ((owner.split('$')[0] ?? '') !== (inside.split('$')[0] ?? '')) continue;
    const sources = language === 'kt' ? 'kotlin' : language;
    frames.unshift({
      path: `${module}src/test/${sources}/${folder}/${file}`.replaceAll('//', '/'),
      line: Number(line),
      name,
    });
  }
  return frames;
}

/** `/project/tests/CalcTest.php:7`, innermost first in the text; also what an assertion of C prints. */
function plainFrames(text: string, roots: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const match of text.matchAll(/(?<=^|\s)(\/[^\s:]+\.\w+):(\d+)(?=:|\s|$)/gmu)) {
    const path = relativeTo(roots, match[1] ?? '');
    if (path !== null && !/(?:^|\/)vendor\//u.test(path)) frames.unshift({ path, line: Number(match[2]), name: null });
  }
  return frames;
}

/**
 * Reads the results that `dotnet test` writes (TRX). Written from its documents: no such run was at hand.
 */
export function parseTrx(report: string, output: string, roots: readonly string[]): TestReport {
  const passed = new Set<string>();
  const failures: TestFailure[] = [];
  let skipped = 0;
  for (const { attributes, inside } of elements(report, 'UnitTestResult')) {
    const id = attributes.get('testName') ?? 'unnamed';
    const outcome = attributes.get('outcome');
    if (outcome === 'Passed') passed.add(id);
    else if (outcome === 'NotExecuted') skipped += 1;
    else {
      const message = withShortLines(elementText(inside, 'Message'));
      const stack = withShortLines(elementText(inside, 'StackTrace'));
      const frames = [...stack.matchAll(/^[ \t]*at (.+):line (\d+)[ \t\r]*$/gmu)].flatMap((frame): Frame[] => {
        const [name = null, said = ''] = (frame[1] ?? '').split(' in ', 2);
        const path = relativeTo(roots, said);
        return path === null ? [] : [{ path, line: Number(frame[2]), name }];
      });
      const last = frames.at(-1) ?? null;
      failures.push({
        id,
        path: last?.path ?? null,
        line: last?.line ?? null,
        errorName: /^[\w.]+\.(\w+Exception)\b/u.exec(message)?.[1] ?? null,
        message: tidy(message.split('\n'), maxLines),
        frames: frames.toReversed(),
      });
    }
  }
  const ran = passed.size + failures.length + skipped;
  const compiled = ran === 0 ? compileFailures(output, roots) : [];
  const counts = { passed: passed.size, failed: failures.length, errors: compiled.length, skipped };
  const isKnown = ran + compiled.length > 0;
  return { passed, failures: [...failures, ...compiled], parsed: isKnown, counts: isKnown ? counts : null };
}
