import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { Policy } from '@shared/routing/routing.ts';
import type { TaskBed } from './judge.ts';
import type { PairOptions, PairPolicy } from './pair-options.ts';
import type { PairRecord } from './pair-results.ts';
import type { ReplyCache } from './reply-cache.ts';
import { judgeWork } from './run-tasks.ts';
import { takeSnapshot } from './snapshot.ts';
import type { TaskOutcome, TaskRunner } from './task-runner.ts';
import type { Task } from './tasks.ts';

export interface PairParts {
  readonly runner: TaskRunner;
  readonly bed: TaskBed;
  readonly replies: ReplyCache;
  readonly models: { readonly local: string; readonly cloud: string };
  readonly workFolder: string;
  readonly commit: string;
  readonly done: ReadonlyMap<string, PairRecord>;
  readonly append: (record: PairRecord) => Promise<void>;
  readonly say: (line: string) => void;
}

/** `auto` is what users get if they set up both models. */
const policyOf = { local: 'local', cloud: 'cloud', auto: 'hybrid' } as const satisfies Record<PairPolicy, Policy>;

export function pairKey(
  task: string,
  policy: PairPolicy,
  { seed, maxMinutes }: Pick<PairOptions, 'seed' | 'maxMinutes'>,
): string {
  return `${task}, ${policy}, seed ${seed}, ${maxMinutes} minutes, by tokens`;
}

/**
 * Runs every task under every policy that the results lack, task by task, so that an early stop leaves complete tasks.
 */
export async function runPair(
  tasks: readonly Task[],
  options: PairOptions,
  parts: PairParts,
  signal: AbortSignal,
): Promise<void> {
  const end = options.totalMinutes === null ? Infinity : Date.now() + options.totalMinutes * 60_000;
  for (const [index, task] of tasks.entries()) {
    for (const policy of options.policies) {
      const key = pairKey(task.id, policy, options);
      if (parts.done.has(key) && !options.again.includes(policy)) continue;
      if (signal.aborted || Date.now() >= end) return;
      let record = await runOne({ task, policy, key }, options, parts, signal);
      // Answers are kept, so a second try only makes the calls from the fault on.
      if (record.fault !== null && !signal.aborted)
        record = await runOne({ task, policy, key }, options, parts, signal);
      if (signal.aborted) return;
      await parts.append(record);
      parts.say(`${index + 1}/${tasks.length} ${describe(record)}`);
    }
  }
}

interface Job {
  readonly task: Task;
  readonly policy: PairPolicy;
  readonly key: string;
}

async function runOne(
  { task, policy, key }: Job,
  options: PairOptions,
  parts: PairParts,
  signal: AbortSignal,
): Promise<PairRecord> {
  const { bed, runner, models, replies } = parts;
  const folder = join(parts.workFolder, `${task.id}-${policy}`);
  const { id, kind, split } = task;
  const begun = { key, task: id, kind, split, policy, at: new Date().toISOString(), commit: parts.commit };
  const before = replies.counts();
  replies.begin();
  try {
    await mkdir(parts.workFolder, { recursive: true });
    await bed.prepare(task, folder, signal);
    const snapshot = await takeSnapshot(folder);
    const passedBefore = await bed.passedBefore(task, signal);
    const { seed, maxMinutes } = options;
    const { prompt, testCommand: check } = task;
    const run = { projectPath: folder, prompt, check, model: models.local, cloud: models.cloud, seed, maxMinutes };
    const outcome = await runner.run({ ...run, strategy: 'auto', policy: policyOf[policy] }, signal);
    const after = await takeSnapshot(folder);
    const job = { task, strategy: 'recipe' } as const;
    const judged = await judgeWork({ job, folder, outcome, before: snapshot, after, passedBefore }, bed, signal);
    const { kept, asked, failed } = replies.counts();
    if (failed > before.failed) throw new Error('a server failed, which says nothing about who works');
    const answers = { kept: kept - before.kept, asked: asked - before.asked };
    return { ...begun, ...judged, ...figuresOf(outcome), answers, fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { ...begun, ...nothing, fault };
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

const nothing: Omit<PairRecord, keyof Begun | 'fault'> = {
  solved: false,
  visible: null,
  accepted: false,
  status: 'error',
  reason: 'not tried',
  confidence: null,
  seconds: 0,
  costUsd: 0,
  calls: [],
  answers: { kept: 0, asked: 0 },
  moves: [],
  guarded: [],
  worse: [],
};

type Begun = Pick<PairRecord, 'key' | 'task' | 'kind' | 'split' | 'policy' | 'at' | 'commit'>;

type Figures = Pick<PairRecord, 'status' | 'reason' | 'confidence' | 'seconds' | 'costUsd' | 'calls' | 'moves'>;

function figuresOf({ result, events, seconds }: TaskOutcome): Figures {
  const { status, reason, confidence, costUsd } = result;
  return {
    status,
    reason: reason.slice(0, 300),
    confidence,
    seconds,
    costUsd: costUsd ?? 0,
    calls: callsOf(events),
    moves: movesOf(events),
  };
}

function callsOf(events: readonly SessionEvent[]): PairRecord['calls'] {
  const places = new Map<string, Pick<PairRecord['calls'][number], 'where' | 'purpose'>>();
  return events.flatMap((event) => {
    if (event.type === 'model-call-started') {
      places.set(event.callId, { where: event.stage.where, purpose: event.purpose });
    }
    if (event.type !== 'model-call-ended') return [];
    const place = places.get(event.callId);
    const { usage, evaluatedTokens, timings, costUsd, energy } = event;
    return place === undefined ? [] : [{ ...place, end: { usage, evaluatedTokens, timings, costUsd, energy } }];
  });
}

/** Every change of place, by a stage of the cascade or by a decision about a step. */
function movesOf(events: readonly SessionEvent[]): PairRecord['moves'] {
  const moves: PairRecord['moves'] = [];
  let at: Where | null = null;
  for (const event of events) {
    const next = placeOf(event);
    if (next === null) continue;
    if (at !== null && next.to !== at) moves.push(next);
    at = next.to;
  }
  return moves;
}

function placeOf(event: SessionEvent): PairRecord['moves'][number] | null {
  if (event.type === 'stage-chosen')
    return { to: event.stage.where, cause: event.cause ?? causeOf(event.reason), text: event.reason };
  if (event.type !== 'route-decided') return null;
  return { to: event.chosen.where, cause: event.reasonCode, text: event.reason };
}

const causes: readonly (readonly [RegExp, string])[] = [
  [/did not meet|still fails/u, 'checks'],
  [/could not be (reached|asked)|did not answer|network/iu, 'transport'],
  [/the answer was|no usable|format|not understood/iu, 'format'],
];

/** The cascade's text says why the stage before gave up. */
function causeOf(reason: string): string {
  return causes.find(([pattern]) => pattern.test(reason))?.[1] ?? 'no progress';
}

function describe(record: PairRecord): string {
  const { task, policy, solved, status, reason, seconds, costUsd, calls, answers, fault } = record;
  if (fault !== null) return `${task} ${policy}: not tried: ${fault.split('\n')[0] ?? ''}`;
  const wrong = record.accepted && !solved ? ', FALSE ACCEPT' : '';
  const said = `${status}: ${reason.split('\n')[0] ?? ''}`;
  return `${task} ${policy}: ${solved ? 'solved' : 'not solved'} (${said})${wrong}, ${seconds.toFixed(0)} s, ${calls.length} calls (${answers.kept} kept), $${costUsd.toFixed(5)}, ${record.moves.length} moves`;
}
