import type { EndpointFailure, EndpointModel, EndpointPush, TextsRead } from '@shared/contract/endpoint-contract.ts';
import type { AgainPush } from '@shared/comparisons/asked-again.ts';
import { toFailure } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { neverAborts } from '../lib/async/abort.ts';
import { withEitherSignal } from '../lib/async/child-abort.ts';
import { wholeStream } from '../lib/async/push-queue.ts';
import type { AvailableModels } from '../models/available-models.ts';
import type { Handlers } from '../server/handlers.ts';
import { answerClient, countForClient, type AnswerOptions } from './answer-client.ts';
import { askAgain, expectAgain, type AskAgainOptions } from './ask-again.ts';
import type { ClientKeys, KnownClient } from './client-keys.ts';
import type { ClientLog, ClientLogs } from './client-logs.ts';
import { readForClient } from './read-for-client.ts';
import { createTestQuestions, type TestQuestions } from './test-questions.ts';

export interface EndpointOptions extends AnswerOptions {
  readonly keys: ClientKeys;
  readonly logs: ClientLogs;
  readonly models: AnswerOptions['models'] & Pick<AvailableModels, 'list'>;
  readonly recorded: Pick<AskAgainOptions, 'logs' | 'store' | 'blobs' | 'fencesOf'>;
}

export interface Endpoint {
  readonly handlers: Handlers['endpoint'];
  /** The number of running calls. */
  readonly running: () => number;
  readonly testQuestion: TestQuestions['ask'];
  readonly dispose: () => Promise<void>;
}

/** The most calls that may run or wait at the same time, for one client and for all. */
const mostOfOne = 16;
const mostOfAll = 64;

interface Running {
  readonly client: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

interface ClientWork {
  readonly fail: (failure: EndpointFailure) => void;
  readonly work: (client: KnownClient, log: ClientLog, signal: AbortSignal) => Promise<void>;
  /** The caller's signal. */
  readonly signal: AbortSignal;
}

interface ClientRuns {
  /** Resolves when the work has ended. The work is told of failures. */
  readonly run: (key: string, work: ClientWork) => Promise<void>;
  readonly endAll: (which: (one: Running) => boolean) => Promise<void>;
  readonly count: () => number;
}

/** Runs calls with a limit per client and a limit for all. */
function createClientRuns({ keys, logs }: Pick<EndpointOptions, 'keys' | 'logs'>): ClientRuns {
  const running = new Set<Running>();
  const endAll = async (which: (one: Running) => boolean): Promise<void> => {
    const those = [...running].filter(which);
    for (const { stop } of those) stop.abort();
    await Promise.all(those.map(({ ended }) => ended));
  };
  const run: ClientRuns['run'] = async (key, { fail, work: does, signal }) => {
    const client = await keys.find(key);
    if (client === null) return fail({ code: 'wrong-key', message: 'This key is not known.' });
    const own = [...running].filter((one) => one.client === client.name).length;
    if (own >= mostOfOne || running.size >= mostOfAll) {
      const message = `${own >= mostOfOne ? own : running.size} calls are running already. Wait for one to end.`;
      return fail({ code: 'busy', message, retryAfterMs: 1_000 });
    }
    const stop = new AbortController();
    const work = withEitherSignal(stop.signal, signal, async (either) => {
      await does(client, await logs.of(client), either);
    }).catch((error: unknown) => {
      const { code, message } = toFailure(error);
      if (code === 'cancelled' && signal.aborted) return;
      const text = stop.signal.aborted ? 'Stopped: the key was revoked, or Dewpoint is closing.' : message;
      fail({ code: 'failed', message: text });
    });
    const one: Running = { client: client.name, stop, ended: work };
    running.add(one);
    await work.finally(() => running.delete(one));
  };
  return { run, endAll, count: () => running.size };
}

/** The commands with which other programs ask models, and those that manage their keys. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { keys, logs } = options;
  const { run, endAll, count } = createClientRuns(options);
  const tests = createTestQuestions({ ...options, logs: options.recorded.logs });
  return {
    running: () => count() + tests.running(),
    testQuestion: tests.ask,
    dispose: async () => {
      await Promise.all([endAll(() => true), tests.end()]);
      await Promise.all([logs.dispose(), options.recorded.logs.dispose()]);
    },
    handlers: {
      knows: async ({ input: { key } }) => (await keys.find(key)) !== null,
      models: async ({ input: { key }, signal }) => {
        const client = await keys.find(key);
        return client === null ? null : modelsFor(options, client, signal);
      },
      answer: ({ input: { key, call }, signal }) =>
        wholeStream<EndpointPush>(
          (push, stop) =>
            run(key, {
              fail: (failure) => push({ type: 'failed', ...failure }),
              work: (client, log, either) => answerClient(options, { client, log, call, push, signal: either }),
              signal: stop,
            }),
          signal,
        ),
      askAgain: ({ input, signal }) =>
        wholeStream<AgainPush>(
          (push, stop) => askAgain({ ...options, ...options.recorded }, input, { push, signal: stop }),
          signal,
        ),
      expectAgain: ({ input, signal }) =>
        expectAgain({ ...options, ...options.recorded }, input, signal ?? new AbortController().signal),
      readTexts: async ({ input: { key, texts }, signal }) => {
        let read: TextsRead = { ok: false, failure: { code: 'failed', message: 'It was cancelled.' } };
        await run(key, {
          fail: (failure) => {
            read = { ok: false, failure };
          },
          work: async (client, log, either) => {
            read = await readForClient(options, { client, log, texts, signal: either });
          },
          signal: signal ?? neverAborts,
        });
        return read;
      },
      count: async ({ input, signal }) => {
        const client = await keys.find(input.key);
        if (client !== null) return countForClient(options, { client, call: input.call, signal });
        return { ok: false, failure: { code: 'wrong-key', message: 'This key is not known.' } };
      },
      clients: () => keys.list(),
      addClient: ({ input }) => keys.add(input),
      removeClient: async ({ input: { name } }) => {
        await keys.remove(name);
        await endAll(({ client }) => client === name);
      },
    },
  };
}

/** The two names that let Dewpoint route, then every model that can be called now. */
async function modelsFor(
  { models, settings }: EndpointOptions,
  { mayLeave }: KnownClient,
  signal: AbortSignal,
): Promise<readonly EndpointModel[]> {
  const infos = (await models.list(signal)).flatMap(({ info }) => info ?? []);
  const shown = infos.filter((info) => mayLeave || !leavesMachine(info));
  return [...namedBySettings(settings(), shown, mayLeave), ...shown.map(entryOf)];
}

function namedBySettings(
  { local, cloud }: Settings,
  infos: readonly ModelInfo[],
  mayLeave: boolean,
): readonly EndpointModel[] {
  const here = infos.find(({ id }) => id === local) ?? null;
  const there = infos.find(({ id }) => id === cloud) ?? null;
  const own = { contextTokens: here?.contextTokens ?? null };
  return [
    ...(here === null ? [] : [{ id: 'dewpoint/local', label: `Local (${here.label})`, ...own }]),
    ...(!mayLeave || (here === null && there === null)
      ? []
      : [{ id: 'dewpoint/hybrid', label: 'Hybrid: Dewpoint chooses for each call', ...own }]),
  ];
}

function entryOf({ id, label, contextTokens }: ModelInfo): EndpointModel {
  return { id, label, contextTokens };
}
