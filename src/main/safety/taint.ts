import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { FileLook } from '@shared/events/tool-events.ts';
import type { FenceHit, Fences } from '@shared/safety/fences.ts';
import { foldedPath, keyOfHit, plainPath } from '@shared/safety/fences.ts';
import { createSessionAnswers, isGranted } from './session-answers.ts';
import type { SessionAnswers } from './session-answers.ts';
import type { Mask } from '../lib/secrets/secret-patterns.ts';
import { plainMask } from '../lib/secrets/secret-patterns.ts';
import { hasKnownLine, keptMarksOf, lineMarksOf, marksOf } from '@shared/safety/fence-text.ts';
import type { FencedTexts, Hits, NoteMore } from './fenced-texts.ts';
import { hitsInText, putHits as put, redactText } from './fenced-texts.ts';
import { isProgramStart } from '@shared/tools/program-tool.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { isFinding, pathsFound, pathsIn } from './paths-in-calls.ts';
import { textsIn } from './value-texts.ts';

/**
 * What a call of the log was built from. The question of a tool server and a program that a model reviews come from the
 * conversation, too.
 */
export function scopeOfCall({ stage, purpose }: EventOf<'model-call-started'>): TaintScope {
  return stage.strategy === 'loop' || purpose === 'sample' || purpose === 'review' ? 'conversation' : 'turn';
}

/**
 * The conversation that a call belongs to: the loop's, which lasts for the whole session, or a recipe's, which lasts
 * for one turn.
 */
export type TaintScope = 'conversation' | 'turn';

/**
 * Tracks fenced content in a session and everything built from it, as a fold of the log. Once a model has seen fenced
 * content, everything it says may contain it. So that conversation stays fenced: its edits, written files, call
 * results, summaries and notes. A recipe's questions are fenced for the turn in which they saw fenced content.
 */
export interface FenceTaint {
  add(event: SessionEvent): void;
  /** Adds the current content of a fenced file, so that copies of it are found anywhere. */
  addFile(hit: FenceHit, text: string): void;
  /** Adds a fenced file that cannot be read here. Any command's output may contain it. */
  expose(hit: FenceHit): void;
  /** Adds the number of a fenced file, so that it is known under every name. */
  addId(hit: FenceHit, id: string): void;
  /** Adds something whose copies cannot be recognized, so that every call of the session may carry it. */
  doubt(hit: FenceHit): void;
  /** Adds what an earlier session of the project knew. */
  addTrace(trace: FencedTrace): void;
  /** What was found since the last time that later sessions of the project have to know. */
  takeTraces(): readonly FencedTrace[];
  /** The fenced content that a call in this conversation was built from. */
  inScope(scope: TaintScope): readonly FenceHit[];
  /** The fenced content that can be recognized in a text: copies, also encoded ones, patterns and secrets. */
  inText(text: string): readonly FenceHit[];
  /**
   * The text with everything to be redacted removed. Gives the same result for the same text until something new is
   * fenced. See `NoteMore`.
   */
  redact(text: string, note?: NoteMore): string;
  /** Grows when something new is fenced. Then earlier results are out of date. */
  known(): number;
  /** Whether the user has allowed this to leave, in this session. */
  isAllowed(hit: FenceHit): boolean;
}

/** Something that was built from fenced content: a file, or a text by its marks. */
export type FencedTrace =
  | { readonly type: 'path'; readonly path: string; readonly hits: readonly FenceHit[] }
  | { readonly type: 'marks'; readonly hit: FenceHit; readonly marks: readonly number[] };

interface Tool {
  readonly name: string;
  readonly files: readonly FileLook[];
  readonly byRecipe: boolean;
  readonly hits: Hits;
}

interface State extends FencedTexts {
  /** The fenced content that each kind of conversation saw. */
  readonly scopes: Readonly<Record<TaintScope, Hits>>;
  /** Files that were written after fenced content was seen. */
  readonly paths: Map<string, Hits>;
  /** Fenced files by their number. */
  readonly ids: Map<string, Hits>;
  /** Fenced files that every command of this workspace can read. */
  readonly exposed: Hits;
  /** Fenced files whose copies cannot be recognized. */
  readonly doubts: Hits;
  /** Fenced content that child agents of this session saw. */
  readonly children: Hits;
  readonly tools: Map<string, Tool>;
  /** The fenced content in each running call. */
  readonly calls: Map<string, Hits>;
  readonly traces: FencedTrace[];
  readonly answers: SessionAnswers;
  readonly messages: Map<string, Hits>;
}

const agentTools = ['spawn_agent', 'agent_manage'] as const;
/** Tools that open only the files that their input or output names. All others may read any file. */
const namesItsFiles: ReadonlySet<string> = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'delete_file',
  'apply_patch',
  'apply_change',
  'read_instructions',
  'map_project',
  'find_symbol',
  'outline',
  'rank_symbols',
  'search',
  'search_documents',
  'read_git',
  'show_page',
  'look_at_changes',
  'take_back',
  // Their content comes from a child, whose end event says what of it is fenced.
  ...agentTools,
  'web_read',
  'web_search',
  'http_request',
]);
/** What the result of an edit says before the errors that a language server found. */
export const newErrorsMark = '[New errors since the edit, found by';
/** Tools that return names of files and none of their content. */
const printsFileNames: ReadonlySet<string> = new Set([
  'list_files',
  'gather_facts',
  // A number alone.
  'new_errors',
  'find_written_tests',
  'task_complete',
]);
/** Actions whose output goes into the loop's conversation. */
const opensConversation: ReadonlySet<string> = new Set([
  'gather_facts',
  'read_instructions',
  'map_project',
  'fetch_task',
]);

/** `mask`: what stands in place of a secret. */
export function createFenceTaint(fences: Fences, mask: Mask = plainMask): FenceTaint {
  const state: State = {
    fences,
    mask,
    scopes: { conversation: new Map(), turn: new Map() },
    paths: new Map(),
    ids: new Map(),
    exposed: new Map(),
    doubts: new Map(),
    children: new Map(),
    tools: new Map(),
    calls: new Map(),
    marks: new Map(),
    wholes: new Map(),
    traces: [],
    answers: createSessionAnswers(),
    messages: new Map(),
  };
  return {
    add: (event) => {
      state.answers.add(event);
      addEvent(state, event);
    },
    addFile: (hit, text) => {
      if (text.trim() === '') return;
      if (hit.verdict !== 'redact') put(state.exposed, [hit]);
      markAll(state, hit, text);
      // A text that has only short lines is recognized by whole lines.
      if (!hasKnownLine(text)) markLines(state, hit, text);
    },
    expose: (hit) => {
      if (hit.verdict !== 'redact') put(state.exposed, [hit]);
    },
    addId: (hit, id) => noteIn(state.ids, id, [hit]),
    doubt: (hit) => put(state.doubts, [hit]),
    addTrace: (trace) => {
      if (trace.type === 'path') noteIn(state.paths, foldedPath(trace.path), trace.hits);
      else for (const one of trace.marks) if (!state.marks.has(one)) state.marks.set(one, trace.hit);
    },
    takeTraces: () => state.traces.splice(0),
    inScope: (scope) => [...state.doubts.values(), ...state.scopes[scope].values()],
    inText: (text) => [...hitsInText(state, text, true).values()],
    redact: (text, note) => redactText(state, text, note),
    known: () => state.marks.size + state.wholes.size,
    isAllowed: (hit) => isAllowed(state, keyOfHit(hit)),
  };
}

function addEvent(state: State, event: SessionEvent): void {
  switch (event.type) {
    case 'user-message-added': {
      const hits = hitsInText(state, event.text);
      for (const given of event.attachments ?? []) put(hits, hitsOfAttachment(state, given));
      state.messages.set(event.messageId, hits);
      bothGet(state, hits, '');
      return;
    }
    case 'turn-started':
      state.scopes.turn.clear();
      put(state.scopes.turn, state.messages.get(event.messageId)?.values() ?? []);
      return;
    case 'model-call-started':
      state.calls.set(event.callId, new Map(state.scopes[scopeOfCall(event)]));
      return;
    case 'model-call-ended':
      modelEnded(state, event);
      return;
    case 'tool-started':
      state.tools.set(event.toolCallId, toolOf(state, event));
      return;
    case 'tool-ended':
      toolEnded(state, event);
      return;
    case 'file-changed':
      fileChanged(state, event);
      return;
    case 'child-session-ended':
      childEnded(state, event);
      return;
    default:
      addRest(state, event);
  }
}

function addRest(state: State, event: SessionEvent): void {
  switch (event.type) {
    case 'session-created':
      // The task of this child was built from fenced content.
      put(state.scopes.conversation, event.fenced ?? []);
      return;
    case 'check-ended':
      bothGet(state, new Map([...builtFrom(state.exposed), ...hitsInText(state, event.summary)]), event.summary);
      return;
    case 'recipe-progressed':
      if (event.phase === 'gave-up') put(state.scopes.conversation, builtFrom(state.scopes.turn).values());
      return;
    case 'context-compacted':
      mark(state, builtFrom(state.scopes.conversation).values(), event.summary);
      return;
    case 'turn-ended':
      // The conversation holds a recipe's final words.
      put(state.scopes.conversation, builtFrom(state.scopes.turn).values());
      mark(state, builtFrom(state.scopes.conversation).values(), event.text);
      return;
    default:
  }
}

function isAllowed({ answers }: State, key: string): boolean {
  return answers.all().some((one) => isGranted(one) && one.fenced.some((hit) => keyOfHit(hit) === key));
}

function bothGet(state: State, hits: Hits, text: string): void {
  put(state.scopes.conversation, hits.values());
  put(state.scopes.turn, hits.values());
  mark(state, hits.values(), text);
}

function modelEnded(state: State, event: EventOf<'model-call-ended'>): void {
  const hits = builtFrom(state.calls.get(event.callId) ?? new Map());
  state.calls.delete(event.callId);
  if (hits.size === 0) return;
  for (const part of event.parts) mark(state, hits.values(), textsIn(part).join('\n'));
}

function toolOf(state: State, event: EventOf<'tool-started'>): Tool {
  const hits: Hits = new Map();
  const { files = [] } = event;
  for (const path of pathsIn(event.input)) put(hits, hitsOfPath(state, path, files).values());
  for (const hit of hits.values()) if (hit.verdict === 'redact') keepWholes(state, hit, textsIn(event.input));
  const isElsewhere = event.connected?.readsFiles === false;
  // A later part of a result is built from the same content as the result. If the log has lost that result, nobody
  // knows from what.
  const source = event.tool === 'read_result' ? resultRead(state, event.input) : null;
  if (source !== null) put(hits, source.hits.values());
  const isOpen = source === null && !isElsewhere && !namesItsFiles.has(event.tool) && !printsFileNames.has(event.tool);
  if (isOpen) put(hits, builtFrom(state.exposed).values());
  // A program may pass on what it reads before it ends.
  if (isProgramStart(event)) bothGet(state, hits, '');
  if (isAgentTool(event.tool)) put(hits, state.children.values());
  return { name: event.tool, files, byRecipe: event.by === 'recipe', hits };
}

function resultRead({ tools }: State, input: unknown): Tool | null {
  const id: unknown = fieldOf(input, 'result');
  return typeof id === 'string' ? (tools.get(id) ?? null) : null;
}

/** What a child saw is in its result, and in everything that is read from it later. */
function childEnded(state: State, { fenced = [], reason }: EventOf<'child-session-ended'>): void {
  const hits = builtFrom(new Map(fenced.map((hit) => [keyOfHit(hit), hit])));
  // Nobody knows what a crashed child saw: it may have read anything that a command can read.
  if (reason === 'crashed') put(hits, builtFrom(state.exposed).values());
  put(state.children, hits.values());
  for (const tool of state.tools.values()) if (isAgentTool(tool.name)) put(tool.hits, hits.values());
}

function isAgentTool(name: string): boolean {
  return agentTools.some((one) => one === name);
}

function toolEnded(state: State, event: EventOf<'tool-ended'>): void {
  const tool = state.tools.get(event.toolCallId);
  // If its start is not in the log, nobody knows what it read.
  const hits: Hits = new Map(tool?.hits ?? builtFrom(state.exposed));
  if (printsFileNames.has(event.tool)) return;
  const data = event.dataBlob === null ? textsIn(event.data).join('\n') : '';
  // Data that is too large for its event is not searched, so it may contain any file.
  const finds = isFinding(event.tool);
  if (event.dataBlob !== null && finds) put(hits, builtFrom(state.exposed).values());
  const files = [...(tool?.files ?? []), ...(event.files ?? [])];
  if (finds) for (const path of pathsFound(event)) put(hits, hitsOfPath(state, path, files).values());
  // An error in an edited file may name what another file has.
  if (event.output.includes(newErrorsMark)) put(hits, builtFrom(state.exposed).values());
  put(hits, hitsInText(state, event.output).values());
  put(hits, hitsInText(state, data).values());
  if (hits.size === 0) return;
  for (const hit of hits.values())
    if (hit.verdict === 'redact' && hit.path !== null) keepWholes(state, hit, [event.output]);
  put(state.scopes.turn, hits.values());
  if (tool?.byRecipe !== true || opensConversation.has(event.tool)) put(state.scopes.conversation, hits.values());
  mark(state, hits.values(), `${event.output}\n${data}`);
}

/** A file is fenced if a model, program or command wrote it after seeing fenced content. */
function fileChanged(state: State, { path, toolCallId, by }: EventOf<'file-changed'>): void {
  const tool = toolCallId === null ? undefined : state.tools.get(toolCallId);
  const hits: Hits = new Map(builtFrom(tool?.hits ?? new Map()));
  if (by === 'model') put(hits, builtFrom(state.scopes.conversation).values());
  if (by === 'recipe') put(hits, builtFrom(state.scopes.turn).values());
  hits.delete(keyOfHit({ rule: state.fences.ofPath(path)?.rule ?? '', path: plainPath(path) }));
  if (hits.size === 0) return;
  noteIn(state.paths, foldedPath(path), hits.values());
  state.traces.push({ type: 'path', path: plainPath(path), hits: [...hits.values()] });
}

function noteIn(all: Map<string, Hits>, key: string, hits: Iterable<FenceHit>): void {
  const known = all.get(key) ?? new Map<string, FenceHit>();
  put(known, hits);
  all.set(key, known);
}

/**
 * Fenced by its path, otherwise by its name. Content that comes from elsewhere or cannot be read cannot be redacted.
 */
function hitsOfAttachment(state: State, { path, fileId, name, kind }: Attachment): readonly FenceHit[] {
  const byId = fileId === undefined ? undefined : state.ids.get(fileId);
  const hits = [...hitsOfPath(state, path ?? name).values(), ...(byId?.values() ?? [])];
  const isKnown = kind === 'text' && path !== undefined;
  return isKnown ? hits : hits.map((hit) => (hit.verdict === 'redact' ? { ...hit, verdict: 'local-only' } : hit));
}

/** By every name that the path has: as it was written, what it led to, and the number of that file. */
function hitsOfPath(state: State, path: string, files: readonly FileLook[] = []): Hits {
  const hits: Hits = new Map();
  const looks = files.filter((file) => file.path === path || path.startsWith(`${file.path}/`));
  const names = looks.map((file) => `${file.real}${path.slice(file.path.length)}`);
  for (const name of new Set([path, ...names])) {
    const own = state.fences.ofPath(name);
    put(hits, state.paths.get(foldedPath(name))?.values() ?? []);
    if (own !== null) put(hits, [own]);
  }
  for (const { path: name, id } of looks) {
    if (name === path && id !== undefined) put(hits, state.ids.get(id)?.values() ?? []);
  }
  return hits;
}

function mark(state: State, hits: Iterable<FenceHit>, text: string): void {
  const [first] = [...hits].sort((left, right) => rank[right.verdict] - rank[left.verdict]);
  if (first === undefined || text === '') return;
  markAll(state, first, text);
  // Content to be redacted is known by its file. What is built from it is free.
  if (first.verdict !== 'redact') state.traces.push({ type: 'marks', hit: first, marks: [...keptMarksOf(text)] });
}

function markAll(state: State, hit: FenceHit, text: string): void {
  for (const one of marksOf(text)) if (!state.marks.has(one)) state.marks.set(one, hit);
  if (hit.verdict === 'redact') markLines(state, hit, text);
}

function markLines(state: State, hit: FenceHit, text: string): void {
  for (const one of lineMarksOf(text)) if (!state.marks.has(one)) state.marks.set(one, hit);
}

const rank = { redact: 0, ask: 1, 'local-only': 2 } as const;

/** Content to be redacted is removed wherever a copy appears, so things built from it are free. */
function builtFrom(hits: Hits): Hits {
  const built: Hits = new Map();
  for (const [key, hit] of hits) if (hit.verdict !== 'redact') built.set(key, { ...hit, how: 'built-from' });
  return built;
}

/** Shorter texts are too common, and a path is no content. */
const shortestWhole = 8;

function keepWholes(state: State, hit: FenceHit, texts: readonly string[]): void {
  for (const text of texts) if (text.length >= shortestWhole && text !== hit.path) state.wholes.set(text, hit);
}
