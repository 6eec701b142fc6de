import { speaksOfFailure } from '../about-failures.ts';
import type { Span } from '../../code/code-spans.ts';
import type { RecipeContext, RecipeOutcome } from '../../define.ts';
import type { Syntax } from '../../code/code-syntax.ts';
import { candidateCodeKey, withoutComments, type Candidate, type FileText } from '../../trial/candidate-change.ts';
import type { Judge, Verdict } from '../judge/judge-candidate.ts';
import { applyMutation, mutantsOf } from '../mechanical/mechanical-changes.ts';
import { overfitMarks } from './overfit-marks.ts';
import type { SearchResult } from '../search/search-result.ts';
import type { Confidence } from '@shared/events/turn-events.ts';

export interface AcceptParts {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly judge: Judge;
  readonly secondsLeft: () => number;
}

/** Chooses among accepted changes, checks the choice again, and writes it to the workspace. */
export async function acceptBest(parts: AcceptParts, result: SearchResult): Promise<RecipeOutcome | null> {
  const { context, judge } = parts;
  if (result.accepted.length > 0) {
    const labels = result.accepted.map((one) => one.candidate.label);
    const told = [...new Set(labels)].map((label) => counted(label, labels));
    await context.progress('accepted', `Changes that pass: ${told.join(' | ')}`);
  }
  const all = await rankAll(parts, result, result.accepted);
  for (const ranked of await preferred(parts, result, all)) {
    const { candidate } = ranked.verdict;
    if (!(await judge.passesRerun(candidate))) {
      await context.progress('reject', `Rejected, because it failed the second run: ${candidate.label}.`);
      continue;
    }
    const doubt = await doubtIn(parts, result, ranked);
    const refused = await context.world.apply(filesOf(candidate, result.kept));
    if (refused !== null) return { type: 'gave-up', reason: refused, facts: '' };
    const { origin, label } = candidate;
    await context.progress('accept', `The change is kept: ${label}.`, { origin });
    return {
      type: 'done',
      text: `${describe(parts, candidate, { result, doubt })}${newErrorsText(ranked.newErrors)}`,
      confidence: confidenceOf(candidate, doubt),
    };
  }
  return null;
}

/**
 * If different changes pass, the model rewrites the function without seeing them. A change that it writes as well goes
 * first, and so does its own if it passes. (A small model that is asked to choose takes the first.)
 */
async function preferred(
  parts: AcceptParts,
  result: SearchResult,
  ranked: readonly Ranked[],
): Promise<readonly Ranked[]> {
  const { context } = parts;
  const [top] = ranked;
  const span = top?.verdict.candidate.span ?? null;
  const different = new Set(ranked.map((one) => candidateCodeKey(one.verdict.candidate)));
  const isByModel = ranked.some((one) => one.verdict.candidate.origin !== 'mechanical');
  const isAsked = context.settings.agreement && context.budget.stepsLeft() > 1 && parts.secondsLeft() > 15;
  if (top === undefined || span === null || different.size < 2 || isByModel || !isAsked) return ranked;
  const own = await result.confer(top.verdict.candidate);
  if (own === null) return ranked;
  const agreeing = ranked.filter(
    (one) => sameChange(one.verdict.candidate, own.candidate) && one.newErrors <= top.newErrors,
  );
  if (agreeing.length > 0) {
    await context.progress(
      'agree',
      `The model suggested the same change: ${agreeing[0]?.verdict.candidate.label ?? ''}.`,
    );
    return [...agreeing, ...ranked.filter((one) => !agreeing.includes(one))];
  }
  const [judged] = own.type === 'accepted' ? await rankAll(parts, result, [own]) : [];
  const isWorse = judged === undefined || judged.marks.length > 0 || judged.newErrors > top.newErrors;
  return isWorse ? ranked : [judged, ...ranked];
}

/** A label with the number of changes that share it. */
function counted(label: string, labels: readonly string[]): string {
  const count = labels.filter((one) => one === label).length;
  return count === 1 ? label : `${label} (${count} answers)`;
}

interface Ranked {
  readonly verdict: Verdict;
  readonly marks: readonly string[];
  readonly score: number;
  /** Errors that a language server finds in its files since the change, as far as one knows. */
  readonly newErrors: number;
}

/** So many different changes are shown to a language server. */
const mostShown = 8;

/** Ranks the changes: first the smallest one that others agree with and that is not fitted to the test. */
async function rankAll(
  parts: AcceptParts,
  result: SearchResult,
  verdicts: readonly Verdict[],
): Promise<readonly Ranked[]> {
  const tests = result.failureContext.tests.map((test) => test.text).join('\n');
  const isLoose = areLoose(verdicts);
  const ranked: Omit<Ranked, 'newErrors'>[] = [];
  for (const [index, verdict] of verdicts.entries()) {
    let marks: readonly string[] = [];
    let size = 0;
    for (const file of verdict.candidate.files) {
      const before = (await parts.judge.read(file.path)) ?? '';
      marks = [...marks, ...overfitMarks(before, file.text, tests)];
      size +=
        changedLines(withoutNotes(before), withoutNotes(file.text)) + (changesSignature(before, file.text) ? 4 : 0);
    }
    const key = candidateCodeKey(verdict.candidate);
    const agreeing = result.accepted.filter((one) => candidateCodeKey(one.candidate) === key).length;
    const agreement = parts.context.settings.agreement ? agreeing - 1 : 0;
    const depth = depthOf(verdict, verdicts, result.failureContext.evidence.distance);
    const chance = isLoose && isSmall(verdict.candidate) ? 50 : 0;
    const score = marks.length * 100 + chance + size - agreement * 5 - depth + index * 0.5;
    ranked.push({ verdict, marks, score });
  }
  ranked.sort((left, right) => left.score - right.score);
  const errors = await newErrorsOf(
    parts,
    result,
    ranked.map(({ verdict }) => verdict.candidate),
  );
  const judged = ranked.map((one) => ({ ...one, newErrors: errors.get(candidateCodeKey(one.verdict.candidate)) ?? 0 }));
  // All of them pass, so one with a new error is worse, and still taken where there is no other.
  return [...judged.filter((one) => one.newErrors === 0), ...judged.filter((one) => one.newErrors > 0)];
}

async function newErrorsOf(
  { context: { world } }: AcceptParts,
  { kept }: SearchResult,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, number>> {
  const different = new Map(candidates.map((one) => [candidateCodeKey(one), one]));
  const errors = new Map<string, number>();
  for (const [key, candidate] of [...different].slice(0, mostShown))
    errors.set(key, (await world.newErrors(filesOf(candidate, kept))) ?? 0);
  return errors;
}

/**
 * If both the caller and the called function can be changed, the called one is repaired for all its callers. That
 * counts more if it is in another file, where it has other callers. `distance`: imports from the failing tests to a
 * file.
 */
function depthOf({ candidate }: Verdict, verdicts: readonly Verdict[], distance: ReadonlyMap<string, number>): number {
  const { span } = candidate;
  const pathOf = (one: Candidate) => one.files[0]?.path ?? '';
  const isCaller = (one: Span) => span !== null && one.names.has(span.shortName) && !span.names.has(one.shortName);
  const others = verdicts.map((one) => one.candidate).filter((one) => span === null || one.span?.id !== span.id);
  const callers = others.filter((one) => one.span !== null && isCaller(one.span));
  const own = distance.get(pathOf(candidate)) ?? 0;
  const isFurther = others.some((one) => own > (distance.get(pathOf(one)) ?? Infinity));
  if (isFurther || callers.some((one) => pathOf(one) !== pathOf(candidate))) return 5;
  return callers.length > 0 ? 1.5 : 0;
}

/** Comments do not count for the size of a rewrite. */
const withoutNotes = (text: string): string =>
  withoutComments(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');

/**
 * Whether the tests are too weak to decide: they accept different small changes beside what the model wrote. Then what
 * the model wrote comes first. One small change alone is no coincidence.
 */
function areLoose(verdicts: readonly Verdict[]): boolean {
  const small = verdicts.map((one) => one.candidate).filter(isSmall);
  return small.length < verdicts.length && new Set(small.map(candidateCodeKey)).size > 1;
}

const isSmall = ({ origin }: Candidate): boolean => origin === 'mechanical';

/** Whether a change alters a signature. Callers depend on it, so that is seldom the repair. */
function changesSignature(before: string, after: string): boolean {
  const heads = (text: string) =>
    text.split('\n').filter((line) => /^\s*(export )?(async )?(def|function|constructor)\b.*\(/.test(line));
  const known = new Set(heads(after));
  return heads(before).some((line) => !known.has(line));
}

/** Whether the texts are equal without white space and comments. */
function sameChange(left: Candidate, right: Candidate): boolean {
  return candidateCodeKey(left) === candidateCodeKey(right);
}

export function changedLines(before: string, after: string): number {
  const old = new Map<string, number>();
  for (const line of before.split('\n')) old.set(line, (old.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of after.split('\n')) {
    const left = old.get(line) ?? 0;
    if (left > 0) old.set(line, left - 1);
    else added += 1;
  }
  const removed = [...old.values()].reduce((sum, count) => sum + count, 0);
  return Math.max(added, removed);
}

interface MutantCount {
  readonly tried: number;
  readonly survived: number;
}

const noMutants: MutantCount = { tried: 0, survived: 0 };

/**
 * Counts small variations of the changed lines that the tests accept too. If there are some, the tests do not hold the
 * change.
 */
async function tryMutants(parts: AcceptParts, candidate: Candidate): Promise<MutantCount> {
  const [file] = candidate.files;
  const { span } = candidate;
  if (file === undefined) return noMutants;
  const before = (await parts.judge.read(file.path)) ?? '';
  const lines = changedLineNumbers(before, file.text);
  if (lines.length === 0) return noMutants;
  const language = span?.language ?? (file.path.endsWith('.py') ? 'python' : 'javascript');
  const place = { language, startLine: Math.min(...lines), endLine: Math.max(...lines) };
  const mutants = mutantsOf(parts.syntax, file.text, place)
    .filter((mutation) => lines.includes(mutation.line) && mutation.rank <= 7 && !equivalent(mutation))
    .sort((left, right) => left.rank - right.rank)
    .slice(0, 12)
    .map((mutation) => applyMutation(file.text, mutation))
    .filter(
      (text) =>
        text.replaceAll(/\s/g, '') !== before.replaceAll(/\s/g, '') && parts.syntax.errorLine(language, text) === null,
    );
  const chosen = spread([...new Set(mutants)], 5).map((text): Candidate => ({
    files: [{ path: file.path, text }],
    origin: 'mechanical',
    label: 'an altered version of the change',
    span,
  }));
  if (chosen.length === 0) return noMutants;
  const verdicts = await parts.judge.try(chosen, { stopAfter: 2, totalSeconds: 15, graceSeconds: 10 });
  const judged = verdicts.filter((verdict) => verdict.type !== 'untried');
  return { tried: judged.length, survived: judged.filter((verdict) => verdict.type === 'accepted').length };
}

/** Whether a variation often means the same, such as `strip` for `rstrip`. */
function equivalent(mutation: { readonly what: string }): boolean {
  return /\b[lr]?strip to |\btrim\w* to |\bawait\b| to .{0,200}\b(max|min|Math\.max|Math\.min)\(|\b(copy|list|slice)\(|=== null|== null|is None/.test(
    mutation.what,
  );
}

function changedLineNumbers(before: string, after: string): readonly number[] {
  const known = new Set(before.split('\n'));
  return after.split('\n').flatMap((line, index) => (line.trim() === '' || known.has(line) ? [] : [index + 1]));
}

/** `count` of the items, evenly spaced. */
function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return items.filter(
    (_, index) => Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  );
}

/** Why a change that passes may still be wrong. */
type Doubt = 'others-pass' | 'bends-to-tests' | 'not-held' | 'not-agreed' | 'not-asked' | 'one-example';

/** What the tests leave open; null if they hold the change firmly. `mutants`: null if there was no time for them. */
function doubtOf(ranked: Ranked, mutants: MutantCount | null, result: SearchResult): Doubt | null {
  const others = new Set(result.accepted.map((verdict) => candidateCodeKey(verdict.candidate)));
  if (others.size > 1 || result.isAmbiguous) return 'others-pass';
  if (ranked.marks.length > 0) return 'bends-to-tests';
  return mutants !== null && (mutants.survived > 0 || mutants.tried === 0) ? 'not-held' : null;
}

async function doubtIn(parts: AcceptParts, result: SearchResult, ranked: Ranked): Promise<Doubt | null> {
  if (parts.context.check?.source === 'text') return 'one-example';
  const { candidate } = ranked.verdict;
  const mutants = parts.secondsLeft() > 5 ? await tryMutants(parts, candidate) : null;
  return doubtOf(ranked, mutants, result) ?? (await secondOpinion(parts, result, candidate));
}

const secondsForOpinion = 15;

/**
 * Passing tests and failing variations are not enough: of the changes of a small model that had both, two of two were
 * wrong (`docs/measurements/recipes.md`). Only a change that the model finds in two ways has high confidence. For new
 * code there is only one way.
 */
async function secondOpinion(parts: AcceptParts, result: SearchResult, candidate: Candidate): Promise<Doubt | null> {
  const { settings, budget } = parts.context;
  if (!settings.agreement || candidate.origin === 'insert') return null;
  // The tests hold the only small change that passes, and its confidence is never more than "found by trying", so no
  // model is asked.
  if (candidate.origin === 'mechanical') return null;
  if (budget.stepsLeft() < 1 || parts.secondsLeft() < secondsForOpinion) return 'not-asked';
  const own = await result.confer(candidate);
  const agrees = own !== null && sameChange(own.candidate, candidate);
  await parts.context.progress(
    'agree',
    `Asked another way, the model suggested ${agrees ? 'the same change' : 'a different change'}.`,
  );
  return agrees ? null : 'not-agreed';
}

function confidenceOf(candidate: Candidate, doubt: Doubt | null): Confidence {
  if (doubt !== null) return 'weak-tests';
  return candidate.origin === 'mechanical' ? 'mechanical' : 'high';
}

const doubtTexts: Readonly<Record<Doubt, string>> = {
  'others-pass': 'Other changes pass these tests, too; please review the diff.',
  'bends-to-tests': 'The change follows the tests’ expectations closely; please review the diff.',
  'not-held': 'Tests barely cover this change; please review the diff.',
  'one-example': 'One example is a weak check; please review the diff.',
  'not-asked': 'There was no time to ask the model another way; please review the diff.',
  'not-agreed': 'Asked another way, the model suggested a different change; please review the diff.',
};

function describe(
  { context }: AcceptParts,
  candidate: Candidate,
  { result, doubt }: { readonly result: SearchResult; readonly doubt: Doubt | null },
): string {
  const files = filesOf(candidate, result.kept).map((file) => file.path);
  const how = candidate.origin === 'mechanical' ? ' Found by trial and error.' : '';
  const weak = doubt === null ? '' : ` ${doubtTexts[doubt]}`;
  const what =
    candidate.origin === 'mechanical' ? candidate.label : `${candidate.span?.name ?? files.join(', ')} was rewritten`;
  const holds = context.check?.source === 'text' ? 'The example in the task works now.' : 'The tests pass now.';
  // In a project with failing tests, the task may be about them or about something else.
  const isMeasure = context.check?.source !== 'project' || speaksOfFailure(context.task);
  const only = isMeasure ? '' : ' Only the failing tests were worked on. If the task asks for more, send it again.';
  return `Changed ${files.join(' and ')}: ${what}. ${holds}${how}${weak}${only}`;
}

/** Empty: none is known. */
export function newErrorsText(count: number | null): string {
  if (count === null || count === 0) return '';
  return ` A language server finds ${count === 1 ? '1 new error' : `${count} new errors`} in what was changed.`;
}

/** The changed files as they will be in the workspace: the kept steps and the candidate on top. */
export function filesOf(candidate: Candidate, kept: ReadonlyMap<string, string>): readonly FileText[] {
  const files = new Map(kept);
  for (const file of candidate.files) files.set(file.path, file.text);
  return [...files.entries()].map(([path, text]) => ({ path, text }));
}
