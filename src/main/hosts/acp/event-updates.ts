import type { ContentBlock, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ToolDetail } from '@shared/contract/sessions-contract.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { PlanItem } from '@shared/events/conversation-events.ts';
import type { EventOf, SessionEvent, Transient } from '@shared/events/events.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import { textOf } from '@shared/models/model-messages.ts';
import { planSteps } from '@shared/session/plan-steps.ts';
import { printable, seenCommand } from '@shared/text/seen-text.ts';
import { canvasToolName, drawnInput } from '@shared/tools/canvas.ts';
import { canvasRows } from '../text/canvas-rows.ts';
import { createEventLines } from '../text/event-lines.ts';
import { diffsOf, fenceText, kindOf, locationsOf, pictureContent } from './shown-content.ts';
import { createTextTerminal } from './text-terminal.ts';

export interface UpdateSource {
  /** The absolute path of the workspace on this machine. */
  readonly workspace: string;
  /** Whether the editor shows notices. Otherwise they are sent as thoughts. */
  readonly hasNotices: boolean;
  /** The history is sent again, so the user's messages are included. */
  readonly isReplay: boolean;
  /** An image from a message. Null: it is gone. */
  readonly imageOf: (blob: BlobRef) => Promise<{ readonly mediaType: string; readonly data: string } | null>;
  /** The changes and images of a call, from the log. */
  readonly detailsOf: (toolCallId: string, near: number) => Promise<readonly ToolDetail[]>;
  readonly now: () => number;
}

/** Turns events of a session into updates for an editor. */
export interface EventUpdates {
  /** One event at a time, in the order of the log. */
  readonly event: (event: SessionEvent) => Promise<readonly SessionUpdate[]>;
  readonly transient: (transient: Transient) => readonly SessionUpdate[];
}

/** Calls whose text answers the user. Text for a recipe's decisions is not shown. */
const spoken: readonly Purpose[] = ['act', 'answer', 'plan'];
/** Shown in another form: as the plan, and as the end of the turn. */
const unseenTools: readonly string[] = ['update_plan', 'task_complete'];
/** Events that are told in the words of the command line. */
const toldEvents: readonly SessionEvent['type'][] = [
  'stage-chosen',
  'recipe-progressed',
  'check-ended',
  'gate-checked',
  'sandbox-lost',
  'service-changed',
  'instructions-found',
  'context-compacted',
  'network-used',
  'session-repaired',
];
const noticed: readonly SessionEvent['type'][] = ['notice-added', 'call-fenced', 'untracked-found'];

/** Editors do not report their width. */
const drawnColumns = 100;
const liveOutput = { everyMs: 500, characters: 4000 } as const;
const goodEnds: readonly string[] = ['done', 'answered', 'planned'];

interface SpokenCall {
  readonly purpose: Purpose;
  text: string;
  reasoning: string;
}

interface RunningTool {
  readonly startedSeq: number;
  output: string;
  shownAt: number;
  hasChanges: boolean;
  /** The input of a drawing; undefined: another tool. */
  readonly drawn: unknown;
  /** Null while the tool runs. */
  ended: ToolCallContent[] | null;
}

interface State {
  readonly calls: Map<string, SpokenCall>;
  readonly tools: Map<string, RunningTool>;
  lastText: string;
}

export function createEventUpdates(source: UpdateSource): EventUpdates {
  const state: State = { calls: new Map(), tools: new Map(), lastText: '' };
  const { terminal } = createTextTerminal();
  const lines = createEventLines(terminal);
  return {
    event: async (event) => {
      const told = lines(event).join('\n').trim();
      if (toldEvents.includes(event.type)) return told === '' ? [] : [thoughtUpdate(`${told}\n`)];
      if (noticed.includes(event.type)) return told === '' ? [] : [notice(event, told, source.hasNotices)];
      return updatesOf(event, state, source);
    },
    transient: (transient) => liveUpdates(transient, state, source.now()),
  };
}

async function updatesOf(event: SessionEvent, state: State, source: UpdateSource): Promise<readonly SessionUpdate[]> {
  switch (event.type) {
    case 'user-message-added':
      return source.isReplay ? await saidBefore(event, source) : [];
    case 'turn-started':
      state.calls.clear();
      state.tools.clear();
      state.lastText = '';
      return [];
    case 'model-call-started':
      state.calls.set(event.callId, { purpose: event.purpose, text: '', reasoning: '' });
      return [];
    case 'model-call-ended':
      return restOfCall(event, state);
    case 'plan-progressed':
      return [planOf(event.items)];
    case 'session-renamed':
      return [{ sessionUpdate: 'session_info_update', title: event.title }];
    case 'tool-started':
    case 'file-changed':
    case 'tool-ended':
      return toolUpdates(event, state, source);
    case 'turn-ended':
      return endOfTurn(event, state);
    default:
      return [];
  }
}

/** A user's message from an earlier turn, with its images. Images that are gone are left out. */
async function saidBefore(
  { text, messageId, attachments = [] }: EventOf<'user-message-added'>,
  { imageOf }: UpdateSource,
): Promise<readonly SessionUpdate[]> {
  const content: ContentBlock[] = text === '' ? [] : [textBlock(text)];
  for (const { kind, blob } of attachments) {
    const image = kind === 'image' ? await imageOf(blob) : null;
    if (image !== null) content.push({ type: 'image', data: image.data, mimeType: image.mediaType });
  }
  return content.map((block) => ({ sessionUpdate: 'user_message_chunk', content: block, messageId }));
}

function liveUpdates(transient: Transient, state: State, now: number): readonly SessionUpdate[] {
  switch (transient.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const call = state.calls.get(transient.callId);
      if (call === undefined || !spoken.includes(call.purpose)) return [];
      const isText = transient.type === 'text-delta';
      if (isText) call.text += transient.text;
      else call.reasoning += transient.text;
      return [isText ? message(transient.text, transient.callId) : thoughtUpdate(transient.text, transient.callId)];
    }
    case 'output-chunk': {
      const tool = state.tools.get(transient.toolCallId);
      if (tool === undefined || tool.ended !== null) return [];
      tool.output = (tool.output + transient.text).slice(-liveOutput.characters);
      if (now - tool.shownAt < liveOutput.everyMs) return [];
      tool.shownAt = now;
      const content = [fenceText(tool.output)];
      return [{ sessionUpdate: 'tool_call_update', toolCallId: transient.toolCallId, content }];
    }
    default:
      return [];
  }
}

/** The part of a call that was not sent live: a push can get lost, and a history has none. */
function restOfCall(event: EventOf<'model-call-ended'>, state: State): readonly SessionUpdate[] {
  const call = state.calls.get(event.callId);
  state.calls.delete(event.callId);
  if (call === undefined || !spoken.includes(call.purpose)) return [];
  const text = textOf(event);
  const reasoning = event.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('');
  const rest = (whole: string, heard: string): string => (whole.startsWith(heard) ? whole.slice(heard.length) : '');
  const [moreText, moreReasoning] = [rest(text, call.text), rest(reasoning, call.reasoning)];
  state.lastText = text;
  return [
    ...(moreReasoning === '' ? [] : [thoughtUpdate(moreReasoning, event.callId)]),
    ...(moreText === '' ? [] : [message(moreText, event.callId)]),
  ];
}

async function toolUpdates(
  event: EventOf<'tool-started' | 'file-changed' | 'tool-ended'>,
  state: State,
  source: UpdateSource,
): Promise<readonly SessionUpdate[]> {
  const { toolCallId } = event;
  if (event.type === 'tool-started') {
    if (unseenTools.includes(event.tool)) return [];
    const drawn = event.tool === canvasToolName ? event.input : undefined;
    const fresh = { startedSeq: event.seq, output: '', shownAt: -Infinity, hasChanges: false, drawn, ended: null };
    state.tools.set(event.toolCallId, fresh);
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId: event.toolCallId,
        title: seenCommand(event.label),
        kind: kindOf(event.tool),
        status: 'in_progress',
        locations: locationsOf(source.workspace, event.input),
      },
    ];
  }
  const tool = toolCallId === null ? undefined : state.tools.get(toolCallId);
  if (tool === undefined || toolCallId === null) return [];
  if (event.type === 'file-changed') tool.hasChanges = true;
  else tool.ended = endOf(event, tool);
  if (tool.ended === null) return [];
  const isLooked = tool.hasChanges || (event.type === 'tool-ended' && event.pictures !== undefined);
  const details = isLooked ? await source.detailsOf(toolCallId, tool.startedSeq) : [];
  const content = [
    ...details.flatMap(({ changes }) => changes.flatMap((change) => diffsOf(source.workspace, change))),
    ...tool.ended,
    ...details.flatMap(({ pictures = [] }) => pictures.flatMap(pictureContent)),
  ];
  const status =
    event.type === 'tool-ended' ? ({ status: event.status === 'ok' ? 'completed' : 'failed' } as const) : {};
  return [{ sessionUpdate: 'tool_call_update', toolCallId, ...status, content }];
}

function endOf({ status, output, data }: EventOf<'tool-ended'>, { drawn }: RunningTool): ToolCallContent[] {
  const rows = status === 'ok' && drawn !== undefined ? canvasRows(drawnInput(drawn, data), drawnColumns) : [];
  if (rows.length > 0) return [fenceText(rows.join('\n'))];
  return output.trim() === '' ? [] : [fenceText(output)];
}

function endOfTurn(event: EventOf<'turn-ended'>, state: State): readonly SessionUpdate[] {
  const { reason, failure } = event;
  const text = event.text.trim();
  const isNew = text !== '' && text !== state.lastText.trim();
  const hint = failure?.hint ?? '';
  const why = goodEnds.includes(reason)
    ? []
    : [failure?.message ?? '', hint].filter((one) => one !== '' && !text.includes(one));
  const parts = [...(isNew ? [text] : []), ...why];
  // A new paragraph if the turn has sent text before.
  const lead = state.lastText.trim() === '' ? '' : '\n\n';
  return [
    ...(reason === 'planned' ? [planOf(planSteps(event.text).map((step) => ({ text: step, state: 'open' })))] : []),
    ...(parts.length === 0 ? [] : [message(`${lead}${parts.join('\n\n')}`)]),
  ];
}

const planStates = { open: 'pending', working: 'in_progress', done: 'completed', dropped: 'completed' } as const;

function planOf(items: readonly PlanItem[]): SessionUpdate {
  const entries = items.map(({ text, state }) => ({
    content: printable(state === 'dropped' ? `${text} (dropped)` : text),
    priority: 'medium' as const,
    status: planStates[state],
  }));
  return { sessionUpdate: 'plan', entries };
}

function notice(event: SessionEvent, told: string, hasNotices: boolean): SessionUpdate {
  if (!hasNotices) return thoughtUpdate(`${told}\n`);
  const severity = event.type === 'notice-added' && event.level === 'info' ? 'info' : 'warning';
  return { sessionUpdate: 'notice', severity, title: told };
}

export function message(text: string, messageId?: string): SessionUpdate {
  const content = textBlock(text);
  return { sessionUpdate: 'agent_message_chunk', content, ...(messageId === undefined ? {} : { messageId }) };
}

export function thoughtUpdate(text: string, messageId?: string): SessionUpdate {
  const content = textBlock(text);
  return { sessionUpdate: 'agent_thought_chunk', content, ...(messageId === undefined ? {} : { messageId }) };
}

function textBlock(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: printable(text) };
}
