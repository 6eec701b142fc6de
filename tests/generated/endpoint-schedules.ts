import { setTimeout as wait } from 'node:timers/promises';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import { createOneAtATime } from '../../src/main/lib/async/one-at-a-time.ts';
import { ended } from '../fakes/agent-kit.ts';
import { itemsOf } from '../fakes/core-client.ts';
import type { Answers, EndpointKit } from '../fakes/endpoint-kit.ts';
import { endpointCall, openEndpointKit } from '../fakes/endpoint-kit.ts';
import { seeded } from '../../bench/lib/seeded.ts';

/** This limit is reached in the middle of the schedules. After that, no cloud call may be made. */
const dayUsd = 2;

interface Schedule {
  readonly kit: EndpointKit;
  readonly keys: readonly string[];
  readonly random: () => number;
  readonly faults: string[];
  readonly counts: { calls: number; givenUp: number; refused: number };
}

export interface EndpointSchedules {
  readonly faults: readonly string[];
  readonly calls: number;
  readonly givenUp: number;
  readonly refused: number;
}

/**
 * Runs two clients and a session of our own at once, on one engine that takes turns and in the cloud under a spending
 * limit, with calls given up in between. Faults: an answer meant for another caller, another's place in the engine's
 * memory, an overtaken call, a call that goes on for nobody, or a passed limit.
 */
export async function runEndpointSchedules(schedules: number): Promise<EndpointSchedules> {
  const kit = await openEndpointKit();
  const faults: string[] = [];
  const counts = { calls: 0, givenUp: 0, refused: 0 };
  try {
    await kit.core.client.settings.set({ key: 'budget.day', value: dayUsd });
    kit.answerWith(takingTurns(faults));
    const keys = [await kit.key('first', true), await kit.key('second', true)];
    for (let seed = 1; seed <= schedules; seed += 1)
      // Small seeds begin alike.
      await runSchedule({ kit, keys, random: seeded(seed * 2_654_435_761), faults, counts }, seed);
    const { total } = await kit.core.client.costs({ by: 'day' });
    if (total.costUsd > dayUsd) faults.push(`${total.costUsd} of ${dayUsd} dollars were spent`);
    faults.push(...sharedPlaces(kit));
  } finally {
    await kit.close();
  }
  return { faults, ...counts };
}

async function runSchedule({ kit, keys, random, faults, counts }: Schedule, seed: number): Promise<void> {
  const asks = Array.from({ length: 4 + Math.floor(random() * 5) }, (_, index) => ({
    key: keys[index % keys.length] ?? '',
    text: `schedule ${seed}, question ${index}`,
    model: random() < 0.7 ? 'script/script' : 'sky/script',
    isGivenUp: random() < 0.15,
    afterMs: Math.floor(random() * 3),
  }));
  const work = asks.map(async ({ key, text, model, isGivenUp, afterMs }) => {
    await wait(afterMs);
    const stop = new AbortController();
    const answer = itemsOf(
      kit.core.client.endpoint.answer({ key, call: callOf(model, text) }, { signal: stop.signal }),
    );
    if (isGivenUp) stop.abort();
    const pushes = await answer.catch(() => []);
    const last = pushes.at(-1);
    const said = pushes.map((push) => (push.type === 'text' ? push.text : '')).join('');
    const isRefused = last?.type === 'failed' && last.code === 'limit' && model === 'sky/script';
    counts.givenUp += isGivenUp ? 1 : 0;
    counts.refused += isRefused ? 1 : 0;
    if (!isGivenUp && !isRefused && said !== text) faults.push(`${text} got "${said}" (${JSON.stringify(last)})`);
  });
  if (seed % 10 === 0) work.push(ownTurn(kit, seed, faults));
  await Promise.all(work);
  if (kit.running() > 0) faults.push(`schedule ${seed} left ${kit.running()} calls running`);
  counts.calls += work.length;
}

async function ownTurn({ core: { client } }: EndpointKit, seed: number, faults: string[]): Promise<void> {
  const { sessionId } = await client.sessions.create({ projectPath: null });
  const options = runOptionsSchema.parse({ local: 'script/script', strategy: 'loop' });
  await client.sessions.send({ sessionId, text: `What is ${seed}?`, options });
  const { status, text } = await client.sessions.result({ sessionId });
  if (status !== 'done') faults.push(`the session of schedule ${seed} ended as ${status}: ${text}`);
}

/** Repeats the question, one call at a time as an engine does, in the order of arrival. */
function takingTurns(faults: string[]): Answers {
  const turn = createOneAtATime();
  let came = 0;
  let served = 0;
  return async function* (request, signal) {
    const number = (came += 1);
    const leave = await turn.enter(signal);
    if (leave === null) return void (yield ended('cancelled', 1));
    try {
      if (number < served) faults.push(`call ${number} was overtaken by ${served}`);
      served = Math.max(served, number);
      const part = request.messages.at(-1)?.parts.at(-1);
      for (const word of (part?.type === 'text' ? part.text : '').split(/(?<= )/u)) {
        if (signal.aborted) return void (yield ended('cancelled', 1));
        yield { type: 'text-delta', text: word };
        await Promise.resolve();
      }
      yield ended('stop', 1);
    } finally {
      leave();
    }
  };
}

/** Each question is a conversation of its own, so two different ones must not share a place. */
function sharedPlaces({ asked }: EndpointKit): readonly string[] {
  const textAt = new Map<string, string>();
  return asked.flatMap(({ request: { cacheKey, messages } }) => {
    if (!cacheKey.startsWith('endpoint:')) return [];
    const text = JSON.stringify(messages[0]);
    const known = textAt.get(cacheKey);
    textAt.set(cacheKey, text);
    return known === undefined || known === text ? [] : [`${text} has the place of ${known}`];
  });
}

function callOf(model: string, text: string): EndpointCall {
  return { ...endpointCall(model, text), maxOutputTokens: 50 };
}
