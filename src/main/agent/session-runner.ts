import { AppError } from '@shared/errors.ts';
import { createConversation } from './conversation.ts';
import { createFileBaseline } from './file-baseline.ts';
import { createFileChanges } from './file-changes.ts';
import { createLimits } from './limits.ts';
import { createReadLedger } from './read-ledger.ts';
import type { TurnEnd } from './run-turn.ts';
import { runTurn } from './run-turn.ts';
import type { AgentServices, Inbox, QueuedMessage, TurnOptions } from './services.ts';
import { createTokenEstimate } from './token-estimate.ts';
import type { ToolFacts } from '../tools/define.ts';
import { createTurnLog } from './turn-log.ts';
import type { Turn } from './turn.ts';

/** One session's agent: one turn at a time, messages in between, and the way to stop. */
export interface SessionRunner {
  /**
   * Takes a message. While a turn runs it waits and is shown to the model between tool calls; what the turn did not
   * take becomes a turn of its own. Resolves when the turn that took it has ended.
   */
  send(text: string, options: TurnOptions): Promise<TurnEnd>;
  /** Stops the running turn; messages that wait are not started. */
  cancel(): void;
  readonly isRunning: () => boolean;
  /** Cancels and waits for the end of what runs. */
  dispose(): Promise<void>;
}

/** What a turn keeps between turns of the same session. */
interface SessionMemory {
  readonly conversation: ReturnType<typeof createConversation>;
  readonly baseline: ReturnType<typeof createFileBaseline>;
  readonly reads: ReturnType<typeof createReadLedger>;
  readonly tokens: ReturnType<typeof createTokenEstimate>;
  readonly steps: { last: number };
  /** The last event that the conversation has seen. */
  seen: number;
}

interface Waiting extends QueuedMessage {
  readonly options: TurnOptions;
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: unknown) => void;
}

export function createSessionRunner(services: Omit<AgentServices, 'inbox'>): SessionRunner {
  const { journal } = services;
  const waiting: Waiting[] = [];
  const taken: Waiting[] = [];
  const inbox: Inbox = {
    take: () => {
      const next = waiting.shift();
      if (next !== undefined) taken.push(next);
      return next ?? null;
    },
  };
  const turns = createTurnStarter({ ...services, inbox });
  let running: Promise<unknown> | null = null;
  let isDisposed = false;

  const runOne = async (message: QueuedMessage, options: TurnOptions): Promise<TurnEnd> => {
    try {
      const end = await turns.run(message, options);
      for (const one of taken.splice(0)) one.resolve(end);
      return end;
    } catch (error) {
      for (const one of [...taken.splice(0), ...waiting.splice(0)]) one.reject(error);
      throw error;
    }
  };
  const runWaiting = async (message: Waiting): Promise<void> => {
    try {
      await journal.append({ type: 'message-delivered', messageId: message.messageId });
      message.resolve(await runOne(message, message.options));
    } catch (error) {
      message.reject(error);
    }
  };
  /** What the running turn did not take becomes turns of its own; `running` ends in the same breath as the queue. */
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settle = async (): Promise<void> => {
      await work.catch(() => undefined);
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runWaiting(next);
      running = null;
    };
    running = settle();
    return work;
  };

  return {
    send: (text, options) => {
      if (isDisposed) return Promise.reject(new AppError('conflict', 'This session is closed.'));
      const messageId = journal.newId('message');
      if (running === null) return track(first(text, options, messageId));
      return queue(text, options, messageId);
    },
    cancel: () => {
      cancelWaiting(waiting);
      turns.abort();
    },
    isRunning: () => running !== null,
    dispose: async () => {
      isDisposed = true;
      cancelWaiting(waiting);
      turns.abort();
      await running;
    },
  };

  async function first(text: string, options: TurnOptions, messageId: string): Promise<TurnEnd> {
    await journal.append({ type: 'user-message-added', messageId, text, queued: false });
    return runOne({ messageId, text }, options);
  }

  /** In the queue before it is in the log, both at once: the order of the two is the same for every reader. */
  function queue(text: string, options: TurnOptions, messageId: string): Promise<TurnEnd> {
    const ended = new Promise<TurnEnd>((resolve, reject) => {
      waiting.push({ messageId, text, options, resolve, reject });
    });
    return journal.append({ type: 'user-message-added', messageId, text, queued: true }).then(() => ended);
  }
}

function cancelWaiting(waiting: Waiting[]): void {
  const end: TurnEnd = { reason: 'cancelled', text: 'Cancelled.', confidence: null, failure: null };
  for (const message of waiting.splice(0)) message.resolve(end);
}

/** Starts turns on one session; also what a replay drives, with services that play a log. */
export interface TurnStarter {
  run(message: QueuedMessage, options: TurnOptions): Promise<TurnEnd>;
  /** Aborts the turn that runs, if one does. */
  abort(reason?: 'time-limit'): void;
}

export function createTurnStarter(services: AgentServices): TurnStarter {
  const memory: SessionMemory = {
    conversation: createConversation(),
    baseline: createFileBaseline(services.sandbox),
    reads: createReadLedger(),
    tokens: createTokenEstimate(),
    steps: { last: services.journal.state().totals.steps },
    seen: 0,
  };
  let controller: AbortController | null = null;
  return {
    abort: (reason) => controller?.abort(reason),
    run: async (message, options) => {
      const own = new AbortController();
      controller = own;
      try {
        await catchUp(services, memory);
        const turn = createTurn(services, memory, own, message, options);
        const stopTimer = services.effects.replaying ? () => undefined : startDeadline(turn);
        try {
          return await runTurn(turn, message.messageId);
        } finally {
          stopTimer();
        }
      } finally {
        controller = null;
      }
    },
  };
}

/** What others wrote into the log since the last turn (an undo by a person), and after a restart all of it. */
async function catchUp(services: AgentServices, memory: SessionMemory): Promise<void> {
  for await (const event of services.journal.read(memory.seen + 1)) {
    memory.conversation.add(event);
    memory.seen = event.seq;
  }
}

function createTurn(
  services: AgentServices,
  memory: SessionMemory,
  controller: AbortController,
  message: QueuedMessage,
  options: TurnOptions,
): Turn {
  const { journal, sandbox } = services;
  const { signal } = controller;
  const id = journal.newId('turn');
  const log = createTurnLog(journal, id, signal, (event) => {
    memory.conversation.add(event);
    memory.seen = Math.max(memory.seen, event.seq);
  });
  const found: Turn['found'] = { facts: null };
  return {
    id,
    task: message.text,
    services,
    options,
    signal,
    abort: (reason) => controller.abort(reason),
    log,
    limits: createLimits(options, log.lastAt()),
    conversation: memory.conversation,
    changes: createFileChanges({ sandbox, journal, log, baseline: memory.baseline, signal }),
    reads: memory.reads,
    tokens: memory.tokens,
    steps: memory.steps,
    found,
    progress: { okWrites: 0 },
    toolFacts: () => toolFacts(services, found),
  };
}

function toolFacts(services: AgentServices, found: Turn['found']): ToolFacts {
  const test = found.facts?.facts.test ?? null;
  const { commandTimeoutMs, maxWriteBytes } = services.config;
  return { testCommand: test?.command ?? null, testRunner: test?.runner ?? null, commandTimeoutMs, maxWriteBytes };
}

/** The hard stop at `--max-minutes`; limits between steps come first, this one ends a call or command in the middle. */
function startDeadline(turn: Turn): () => void {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const left = turn.limits.deadlineLeft(turn.services.journal.now());
    if (left <= 0) {
      turn.abort('time-limit');
      return;
    }
    timer = setTimeout(arm, Math.min(left + 20, 2 ** 31 - 1));
    timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
