import { shellQuote } from '../../../lib/programs/shell-quote.ts';
import type { RecipeContext } from '../../define.ts';
import { languageOf } from '../../code/code-syntax.ts';
import { endlessTests, type EndlessTest } from '../../../lib/endless/endless-tests.ts';
import { splitReports } from '../../../lib/test-output/machine-report.ts';
import { withReport } from '../../../lib/test-output/reporting-command.ts';
import { parseTestOutput } from '../../../lib/test-output/parse-test-output.ts';
import { reportingEnvironment } from '../../trial/test-command.ts';
import { findMissingNames } from '../../facts/missing-names.ts';
import type { TestFailure, TestReport } from '../../../lib/test-output/test-report.ts';
import type { Candidate, FileText } from '../../trial/candidate-change.ts';
import { failingOnlyCommand, reportingCommand } from '../../trial/test-command.ts';
import {
  keepScript,
  encodedPatch,
  linePatch,
  readTrialOutput,
  setupScript,
  trialScript,
  type LinePatch,
  type PatchToTry,
  type TrialCommand,
  type TrialPaths,
  type TrialRun,
} from '../../trial/trial-script.ts';

/** The result of the tests for one candidate. */
export interface Verdict {
  readonly candidate: Candidate;
  /**
   * accepted: the check passes · partial: some failing tests pass now and none broke · moved: the same tests fail, but
   * in another way · rejected: nothing gained · broken: passing tests fail · invalid: it does not parse or hangs ·
   * untried: there was no time.
   */
  readonly type: 'accepted' | 'partial' | 'moved' | 'rejected' | 'broken' | 'invalid' | 'untried';
  readonly report: TestReport;
  /** How many of the failing tests pass now. */
  readonly gained: number;
  readonly output: string;
}

/** A verdict in words for the user. */
export const verdictTexts: Readonly<Record<Verdict['type'], string>> = {
  accepted: 'tests pass',
  partial: 'fewer tests fail',
  moved: 'rejected, the tests now fail differently',
  rejected: 'rejected, tests failed',
  broken: 'rejected, other tests failed',
  invalid: 'rejected, the code does not run',
  untried: 'not tested',
};

export interface Baseline {
  readonly exitCode: number | null;
  readonly report: TestReport;
  readonly output: string;
  readonly durationMs: number;
}

export interface JudgeOptions {
  /** Ends after this many accepted candidates. */
  readonly stopAfter: number;
  readonly totalSeconds: number;
  /** How long to continue after the first accepted candidate, to see which others pass (default 3). */
  readonly graceSeconds?: number;
}

/** Runs the tests on candidates in a copy of the workspace; the workspace itself is never touched. */
export interface Judge {
  baseline(): Baseline;
  /** Absolute folders with the project's own files, for reading outputs. */
  readonly roots: readonly string[];
  readonly paths: TrialPaths;
  try(candidates: readonly Candidate[], options: JudgeOptions): Promise<readonly Verdict[]>;
  /** Makes a candidate's texts the base of the copy and runs the tests again. */
  keep(files: readonly FileText[]): Promise<Baseline>;
  /** The text of a file in the base of the copy; null if there is none. */
  read(path: string): Promise<string | null>;
  /** Runs the check once more on a candidate, and says whether it passes again. */
  passesRerun(candidate: Candidate): Promise<boolean>;
}

const keepBytes = 6_000;
/** The same for a command with a report for programs, which is longer than what people read. */
const reportBytes = 100_000;
/** How long a test may run before it is stopped, until it is known what the others take. */
const firstPatienceSeconds = 5;

/** Null if the copy could not be made; `progress` says why. */
export async function createJudge(context: RecipeContext, command: string): Promise<Judge | null> {
  const { world } = context;
  if (world.scratchPath === null) return null;
  const paths = { trial: `${world.scratchPath}/trial`, workFolder: `${world.scratchPath}/work` };
  const setup = await world.run({
    command: 'bash -s',
    label: 'copy the project for trials',
    stdin: setupScript(world.workspacePath, paths),
    timeoutMs: 60_000,
  });
  if (setup.exitCode !== 0) return null;
  const judge = new TrialJudge(context, { command, paths });
  await judge.measure();
  return judge;
}

interface TrialParts {
  readonly command: string;
  readonly paths: TrialPaths;
}

interface ScriptOptions extends Partial<JudgeOptions> {
  readonly commands: readonly TrialCommand[];
  readonly limitSeconds: number;
  readonly patienceSeconds?: number;
}

class TrialJudge implements Judge {
  readonly roots: readonly string[];
  readonly paths: TrialPaths;
  readonly #context: RecipeContext;
  /** For people. */
  readonly #shown: string;
  readonly #command: string;
  /** Texts of the base, so that each file is read once. */
  readonly #texts = new Map<string, string | null>();
  /** What is asked for: the task and the failing tests. */
  #wanted = '';
  #endless: readonly EndlessTest[] = [];
  #baseline: Baseline = { exitCode: null, report: parseTestOutput('', []), output: '', durationMs: 0 };

  constructor(context: RecipeContext, parts: TrialParts) {
    this.#context = context;
    this.#shown = reportingCommand(parts.command);
    this.#command = withReport(this.#shown);
    this.paths = parts.paths;
    this.roots = [parts.paths.trial, context.world.workspacePath];
  }

  baseline(): Baseline {
    return this.#baseline;
  }

  async measure(): Promise<Baseline> {
    const [run] = await this.#script([{ patches: [], checks: [] }], {
      commands: [this.#command],
      limitSeconds: 110,
      patienceSeconds: firstPatienceSeconds,
    });
    const output = run?.output ?? '';
    this.#endless = endlessTests(output);
    const endlessMs = this.#endless.reduce((sum, { seconds }) => sum + seconds * 1000, 0);
    this.#baseline = {
      exitCode: run?.exitCode ?? null,
      report: parseTestOutput(output, this.roots),
      output: splitReports(output).text,
      // What the tests take that end. Tries are limited by it.
      durationMs: Math.max(0, (run?.durationMs ?? 0) - endlessMs),
    };
    const { failures } = this.#baseline.report;
    const paths = new Set(failures.flatMap(({ path }) => path ?? []).slice(0, 2));
    this.#wanted = this.#context.task;
    for (const path of paths) this.#wanted += `\n${(await this.read(path)) ?? ''}`;
    return this.#baseline;
  }

  async try(candidates: readonly Candidate[], options: JudgeOptions): Promise<readonly Verdict[]> {
    const { durationMs, report } = this.#baseline;
    const isWorthIt = durationMs > 2_000 || candidates.length > 3;
    const narrow = isWorthIt ? failingOnlyCommand(this.#command, report.failures) : null;
    if (narrow === null) return this.#tryAll(candidates, [this.#command], options);
    const verdicts = await this.#tryAll(candidates, [narrow, this.#command], options);
    // Progress in the narrow run may break other tests; only the full run shows that.
    const half = verdicts.filter((verdict) => verdict.type === 'partial');
    half.sort((left, right) => right.gained - left.gained);
    const chosen = half.slice(0, 3).map((verdict) => verdict.candidate);
    const whole =
      chosen.length === 0 ? [] : await this.#tryAll(chosen, [this.#command], { ...options, totalSeconds: 120 });
    return verdicts.map((verdict) => {
      if (verdict.type !== 'partial') return verdict;
      return whole.find((one) => one.candidate === verdict.candidate) ?? { ...verdict, type: 'moved' };
    });
  }

  async #tryAll(
    candidates: readonly Candidate[],
    commands: readonly TrialCommand[],
    options: JudgeOptions,
  ): Promise<readonly Verdict[]> {
    const scripted: PatchToTry[] = [];
    for (const candidate of candidates) scripted.push({ patches: await this.#patchesOf(candidate.files), checks: [] });
    const runs = await this.#script(scripted, { commands, limitSeconds: this.#limitSeconds(), ...options });
    return candidates.map((candidate, index) => {
      const own = runs.filter((run) => run.candidate === index);
      return this.#verdict(candidate, own, commands.length);
    });
  }

  async keep(files: readonly FileText[]): Promise<Baseline> {
    const patches = await this.#patchesOf(files);
    await this.#context.world.run({
      command: 'bash -s',
      label: `keep a partial fix in ${files.map((file) => file.path).join(', ')} (in the copy)`,
      stdin: keepScript(patches, this.paths),
      timeoutMs: 20_000,
    });
    for (const file of files) this.#texts.set(file.path, file.text);
    return this.measure();
  }

  async read(path: string): Promise<string | null> {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = await this.#context.world.read(path);
    this.#texts.set(path, text);
    return text;
  }

  async passesRerun(candidate: Candidate): Promise<boolean> {
    const patches = await this.#patchesOf(candidate.files);
    const checks = candidate.files.map((file) => compileCheck(file.path)).filter((check) => check !== null);
    const runs = await this.#script([{ patches, checks }], {
      commands: [this.#command],
      limitSeconds: this.#limitSeconds(),
    });
    return runs.length === checks.length + 1 && runs.every((run) => run.exitCode === 0);
  }

  /** A change may make the tests slower, but must not hang them. */
  #limitSeconds(): number {
    const endless = Math.min(10, this.#endless.length) * (this.#patienceSeconds() + 2);
    return Math.ceil(Math.min(110, 4 + (this.#baseline.durationMs / 1000) * 3 + endless));
  }

  /** For one test. All tests that end take no longer together. */
  #patienceSeconds(): number {
    return Math.min(10, Math.max(2, Math.ceil((this.#baseline.durationMs / 1000) * 3)));
  }

  async #patchesOf(files: readonly FileText[]): Promise<readonly LinePatch[]> {
    const patches: LinePatch[] = [];
    const { world } = this.#context;
    for (const file of files) {
      const patch = linePatch((await this.read(file.path)) ?? '', file);
      patches.push(encodedPatch(patch, file, (path, text) => world.bytesOf(path, text)));
    }
    return patches;
  }

  async #script(candidates: readonly PatchToTry[], options: ScriptOptions): Promise<readonly TrialRun[]> {
    const { world, facts } = this.#context;
    // The shell calculates only with whole numbers.
    const totalSeconds = Math.ceil(options.totalSeconds ?? options.limitSeconds);
    const script = trialScript(candidates, {
      paths: this.paths,
      commands: options.commands,
      limitSeconds: options.limitSeconds,
      stopAfter: options.stopAfter ?? 1,
      totalSeconds,
      graceSeconds: Math.ceil(options.graceSeconds ?? 3),
      keepBytes: this.#command === this.#shown ? keepBytes : reportBytes,
      patienceSeconds: options.patienceSeconds ?? this.#patienceSeconds(),
    });
    const result = await world.run({
      command: 'bash -s',
      label: candidates.length === 1 ? `run ${this.#shown}` : `run ${this.#shown} on ${candidates.length} candidates`,
      stdin: script,
      timeoutMs: (totalSeconds + options.limitSeconds * 2 + 10) * 1000,
      env: reportingEnvironment(facts.test?.runner ?? null),
      keepBytes: this.#command === this.#shown ? 2 * 1024 * 1024 : 8 * 1024 * 1024,
    });
    return readTrialOutput(result.stdout);
  }

  #verdict(candidate: Candidate, runs: readonly TrialRun[], phases: number): Verdict {
    const last = runs[runs.length - 1];
    const none = { candidate, report: parseTestOutput('', []), gained: 0, output: last?.output ?? '' };
    if (last === undefined) return { ...none, type: 'untried' };
    if (last.phase === 'check' || last.exitCode === 124 || last.exitCode === 137) return { ...none, type: 'invalid' };
    const report = parseTestOutput(last.output, this.roots);
    const verdict = { candidate, report, output: splitReports(last.output).text };
    const before = this.#baseline.report;
    const stillFailing = new Set(report.failures.map((failure) => failure.id));
    const gained = before.failures.filter((failure) => report.passed.has(failure.id)).length;
    if (last.exitCode === 0 && last.phase === phases - 1 && report.passed.size >= before.passed.size) {
      return { ...verdict, type: 'accepted', gained: before.failures.length };
    }
    // If only the narrow command ran, it is unknown what else broke, so this does not count as progress.
    const wholeRun = last.phase === phases - 1;
    const lost = [...before.passed].some((id) => (wholeRun ? !report.passed.has(id) : stillFailing.has(id)));
    if (last.exitCode === 0 && !wholeRun) return { ...verdict, type: 'untried', gained };
    if (lost) return { ...verdict, type: 'broken', gained };
    if (gained > 0 || newlyCollected(before, report, this.#endless) || nameFound(before, report, this.#wanted))
      return { ...verdict, type: 'partial', gained };
    const moved = report.failures.some((failure) => movedOn(before.failures, failure));
    return { ...verdict, type: moved ? 'moved' : 'rejected', gained };
  }
}

/** A test file that failed to load before and loads now is progress, whatever its tests say. */
function newlyCollected(before: TestReport, after: TestReport, endless: readonly EndlessTest[]): boolean {
  return before.failures.some(
    (failure) =>
      isLoadFailure(failure) &&
      // A file that only no longer hangs, with every test of it failing, is none.
      !endless.some(({ name }) => name === failure.path || name.endsWith(`/${failure.path}`)) &&
      !after.failures.some((one) => one.id === failure.id) &&
      (after.passed.size > before.passed.size || after.failures.some((one) => one.path === failure.path)),
  );
}

/**
 * A name that was missing exists now, even if the test fails further on, for example because the next one is missing.
 */
function nameFound(before: TestReport, after: TestReport, wanted: string): boolean {
  const missing = findMissingNames(before.failures).filter((one) => one.kind !== 'name');
  if (missing.length === 0 || after.failures.some((failure) => failure.errorName === 'SyntaxError')) return false;
  const stillMissing = new Set(findMissingNames(after.failures).map((one) => one.name));
  return (
    after.parsed &&
    missing.some((one) => !stillMissing.has(one.name)) &&
    [...stillMissing].every(
      (name) => missing.some((one) => one.name === name) || new RegExp(`\\b${name}\\b`).test(wanted),
    )
  );
}

export function isLoadFailure(failure: TestFailure): boolean {
  return failure.path !== null && (failure.id === failure.path || failure.id.endsWith(`/${failure.path}`));
}

function movedOn(before: readonly TestFailure[], failure: TestFailure): boolean {
  const old = before.find((one) => one.id === failure.id);
  return old !== undefined && (steady(old.message) !== steady(failure.message) || old.line !== failure.line);
}

/** Without the time after which a test was stopped. */
const steady = (message: string): string => message.replaceAll(/after \d+ s\b/gu, '');

function compileCheck(path: string): string | null {
  const quoted = shellQuote(path);
  switch (languageOf(path)) {
    case 'python':
      return `python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], "rb").read())' ${quoted}`;
    case 'javascript':
      return path.endsWith('x') ? null : `node --check ${quoted}`;
    case 'typescript':
    case 'tsx':
    case null:
      return null;
  }
}

/** A crash that became a wrong comparison is progress. A new crash, or another wrong value, says nothing. */
export function isStepForward(judge: Judge, verdict: Verdict): boolean {
  const before = judge.baseline().report.failures;
  const isCrash = (failure: TestFailure) => failure.errorName !== null && !/Assert/i.test(failure.errorName);
  return (
    before.length > 0 &&
    before.every(isCrash) &&
    verdict.report.failures.length > 0 &&
    !verdict.report.failures.some(isCrash)
  );
}
