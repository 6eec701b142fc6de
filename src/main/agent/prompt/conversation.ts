import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { type Part, textOf } from '@shared/models/model-messages.ts';
import type {
  AttachedFile,
  CallEntry,
  CallResult,
  Entry,
  Exchange,
  UserEntry,
} from '../../recipes/conversation-entries.ts';
import { hasText, notedParts } from './noted-parts.ts';
import { answersBack, placeOf, shownAgain, withResultsBack } from './equal-results.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import {
  askNote,
  checkNote,
  cutBefore,
  endedText,
  factsBlock,
  fetchedText,
  gateNote,
  inert,
  takenBackNote,
  takenBackText,
  withoutCheck,
  wordsOfModel,
} from './harness-facts.ts';
import type { LoadedSkills, FolderNote } from './loaded-skills.ts';
import { beginLoading, nothingLoaded, rememberSkill, summaryEntry, folderNote } from './loaded-skills.ts';
import { guardedWords } from '../../safety/guarded-files.ts';

/**
 * The conversation with the model as a pure function of the log: a running turn and a reopened session show the same.
 * Notices whose code is in `noticesForModel` are written for the model to read.
 */
export interface Conversation {
  readonly add: (event: SessionEvent) => void;
  /**
   * Adds what the events do not hold; call it before them. A message that waits is shown by its `message-delivered`.
   */
  readonly noteMessage: (messageId: string, text: string, attached: readonly AttachedFile[]) => void;
  /** The same for the images of a result, before the end of its call. */
  readonly noteResult: (toolCallId: string, pictures: readonly AttachedFile[]) => void;
  readonly entries: () => readonly Entry[];
  /** What `entries` will return after one more note for the model. */
  readonly entriesWith: (text: string) => readonly Entry[];
  /** The turns that have ended, oldest first, without what they read or ran. */
  readonly exchanges: () => readonly Exchange[];
  /** The project instructions that this turn was given; empty if none are used. */
  readonly instructions: () => string;
  /** The map and the folder instructions that it holds or that were held back in this turn; the loaded skills. */
  readonly folderNotes: () => readonly string[];
  readonly skills: () => LoadedSkills;
}

/** Names of the actions whose output is part of the task's first message. */
const briefTools: readonly string[] = ['gather_facts', 'read_instructions'];

/** The action that asks a server for the result of a call that a crash cut off. */
export const fetchTaskName = 'fetch_task';

export const noticesForModel: readonly string[] = [
  'call-not-understood',
  'empty-answer',
  'no-call',
  'call-cut',
  'answer-cut',
  'same-call',
  'write-taken-back',
  'handover',
  'advice',
  'plan-made',
  'money-near',
  'table-figures',
];

interface CallPlace {
  /** The `seq` of its entry, and its place there. */
  readonly entry: number;
  readonly call: number;
  /** The calls whose result points to the one of this call. */
  readonly pointing: string[];
}

interface Fold {
  readonly entries: Entry[];
  readonly exchanges: Exchange[];
  /** What the user said since the last turn ended. */
  asked: string;
  readonly queuedTexts: Map<string, string>;
  /** By message id or call id. */
  readonly attached: Map<string, readonly AttachedFile[]>;
  /** The `seq` of each message's entry in the conversation. */
  readonly messageSeqs: Map<string, number>;
  readonly acting: Set<string>;
  readonly assistantOf: Map<string, number>;
  readonly callOf: Map<string, CallPlace>;
  /** Whether the last user entry is the task's own, so that facts are added to it. */
  taskOpen: boolean;
  inTurn: boolean;
  /**
   * What the conversation holds already: the instructions, and the facts line by line. Only what is not among them is
   * told again. `moneySeq`: the note that the money of this turn is nearly spent.
   */
  told: Told;
  /** A guarded file was refused in this turn. */
  wasGuarded: boolean;
  /** What the model had written when it was cancelled; empty: nothing. */
  cutText: string;
  /** The instructions of this turn; empty: there are none, or they are not used. */
  readonly loaded: { instructions: string; readonly skills: LoadedSkills };
}

interface Told {
  readonly instructions: string;
  readonly folders: readonly FolderNote[];
  readonly facts: readonly string[];
  readonly moneySeq: number | undefined;
}

const nothingTold: Told = { instructions: '', folders: [], facts: [], moneySeq: undefined };

export function createConversation(): Conversation {
  const fold: Fold = {
    entries: [],
    exchanges: [],
    asked: '',
    queuedTexts: new Map(),
    attached: new Map(),
    messageSeqs: new Map(),
    acting: new Set(),
    assistantOf: new Map(),
    callOf: new Map(),
    taskOpen: false,
    inTurn: false,
    told: nothingTold,
    wasGuarded: false,
    cutText: '',
    loaded: nothingLoaded(),
  };
  return {
    add: (event) => addEvent(fold, event),
    noteMessage: (messageId, text, attached) => {
      fold.queuedTexts.set(messageId, text);
      if (attached.length > 0) fold.attached.set(messageId, attached);
    },
    noteResult: (toolCallId, pictures) => {
      if (pictures.length > 0) fold.attached.set(toolCallId, pictures);
    },
    entries: () => fold.entries,
    entriesWith: (text) => entriesWith(fold, text),
    exchanges: () => [...fold.exchanges],
    instructions: () => fold.loaded.instructions,
    folderNotes: () => fold.told.folders.map(({ path }) => path),
    skills: () => fold.loaded.skills,
  };
}

function addEvent(fold: Fold, event: SessionEvent): void {
  switch (event.type) {
    case 'user-message-added':
      if (event.queued) fold.queuedTexts.set(event.messageId, event.text);
      else addMessage(fold, event, { text: event.text, isTask: true });
      return;
    case 'message-dropped':
      dropMessage(fold, event.messageId);
      return;
    case 'message-delivered':
      // Between turns, the message is the task of the next turn.
      addMessage(fold, event, { text: fold.queuedTexts.get(event.messageId) ?? '', isTask: !fold.inTurn });
      return;
    case 'turn-started':
      fold.inTurn = true;
      beginLoading(fold.loaded, event);
      fold.told = { ...fold.told, folders: fold.told.folders.filter(({ isShown }) => isShown) };
      fold.wasGuarded = false;
      fold.cutText = '';
      return;
    case 'model-call-started':
      if (event.stage.strategy === 'loop' && (event.purpose === 'act' || event.purpose === 'plan')) {
        fold.acting.add(event.callId);
      }
      return;
    case 'model-call-ended':
      if (!fold.acting.delete(event.callId)) return;
      if (event.stopReason === 'cancelled') fold.cutText = textOf(event).trim();
      else if (event.error === null) addAssistant(fold, event);
      return;
    case 'tool-call-requested':
      addCall(fold, event);
      return;
    case 'tool-ended':
      addResult(fold, event);
      return;
    case 'observation-trimmed':
      trimResult(fold, event);
      return;
    case 'answer-trimmed':
      noteAnswer(fold, event);
      return;
    case 'context-compacted':
      compact(fold, event);
      return;
    default:
      addNote(fold, event);
  }
}

/** Adds a note for an event that is not part of the conversation but that the model should know of. */
function addNote(fold: Fold, event: SessionEvent): void {
  switch (event.type) {
    case 'check-ended':
      note(fold, event.seq, checkNote(event, fold.wasGuarded));
      return;
    case 'gate-checked':
      if (event.verdict === 'redo') note(fold, event.seq, gateNote(event));
      return;
    case 'recipe-progressed':
      if (event.phase === 'gave-up')
        note(fold, event.seq, `What was found out before you, by a program:\n${inert(event.text)}`);
      return;
    case 'notice-added':
      if (noticesForModel.includes(event.code)) note(fold, event.seq, inert(event.text));
      if (event.code === 'money-near') fold.told = { ...fold.told, moneySeq: event.seq };
      return;
    case 'file-changed':
      // Only an undo by the user. What the agent reverts is in the result of its call.
      if (event.by === 'undo' && event.toolCallId === null) note(fold, event.seq, inert(takenBackNote(event)));
      return;
    case 'cap-answered':
      if (event.answer === 'raise') dropMoneyNote(fold);
      return;
    case 'turn-ended':
      endTurn(fold, event);
      return;
    default:
  }
}

function addUser(fold: Fold, entry: Omit<UserEntry, 'type'>, isTask: boolean): void {
  fold.entries.push({ type: 'user', ...entry });
  fold.taskOpen = isTask;
}

function addMessage(
  fold: Fold,
  { messageId, seq }: EventOf<'user-message-added' | 'message-delivered'>,
  { text, isTask }: { readonly text: string; readonly isTask: boolean },
): void {
  fold.messageSeqs.set(messageId, seq);
  fold.asked = fold.asked === '' ? text : `${fold.asked}\n\n${text}`;
  const attached = fold.attached.get(messageId);
  addUser(fold, { seq, text, said: text, ...(attached === undefined ? {} : { attached }) }, isTask);
}

/** Removes a dropped message: it was given up, or will be sent again. */
function dropMessage(fold: Fold, messageId: string): void {
  const seq = fold.messageSeqs.get(messageId);
  // A message that still waited is not in the conversation.
  if (seq === undefined) return;
  fold.asked = '';
  const at = placeOf(fold, seq);
  if (at !== -1) fold.entries.splice(at, 1);
}

/** Adds a note. Facts before the first answer go into the task's own message; later ones are messages of their own. */
function note(fold: Fold, seq: number, text: string): void {
  if (text === '') return;
  const last = fold.entries.at(-1);
  if (last?.type === 'user' && fold.taskOpen) fold.entries[fold.entries.length - 1] = withNote(last, text);
  else addUser(fold, noteEntry(seq, text), false);
}

function noteEntry(seq: number, text: string): Omit<UserEntry, 'type'> {
  return { seq, text: factsBlock([text]), notes: [text] };
}

function withNote(entry: UserEntry, text: string): UserEntry {
  const notes = [...(entry.notes ?? []), text];
  const block = factsBlock(notes);
  return { ...entry, notes, text: entry.said === undefined ? block : `${entry.said}\n\n${block}` };
}

function entriesWith({ entries, taskOpen }: Fold, text: string): readonly Entry[] {
  const last = entries.at(-1);
  if (last?.type === 'user' && taskOpen) return [...entries.slice(0, -1), withNote(last, inert(text))];
  return [...entries, { type: 'user', ...noteEntry(Number.POSITIVE_INFINITY, inert(text)) }];
}

function addAssistant(fold: Fold, event: EventOf<'model-call-ended'>): void {
  const parts = event.parts.filter((part) => part.type !== 'reasoning' || part.by !== undefined);
  fold.assistantOf.set(event.callId, event.seq);
  fold.entries.push({ type: 'assistant', seq: event.seq, parts, calls: [], callId: event.callId });
  fold.taskOpen = false;
}

function noteAnswer(fold: Fold, { callId }: EventOf<'answer-trimmed'>): void {
  const at = placeOf(fold, fold.assistantOf.get(callId));
  const entry = fold.entries[at];
  if (entry?.type === 'assistant' && entry.callId === callId)
    fold.entries[at] = { ...entry, parts: notedParts(entry.parts) };
}

function addCall(fold: Fold, event: EventOf<'tool-call-requested'>): void {
  const at = placeOf(fold, fold.assistantOf.get(event.callId));
  const entry = fold.entries[at];
  if (entry?.type !== 'assistant') return;
  const call: CallEntry = {
    toolCallId: event.toolCallId,
    ...(event.partId === undefined ? {} : { partId: event.partId }),
    tool: event.tool,
    input: event.input,
    result: null,
  };
  fold.callOf.set(event.toolCallId, { entry: entry.seq, call: entry.calls.length, pointing: [] });
  fold.entries[at] = { ...entry, calls: [...entry.calls, call] };
}

function addResult(fold: Fold, event: EventOf<'tool-ended'>): void {
  if (briefTools.includes(event.tool)) {
    if (event.status !== 'ok') return;
    if (event.tool === 'read_instructions') {
      fold.loaded.instructions = event.output;
      if (event.output === fold.told.instructions) return;
      fold.told = { ...fold.told, instructions: event.output };
    }
    note(fold, event.seq, inert(event.tool === 'gather_facts' ? newFacts(fold, event.output) : event.output));
    return;
  }
  if (rememberSkill(fold.loaded.skills, event) && !fold.callOf.has(event.toolCallId)) {
    // The message named it, so it is part of the task.
    fold.loaded.instructions = `${fold.loaded.instructions}\n\n${event.output}`.trim();
    note(fold, event.seq, inert(event.output));
    return;
  }
  const folder = folderNote(event);
  if (folder !== null) {
    fold.told = { ...fold.told, folders: [...fold.told.folders, folder] };
    if (folder.isShown) note(fold, event.seq, inert(event.output));
    return;
  }
  if (event.tool === fetchTaskName) {
    note(fold, event.seq, fetchedText(event));
    return;
  }
  if (event.tool === 'take_back') {
    // The next model must not look for, or undo, changes that are already gone.
    if (event.status === 'ok') note(fold, event.seq, inert(takenBackText(event)));
    return;
  }
  if (event.status === 'refused' && event.output.includes(guardedWords)) fold.wasGuarded = true;
  const pictures = fold.attached.get(event.toolCallId);
  fold.attached.delete(event.toolCallId);
  const above = event.sameAs === undefined ? undefined : aboveOf(fold, event.sameAs, event.toolCallId);
  const result = {
    text: resultOf(event),
    isError: event.status !== 'ok',
    keepTokens: null,
    ...(above === undefined ? {} : { above }),
    ...(pictures === undefined ? {} : { pictures }),
  };
  updateCall(fold, event.toolCallId, (call) => ({ ...call, result }));
}

/** Where the conversation shows the same result whole; undefined: it does not. */
function aboveOf(fold: Fold, sameAs: string, toolCallId: string): CallResult['above'] {
  const place = fold.callOf.get(sameAs);
  const back = answersBack(fold.entries, placeOf(fold, place?.entry), sameAs);
  if (back === null) return undefined;
  place?.pointing.push(toolCallId);
  return { toolCallId: sameAs, answersBack: back };
}

/** Marks a refusal, because the model can fix an error but not a refusal. */
function resultOf({ status, output }: EventOf<'tool-ended'>): string {
  return status === 'refused' ? `Refused: ${output}` : output;
}

function trimResult(fold: Fold, { toolCallId, afterTokens, rest }: EventOf<'observation-trimmed'>): void {
  updateCall(fold, toolCallId, (call) => {
    if (call.result === null) return call;
    const result = { ...call.result, keepTokens: afterTokens, ...(rest === undefined ? {} : { rest }) };
    return { ...call, result };
  });
  for (const id of fold.callOf.get(toolCallId)?.pointing ?? []) updateCall(fold, id, shownAgain);
}

function updateCall(fold: Fold, toolCallId: string, change: (call: CallEntry) => CallEntry): void {
  const place = fold.callOf.get(toolCallId);
  if (place === undefined) return;
  const at = placeOf(fold, place.entry);
  const entry = fold.entries[at];
  if (entry?.type !== 'assistant') return;
  const calls = entry.calls.map((call, index) => (index === place.call ? change(call) : call));
  fold.entries[at] = { ...entry, calls };
}

function compact(fold: Fold, event: EventOf<'context-compacted'>): void {
  const kept = fold.entries.filter((entry) => entry.seq > event.replacesUpToSeq);
  fold.entries.splice(0, fold.entries.length, summaryEntry(event, fold.loaded.skills, kept), ...withResultsBack(kept));
  fold.taskOpen = false;
  fold.told = nothingTold;
}

/** Records how the turn ended, so that the next message can refer to it. */
function endTurn(fold: Fold, event: EventOf<'turn-ended'>): void {
  fold.inTurn = false;
  if (fold.asked !== '' && event.text !== '') fold.exchanges.push({ asked: fold.asked, answered: event.text });
  fold.asked = '';
  dropMoneyNote(fold);
  const last = fold.entries.at(-1);
  if (last === undefined) return;
  if (last.type === 'assistant' && last.calls.length === 0) {
    if (event.reason === 'incomplete') note(fold, event.seq, cutBefore);
    return;
  }
  fold.taskOpen = false;
  if (wordsOfModel.includes(event.reason)) {
    if (event.reason === 'waiting' && hasText(last, withoutCheck(event.text))) return;
    const parts: Part[] = [{ type: 'text', text: event.text }];
    fold.entries.push({ type: 'assistant', seq: event.seq, parts, calls: [] });
    return;
  }
  // The model has its own words in its last call.
  const said = last.type === 'assistant' ? (last.calls.at(-1)?.result?.text ?? '') : '';
  const ended = endedText(event);
  const rest = said !== '' && ended.startsWith(said) ? ended.slice(said.length).trim() : ended;
  const cut = fold.cutText === '' ? '' : `\nYou had written until then:\n${shortenText(fold.cutText, mostCutText)}`;
  if (rest !== '') note(fold, event.seq, inert(`The work on the message before ended: ${rest}${cut}`));
}

/** A raised limit, or the next message, has money of its own. */
function dropMoneyNote(fold: Fold): void {
  const at = placeOf(fold, fold.told.moneySeq);
  fold.told = { ...fold.told, moneySeq: undefined };
  const entry = fold.entries[at];
  if (entry?.type === 'user' && entry.said === undefined) fold.entries.splice(at, 1);
}

/** How many characters of a cancelled answer are told. */
const mostCutText = 8000;

/** The facts that are not in the conversation yet. What tells of the turn itself is told each time. */
function newFacts(fold: Fold, output: string): string {
  const lines = output.split('\n');
  const told = lines.filter((line) => line === askNote || !fold.told.facts.includes(line));
  fold.told = { ...fold.told, facts: lines };
  return told.join('\n');
}
