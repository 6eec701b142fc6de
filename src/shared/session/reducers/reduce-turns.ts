import { chanceOf } from '@shared/routing/chance-of-votes.ts';
import type { EngineReport } from '@shared/events/call-report.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import {
  shortenText,
  shortenOutput,
  changeLastMatch,
  lastItems,
  firstLine,
  lineLimit,
  textLimit,
} from '@shared/text/shorten-text.ts';
import { reduceInnerCalls } from './reduce-programs.ts';
import { keptCounts } from './kept-counts.ts';
import { cappedItems } from '@shared/session/plan-steps.ts';
import { reduceRestores } from '@shared/session/restore-state.ts';
import { reduceMessages, reduceCopiedHistory, reduceOrganized, reduceRepaired } from './reduce-messages.ts';
import { reduceChildren } from './reduce-children.ts';
import { changesTaken, fileChanged, hunksTaken } from './reduce-file-changes.ts';
import { reduceQuestions } from './reduce-questions.ts';
import { reduceSandbox } from './reduce-sandbox.ts';
import { reduceServerTasks } from './reduce-server-tasks.ts';
import { fenceNotice, gateNotice, instructionsFound, withNotice, terminalNotice } from './session-notices.ts';
import type { SessionState, StepEnd, StepState, ToolCallState, TurnState } from '@shared/session/session-state.ts';
import { endedCall } from '@shared/session/session-state.ts';
import { withUse } from '@shared/session/server-use.ts';

type Change = Partial<SessionState>;

type CallEvent = EventOf<
  | 'route-decided'
  | 'engine-waited'
  | 'model-call-started'
  | 'model-call-ended'
  | 'tool-call-requested'
  | 'approval-requested'
  | 'approval-answered'
  | 'network-used'
  | 'cap-reached'
  | 'cap-answered'
  | 'output-limited'
  | 'call-fenced'
  | 'instructions-found'
  | 'tool-started'
  | 'tool-ended'
  | 'observation-trimmed'
  | 'answer-trimmed'
  | 'plan-progressed'
>;

/** What an event changes in the state; null for an unknown type. */
export function reduceTurns(state: SessionState, event: SessionEvent): Change | null {
  switch (event.type) {
    case 'session-created':
      return created(event);
    case 'session-renamed':
      return { title: firstLine(event.title) };
    case 'session-organized':
    case 'session-moved':
    case 'folder-moved':
      return reduceOrganized(state, event);
    case 'history-copied':
      return reduceCopiedHistory(state, event);
    case 'session-repaired':
      return reduceRepaired(state, event);
    case 'sandbox-started':
    case 'sandbox-lost':
    case 'service-changed':
    case 'untracked-found':
      return reduceSandbox(state, event);
    case 'user-message-added':
    case 'options-chosen':
    case 'message-delivered':
    case 'message-dropped':
    case 'plan-edited':
      return reduceMessages(state, event);
    case 'turn-started':
      return turnStarted(state, event);
    case 'check-ended':
      return noteCheck(state, event);
    case 'stage-chosen':
      return stageChosen(state, event);
    case 'file-changed':
      return fileChanged(state, event);
    case 'hunks-taken':
      return hunksTaken(state, event);
    case 'changes-taken':
      return changesTaken(state, event);
    case 'restore-began':
    case 'restore-ended':
      return { restores: reduceRestores(state.restores, event) };
    case 'recipe-progressed':
      return progressed(state, event);
    case 'context-compacted':
      return { compactions: state.compactions + 1 };
    case 'child-session-started':
    case 'child-session-ended':
      return reduceChildren(state, event);
    case 'server-task-began':
    case 'server-task-settled':
      return reduceServerTasks(state, event);
    case 'cache-prefilled':
    case 'terminal-closed':
      return {};
    case 'gate-checked':
      return withNotice(state, gateNotice(event));
    case 'terminal-opened':
      return withNotice(state, terminalNotice(event));
    case 'notice-added':
      return { ...withNotice(state, event), ...(event.code === 'model-call-retried' ? countRetry(state, event) : {}) };
    case 'turn-ended':
      return turnEnded(state, event);
    default:
      return 'parent' in event ? reduceInnerCalls(state, event) : reduceCalls(state, event);
  }
}

/** Folds the events of steps: model calls, tool calls, plan progress and approvals. */
function reduceCalls(state: SessionState, event: CallEvent): Change | null {
  switch (event.type) {
    case 'route-decided':
      return routeDecided(state, event);
    case 'engine-waited':
      return inStep(state, event.callId, (step) => ({ waitedMs: step.waitedMs + event.waitedMs }));
    case 'model-call-started':
      return callStarted(state, event);
    case 'model-call-ended':
      return inStep(state, event.callId, (step) => stepEnded(step, event));
    case 'tool-call-requested':
      return toolRequested(state, event);
    case 'approval-requested':
    case 'approval-answered':
    case 'cap-reached':
    case 'cap-answered':
      return withWait(state, event, reduceQuestions(state, event));
    case 'network-used':
    case 'observation-trimmed':
    case 'answer-trimmed':
    case 'output-limited':
      return {};
    case 'instructions-found':
      return instructionsFound(state, event);
    case 'call-fenced':
      return withNotice(state, fenceNotice(event));
    case 'tool-started':
      return event.by === 'recipe' ? actionStarted(state, event) : toolStarted(state, event);
    case 'tool-ended':
      return toolEnded(state, event);
    case 'plan-progressed':
      return inTurn(state, event.turnId, () => ({ planItems: cappedItems(event.items) }));
    default:
      event satisfies never;
      return null;
  }
}

function inTurn(
  state: SessionState,
  turnId: string | undefined,
  change: (turn: TurnState) => Partial<TurnState>,
): Change {
  const fits = (turn: TurnState): boolean => turnId === undefined || turn.id === turnId;
  return { turns: changeLastMatch(state.turns, fits, (turn) => ({ ...turn, ...change(turn) })) };
}

function inStep(state: SessionState, callId: string, change: (step: StepState) => Partial<StepState>): Change {
  return {
    steps: changeLastMatch(
      state.steps,
      (step) => step.callId === callId,
      (step) => ({ ...step, ...change(step) }),
    ),
  };
}

function created(event: EventOf<'session-created'>): Change {
  const { sessionId, title, appVersion, projectPath, project, workspace, parentId, groupId, tree, branchOf } = event;
  return {
    sessionId,
    title: firstLine(title),
    appVersion,
    projectPath,
    ...(project === undefined ? {} : { project }),
    workspace,
    parentId,
    groupId,
    ...(tree === undefined ? {} : { tree }),
    ...(branchOf === undefined ? {} : { branchOf }),
    createdAt: event.at,
  };
}

function stageChosen(state: SessionState, event: EventOf<'stage-chosen'>): Change {
  const { stage, recipe, reason, at, giveUpSeconds } = event;
  const own = giveUpSeconds === undefined ? {} : { giveUpSeconds };
  const chosen = { stage, recipe, reason: firstLine(reason), at, ...own };
  return inTurn(state, event.turnId, (turn) => ({ stages: [...turn.stages, chosen] }));
}

function routeDecided(state: SessionState, event: EventOf<'route-decided'>): Change {
  const { callId, reasonCode, reason } = event;
  const fails = failsBy(event);
  const route = { callId, reasonCode, reason: firstLine(reason), ...(fails === null ? {} : { fails }) };
  return { routes: lastItems([...state.routes, route], keptCounts.routes) };
}

/** The votes are log odds that the weaker model does not do the rest, if a learned score is among them. */
function failsBy({ votes = [] }: EventOf<'route-decided'>): number | null {
  if (!votes.some(({ rule }) => rule === 'solve-score')) return null;
  return chanceOf(votes.reduce((sum, { toward, weight }) => sum + (toward === 'cloud' ? weight : -weight), 0));
}

function turnStarted(state: SessionState, event: EventOf<'turn-started'>): Change {
  const turn: TurnState = {
    id: event.turnId ?? '',
    seq: event.seq,
    messageId: event.messageId,
    ...(event.mode === undefined ? {} : { mode: event.mode }),
    ...(event.answers === undefined ? {} : { answers: event.answers }),
    ...(event.assistant === undefined ? {} : { assistant: firstLine(event.assistant) }),
    startedAt: event.at,
    endedAt: null,
    reason: null,
    text: '',
    confidence: null,
    failure: null,
    steps: 0,
    actions: 0,
    check: event.check,
    // The check ran before the task began, not again before an answer.
    before: state.turns.find(({ id }) => id === event.answers)?.before ?? null,
    after: null,
    cascade: event.cascade,
    stages: [],
    limits: event.limits,
  };
  const totals = { ...state.totals, turns: state.totals.turns + 1 };
  return { ...reduceMessages(state, event), turns: lastItems([...state.turns, turn], keptCounts.turns), totals };
}

/** The time of the person, from the first question that waits to the answer of the last one. */
function withWait(
  state: SessionState,
  { at, turnId }: Pick<EventOf<'approval-answered'>, 'at' | 'turnId'>,
  change: Partial<SessionState>,
): Change {
  const { approvals, cap } = { ...state, ...change };
  const isAsking = approvals.length > 0 || cap !== null;
  const since = state.waitingSince;
  if (isAsking) return { ...change, waitingSince: since ?? at };
  if (since === null) return change;
  const waited = turnId === undefined ? {} : inTurn(state, turnId, (turn) => waitedUntil(turn, since, at));
  return { ...change, ...waited, waitingSince: null };
}

function waitedUntil({ waitedMs = 0 }: TurnState, since: number, at: number): Pick<TurnState, 'waitedMs'> {
  return { waitedMs: waitedMs + Math.max(0, at - since) };
}

function turnEnded(state: SessionState, event: EventOf<'turn-ended'>): Change {
  const { reason, text, confidence, failure, at, routing, memory } = event;
  return {
    ...inTurn(state, event.turnId, (turn) => ({
      ...(state.waitingSince === null ? {} : waitedUntil(turn, state.waitingSince, at)),
      reason,
      text: shortenText(text, 2 * textLimit),
      confidence,
      failure,
      endedAt: at,
      ...(routing === undefined ? {} : { routing }),
      ...(memory === undefined ? {} : { memory }),
    })),
    approvals: [],
    cap: null,
    waitingSince: null,
  };
}

function noteCheck(state: SessionState, event: EventOf<'check-ended'>): Change {
  const { passed, exitCode, summary, unrelated } = event;
  const result = {
    passed,
    exitCode,
    summary: shortenOutput(summary),
    ...(unrelated === undefined ? {} : { unrelated }),
  };
  return inTurn(state, event.turnId, () => ({ [event.phase]: result }));
}

function callStarted(state: SessionState, event: EventOf<'model-call-started'>): Change {
  const route = state.routes.find((candidate) => candidate.callId === event.callId);
  const step: StepState = {
    callId: event.callId,
    turnId: event.turnId ?? null,
    step: event.step,
    purpose: event.purpose,
    stage: event.stage,
    provider: event.provider,
    model: event.model,
    where: event.stage.where,
    reason: firstLine(route?.reason ?? ''),
    ...(route?.fails === undefined ? {} : { fails: route.fails }),
    startedAt: event.at,
    promptTokens: event.promptTokens,
    waitedMs: 0,
    end: null,
    toolCallIds: [],
    label: event.purpose,
  };
  return {
    // A call after a turn counts as a step of the session only.
    ...(event.turnId === undefined ? {} : inTurn(state, event.turnId, (turn) => ({ steps: turn.steps + 1 }))),
    steps: lastItems([...state.steps, step], keptCounts.steps),
    routes: route ? state.routes.filter((candidate) => candidate !== route) : state.routes,
    totals: { ...state.totals, steps: state.totals.steps + 1 },
  };
}

function countRetry(state: SessionState, { turnId }: EventOf<'notice-added'>): Change {
  return turnId === undefined ? {} : inTurn(state, turnId, ({ retries = 0 }) => ({ retries: retries + 1 }));
}

function stepEnded(step: StepState, event: EventOf<'model-call-ended'>): Partial<StepState> {
  const { at, stopReason, usage, evaluatedTokens, timings, costUsd, energy, engine } = event;
  const error = event.error && { code: event.error.code, message: shortenText(event.error.message, lineLimit) };
  const said = event.parts.find((part) => part.type === 'text');
  // The log has the whole answer. Here it is for a line or two on a screen.
  const text = shortenText(said?.text ?? '', 2 * lineLimit);
  const label = step.label === step.purpose && text !== '' ? `${step.purpose}: ${firstLine(text.trim())}` : step.label;
  const end = { at, stopReason, usage, evaluatedTokens, timings, costUsd, error, text };
  const measured = {
    ...(energy === undefined ? {} : { energy }),
    ...(engine === undefined ? {} : { load: loadOf(engine) }),
  };
  return { end: { ...end, ...measured }, label: firstLine(label) };
}

function loadOf(engine: EngineReport): NonNullable<StepEnd['load']> {
  const { backend, contextTokens, predictedBytes, observedBytes = null, adapter, drafts } = engine;
  const load = { backend, contextTokens, predictedBytes, observedBytes };
  return { ...load, ...(adapter === undefined ? {} : { adapter }), ...(drafts === undefined ? {} : { drafts }) };
}

const newCall = {
  label: '',
  startedAt: null,
  status: null,
  output: '',
  outputLeftOut: false,
  exitCode: null,
  durationMs: null,
} as const;

function toolRequested(state: SessionState, event: EventOf<'tool-call-requested'>): Change {
  const { toolCallId, callId, tool } = event;
  const call: ToolCallState = { ...newCall, toolCallId, turnId: event.turnId ?? null, callId, tool, label: tool };
  return {
    ...inStep(state, callId, (step) => ({ toolCallIds: [...step.toolCallIds, toolCallId] })),
    toolCalls: lastItems([...state.toolCalls, call], keptCounts.toolCalls),
    totals: { ...state.totals, toolCalls: state.totals.toolCalls + 1 },
  };
}

function actionStarted(state: SessionState, event: EventOf<'tool-started'>): Change {
  const { toolCallId, tool, at: startedAt, turnId = null } = event;
  const action: ToolCallState = {
    ...newCall,
    toolCallId,
    turnId,
    callId: null,
    tool,
    label: firstLine(event.label),
    startedAt,
  };
  return {
    ...inTurn(state, event.turnId, (turn) => ({ actions: turn.actions + 1 })),
    actions: lastItems([...state.actions, action], keptCounts.actions),
    totals: { ...state.totals, actions: state.totals.actions + 1 },
  };
}

function toolStarted(state: SessionState, event: EventOf<'tool-started'>): Change {
  // The call that ends a task does not count as an action.
  if (event.tool === 'task_complete') return callStartedByModel(state, event);
  return {
    ...callStartedByModel(state, event),
    ...inTurn(state, event.turnId, (turn) => ({ actions: turn.actions + 1 })),
  };
}

function callStartedByModel(state: SessionState, event: EventOf<'tool-started'>): Change {
  const { toolCallId, tool } = event;
  const label = firstLine(event.label);
  const call = state.toolCalls.findLast((candidate) => candidate.toolCallId === toolCallId);
  const { connected } = event;
  const whose =
    connected === undefined ? {} : { connected: { server: connected.server, carries: connected.carries ?? 0 } };
  const started = { label, startedAt: event.at, ...whose };
  if (!call) {
    const unasked: ToolCallState = {
      ...newCall,
      ...started,
      toolCallId,
      turnId: event.turnId ?? null,
      callId: null,
      tool,
    };
    return { toolCalls: lastItems([...state.toolCalls, unasked], keptCounts.toolCalls) };
  }
  const isFirst = (step: StepState): boolean => step.toolCallIds[0] === toolCallId;
  return {
    toolCalls: changeLastMatch(
      state.toolCalls,
      (candidate) => candidate.toolCallId === toolCallId,
      (found) => ({ ...found, ...started }),
    ),
    steps: changeLastMatch(state.steps, isFirst, (step) => ({ ...step, label })),
  };
}

function toolEnded(state: SessionState, event: EventOf<'tool-ended'>): Change {
  const fits = (call: ToolCallState): boolean => call.toolCallId === event.toolCallId;
  const output = shortenOutput(event.output);
  const end = (call: ToolCallState): ToolCallState => endedCall(call, event, output);
  if (state.actions.some(fits)) return { actions: forgetOutput(changeLastMatch(state.actions, fits, end)) };
  const ended = { toolCalls: forgetOutput(changeLastMatch(state.toolCalls, fits, end)) };
  const connected = state.toolCalls.findLast(fits)?.connected;
  if (connected === undefined || event.reusedFrom !== undefined) return ended;
  return {
    ...ended,
    ...inTurn(state, event.turnId, ({ servers = [] }) => ({ servers: withUse(servers, connected, event) })),
  };
}

/** Drops the output of the call that is no longer among the latest. */
function forgetOutput(calls: readonly ToolCallState[]): readonly ToolCallState[] {
  const index = calls.length - 1 - keptCounts.outputs;
  const old = calls[index];
  if (!old || old.output === '') return calls;
  const copy = [...calls];
  copy[index] = { ...old, output: '', outputLeftOut: true };
  return copy;
}

function progressed(state: SessionState, event: EventOf<'recipe-progressed'>): Change {
  const { seq, at, recipe, phase, turnId = null } = event;
  const text = shortenText(event.text, 2 * lineLimit);
  return { progress: lastItems([...state.progress, { seq, at, turnId, recipe, phase, text }], keptCounts.progress) };
}
