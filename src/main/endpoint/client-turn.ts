import type { EventOf } from '@shared/events/events.ts';
import type { EndpointCall, EndpointPush } from '@shared/contract/endpoint-contract.ts';
import { textOf } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { Routing } from '@shared/routing/routing.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { isQuestion } from '@shared/text/task-kind.ts';
import { createPromptWarmer } from '../agent/step/keep-warm.ts';
import { createTokenEstimate } from '../agent/prompt/token-estimate.ts';
import type { TurnFacts } from '../agent/preparation/turn-facts.ts';
import { createLimits } from '../agent/turn/turn-limits.ts';
import { createTurnLog } from '../agent/turn/turn-log.ts';
import type { CallingTurn } from '../agent/turn/turn.ts';
import { sha256Of } from '../lib/sha256.ts';
import { emptyTrajectory, type Trajectory } from '../routing/trajectory/trajectory.ts';
import type { Journal } from '../sessions/journal/journal.ts';
import type { ClientLog } from './client-logs.ts';

export interface ClientTurnOptions extends Pick<CallingTurn['dependencies'], 'budget' | 'fences' | 'machine'> {
  readonly log: ClientLog;
  readonly call: EndpointCall;
  readonly conversation: string;
  readonly settings: Settings;
  readonly facts: TurnFacts;
  readonly routing: Routing;
  readonly push: (push: EndpointPush) => void;
  readonly signal: AbortSignal;
  /** The most that the call may cost, in US dollars. Absent: only the limits of the settings hold. */
  readonly maxUsd?: number;
}

/** A client's call in the form that `runStep` takes, and how it ended. */
export interface ClientTurn {
  readonly turn: CallingTurn;
  /** Null: no call was made. */
  readonly ended: () => EventOf<'model-call-ended'> | null;
}

/** A single call: there is no turn around it, nobody is asked, and it is tried once. */
const limits = { maxSteps: 1, maxMinutes: 24 * 60, maxTokens: Number.MAX_SAFE_INTEGER, maxUsd: null };

/** Use one per model call: each has a number of its own, so that its cost can be found again after a crash. */
export function createClientTurn(options: ClientTurnOptions, info: ModelInfo): ClientTurn {
  const { log, call, settings, facts, signal } = options;
  const stop = new AbortController();
  if (signal.aborted) stop.abort();
  else signal.addEventListener('abort', () => stop.abort(), { once: true });
  let ended: EventOf<'model-call-ended'> | null = null;
  const journal = clientJournal(options, leavesMachine(info));
  const id = journal.newId('turn');
  const turnLog = createTurnLog(journal, id, stop.signal, (event) => {
    if (event.type === 'model-call-ended') ended = event;
    log.note(event);
  });
  const trajectory = trajectoryOf(options);
  const task = textOf(call.messages.findLast(({ role }) => role === 'user') ?? { parts: [] });
  return {
    ended: () => ended,
    turn: {
      id,
      task,
      given: {
        attached: [],
        hasImages: call.messages.some(({ parts }) => parts.some(({ type }) => type === 'image')),
        isQuestion: isQuestion(task),
        mode: 'work',
        answers: null,
      },
      dependencies: {
        journal,
        effects: { replaying: false, perform: (_id, run) => run() },
        budget: options.budget,
        fences: options.fences,
        // A program cannot approve for its user.
        approver: { ask: async () => 'nobody' },
        machine: options.machine,
      },
      options: {
        mode: 'work',
        strategy: 'loop',
        atCap: 'stop',
        check: null,
        policy: call.model === 'dewpoint/hybrid' ? 'hybrid' : leavesMachine(info) ? 'cloud' : 'local',
        routing: options.routing,
        local: settings.local,
        cloud: settings.cloud,
        approve: 'deny',
        ...limits,
        maxUsd: options.maxUsd ?? null,
        seed: null,
      },
      signal: stop.signal,
      abort: () => stop.abort(),
      log: turnLog,
      limits: createLimits(limits),
      prompt: { tokens: createTokenEstimate(), warm: createPromptWarmer(journal, id, true) },
      steps: { last: log.nextStep() - 1, trajectory: () => trajectory },
      found: { facts },
      asking: { refusals: new Map() },
    },
  };
}

/**
 * The client's log, which also passes the answer on to the client. For a local call, only the figures are kept. For a
 * call that leaves the machine, request and answer are kept too, as in every step.
 */
function clientJournal({ log, push }: ClientTurnOptions, keepsTexts: boolean): Journal {
  const { journal } = log;
  return {
    ...journal,
    append: (event) =>
      journal.append(event.type === 'model-call-ended' && !keepsTexts ? { ...event, parts: [] } : event),
    putText: async (pieces) => {
      if (keepsTexts) return journal.putText(pieces);
      const bytes = Buffer.from(pieces.join(''), 'utf8');
      return { sha256: sha256Of(bytes), bytes: bytes.length };
    },
    push: (transient) => {
      if (transient.type === 'text-delta') push({ type: 'text', text: transient.text });
      if (transient.type === 'reasoning-delta') push({ type: 'reasoning', text: transient.text });
    },
  };
}

/** Only what the client sends of a conversation is known: its steps are the tool rounds since the last user message. */
function trajectoryOf({ log, call, conversation }: ClientTurnOptions): Trajectory {
  const { messages } = call;
  const user = messages.findLastIndex(({ role }) => role === 'user');
  const steps = messages.slice(user + 1).filter(({ role }) => role === 'assistant').length;
  const isLoopOpen = messages.at(-1)?.role === 'tool';
  const { models, services } = log.known();
  return {
    ...emptyTrajectory,
    models,
    services,
    last: log.lastIn(conversation),
    steps,
    stepsSinceSwitch: steps,
    isLoopOpen,
    boundary: steps === 0 ? 'message' : null,
  };
}
