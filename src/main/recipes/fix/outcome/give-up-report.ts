import { diffHunks } from '../../../lib/unified-diff.ts';
import type { Judge, Verdict } from '../judge/judge-candidate.ts';
import { verdictTexts } from '../judge/judge-candidate.ts';
import type { Syntax } from '../../code/code-syntax.ts';
import { showFailingTests } from '../prompts/failing-tests.ts';
import type { SearchResult } from '../search/search-result.ts';

const maxListed = 3;

/** What the user is told of a search. */
interface ToldSearch extends Pick<SearchResult, 'tried'> {
  readonly failureContext: {
    readonly suspects: readonly {
      readonly span: Readonly<Record<'name' | 'path', string>> & { readonly startLine: number };
    }[];
  };
}

/** For the user: what fails, where the fault most likely is, and that nothing was changed. */
export function giveUpReason({ tried, failureContext }: ToldSearch, judge: Pick<Judge, 'baseline'>): string {
  const { report, output } = judge.baseline();
  const { failures } = report;
  const last = output.trim().split('\n').slice(-3);
  const fails = failures.slice(0, maxListed).map(({ id, message }) => `- ${id}: ${firstLines(message)}`);
  const more = failures.length > maxListed ? [`- and ${failures.length - maxListed} more`] : [];
  const places = failureContext.suspects
    .slice(0, maxListed)
    .map(({ span }) => `${span.name} in ${span.path}:${span.startLine}`)
    .join(', ');
  const said =
    tried.length > 0
      ? `None of ${tried.length} changes that were tried made the tests pass. Nothing was changed.`
      : 'Nothing could be tried: what fails leads to no code of this project. Nothing was changed.';
  return [
    said,
    'It fails with:',
    ...(fails.length === 0 ? last : [...fails, ...more]),
    // Without an empty line, Markdown takes it into the last row of the list.
    ...(places === '' ? [] : ['', `The likeliest places: ${places}.`]),
  ].join('\n');
}

/** The actual and expected values are in the lines after the first. */
const firstLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 4)
    .join(' ')
    .slice(0, 200);

/** Limits of the facts: in characters, in numbers of entries, and in tokens for one test file. */
const room = { all: 18_000, sources: 9_000, shownSources: 8, suspects: 8, tests: 900 };
const shownTestFiles = 3;
const nearCharacters = 700;
const shownNear = 3;
/** A file of up to this many lines is shown whole; otherwise only the suspect, up to `spanLines`. */
const smallFileLines = 80;
const spanLines = 90;

export interface HandOver {
  readonly result: SearchResult;
  readonly judge: Judge;
  readonly syntax: Syntax;
  /** A change passed and was applied; it is reverted together with reporting these facts. */
  readonly hasPassed?: boolean;
}

/**
 * What the next stage should know, within 6,000 tokens: the failing tests, the likely places with their source, what
 * came near and how, and what was tried. The output of the tests is not repeated, because the check reports it. None of
 * this is in the files.
 */
export async function handOverFacts({ result, judge, syntax, hasPassed = false }: HandOver): Promise<string> {
  const { suspects, insertions } = result.failureContext;
  const places = suspects
    .slice(0, room.suspects)
    .map(({ span, reasons }) => `- ${span.name} in ${span.path}:${span.startLine} (${reasons.join(', ')})`);
  const missing = insertions.map(({ name, path }) => `- ${name} is used by the tests and missing in ${path}`);
  const parts = [
    hasPassed
      ? 'The tests pass with the change that was taken back:'
      : 'No change that was tried makes the tests pass. The files are as they were before: every try was made in a copy.',
    ...(hasPassed ? await diffLines(result.accepted.slice(0, 1), judge) : []),
    ...(places.length + missing.length === 0 ? [] : ['Suspects, the likeliest first:', ...places, ...missing]),
    ...(await testsOf(judge, syntax)),
    ...(await sourcesOf(result, judge)),
    ...(await nearMisses(result, judge)),
    'What was tried:',
    ...triedLines(result),
  ];
  return parts.join('\n').slice(0, room.all);
}

/** The code of the failing tests, because a runner prints only the line that failed. */
async function testsOf(judge: Judge, syntax: Syntax): Promise<readonly string[]> {
  const { failures } = judge.baseline().report;
  const paths = [...new Set(failures.flatMap(({ path }) => (path === null ? [] : [path])))];
  const shown: string[] = [];
  for (const path of paths.slice(0, shownTestFiles)) {
    const text = await judge.read(path);
    const own = failures.filter((failure) => failure.path === path);
    if (text !== null)
      shown.push(`${path}, what fails of it:`, showFailingTests(syntax, { path, text }, own, room.tests).text);
  }
  return shown;
}

/** The source of the first suspects; each file or function once. */
async function sourcesOf({ failureContext }: SearchResult, judge: Judge): Promise<readonly string[]> {
  const shown: string[] = [];
  const whole = new Set<string>();
  const told: { readonly path: string; readonly from: number; readonly to: number }[] = [];
  let left = room.sources;
  for (const { span } of failureContext.suspects.slice(0, room.shownSources)) {
    const text = whole.has(span.path) ? null : await judge.read(span.path);
    if (text === null) continue;
    const lines = text.replace(/\n$/u, '').split('\n');
    const isSmall = lines.length <= smallFileLines;
    const from = isSmall ? 1 : span.startLine;
    const to = isSmall ? lines.length : Math.min(span.endLine, span.startLine + spanLines - 1);
    // A method of a class that is already shown.
    if (told.some((one) => one.path === span.path && one.from <= from && to <= one.to)) continue;
    const width = String(to).length;
    const code = lines.slice(from - 1, to).map((line, index) => `${String(from + index).padStart(width)}: ${line}`);
    const block = [isSmall ? `${span.path}, whole:` : `${span.path}, lines ${from}-${to} of ${lines.length}:`, ...code];
    const size = block.join('\n').length;
    if (size > left) continue;
    left -= size;
    if (isSmall) whole.add(span.path);
    told.push({ path: span.path, from, to });
    shown.push(...block);
  }
  return shown;
}

/** The near misses: first those that make the most failing tests pass, and among them those that break least. */
async function nearMisses({ near }: SearchResult, judge: Judge): Promise<readonly string[]> {
  const { report } = judge.baseline();
  const failedBefore = new Set(report.failures.map(({ id }) => id));
  const brokenBy = (verdict: Verdict) => verdict.report.failures.filter(({ id }) => !failedBefore.has(id));
  const sorted = near
    .filter(({ gained }) => gained > 0)
    .sort((left, right) => right.gained - left.gained || brokenBy(left).length - brokenBy(right).length);
  const lines: string[] = [];
  for (const verdict of sorted.slice(0, shownNear)) {
    const { candidate, gained } = verdict;
    const broken = brokenBy(verdict).map(({ id, message }) => `${id} (${oneLine(message)})`);
    const now = verdict.report.failures.find(({ id }) => failedBefore.has(id));
    lines.push(
      `- ${candidate.label}: ${verdictTexts[verdict.type]}.`,
      `  Of ${failedBefore.size} failing tests ${gained} pass with it.`,
      ...(broken.length === 0 ? [] : [`  It breaks ${broken.slice(0, 2).join(', ')}.`]),
      ...(now === undefined ? [] : [`  Still failing: ${now.id}: ${oneLine(now.message)}`]),
    );
    lines.push(...(await diffLines([verdict], judge)));
  }
  return lines.length === 0 ? [] : ['What came near, in the copy alone:', ...lines];
}

async function diffLines(verdicts: readonly Verdict[], judge: Judge): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { path, text } of verdicts.flatMap(({ candidate }) => candidate.files)) {
    const hunks = diffHunks((await judge.read(path)) ?? '', text, { context: 1 }) ?? '';
    lines.push(hunks.trimEnd().slice(0, nearCharacters));
  }
  return lines;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim().slice(0, 160);

/** Counts what the recipe tried and what a model wrote, each once. */
function triedLines({ tried, variations }: SearchResult): readonly string[] {
  const written = tried.length - variations.tried;
  return [
    ...(variations.of === 0 ? [] : [`- ${variations.tried} of ${variations.of} small changes without a model`]),
    ...(written <= 0 ? [] : [`- ${written} ${written === 1 ? 'answer' : 'answers'} of the model`]),
    ...(tried.length === 0 && variations.of === 0 ? ['- nothing: what fails leads to no code of this project'] : []),
  ];
}
