import type { QueuedMessage } from '../../sessions/journal/queued-message.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { conversationFilter } from '@shared/session/restore-state.ts';
import { hasImage } from '@shared/attachments/attachment-text.ts';
import { attachedParts } from '../prompt/attached-parts.ts';
import { createConversation } from '../prompt/conversation.ts';
import { createFileBaseline } from '../changes/file-baseline.ts';
import { createFileChanges } from '../changes/file-changes.ts';
import { createPromptWarmer } from '../step/keep-warm.ts';
import { createLimits } from './turn-limits.ts';
import { nameSession } from './name-session.ts';
import { createReadLedger } from '../changes/read-ledger.ts';
import { runTurn } from './run-turn.ts';
import type { AgentDependencies } from './agent-dependencies.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import { createTrajectory } from '../../routing/trajectory/trajectory.ts';
import { uncountedMs } from './take-action.ts';
import { readMessage } from '../preparation/read-message.ts';
import { createTokenEstimate } from '../prompt/token-estimate.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { createTurnLog, isCancelled } from './turn-log.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './turn-baseline.ts';

/** What is kept between turns of the same session. */
interface SessionMemory {
  conversation: ReturnType<typeof createConversation>;
  readonly baseline: ReturnType<typeof createFileBaseline>;
  readonly reads: ReturnType<typeof createReadLedger>;
  readonly trajectory: ReturnType<typeof createTrajectory>;
  readonly steps: Turn['steps'];
  /** The number of the last event that the conversation has seen. */
  seen: number;
  /** The number of restores that it has seen. */
  restores: number;
}

/** Starts turns on one session. A replay uses it too, with dependencies that play a log. */
export interface TurnStarter {
  /** `recorded`: the facts gathered at the start, if a replay has them. */
  readonly run: (message: QueuedMessage, options: TurnOptions, recorded?: TurnFacts) => Promise<TurnEnd>;
  /** Names the session after a turn, if a name is wanted and a model can give one. Ends soon after an abort. */
  readonly name: () => Promise<void>;
  /** Aborts the running turn, or the naming of the session. */
  readonly abort: (reason?: 'time-limit') => void;
  /** Removes what was kept on disk in case the program dies. Only after the last turn. */
  readonly end: () => Promise<void>;
}

export function createTurnStarter(dependencies: AgentDependencies): TurnStarter {
  const trajectory = createTrajectory();
  const memory: SessionMemory = {
    conversation: createConversation(),
    baseline: createFileBaseline(dependencies.sandbox.files, dependencies.project.baselineFile),
    reads: createReadLedger(),
    trajectory,
    steps: { last: dependencies.journal.state().totals.steps, trajectory: trajectory.now },
    seen: 0,
    restores: 0,
  };
  let controller: AbortController | null = null;
  let ended: Turn | null = null;
  return {
    abort: (reason) => controller?.abort(reason),
    end: () => memory.baseline.end(),
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
        // A message that arrived during the last turn is in the log before that turn's end, where `catchUp` does not
        // look.
        const attached = await attachedParts(dependencies.journal, message.attachments);
        await catchUp(dependencies, memory, (conversation) =>
          conversation.noteMessage(message.messageId, message.text, attached),
        );
        const asked = { text: message.text, options };
        const read = readMessage(dependencies.journal.state(), asked, memory.conversation.exchanges());
        const given = { ...read.given, attached, hasImages: hasImage(message.attachments) };
        const turn = createTurn(dependencies, memory, own, { ...read, given });
        const stopTimer = dependencies.effects.replaying ? () => undefined : startDeadline(turn);
        try {
          const end = await runTurn(turn, message.messageId, recorded ?? null);
          // After a cancel nothing continues, and a model that failed is not asked again.
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

/**
 * Reads events that others wrote since the last turn (such as an undo by the user); after a restart, and after a restore
 * to a checkpoint, the whole log. `prepare`: called before the first event.
 */
async function catchUp(
  dependencies: AgentDependencies,
  memory: SessionMemory,
  prepare: (conversation: SessionMemory['conversation']) => void,
): Promise<void> {
  const { restores = [] } = dependencies.journal.state();
  const isAnew = restores.length > memory.restores;
  if (isAnew) memory.conversation = createConversation();
  memory.restores = restores.length;
  prepare(memory.conversation);
  const isShown = conversationFilter(restores);
  for await (const event of dependencies.journal.read(isAnew ? 1 : memory.seen + 1)) {
    if (isShown(event.seq)) await addToConversation(dependencies, memory, event);
    if (event.seq <= memory.seen) continue;
    memory.trajectory.add(event);
    memory.seen = event.seq;
  }
}

async function addToConversation(
  { journal }: AgentDependencies,
  { conversation }: SessionMemory,
  event: SessionEvent,
): Promise<void> {
  if (event.type === 'user-message-added' && event.attachments !== undefined) {
    const attached = await attachedParts(journal, event.attachments);
    conversation.noteMessage(event.messageId, event.text, attached);
  }
  if (event.type === 'tool-ended' && event.pictures !== undefined) {
    const pictures = await attachedParts(journal, event.pictures);
    conversation.noteResult(event.toolCallId, pictures);
  }
  conversation.add(event);
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
    prompt: {
      conversation: memory.conversation,
      // New for each turn, because a replay plays single turns.
      tokens: createTokenEstimate(),
      warm: createPromptWarmer(journal, id, dependencies.effects.replaying),
    },
    files: {
      changes: createFileChanges({
        sandbox,
        journal,
        log,
        baseline: memory.baseline,
        signal,
        turnId: id,
        hidden: dependencies.fences.hidden,
      }),
      reads: memory.reads,
      repeated: new Map(),
    },
    steps: memory.steps,
    found,
    asking: { refusals: new Map() },
    progress: { okWrites: 0, okCommands: 0, okConnected: 0, proposedLines: 0, isCloudUnasked: false, lastCheck: null },
  };
}

/**
 * A copy of an ended turn for a question after it, with its own limits and signal. Its events belong to the session.
 */
function afterEnd(turn: Turn, controller: AbortController): Turn {
  const { signal } = controller;
  return {
    ...turn,
    signal,
    abort: (reason) => controller.abort(reason),
    // These events are not added to the memory here: the next turn reads them from the log, in order with a message
    // that arrived meanwhile.
    log: createTurnLog(turn.dependencies.journal, turn.id, signal, () => undefined),
    limits: createLimits(turn.options),
  };
}

/** The hard stop at `--max-minutes`. Limits are checked between steps first; this one ends a call or command midway. */
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
