import type { RecipeContext } from '../../define.ts';
import type { Syntax } from '../../code/code-syntax.ts';
import { labelOf, proposeChange, type ProposalContext, type Attempt, type UsableProposal } from './propose-change.ts';
import { attemptKey, attemptsOf, mechanicalPool, type ModelStep } from './plan-attempts.ts';
import { candidateKey, type Candidate } from '../../trial/candidate-change.ts';
import { verdictTexts, type Judge, type Verdict, isStepForward } from '../judge/judge-candidate.ts';
import { withMissingImport } from './missing-import.ts';
import type { SearchStep } from './search-plan.ts';
import { makeProjectReader, type ProjectReader } from '../../facts/project-reader.ts';
import type { SearchResult, RepairAttempt } from './search-result.ts';
import { readFailureContext, type FailureContext, promptContextFor } from './failure-context.ts';

export interface SearchParts {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly judge: Judge;
  readonly plan: readonly SearchStep[];
  readonly secondsLeft: () => number;
  /** How long until it gives up if nothing has passed. Absent: as long as it may. */
  readonly secondsToGiveUp?: () => number;
}

const maxKeeps = 4;
const secondsElsewhere = 40;
/** A slow model gets this many answers, however long they take. */
const firstAnswers = 3;

/** Tries the steps of the plan in turn, keeps progress, and ends with the first accepted change or when time is up. */
export async function searchFix(parts: SearchParts): Promise<SearchResult> {
  const search = new Search(parts);
  return search.run();
}

class Search {
  readonly #parts: SearchParts;
  readonly #reader: ProjectReader;
  readonly #tried: RepairAttempt[] = [];
  readonly #seen = new Set<string>();
  readonly #kept = new Map<string, string>();
  #moved: Verdict[] = [];
  #isAmbiguous = false;
  /** Small changes without a model: how many were tried, out of how many. */
  #variations = { tried: 0, of: new Set<string>() };
  /** Near misses of any origin, for the next stage. */
  readonly #near: Verdict[] = [];
  /** Asked again on the same base, the model would say the same. */
  readonly #answers = new Map<string, Candidate | null>();
  #asked = 0;
  /** The longest time that a single answer took, in seconds. */
  #answerSeconds = 0;
  #hasFound = false;
  /** Something was skipped for lack of time. */
  #isCut = false;
  #fatal: string | null = null;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#reader = makeProjectReader(parts.syntax, (path) => parts.judge.read(path));
  }

  async run(): Promise<SearchResult> {
    let failureContext = await this.#look();
    for (let keeps = 0; ; keeps += 1) {
      const verdicts = await this.#runPlan(failureContext);
      const last = failureContext;
      const found = verdicts.filter((verdict) => verdict.type === 'accepted');
      this.#hasFound = found.length > 0;
      const accepted = [
        ...found,
        ...(await this.#elsewhere(failureContext, found)),
        ...(await this.#smaller(failureContext, found)),
      ];
      const forward = verdicts.filter((verdict) => verdict.type === 'partial');
      const step = forward[0] ?? (accepted.length > 0 ? undefined : await this.#nextMoved());
      if (accepted.length > 0 || step === undefined || keeps >= maxKeeps || this.#over()) {
        return {
          accepted,
          kept: this.#kept,
          failureContext,
          tried: this.#tried,
          fatal: this.#fatal,
          isAmbiguous: this.#isAmbiguous,
          variations: { tried: this.#variations.tried, of: this.#variations.of.size },
          near: this.#near,
          isCut: this.#isCut || this.#patience() <= 0,
          confer: (candidate) => this.#confer(last, candidate),
        };
      }
      // Several ways forward and no test to tell them apart, so the result cannot have high confidence.
      if (forward.length > 1 || step.type === 'moved') this.#isAmbiguous = true;
      await this.#keep(step);
      failureContext = await this.#look();
    }
  }

  /** Where only the failing tests ran, tests that passed before may fail now. */
  async #nextMoved(): Promise<Verdict | undefined> {
    for (let next = this.#moved.shift(); next !== undefined && !this.#over(); next = this.#moved.shift()) {
      const [whole] = await this.#parts.judge.try([next.candidate], { stopAfter: 1, totalSeconds: 300 });
      if (whole?.type === 'moved' || whole?.type === 'partial') return whole;
    }
    return undefined;
  }

  #over(): boolean {
    const { budget, before } = this.#parts.context;
    return (
      (before?.tries ?? Infinity) <= this.#asked ||
      this.#fatal !== null ||
      this.#patience() <= 0 ||
      budget.stepsLeft() <= 0 ||
      budget.tokensLeft() <= 0
    );
  }

  /** Seconds left for the search. It is longer once something has passed, and for the first answers of a slow model. */
  #patience(): number {
    const { secondsLeft, secondsToGiveUp = secondsLeft } = this.#parts;
    return this.#hasFound || this.#asked < firstAnswers ? secondsLeft() : secondsToGiveUp();
  }

  /** Whether the answer to a question will come in time, judged by the longest answer so far. */
  #hasTime(): boolean {
    if (this.#asked < firstAnswers) return true;
    const isIn = this.#patience() >= this.#answerSeconds;
    this.#isCut ||= !isIn;
    return isIn;
  }

  async #keep(step: Verdict): Promise<void> {
    await this.#parts.context.progress('keep', `Partial fix kept: ${step.candidate.label}.`);
    await this.#parts.judge.keep(step.candidate.files);
    for (const file of step.candidate.files) {
      this.#kept.set(file.path, file.text);
      this.#reader.forget(file.path);
    }
    this.#moved = [];
    // On the new base, everything may be tried again.
    this.#seen.clear();
    this.#answers.clear();
  }

  #look(): Promise<FailureContext> {
    return readFailureContext(this.#parts, this.#reader, this.#kept);
  }

  /**
   * Rewrites of the other suspects if one of them passes, because a change of the caller can often hide a fault in the
   * function it calls.
   */
  async #elsewhere(failureContext: FailureContext, [first]: readonly Verdict[]): Promise<readonly Verdict[]> {
    const form = first?.candidate.origin;
    if ((form !== 'fix' && form !== 'body') || !this.#parts.context.settings.agreement) return [];
    const end = this.#parts.secondsLeft() - secondsElsewhere;
    const verdicts: Verdict[] = [];
    const step = { arm: form, from: 0, to: 5 } as const;
    for (const attempt of attemptsOf(failureContext, step)) {
      if (this.#over() || this.#parts.secondsLeft() < end) break;
      const verdict = this.#answers.has(attemptKey(attempt)) ? null : await this.#ask(failureContext, attempt);
      if (verdict?.type === 'accepted') verdicts.push(verdict);
    }
    return verdicts;
  }

  /**
   * Small changes that also pass where the model rewrote something. A smaller one is the likelier repair, and if two
   * different ones pass, the tests are not conclusive. Takes a few seconds.
   */
  async #smaller(failureContext: FailureContext, found: readonly Verdict[]): Promise<readonly Verdict[]> {
    const { settings } = this.#parts.context;
    // For new code, no small change of existing code is an alternative.
    const isRewrite =
      found.length > 0 && found.every(({ candidate }) => candidate.origin === 'fix' || candidate.origin === 'body');
    if (
      !isRewrite ||
      this.#kept.size > 0 ||
      !settings.mechanicalChanges ||
      !settings.agreement ||
      this.#parts.secondsLeft() < 25
    )
      return [];
    const pool = await mechanicalPool(
      this.#parts.syntax,
      this.#reader,
      failureContext.suspects.slice(0, 6),
      failureContext.evidence,
    );
    const verdicts = await this.#tryPool(pool, 120, { how: 'alongside the rewrite', mostSeconds: 15 });
    return verdicts.filter((verdict) => verdict.type === 'accepted');
  }

  /** Runs the steps until one gives something to act on: accepted changes or progress. */
  async #runPlan(failureContext: FailureContext): Promise<readonly Verdict[]> {
    for (const step of this.#parts.plan) {
      if (this.#over()) return [];
      const verdicts = await this.#runStep(failureContext, step);
      const useful = verdicts.filter((verdict) => verdict.type === 'accepted' || verdict.type === 'partial');
      if (useful.length > 0) return useful;
    }
    return [];
  }

  async #runStep(failureContext: FailureContext, step: SearchStep): Promise<readonly Verdict[]> {
    if (step.arm !== 'mechanical') return this.#model(failureContext, step);
    const { suspects, evidence } = failureContext;
    const pool = await mechanicalPool(this.#parts.syntax, this.#reader, suspects.slice(0, step.suspects), evidence);
    return this.#tryPool(pool, step.limit, { how: 'without a model', ownSeconds: step.seconds });
  }

  async #tryPool(
    pool: readonly Candidate[],
    limit: number,
    {
      how,
      mostSeconds = 40,
      ownSeconds,
    }: { readonly how: string; readonly mostSeconds?: number; readonly ownSeconds?: number | undefined },
  ): Promise<readonly Verdict[]> {
    const fresh = pool.filter((one) => !this.#seen.has(candidateKey(one))).slice(0, limit);
    if (fresh.length === 0) return [];
    await this.#parts.context.progress('mechanical', `Testing ${fresh.length} variations ${how}.`);
    const left = this.#patience();
    const share = Math.min(mostSeconds, Math.max(5, left / 4));
    const totalSeconds = ownSeconds === undefined ? share : Math.max(share, Math.min(ownSeconds, left));
    // Unless agreement is judged, the first candidate that passes is enough.
    const graceSeconds = this.#parts.context.settings.agreement ? 8 : 0;
    const verdicts = await this.#parts.judge.try(fresh, { stopAfter: 6, totalSeconds, graceSeconds });
    const judged = verdicts.filter((verdict) => verdict.type !== 'untried');
    this.#variations.tried += judged.length;
    for (const one of fresh) this.#variations.of.add(candidateKey(one));
    for (const verdict of judged) {
      this.#seen.add(candidateKey(verdict.candidate));
      this.#note(verdict);
    }
    return judged;
  }

  async #model(failureContext: FailureContext, step: ModelStep): Promise<readonly Verdict[]> {
    const verdicts: Verdict[] = [];
    for (const attempt of attemptsOf(failureContext, step)) {
      if (this.#over() || !this.#hasTime()) return verdicts;
      const verdict = await this.#ask(failureContext, attempt);
      if (verdict !== null) verdicts.push(verdict);
      if (verdict?.type === 'accepted' || verdict?.type === 'partial') return verdicts;
    }
    return verdicts;
  }

  /** Asks one question and runs the tests once. */
  async #ask(failureContext: FailureContext, attempt: Attempt): Promise<Verdict | null> {
    const proposal = await this.#propose(failureContext, attempt);
    return proposal === null ? null : this.#judged(failureContext, proposal);
  }

  async #judged(failureContext: FailureContext, proposal: UsableProposal): Promise<Verdict | null> {
    const { context, judge } = this.#parts;
    if (proposal.type === 'unusable') return null;
    const [first] = await judge.try([proposal.candidate], { stopAfter: 1, totalSeconds: 300 });
    if (first === undefined) return null;
    const verdict = await this.#imported(failureContext, first);
    this.#note(verdict);
    await context.progress(
      'judge',
      `Attempt ${this.#asked}: ${verdictTexts[verdict.type]}. (${proposal.candidate.label})`,
    );
    return verdict;
  }

  /** Adds a missing import instead of asking again. */
  async #imported(failureContext: FailureContext, verdict: Verdict): Promise<Verdict> {
    const { candidate, report } = verdict;
    const [file] = candidate.files;
    const source = failureContext.files.find((one) => one.path === file?.path);
    if (verdict.type === 'accepted' || file === undefined || source === undefined) return verdict;
    const text = withMissingImport({ ...source, text: file.text }, report, failureContext.files);
    if (text === null || text === file.text) return verdict;
    const whole = { ...candidate, files: [{ path: file.path, text }] };
    const [again] = await this.#parts.judge.try([whole], { stopAfter: 1, totalSeconds: 300 });
    return again ?? verdict;
  }

  /** Null: there is nothing new to judge. */
  async #propose(failureContext: FailureContext, attempt: Attempt): Promise<UsableProposal | null> {
    const { context, syntax } = this.#parts;
    this.#asked += 1;
    const asker: ProposalContext = {
      context,
      syntax,
      reader: this.#reader,
      promptContextFor: (one) => promptContextFor({ task: context.task, reader: this.#reader, failureContext }, one),
    };
    const before = context.budget.millisecondsLeft();
    const proposal = await proposeChange(asker, attempt);
    const seconds = (before - context.budget.millisecondsLeft()) / 1000;
    this.#answerSeconds = Math.max(this.#answerSeconds, seconds);
    this.#answers.set(attemptKey(attempt), proposal.type === 'candidate' ? proposal.candidate : null);
    if (proposal.type === 'failed') {
      if (proposal.fatal) this.#fatal = proposal.message;
      return null;
    }
    if (proposal.type === 'unusable') {
      this.#tried.push({ label: labelOf(attempt), result: 'unusable' });
      await context.progress(
        'reject',
        `Attempt ${this.#asked}: the answer was ${proposal.reason}. (${labelOf(attempt)})`,
      );
      return proposal;
    }
    if (this.#isNew(proposal.candidate)) return proposal;
    this.#tried.push({ label: proposal.candidate.label, result: 'same' });
    return null;
  }

  /** How the model itself would write a span. A text that was judged before is returned with its verdict. */
  async #confer(failureContext: FailureContext, { span, origin }: Candidate): Promise<Verdict | null> {
    const suspect = failureContext.suspects.find((one) => one.span.id === span?.id);
    if (suspect === undefined) return null;
    // The same question has the same answer. Hiding the old body makes it a different approach.
    const form = origin === 'fix' ? 'body' : 'fix';
    const key = attemptKey({ form, suspect });
    if (!this.#answers.has(key)) await this.#propose(failureContext, { form, suspect });
    const own = this.#answers.get(key) ?? null;
    if (own === null) return null;
    const [verdict] = await this.#parts.judge.try([own], { stopAfter: 1, totalSeconds: 60 });
    return verdict ?? null;
  }

  #isNew(candidate: Candidate): boolean {
    const key = candidateKey(candidate);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #note(verdict: Verdict): void {
    this.#tried.push({ label: verdict.candidate.label, result: verdict.type });
    if (verdict.gained > 0 || verdict.type === 'moved') this.#near.push(verdict);
    const byModel = verdict.candidate.origin !== 'mechanical';
    if (verdict.type === 'moved' && byModel && isStepForward(this.#parts.judge, verdict)) this.#moved.push(verdict);
  }
}
