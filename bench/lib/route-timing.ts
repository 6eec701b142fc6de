import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { routingOf } from '../../src/main/settings/profile-routing.ts';
import { buildRequest, promptShape } from '../../src/main/agent/prompt/build-prompt.ts';
import { createConversation } from '../../src/main/agent/prompt/conversation.ts';
import { promptBytes } from '../../src/main/agent/prompt/token-estimate.ts';
import { maxOutputTokens } from '../../src/shared/models/prompt-room.ts';
import type { ChoiceFacts, Rule } from '../../src/main/routing/define.ts';
import { learnedNumbers } from '../../src/main/routing/record/route-record.ts';
import { madeOutcome } from '../../tests/fakes/made-outcomes.ts';
import { currentScore } from '../../src/main/routing/learned-score.ts';
import { chooseModel } from '../../src/main/routing/choose-model.ts';
import { createTrajectory } from '../../src/main/routing/trajectory/trajectory.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import { callEnded, callStarted, modelOf, noTask, toolRequested, turnStarted } from './route-events.ts';

export interface Timing {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of all threads of this process. Load from other processes is not included. */
  readonly cpuP99Ms: number;
  /** Sockets opened during the measurement. */
  readonly sockets: number;
}

const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 };
const window = 2_000_000;
const two = [modelOf('local', window, null, false), modelOf('cloud', window, price, false)];
const six = [
  ...two,
  ...[1, 2, 3, 4].map((at) => ({
    ...modelOf('cloud', window, { ...price, output: 15 + at }, false),
    id: `cloud/${at}`,
  })),
];

/** The models of a turn, by their number. */
export const modelsTimed = { two, six } as const;

/**
 * Times whole decisions, including the size of both requests, after each of `count` new steps of a conversation of this
 * size.
 */
export function timeDecisions(
  rules: readonly Rule[],
  { bytes, messages }: { readonly bytes: number; readonly messages: number },
  { models, count }: { readonly models: readonly ModelInfo[]; readonly count: number },
): Timing {
  const conversation = createConversation();
  const trajectory = createTrajectory();
  let seq = 0;
  const add = (event: NewEvent): void => {
    seq += 1;
    const stamped: SessionEvent = { ...event, v: 2, seq, at: 1_700_000_000_000 + seq };
    conversation.add(stamped);
    trajectory.add(stamped);
  };
  add({ type: 'user-message-added', messageId: 'm0', text: 'Fix the failing test.', queued: false });
  add(turnStarted);
  const pairs = Math.max(1, Math.round(messages / 2));
  const text = 'const value = other(12, "text"); // a line of code\n'.repeat(
    Math.max(1, Math.round(bytes / pairs / 50)),
  );
  for (let index = 0; index < pairs; index += 1) addStep(add, index, text);
  const tools = builtInTools(discoverTools(), { now: () => 0 });
  const about = { mode: 'work', canExecute: true } as const;
  const shapes = models.map((info) => promptShape(info, tools, about));
  const [first] = models;
  const learned = learnedNumbers(
    models.flatMap(({ id, where }) =>
      Array.from({ length: 60 }, (_, at) =>
        madeOutcome({ first: { model: id, version: '', where }, fails: (at % 9) / 10, solved: at % 4 > 0 }),
      ),
    ),
    { project: 'p', now: 0, versionOf: () => '' },
    { models: models.map(({ id }) => id), first: first?.id ?? '', limit: 0.1 },
  );
  const { numbers } = routingOf('balanced', { score: currentScore.digest, pace: 1.5, ...learned });
  const times: number[] = [];
  const cpu: number[] = [];
  const opened = countSockets();
  for (let index = 0; index < count; index += 1) {
    addStep(add, pairs + index, 'one new result\n');
    const cpuBefore = process.cpuUsage();
    const before = performance.now();
    const options = models.flatMap((info, at) => {
      const shape = shapes[at];
      if (shape === undefined) return [];
      const sampling = { seed: null, temperature: 0, cacheKey: '' };
      const request = buildRequest(shape, conversation.entries(), info, sampling);
      const promptTokens = Math.ceil(promptBytes(request) / 3);
      return [
        { info, promptTokens, maxOutputTokens: maxOutputTokens(info), canDrive: true, strategy: 'loop' as const },
      ];
    });
    const facts: ChoiceFacts = {
      purpose: 'act',
      policy: 'hybrid',
      numbers,
      options,
      spent: [],
      isRecipeChecked: false,
      taint: [],
      shut: null,
      pin: null,
      needs: { images: false },
      budgetLeftUsd: null,
      task: noTask,
      trajectory: trajectory.now(),
      trouble: null,
      now: 1_700_000_000_000 + seq,
    };
    chooseModel(facts, rules);
    times.push(performance.now() - before);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpu.push((user + system) / 1000);
  }
  const sockets = opened();
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), cpuP99Ms: quantile(cpu, 0.99), sockets };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function addStep(add: (event: NewEvent) => void, index: number, output: string): void {
  const callId = `c${index}`;
  const toolCallId = `t${index}`;
  const input = { path: `src/file-${index}.ts` };
  const usage = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0, estimated: false };
  add({ ...callStarted, callId, step: index + 1, stage: { strategy: 'loop', model: 'local/model', where: 'local' } });
  const part = { type: 'tool-call', id: toolCallId, name: 'read_file', input } as const;
  add({ ...callEnded, callId, usage, parts: [part] });
  add({ ...toolRequested, toolCallId, callId, input });
  add({
    type: 'tool-ended',
    toolCallId,
    tool: 'read_file',
    status: 'ok',
    output,
    full: null,
    exitCode: null,
    durationMs: 1,
    data: null,
    dataBlob: null,
  });
}

/** Every network access opens a socket, which Node reports on a diagnostics channel. */
function countSockets(): () => number {
  let count = 0;
  const note = (): void => void (count += 1);
  subscribe('net.client.socket', note);
  return () => {
    unsubscribe('net.client.socket', note);
    return count;
  };
}
