import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import { leastOutputTokens } from '../../src/main/routing/fitting-output.ts';
import { worstCostOf } from '@shared/money/token-cost.ts';
import type { Profile } from '@shared/routing/routing.ts';
import { profiles } from '@shared/routing/routing-profiles.ts';
import { routingOf } from '../../src/main/settings/profile-routing.ts';
import type { Decision, ChoiceFacts, Rule, ModelOption } from '../../src/main/routing/define.ts';
import { chooseModel } from '../../src/main/routing/choose-model.ts';
import { createTrajectory } from '../../src/main/routing/trajectory/trajectory.ts';
import { callEnded, callStarted, modelOf, noTask, toolRequested, turnStarted } from '../../bench/lib/route-events.ts';

/** Findings of a run of generated steps. All but `decisions` and `switches` must be 0. */
export interface RunFindings {
  readonly decisions: number;
  readonly switches: number;
  /** The model changed between a call and its result, without a failure of the first model. */
  readonly insideLoop: number;
  readonly pastWindow: number;
  readonly overCap: number;
  readonly incapable: number;
  /**
   * `fenced`: the cloud was chosen with fenced content in the conversation. `forbidden`: the choice breaks the policy
   * or a pin.
   */
  readonly fenced: number;
  readonly forbidden: number;
  /** More takeovers than the profile allows. */
  readonly tooMany: number;
}

type Counts = { -readonly [Name in keyof RunFindings]: number };

/** What the checker knows about the conversation, independent of the router's own trajectory. */
interface Watch {
  driver: string | null;
  /** Calls of the driver whose results were not read yet. */
  openCalls: number;
  /** Failures of the driver since it took over. */
  failures: number;
  mayMove: boolean;
  takeovers: number;
  steps: number;
}

export function emptyFindings(): Counts {
  return {
    decisions: 0,
    switches: 0,
    insideLoop: 0,
    pastWindow: 0,
    overCap: 0,
    incapable: 0,
    fenced: 0,
    forbidden: 0,
    tooMany: 0,
  };
}

/** A generated turn. Events are random, the router decides, and an independent checker counts violations. */
export function generatedRun(random: () => number, rules: readonly Rule[], into: Counts): void {
  const one = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
  const hit = (chance: number): boolean => random() < chance;
  const trajectory = createTrajectory();
  const names: readonly [Profile, ...Profile[]] = ['balanced', 'economy', 'quality'];
  const { numbers } = routingOf(one(names), { advice: hit(0.5), holdSteps: Math.floor(random() * 8) });
  const hasPrice = hit(0.9);
  const local = modelOf('local', one([4_096, 16_384, 65_536, 1_000_000]), null, hit(0.5));
  const price = hasPrice ? { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 } : null;
  const cloud = modelOf('cloud', one([32_768, 200_000, 1_000_000]), price, hit(0.7));
  const localDrives = hit(0.9);
  const policy = one(['hybrid', 'hybrid', 'hybrid', 'local', 'cloud'] as const);
  const capUsd = hit(0.3) ? random() * 2 : null;
  const watch: Watch = { driver: null, openCalls: 0, failures: 0, mayMove: true, takeovers: 0, steps: 0 };
  let seq = 0;
  let at = 1_700_000_000_000;
  let tokens = Math.round(1_000 * 10 ** (random() * 2.5));
  let spent = 0;
  let tainted = hit(0.1);
  const add = (event: NewEvent): void => {
    seq += 1;
    const stamped: SessionEvent = { ...event, v: 2, seq, at };
    trajectory.add(stamped);
  };
  add(turnStarted);
  const count = 4 + Math.floor(random() * 24);
  for (let index = 0; index < count; index += 1) {
    // The clock jumps, too.
    at += hit(0.02) ? -3_600_000 : Math.round(random() * 60_000);
    tainted = tainted || hit(0.03);
    const images = hit(0.1);
    const pin = hit(0.05) ? { where: one(['local', 'cloud'] as const), text: 'pinned' } : null;
    const candidateOf = (info: ModelOption['info'], canDrive: boolean): ModelOption => ({
      info,
      promptTokens: Math.round(tokens * (0.9 + random() * 0.2)),
      maxOutputTokens: Math.min(8_192, Math.floor(info.contextTokens / 4)),
      canDrive,
      strategy: 'loop',
    });
    const options = [candidateOf(local, localDrives), candidateOf(cloud, true)];
    const trouble =
      watch.driver !== null && hit(0.05)
        ? {
            model: watch.driver,
            strategy: 'loop' as const,
            cause: one(['no-progress', 'format', 'checks', 'transport', 'window'] as const),
            text: 'it went wrong',
          }
        : null;
    const facts: ChoiceFacts = {
      purpose: 'act',
      policy,
      numbers,
      options,
      spent: [],
      isRecipeChecked: false,
      taint: tainted
        ? [{ rule: 'mine', verdict: 'local-only', path: 'a.txt', how: one(['content', 'built-from']) }]
        : [],
      shut: null,
      pin,
      needs: { images },
      budgetLeftUsd: capUsd === null ? null : capUsd - spent,
      task: { ...noTask, riskyWords: Math.floor(random() * 3), hasCheck: hit(0.5) },
      trajectory: trajectory.now(),
      trouble,
      now: at,
    };
    const decision = chooseModel(facts, rules);
    into.decisions += 1;
    check(facts, decision, watch, into);
    const { chosen } = decision;
    if (chosen === null) return;
    if (decision.adviser !== null) add({ type: 'notice-added', level: 'info', code: 'advice', text: '' });
    const worked = step({ index, chosen, tokens, hit, one, add });
    watch.steps += 1;
    if (watch.driver !== chosen.info.id) {
      // A model that may not go on is replaced, however often that was so before.
      const isTakeover = watch.driver !== null && chosen.info.where === 'cloud' && !isShut(facts, watch.driver);
      if (isTakeover && watch.steps > 1) watch.takeovers += 1;
      watch.failures = 0;
    }
    watch.driver = chosen.info.id;
    watch.openCalls = worked.openCalls;
    watch.mayMove = worked.mayMove;
    watch.failures += worked.failed ? 1 : 0;
    tokens += worked.grownTokens;
    if (chosen.info.where === 'cloud') spent += 0.01;
  }
}

interface Making {
  readonly index: number;
  readonly chosen: ModelOption;
  readonly tokens: number;
  readonly hit: (chance: number) => boolean;
  readonly one: <T>(list: readonly [T, ...T[]]) => T;
  readonly add: (event: NewEvent) => void;
}

interface Made {
  readonly openCalls: number;
  readonly mayMove: boolean;
  readonly failed: boolean;
  readonly grownTokens: number;
}

/** One step of the chosen model: an answer, its calls, and their results. */
function step({ index, chosen, tokens, hit, one, add }: Making): Made {
  const { id: model, where } = chosen.info;
  const callId = `c${index}`;
  const usage = { freshInput: tokens, cacheRead: 0, cacheWrite: 0, output: 300, reasoning: 0, estimated: false };
  add({ ...callStarted, provider: where, callId, step: index + 1, stage: { strategy: 'loop', model, where } });
  const kind = one(['calls', 'calls', 'calls', 'calls', 'broken', 'done', 'away'] as const);
  const error = { code: 'network', message: 'away', retryable: false };
  add({ ...callEnded, callId, usage, error: kind === 'away' ? error : null });
  const grownTokens = 300 + (hit(0.1) ? 20_000 : 800);
  const made = { openCalls: 0, mayMove: false, failed: false, grownTokens };
  if (kind === 'broken') {
    add({
      type: 'notice-added',
      level: 'info',
      code: one(['no-call', 'empty-answer', 'call-not-understood']),
      text: '',
    });
    return { ...made, failed: true };
  }
  if (kind === 'away') return { ...made, failed: true };
  if (kind === 'done') {
    const passed = hit(0.3);
    add({ type: 'check-ended', phase: 'after', command: 'test', exitCode: passed ? 0 : 1, passed, summary: '' });
    return { ...made, mayMove: true, failed: !passed };
  }
  let failed = false;
  let green = false;
  const calls = 1 + Math.floor(hit(0.3) ? 2 : 0);
  for (let call = 0; call < calls; call += 1) {
    const toolCallId = `t${index}-${call}`;
    const tool = one(['read_file', 'edit_file', 'run_tests', 'run_command']);
    const ok = hit(0.7);
    add({ ...toolRequested, toolCallId, callId, tool, input: { n: hit(0.15) ? 1 : index * 10 + call } });
    add({
      ...toolEnded,
      toolCallId,
      tool,
      status: ok || tool.startsWith('run') ? 'ok' : 'error',
      exitCode: ok ? 0 : 1,
    });
    failed = failed || !ok;
    green = ok && tool.startsWith('run');
  }
  if (hit(0.1)) {
    add({ type: 'message-delivered', messageId: `m${index}` });
    return { ...made, mayMove: true, failed };
  }
  if (hit(0.05)) {
    add({ type: 'context-compacted', summary: '', replacesUpToSeq: 1, beforeTokens: 1, afterTokens: 1 });
    return { ...made, mayMove: true, failed };
  }
  return { ...made, openCalls: calls, mayMove: green, failed };
}

const toolEnded = {
  type: 'tool-ended',
  output: '',
  full: null,
  durationMs: 1,
  data: null,
  dataBlob: null,
} satisfies Partial<NewEvent>;

/** What must never happen, written independently of the router's code. */
function check(facts: ChoiceFacts, { chosen }: Decision, watch: Watch, into: Counts): void {
  if (chosen === null) return;
  const { info } = chosen;
  const goesUp = info.where === 'cloud';
  const isSwitch = watch.driver !== null && watch.driver !== info.id;
  if (goesUp && facts.taint.length > 0) into.fenced += 1;
  if (goesUp && (facts.policy === 'local' || facts.pin?.where === 'local')) into.forbidden += 1;
  if (!goesUp && (facts.policy === 'cloud' || facts.pin?.where === 'cloud')) into.forbidden += 1;
  if (facts.needs.images && info.capabilities.images !== true) into.incapable += 1;
  if (!chosen.canDrive) into.incapable += 1;
  if (goesUp && watch.takeovers > Math.max(profiles.quality.maxTakeovers, facts.numbers.maxTakeovers))
    into.tooMany += 1;
  if (!isSwitch) return;
  into.switches += 1;
  const hasFailed = watch.failures > 0 || facts.trouble !== null;
  const mustLeave = isShut(facts, watch.driver);
  if (watch.openCalls > 0 && !watch.mayMove && !hasFailed && !mustLeave) into.insideLoop += 1;
  const alone = facts.options.every((candidate) => candidate === chosen || isShut(facts, candidate.info.id));
  if (!alone && chosen.promptTokens + chosen.maxOutputTokens > info.contextTokens) into.pastWindow += 1;
  const usual = facts.trajectory.models[info.id]?.outputTokens ?? null;
  const worst = worstCostOf(chosen.promptTokens, leastOutputTokens(info, usual, chosen.maxOutputTokens), info.price);
  const isCapped = goesUp && facts.budgetLeftUsd !== null;
  if (isCapped && (worst === null || worst > (facts.budgetLeftUsd ?? 0))) into.overCap += 1;
}

/** Whether the driver may not continue, whatever happens. */
function isShut(facts: ChoiceFacts, id: string | null): boolean {
  const candidate = facts.options.find(({ info }) => info.id === id);
  if (candidate === undefined) return true;
  const { where, capabilities } = candidate.info;
  const isFenced = where === 'cloud' && facts.taint.length > 0;
  const isDenied =
    (facts.pin !== null && facts.pin.where !== where) || (facts.policy !== 'hybrid' && facts.policy !== where);
  const isBlind = facts.needs.images && capabilities.images !== true;
  return (
    isFenced ||
    isDenied ||
    isBlind ||
    !candidate.canDrive ||
    (facts.trajectory.services[candidate.info.provider]?.failures ?? 0) > 0
  );
}
