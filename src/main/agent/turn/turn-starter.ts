import { hasImage } from '@shared/attachments/attachment-text.ts';
import { resolveRepeatedRequest } from './repeated-request.ts';
import { attachedParts } from '../prompt/attached-parts.ts';
import { createConversation } from '../prompt/conversation.ts';
import { createFileBaseline } from '../changes/file-baseline.ts';
import { createFileChanges } from '../changes/file-changes.ts';
import { createPromptWarmer } from '../step/keep-warm.ts';
import { createLimits } from './turn-limits.ts';
import { nameSession } from './name-session.ts';
import { createReadLedger } from '../changes/read-ledger.ts';
import { runTurn } from './run-turn.ts';
import type { AgentDependencies, QueuedMessage, TurnOptions } from './agent-dependencies.ts';
import { createTrajectory } from '../../routing/trajectory/trajectory.ts';
import { uncountedMs } from './take-action.ts';
import { choiceOf } from '../preparation/mode-of-turn.ts';
import { createTokenEstimate } from '../prompt/token-estimate.ts';
import type { ToolFacts } from '../../tools/define.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { createTurnLog, isCancelled } from './turn-log.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './turn-baseline.ts';

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

/** Starts turns on one session; also what a replay drives, with dependencies that play a log. */
export interface TurnStarter {
  /** `recorded`: what the turn found out at its start, where a replay knows it. */
  readonly run: (message: QueuedMessage, options: TurnOptions, recorded?: TurnFacts) => Promise<TurnEnd>;
  /** After a turn: a name for the session, where one is wanted and to be had. Ends soon after an abort. */
  readonly name: () => Promise<void>;
  /** Aborts the turn that runs, or the search for a name. */
  readonly abort: (reason?: 'time-limit') => void;
}

export function createTurnStarter(dependencies: AgentDependencies): TurnStarter {
  const memory: SessionMemory = {
    conversation: createConversation(),
    baseline: createFileBaseline(dependencies.sandbox),
    reads: createReadLedger(),
    trajectory: createTrajectory(),
    steps: { last: dependencies.journal.state().totals.steps },
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
        const attached = await attachedParts(dependencies.journal, message.attachments);
        memory.conversation.noteMessage(message.messageId, message.text, attached);
        await catchUp(dependencies, memory);
        const choice = choiceOf(dependencies.journal.state(), options, dependencies.config.conduct ?? 1);
        const task = resolveRepeatedRequest(message.text, memory.conversation.exchanges(), choice.isQuestion);
        const mode = choice.mode(task);
        const given = { attached, hasImages: hasImage(message.attachments), isQuestion: choice.isQuestion(task), mode };
        const turn = createTurn(dependencies, memory, own, { task, options, given });
        const stopTimer = dependencies.effects.replaying ? () => undefined : startDeadline(turn);
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
async function catchUp(dependencies: AgentDependencies, memory: SessionMemory): Promise<void> {
  for await (const event of dependencies.journal.read(memory.seen + 1)) {
    if (event.type === 'user-message-added' && event.attachments !== undefined) {
      const attached = await attachedParts(dependencies.journal, event.attachments);
      memory.conversation.noteMessage(event.messageId, event.text, attached);
    }
    if (event.type === 'tool-ended' && event.pictures !== undefined) {
      const pictures = await attachedParts(dependencies.journal, event.pictures);
      memory.conversation.noteResult(event.toolCallId, pictures);
    }
    memory.conversation.add(event);
    memory.trajectory.add(event);
    memory.seen = event.seq;
  }
}

function createTurn(
  dependencies: AgentDependencies,
  memory: SessionMemory,
  controller: AbortController,
  asked: Pick<Turn, 'task' | 'options' | 'given'>,
): Turn {
  const { journal, sandbox } = dependencies;
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
    dependencies,
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
    repeated: new Map(),
    progress: { okWrites: 0, okCommands: 0, isCloudUnasked: false, lastCheck: null },
    toolFacts: () => toolFacts(dependencies, found),
    warm: createPromptWarmer(journal, id, dependencies.effects.replaying),
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
    log: createTurnLog(turn.dependencies.journal, turn.id, signal, () => undefined),
    limits: createLimits(turn.options),
  };
}

function toolFacts(dependencies: AgentDependencies, found: Turn['found']): ToolFacts {
  const test = found.facts?.facts.test ?? null;
  const { commandTimeoutMs, maxWriteBytes } = dependencies.config;
  return { testCommand: test?.command ?? null, testRunner: test?.runner ?? null, commandTimeoutMs, maxWriteBytes };
}

/** The hard stop at `--max-minutes`; limits between steps come first, this one ends a call or command in the middle. */
function startDeadline(turn: Turn): () => void {
  let timer: NodeJS.Timeout;
  const before = uncountedMs(turn);
  const arm = (): void => {
    const left = turn.limits.deadlineLeft(turn.dependencies.journal.now(), uncountedMs(turn) - before);
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
