import { hasImage } from '@shared/attachment-text.ts';
import { taskMeant } from './again.ts';
import { attachedParts } from './attached-parts.ts';
import { createConversation } from './conversation.ts';
import { createFileBaseline } from './file-baseline.ts';
import { createFileChanges } from './file-changes.ts';
import { createKeepWarm } from './keep-warm.ts';
import { createLimits } from './limits.ts';
import { nameSession } from './name-session.ts';
import { createReadLedger } from './read-ledger.ts';
import { runTurn } from './run-turn.ts';
import type { AgentServices, QueuedMessage, TurnOptions } from './services.ts';
import { createTrajectory } from '../router/trajectory.ts';
import { waitedMs } from './take-action.ts';
import { isQuestion } from './task-kind.ts';
import { createTokenEstimate } from './token-estimate.ts';
import type { ToolFacts } from '../tools/define.ts';
import type { TurnFacts } from './turn-facts.ts';
import { createTurnLog, isCancelled } from './turn-log.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './work.ts';

/** What a turn keeps between turns of the same session. */
interface SessionMemory {
  readonly conversation: ReturnType<typeof createConversation>;
  readonly baseline: ReturnType<typeof createFileBaseline>;
  readonly reads: ReturnType<typeof createReadLedger>;
  readonly trajectory: ReturnType<typeof createTrajectory>;
  readonly steps: { last: number };
  /** The last event that the conversation has seen. */
  seen: number;
}

/** Starts turns on one session; also what a replay drives, with services that play a log. */
export interface TurnStarter {
  /** `recorded`: what the turn found out at its start, where a replay knows it. */
  readonly run: (message: QueuedMessage, options: TurnOptions, recorded?: TurnFacts) => Promise<TurnEnd>;
  /** After a turn: a name for the session, where one is wanted and to be had. Ends soon after an abort. */
  readonly name: () => Promise<void>;
  /** Aborts the turn that runs, or the search for a name. */
  readonly abort: (reason?: 'time-limit') => void;
}

export function createTurnStarter(services: AgentServices): TurnStarter {
  const memory: SessionMemory = {
    conversation: createConversation(),
    baseline: createFileBaseline(services.sandbox),
    reads: createReadLedger(),
    trajectory: createTrajectory(),
    steps: { last: services.journal.state().totals.steps },
    seen: 0,
  };
  let controller: AbortController | null = null;
  let ended: Turn | null = null;
  return {
    abort: (reason) => controller?.abort(reason),
    name: async () => {
      if (ended === null) return;
      const own = new AbortController();
      controller = own;
      try {
        await nameSession(afterEnd(ended, own));
      } catch (error) {
        if (!isCancelled(error)) throw error;
      } finally {
        controller = null;
      }
    },
    run: async (message, options, recorded) => {
      ended = null;
      const own = new AbortController();
      controller = own;
      try {
        // Its event may stand before the end of the turn in which it came.
        const attached = await attachedParts(services.journal, message.attachments);
        memory.conversation.noteMessage(message.messageId, message.text, attached);
        await catchUp(services, memory);
        const task = taskMeant(message.text, memory.conversation.exchanges());
        const given = { attached, hasImages: hasImage(message.attachments), isQuestion: isQuestion(task) };
        const turn = createTurn(services, memory, own, { task, options, given });
        const stopTimer = services.effects.replaying ? () => undefined : startDeadline(turn);
        try {
          const end = await runTurn(turn, message.messageId, recorded ?? null);
          // Who cancels wants nothing to go on, and a model that failed is not asked again.
          if (end.reason !== 'cancelled' && end.reason !== 'error') ended = turn;
          return end;
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
    if (event.type === 'user-message-added' && event.attachments !== undefined) {
      const attached = await attachedParts(services.journal, event.attachments);
      memory.conversation.noteMessage(event.messageId, event.text, attached);
    }
    memory.conversation.add(event);
    memory.trajectory.add(event);
    memory.seen = event.seq;
  }
}

function createTurn(
  services: AgentServices,
  memory: SessionMemory,
  controller: AbortController,
  asked: Pick<Turn, 'task' | 'options' | 'given'>,
): Turn {
  const { journal, sandbox } = services;
  const { signal } = controller;
  const id = journal.newId('turn');
  const log = createTurnLog(journal, id, signal, (event) => {
    memory.conversation.add(event);
    memory.trajectory.add(event);
    memory.seen = Math.max(memory.seen, event.seq);
  });
  const found: Turn['found'] = { facts: null };
  return {
    id,
    ...asked,
    services,
    signal,
    abort: (reason) => controller.abort(reason),
    log,
    limits: createLimits(asked.options),
    conversation: memory.conversation,
    changes: createFileChanges({ sandbox, journal, log, baseline: memory.baseline, signal }),
    reads: memory.reads,
    // Anew for each turn: a replay plays turns one by one.
    tokens: createTokenEstimate(),
    trajectory: memory.trajectory,
    steps: memory.steps,
    found,
    refusals: new Map(),
    progress: { okWrites: 0, okCommands: 0, isCloudUnasked: false, lastCheck: null },
    toolFacts: () => toolFacts(services, found),
    warm: createKeepWarm(journal, id, services.effects.replaying),
  };
}

/** What its turn was, for a question after it: with limits and a way to stop of its own. Its events are of the session. */
function afterEnd(turn: Turn, controller: AbortController): Turn {
  const { signal } = controller;
  return {
    ...turn,
    signal,
    abort: (reason) => controller.abort(reason),
    // The next turn reads them from the log, in their order with a message that comes meanwhile.
    log: createTurnLog(turn.services.journal, turn.id, signal, () => undefined),
    limits: createLimits(turn.options),
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
  const before = waitedMs(turn);
  const arm = (): void => {
    const left = turn.limits.deadlineLeft(turn.services.journal.now(), waitedMs(turn) - before);
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
