import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { ModelTrajectory } from './model-trajectory.ts';
import { afterCall } from './model-trajectory.ts';
import type { ServiceState } from './service-state.ts';
import { afterAnswer } from './service-state.ts';
import { failureKey, foundNothing, hasFailed, running, writing } from './tool-ends.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import type { CapScope } from '@shared/events/approval-events.ts';

/** How a session's work has gone, from its log: the steps, the caches and the services. */
export interface Trajectory {
  /** The model that made the last step of the conversation; null: there was none. */
  readonly last: { readonly model: string; readonly where: Where } | null;
  /** Results wait for the model that asked for them. */
  readonly isLoopOpen: boolean;
  /** What ended since the last step, so that another model may continue well; null: nothing. */
  readonly boundary: Boundary | null;
  /** Steps of the conversation in this turn. */
  readonly steps: number;
  readonly stepsSinceSwitch: number;
  /** How often the cloud took over in this turn. */
  readonly takeovers: number;
  /** Consecutive bad signals, each from a different step of the driving model. */
  readonly consecutiveFailures: number;
  /** Advice was asked for since the last takeover. */
  readonly isAdvised: boolean;
  /** A stronger model was asked for a plan in this turn. */
  readonly isPlanned: boolean;
  /** How often a stronger model reviewed the work in this turn. */
  readonly reviews: number;
  /** The last bad signal in words; empty if there was none. */
  readonly lastSignal: string;
  /** Severities of the last three steps, 0 (clean) to 1. */
  readonly window: readonly number[];
  readonly counts: TrajectoryCounts;
  /** The last check of the work: by the success check, or by tests that the model ran. */
  readonly isGreen: boolean | null;
  /** Whether the success check passed before this turn's work. */
  readonly wasGreenBefore: boolean | null;
  readonly models: Readonly<Record<string, ModelTrajectory>>;
  /** The services in the cloud that were called, by provider. */
  readonly services: Readonly<Record<string, ServiceState>>;
  /** Steps of the conversation in this turn that a model answered, by model. */
  readonly answered: Readonly<Record<string, number>>;
  /** What this turn has cost so far, and how much the user raised each limit during it, in US dollars. */
  readonly spentUsd: number;
  readonly raisedUsd: Readonly<Partial<Record<CapScope, number>>>;
  /** Steps of this turn that would have run in the cloud if there were a network. */
  readonly degraded: number;
  /** Files that this turn named to tools, relative to the workspace. */
  readonly paths: readonly string[];
  /** In this turn, a spending limit was answered with "continue locally". */
  readonly isCapped: boolean;
}

export type Boundary = 'message' | 'done-said' | 'tests-green' | 'compaction';

export interface TrajectoryCounts {
  readonly writes: number;
  readonly rejectedEdits: number;
  readonly stepsWithoutWrite: number;
  readonly repeatedCalls: number;
  readonly sameErrors: number;
  readonly formatFailures: number;
  readonly failedChecks: number;
  readonly compactions: number;
  /** Searches that worked and found nothing. */
  readonly emptyResults: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Counts = Mutable<TrajectoryCounts>;

interface OpenCall {
  readonly model: string;
  readonly provider: string;
  readonly where: Where;
  readonly isOfConversation: boolean;
  readonly promptBytes: number;
}

interface Fold {
  trajectory: Omit<Mutable<Trajectory>, 'counts'> & { counts: Counts };
  /** Calls that have not ended. */
  readonly open: Map<string, OpenCall>;
  readonly toolOf: Map<string, string>;
  /** Calls of connected tools that have not ended. */
  readonly served: Set<string>;
  /** The worst signal so far in the current step. */
  severity: number;
  signal: string;
  wrote: boolean;
  /** When the last step of this turn began. */
  lastStart: { readonly model: string; readonly at: number } | null;
  readonly errors: string[];
  readonly calls: string[];
  /** The spending limit that was reached last. */
  reached: CapScope | null;
}

const noCounts: TrajectoryCounts = {
  writes: 0,
  rejectedEdits: 0,
  stepsWithoutWrite: 0,
  repeatedCalls: 0,
  sameErrors: 0,
  formatFailures: 0,
  failedChecks: 0,
  compactions: 0,
  emptyResults: 0,
};

export const emptyTrajectory: Trajectory = {
  last: null,
  isLoopOpen: false,
  boundary: 'message',
  steps: 0,
  stepsSinceSwitch: 0,
  takeovers: 0,
  consecutiveFailures: 0,
  isAdvised: false,
  isPlanned: false,
  reviews: 0,
  lastSignal: '',
  window: [],
  counts: noCounts,
  isGreen: null,
  wasGreenBefore: null,
  models: {},
  services: {},
  answered: {},
  spentUsd: 0,
  raisedUsd: {},
  degraded: 0,
  paths: [],
  isCapped: false,
};

/** A step at or above this is bad. A clean step ends a row of bad ones; anything between changes nothing. */
const BAD = 0.7;
const formatCodes: readonly string[] = [
  'call-not-understood',
  'bad-call',
  'empty-answer',
  'no-call',
  'call-cut',
  'answer-cut',
];

/** Folds the events of a session, in order. `now` returns a copy that later events do not change. */
export function createTrajectory(): { readonly add: (event: SessionEvent) => void; readonly now: () => Trajectory } {
  const fold: Fold = {
    trajectory: { ...emptyTrajectory, counts: { ...noCounts } },
    open: new Map(),
    toolOf: new Map(),
    served: new Set(),
    severity: 0,
    signal: '',
    wrote: false,
    lastStart: null,
    errors: [],
    calls: [],
    reached: null,
  };
  return { add: (event) => addEvent(fold, event), now: () => picture(fold) };
}

/** The current step counts with what is known of it so far. */
function picture({ trajectory, severity, signal }: Fold): Trajectory {
  const isBad = severity >= BAD;
  const consecutiveFailures = isBad
    ? trajectory.consecutiveFailures + 1
    : severity === 0 && trajectory.steps > 0
      ? 0
      : trajectory.consecutiveFailures;
  const window = trajectory.steps === 0 ? trajectory.window : [...trajectory.window, severity].slice(-3);
  return {
    ...trajectory,
    counts: { ...trajectory.counts },
    consecutiveFailures,
    window,
    lastSignal: isBad ? signal : trajectory.lastSignal,
  };
}

function addEvent(fold: Fold, event: SessionEvent): void {
  const { trajectory, served } = fold;
  if (event.type === 'tool-started' && event.connected !== undefined) served.add(event.toolCallId);
  if (event.type === 'tool-ended') served.delete(event.toolCallId);
  // Calls that a server has a model make meanwhile do not count, and a replay does not run them.
  else if (served.size > 0) return;
  switch (event.type) {
    case 'turn-started':
      startTurn(fold);
      return;
    case 'message-delivered':
      trajectory.boundary = 'message';
      trajectory.isLoopOpen = false;
      return;
    case 'stage-chosen':
      // A stage starts without earlier bad signals.
      trajectory.consecutiveFailures = 0;
      trajectory.window = [];
      fold.severity = 0;
      return;
    case 'route-decided':
      trajectory.degraded += event.degraded === true ? 1 : 0;
      return;
    case 'model-call-started':
      startCall(fold, event);
      return;
    case 'model-call-ended':
      endCall(fold, event);
      return;
    case 'tool-call-requested':
      noteCall(fold, event);
      return;
    case 'tool-ended':
      endTool(fold, event);
      return;
    case 'check-ended':
      noteCheck(fold, event);
      return;
    case 'gate-checked':
      noteGate(fold, event);
      return;
    case 'context-compacted':
      trajectory.boundary = 'compaction';
      trajectory.isLoopOpen = false;
      trajectory.counts.compactions += 1;
      return;
    case 'notice-added':
      noteNotice(fold, event);
      return;
    case 'cap-answered':
      trajectory.isCapped = trajectory.isCapped || event.answer === 'local';
      raise(fold, event.raisedUsd ?? 0);
      return;
    case 'cap-reached':
      fold.reached = event.scope;
      return;
    default:
  }
}

function startTurn(fold: Fold): void {
  const { last, models, services } = fold.trajectory;
  fold.trajectory = { ...emptyTrajectory, counts: { ...noCounts }, last, models, services };
  fold.severity = 0;
  fold.signal = '';
  fold.wrote = false;
  fold.lastStart = null;
  fold.errors.length = 0;
  fold.calls.length = 0;
  fold.toolOf.clear();
  fold.served.clear();
}

function raise({ trajectory, reached }: Fold, usd: number): void {
  if (reached !== null && usd > 0) {
    trajectory.raisedUsd = { ...trajectory.raisedUsd, [reached]: (trajectory.raisedUsd[reached] ?? 0) + usd };
  }
}

function bad(fold: Fold, severity: number, signal: string): void {
  if (severity >= fold.severity) fold.signal = signal;
  fold.severity = Math.max(fold.severity, severity);
}

/** Adds the last step's severity to the row. */
function settleStep(fold: Fold): void {
  const { trajectory, wrote } = fold;
  const { consecutiveFailures, window, lastSignal } = picture(fold);
  trajectory.consecutiveFailures = consecutiveFailures;
  trajectory.window = window;
  trajectory.lastSignal = lastSignal;
  if (trajectory.steps > 0) trajectory.counts.stepsWithoutWrite = wrote ? 0 : trajectory.counts.stepsWithoutWrite + 1;
  fold.severity = 0;
  fold.signal = '';
  fold.wrote = false;
}

function startCall(fold: Fold, event: EventOf<'model-call-started'>): void {
  const { model, where, strategy } = event.stage;
  const isOfConversation = strategy === 'loop' && (event.purpose === 'act' || event.purpose === 'plan');
  const { provider, promptBytes = 0 } = event;
  fold.open.set(event.callId, { model, provider, where, isOfConversation, promptBytes });
  if (!isOfConversation) return;
  settleStep(fold);
  const { trajectory } = fold;
  noteStepTime(fold, event.at);
  fold.lastStart = { model, at: event.at };
  const isSwitch = trajectory.last !== null && trajectory.last.model !== model;
  if (isSwitch && where === 'cloud' && trajectory.steps > 0) trajectory.takeovers += 1;
  if (isSwitch) {
    trajectory.consecutiveFailures = 0;
    trajectory.window = [];
    trajectory.isAdvised = false;
    fold.errors.length = 0;
    fold.calls.length = 0;
  }
  trajectory.stepsSinceSwitch = isSwitch ? 1 : trajectory.stepsSinceSwitch + 1;
  trajectory.steps += 1;
  trajectory.last = { model, where };
  trajectory.boundary = null;
  trajectory.isLoopOpen = false;
}

/** A clock that was set back says nothing about the time of a step. */
function noteStepTime({ lastStart, trajectory }: Fold, at: number): void {
  const known = lastStart === null ? undefined : trajectory.models[lastStart.model];
  if (lastStart === null || known === undefined || at <= lastStart.at) return;
  const took = at - lastStart.at;
  const stepMs = known.stepMs === null ? took : Math.round((known.stepMs * 2 + took) / 3);
  trajectory.models = { ...trajectory.models, [lastStart.model]: { ...known, stepMs } };
}

function endCall(fold: Fold, event: EventOf<'model-call-ended'>): void {
  const { trajectory } = fold;
  trajectory.spentUsd += event.costUsd ?? 0;
  const call = fold.open.get(event.callId);
  fold.open.delete(event.callId);
  if (event.stopReason === 'cancelled' || call === undefined) return;
  if (call.where === 'cloud') {
    const { provider } = call;
    const known = afterAnswer(trajectory.services[provider], call, event);
    // It says nothing about another service.
    trajectory.services = { ...trajectory.services, [provider]: known };
  }
  if (!call.isOfConversation) return;
  if (event.error !== null) {
    bad(fold, 0.3, event.error.message);
    return;
  }
  trajectory.answered = { ...trajectory.answered, [call.model]: (trajectory.answered[call.model] ?? 0) + 1 };
  if (event.stopReason === 'length') bad(fold, BAD, 'the answer was cut off');
  if (event.stopReason === 'repetition') bad(fold, 1, 'the answer repeated itself');
  trajectory.models = { ...trajectory.models, [call.model]: afterCall(trajectory.models[call.model], event) };
}

function noteCall(fold: Fold, event: EventOf<'tool-call-requested'>): void {
  const { trajectory } = fold;
  fold.toolOf.set(event.toolCallId, event.tool);
  if (event.tool !== 'task_complete') trajectory.isLoopOpen = true;
  notePath(trajectory, event.input);
  const key = `${event.tool} ${JSON.stringify(event.input)}`;
  const at = fold.calls.lastIndexOf(key);
  // Reading a file again after it was written is no repetition.
  if (at !== -1 && !fold.calls.slice(at).includes('')) {
    trajectory.counts.repeatedCalls += 1;
    bad(fold, BAD, `the same call of ${event.tool} was made again`);
  }
  fold.calls.push(key);
  if (fold.calls.length > 12) fold.calls.shift();
}

const MAX_PATHS = 500;

function notePath(trajectory: Fold['trajectory'], input: unknown): void {
  const path: unknown = fieldOf(input, 'path');
  if (typeof path !== 'string' || trajectory.paths.includes(path) || trajectory.paths.length >= MAX_PATHS) return;
  trajectory.paths = [...trajectory.paths, path];
}

function endTool(fold: Fold, event: EventOf<'tool-ended'>): void {
  const tool = fold.toolOf.get(event.toolCallId);
  if (tool === undefined) return;
  const { trajectory } = fold;
  const isFailed = hasFailed(event);
  if (writing.includes(tool)) {
    if (isFailed) {
      trajectory.counts.rejectedEdits += 1;
      bad(fold, BAD, 'an edit was not made');
    } else {
      trajectory.counts.writes += 1;
      fold.wrote = true;
      // Earlier calls may be repeated now, because files have changed.
      fold.calls.push('');
    }
  } else if (isFailed) {
    bad(fold, 0.3, `${tool} failed`);
    noteError(fold, event);
  }
  if (foundNothing(event)) trajectory.counts.emptyResults += 1;
  if (!running.includes(tool)) return;
  const wasGreen = trajectory.isGreen;
  trajectory.isGreen = !isFailed;
  if (!isFailed && trajectory.counts.writes > 0 && wasGreen !== true) {
    trajectory.boundary = 'tests-green';
    trajectory.isLoopOpen = false;
  }
}

/** The same failure again, although files were changed in between. */
function noteError(fold: Fold, event: EventOf<'tool-ended'>): void {
  const key = failureKey(event);
  if (fold.errors.includes(key) && fold.calls.includes('')) {
    fold.trajectory.counts.sameErrors += 1;
    bad(fold, BAD, 'the same failure came again after an edit');
  }
  fold.errors.push(key);
  if (fold.errors.length > 6) fold.errors.shift();
}

function noteCheck(fold: Fold, event: EventOf<'check-ended'>): void {
  const { trajectory } = fold;
  trajectory.isGreen = event.passed;
  if (event.phase === 'before') trajectory.wasGreenBefore = event.passed;
  if (event.phase === 'before') return;
  trajectory.boundary = 'done-said';
  trajectory.isLoopOpen = false;
  if (event.passed || event.unrelated === true) return;
  trajectory.counts.failedChecks += 1;
  bad(fold, 1, `it said that it is done, but \`${event.command}\` fails`);
}

/** Work that was called done and is not counts as the worst signal, whoever found out. */
function noteGate(fold: Fold, { verdict, callId, text }: EventOf<'gate-checked'>): void {
  const { trajectory } = fold;
  if (callId !== null) trajectory.reviews += 1;
  if (verdict !== 'redo') return;
  trajectory.boundary = 'done-said';
  trajectory.isLoopOpen = false;
  trajectory.counts.failedChecks += 1;
  bad(fold, 1, `it said that it is done, but ${lowerFirst(text.split('\n')[0] ?? '')}`);
}

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/[.:]$/u, '');

function noteNotice(fold: Fold, event: EventOf<'notice-added'>): void {
  if (event.code === 'plan-made' || event.code === 'plan-failed') fold.trajectory.isPlanned = true;
  if (event.code === 'advice-failed') fold.trajectory.isAdvised = true;
  if (event.code === 'advice') {
    fold.trajectory.isAdvised = true;
    fold.trajectory.consecutiveFailures = 0;
    fold.severity = 0;
  }
  if (!formatCodes.includes(event.code)) return;
  fold.trajectory.counts.formatFailures += 1;
  fold.trajectory.isLoopOpen = false;
  bad(fold, BAD, 'its answer could not be used');
}
