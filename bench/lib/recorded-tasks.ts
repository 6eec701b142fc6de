import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent } from '@shared/events/events.ts';
import { parseEvent } from '@shared/events/events.ts';
import type { Price } from '@shared/money/token-cost.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { unsealRecord } from '../../src/main/sessions/log/log-record.ts';
import type { Task } from './route-schedule.ts';

type Step = Task['steps'][number];

/** A task with fewer steps has nothing to switch between. */
const LEAST_STEPS = 4;
/** Used if a log does not say how long the cloud would take. */
const CLOUD_MS = 8_000;

/**
 * The tasks of recorded sessions (in `$DEWPOINT_HOME/sessions` or a similar folder), as rows of steps to schedule. A
 * step is hard if it ended badly or was taken over. A switch is safe where something ended before it.
 */
export async function recordedTasks(folder: string, lifeMs: number, price: Price): Promise<readonly Task[]> {
  const names = await readdir(folder).catch(() => []);
  const logs = await Promise.all(names.map((name) => eventsIn(join(folder, name, 'events.jsonl'))));
  const rows = logs.flatMap(stepsOf).filter(({ steps }) => steps.length >= LEAST_STEPS);
  const all = rows.flatMap(({ steps }) => steps);
  const share = (of: readonly Step[], is: (step: Step) => boolean): number =>
    of.length === 0 ? 0.5 : Math.min(0.99, Math.max(0.01, of.filter(is).length / of.length));
  const afterEasy = rows.flatMap(({ steps }) => steps.filter((_, index) => steps[index - 1]?.isHard === false));
  const afterHard = rows.flatMap(({ steps }) => steps.filter((_, index) => steps[index - 1]?.isHard === true));
  const localMs = all.reduce((sum, step) => sum + step.localMs, 0) / Math.max(1, all.length);
  return rows.map(({ prefixTokens, steps }) => ({
    prefixTokens,
    lifeMs,
    price,
    steps,
    hazard: share(afterEasy, ({ isHard }) => isHard),
    ends: share(afterHard, ({ isHard }) => !isHard),
    blockSteps: 1 / share(all, ({ isSafe }) => isSafe),
    meanSteps: Math.max(1, Math.round(all.length / rows.length)),
    localMs,
  }));
}

async function eventsIn(path: string): Promise<readonly SessionEvent[]> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const events: SessionEvent[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found;
    const record = unsealRecord(bytes, start, end);
    const event = record.ok ? parseEvent(record.value) : null;
    if (event !== null) events.push(event);
    start = end + 1;
  }
  return events;
}

interface Row {
  readonly prefixTokens: number;
  readonly steps: readonly Step[];
}

/** One row for each turn. */
function stepsOf(events: readonly SessionEvent[]): readonly Row[] {
  const rows: { prefixTokens: number; steps: Step[] }[] = [];
  const acting = new Set<string>();
  let row: (typeof rows)[number] | null = null;
  let before = 0;
  let isSafe = true;
  for (const event of events) {
    if (event.type === 'turn-started') {
      row = { prefixTokens: 0, steps: [] };
      rows.push(row);
      isSafe = true;
    }
    if (row === null) continue;
    const last = row.steps.at(-1);
    if (event.type === 'model-call-started' && (event.purpose === 'act' || event.purpose === 'plan'))
      acting.add(event.callId);
    if (event.type === 'model-call-ended' && acting.delete(event.callId) && event.error === null) {
      const prompt = promptTokensOf(event.usage);
      if (row.steps.length === 0) row.prefixTokens = prompt;
      row.steps.push({
        isHard: event.stopReason === 'length' || event.stopReason === 'repetition',
        isSafe,
        addedTokens: row.steps.length === 0 ? 0 : Math.max(0, prompt - before),
        outputTokens: event.usage.output,
        localMs: Math.max(1, event.timings.totalMs),
        cloudMs: CLOUD_MS,
      });
      before = prompt + event.usage.output;
      isSafe = false;
    }
    if (isBad(event) && last !== undefined) row.steps[row.steps.length - 1] = { ...last, isHard: true };
    if (event.type === 'message-delivered' || event.type === 'criterion-checked' || event.type === 'context-compacted')
      isSafe = true;
  }
  return rows;
}

const badNotices: readonly string[] = ['call-not-understood', 'bad-call', 'empty-answer', 'no-call'];

function isBad(event: SessionEvent): boolean {
  if (event.type === 'criterion-checked') return event.phase === 'after' && !event.passed;
  if (event.type === 'notice-added') return badNotices.includes(event.code);
  return event.type === 'gate-checked' && event.verdict === 'redo';
}
