import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { FenceHit, Fences } from './fences.ts';
import { keyOfHit, plainPath } from './fences.ts';
import { createSessionAnswers, isGranted } from './session-answers.ts';
import type { SessionAnswers } from './session-answers.ts';
import { decodedIn, lineMarksOf, marksOf, viewsOf } from './fence-text.ts';
import { hideAssigned } from './assigned-secrets.ts';
import { hideSecrets, type Mask, plainMask, secretShapes } from './secret-patterns.ts';
import { isProgramStart } from '@shared/tools/program-tool.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { textsIn } from './value-texts.ts';

/**
 * What a call of the log was built from. The question of a tool server and a program that a model reviews come from the
 * conversation, too.
 */
export function scopeOfCall({ stage, purpose }: EventOf<'model-call-started'>): TaintScope {
  return stage.strategy === 'loop' || purpose === 'sample' || purpose === 'review' ? 'conversation' : 'turn';
}

/** Fenced content, each item once. */
type Hits = Map<string, FenceHit>;

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
  /** The fenced content that a call in this conversation was built from. */
  inScope(scope: TaintScope): readonly FenceHit[];
  /** The fenced content that can be recognized in a text: copies, also encoded ones, patterns and secrets. */
  inText(text: string): readonly FenceHit[];
  /**
   * The text with everything to be redacted removed. Gives the same result for the same text until something new is
   * fenced.
   */
  redact(text: string): string;
  /** Grows when something new is fenced. Then earlier results are out of date. */
  known(): number;
  /** Whether the user has allowed this to leave, in this session. */
  isAllowed(hit: FenceHit): boolean;
}

interface Tool {
  readonly name: string;
  readonly byRecipe: boolean;
  readonly hits: Hits;
}

interface State {
  readonly fences: Fences;
  readonly mask: Mask;
  readonly conversation: Hits;
  readonly turn: Hits;
  /** Files that were written after fenced content was seen. */
  readonly paths: Map<string, Hits>;
  /** Fenced files that every command of this workspace can read. */
  readonly exposed: Hits;
  /** Fenced content that child agents of this session saw. */
  readonly children: Hits;
  readonly tools: Map<string, Tool>;
  /** The fenced content in each running call. */
  readonly calls: Map<string, Hits>;
  readonly marks: Map<number, FenceHit>;
  /** Texts from a file to be redacted. They are removed as a whole, even if their lines are short. */
  readonly wholes: Map<string, FenceHit>;
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
  'search',
  'look_at_changes',
  'take_back',
  // Their content comes from a child, whose end event says what of it is fenced.
  ...agentTools,
  'web_read',
  'web_search',
  'http_request',
]);
/** Tools that return names of files and none of their content. */
const printsFileNames: ReadonlySet<string> = new Set(['list_files', 'gather_facts', 'task_complete']);
/** Actions whose output goes into the loop's conversation. */
const opensConversation: ReadonlySet<string> = new Set(['gather_facts', 'read_instructions', 'fetch_task']);

/** `mask`: what stands in place of a secret. */
export function createFenceTaint(fences: Fences, mask: Mask = plainMask): FenceTaint {
  const state: State = {
    fences,
    mask,
    conversation: new Map(),
    turn: new Map(),
    paths: new Map(),
    exposed: new Map(),
    children: new Map(),
    tools: new Map(),
    calls: new Map(),
    marks: new Map(),
    wholes: new Map(),
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
      mark(state, [hit], text);
      // A text that has only short lines is recognized by whole lines.
      if (marksOf(text).next().done === true) markLines(state, hit, text);
    },
    expose: (hit) => {
      if (hit.verdict !== 'redact') put(state.exposed, [hit]);
    },
    inScope: (scope) => [...(scope === 'conversation' ? state.conversation : state.turn).values()],
    inText: (text) => [...hitsInText(state, text, true).values()],
    redact: (text) => redactText(state, text),
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
      state.turn.clear();
      put(state.turn, state.messages.get(event.messageId)?.values() ?? []);
      return;
    case 'model-call-started':
      state.calls.set(event.callId, new Map(scopeOfCall(event) === 'conversation' ? state.conversation : state.turn));
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
      put(state.conversation, event.fenced ?? []);
      return;
    case 'criterion-checked':
      bothGet(state, new Map([...builtFrom(state.exposed), ...hitsInText(state, event.summary)]), event.summary);
      return;
    case 'recipe-progressed':
      if (event.phase === 'gave-up') put(state.conversation, builtFrom(state.turn).values());
      return;
    case 'context-compacted':
      mark(state, builtFrom(state.conversation).values(), event.summary);
      return;
    case 'turn-ended':
      // The conversation holds a recipe's final words.
      put(state.conversation, builtFrom(state.turn).values());
      mark(state, builtFrom(state.conversation).values(), event.text);
      return;
    default:
  }
}

function isAllowed({ answers }: State, key: string): boolean {
  return answers.all().some((one) => isGranted(one) && one.fenced.some((hit) => keyOfHit(hit) === key));
}

function bothGet(state: State, hits: Hits, text: string): void {
  put(state.conversation, hits.values());
  put(state.turn, hits.values());
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
  for (const path of pathsIn(event.input)) put(hits, hitsOfPath(state, path).values());
  for (const hit of hits.values()) if (hit.verdict === 'redact') keepWholes(state, hit, textsIn(event.input));
  const isElsewhere = event.foreign?.readsFiles === false;
  // A later part of a result is built from the same content as the result. If the log has lost that result, nobody
  // knows from what.
  const source = event.tool === 'read_result' ? resultRead(state, event.input) : null;
  if (source !== null) put(hits, source.hits.values());
  const isOpen = source === null && !isElsewhere && !namesItsFiles.has(event.tool) && !printsFileNames.has(event.tool);
  if (isOpen) put(hits, builtFrom(state.exposed).values());
  // A program may pass on what it reads before it ends.
  if (isProgramStart(event)) bothGet(state, hits, '');
  if (isAgentTool(event.tool)) put(hits, state.children.values());
  return { name: event.tool, byRecipe: event.by === 'recipe', hits };
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
  const isFinding = event.tool === 'search' || event.tool === 'look_at_changes';
  if (event.dataBlob !== null && isFinding) put(hits, builtFrom(state.exposed).values());
  if (isFinding) for (const path of pathsFound(event)) put(hits, hitsOfPath(state, path).values());
  put(hits, hitsInText(state, event.output).values());
  put(hits, hitsInText(state, data).values());
  if (hits.size === 0) return;
  for (const hit of hits.values())
    if (hit.verdict === 'redact' && hit.path !== null) keepWholes(state, hit, [event.output]);
  put(state.turn, hits.values());
  if (tool?.byRecipe !== true || opensConversation.has(event.tool)) put(state.conversation, hits.values());
  mark(state, hits.values(), `${event.output}\n${data}`);
}

/** A file is fenced if a model, program or command wrote it after seeing fenced content. */
function fileChanged(state: State, { path, toolCallId, by }: EventOf<'file-changed'>): void {
  const tool = toolCallId === null ? undefined : state.tools.get(toolCallId);
  const hits: Hits = new Map(builtFrom(tool?.hits ?? new Map()));
  if (by === 'model') put(hits, builtFrom(state.conversation).values());
  if (by === 'recipe') put(hits, builtFrom(state.turn).values());
  hits.delete(keyOfHit({ rule: state.fences.ofPath(path)?.rule ?? '', path: plainPath(path) }));
  if (hits.size === 0) return;
  const known = state.paths.get(plainPath(path)) ?? new Map<string, FenceHit>();
  put(known, hits.values());
  state.paths.set(plainPath(path), known);
}

/**
 * Fenced by its path, otherwise by its name. Content that comes from elsewhere or cannot be read cannot be redacted.
 */
function hitsOfAttachment(state: State, { path, name, kind }: Attachment): readonly FenceHit[] {
  const hits = [...hitsOfPath(state, path ?? name).values()];
  const isKnown = kind === 'text' && path !== undefined;
  return isKnown ? hits : hits.map((hit) => (hit.verdict === 'redact' ? { ...hit, verdict: 'local-only' } : hit));
}

function hitsOfPath(state: State, path: string): Hits {
  const own = state.fences.ofPath(path);
  const hits: Hits = new Map(state.paths.get(plainPath(path)) ?? []);
  if (own !== null) put(hits, [own]);
  return hits;
}

function hitsInText(state: State, text: string, withSecrets = false): Hits {
  const hits: Hits = new Map();
  const { patterns, secrets } = state.fences;
  for (const [whole, hit] of state.wholes) if (text.includes(whole)) put(hits, [hit]);
  if (text === '' || (patterns.length === 0 && state.marks.size === 0 && secrets === 'off')) return hits;
  for (const view of viewsOf(text)) {
    for (const { pattern, hit } of patterns) if (view.search(pattern) >= 0) put(hits, [hit]);
    if (secrets === 'local-only' || (withSecrets && secrets !== 'off')) put(hits, secretHits(view, secrets));
    if (state.marks.size === 0) continue;
    for (const marks of [marksOf(view), lineMarksOf(view)]) {
      for (const one of marks) {
        const hit = state.marks.get(one);
        if (hit !== undefined) put(hits, [hit]);
      }
    }
  }
  return hits;
}

function secretHits(text: string, verdict: 'redact' | 'local-only'): readonly FenceHit[] {
  const plain = hideSecrets(text, secretShapes);
  return [...new Set([...plain.kinds, ...hideAssigned(plain.text).kinds])].map((rule) => ({
    rule,
    verdict,
    path: null,
    how: 'content',
  }));
}

function mark(state: State, hits: Iterable<FenceHit>, text: string): void {
  const [first] = [...hits].sort((left, right) => rank[right.verdict] - rank[left.verdict]);
  if (first === undefined || text === '') return;
  for (const one of marksOf(text)) if (!state.marks.has(one)) state.marks.set(one, first);
  if (first.verdict === 'redact') markLines(state, first, text);
}

function markLines(state: State, hit: FenceHit, text: string): void {
  for (const one of lineMarksOf(text)) if (!state.marks.has(one)) state.marks.set(one, hit);
}

const rank = { redact: 0, ask: 1, 'local-only': 2 } as const;

function put(into: Hits, hits: Iterable<FenceHit>): void {
  for (const hit of hits) {
    const key = keyOfHit(hit);
    if (!into.has(key)) into.set(key, hit);
  }
}

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

function redactWholes(state: State, input: string): string {
  let text = input;
  for (const [whole, hit] of state.wholes) {
    const label = `[fenced: ${hit.path ?? hit.rule}]`;
    if (text.includes(whole)) text = text.replaceAll(whole, label);
    // An older result that was shortened to save room.
    const [head, tail] = text.split(/\n\[… \d+ bytes left out here …\]\n/u);
    if (head && tail && whole.startsWith(head) && whole.endsWith(tail)) text = label;
  }
  return text;
}

function redactText(state: State, input: string): string {
  const { patterns, secrets } = state.fences;
  let text = redactWholes(state, input);
  if (secrets === 'redact') text = hideAssigned(hideSecrets(text, secretShapes, state.mask).text, state.mask).text;
  for (const { pattern, hit } of patterns) if (hit.verdict === 'redact') text = text.replace(pattern, '[fenced]');
  text = redactRuns(state, text);
  if (state.marks.size === 0) return text;
  return text
    .split('\n')
    .map((line) => markedBy(state, line) ?? line)
    .join('\n');
}

/** Removes encoded parts as a whole if they hold something to be redacted. */
function redactRuns(state: State, input: string): string {
  let text = input;
  for (const { from, to, text: inner } of [...decodedIn(input)].reverse()) {
    const isFenced = [...hitsInText(state, inner, true).values()].some(({ verdict }) => verdict === 'redact');
    if (isFenced) text = `${text.slice(0, from)}[fenced]${text.slice(to)}`;
  }
  return text;
}

function markedBy(state: State, line: string): string | null {
  for (const one of [...marksOf(line), ...lineMarksOf(line)]) {
    const hit = state.marks.get(one);
    if (hit?.verdict === 'redact') return `[fenced: ${hit.path ?? hit.rule}]`;
  }
  return null;
}

/** The paths in an input: its path fields, the headers of a patch, the words of a command. */
function* pathsIn(input: unknown): Generator<string> {
  if (typeof input !== 'object' || input === null) return;
  for (const [key, value] of Object.entries(input)) {
    if (typeof value === 'string') {
      if (key === 'path' || key === 'cwd') yield value;
      if (key === 'patch')
        for (const [, head = ''] of value.matchAll(/^(?:---|\+\+\+|\*\*\*)([^\n]*)/gmu)) {
          const path = /(?<![^\s:])[^\s:]+$/u.exec(head.trimEnd())?.[0];
          if (path !== undefined) yield path.replace(/^[ab]\//, '');
        }
      if (key === 'command' || key === 'selector') yield* value.match(/[^\s'"`;|&<>()=:,]+/gu) ?? [];
    }
    if (Array.isArray(value)) for (const item of value) if (typeof item === 'object') yield* pathsIn(item);
  }
}

/** The paths in which something was found: from a search's data and lines, or from the headers of a diff. */
function* pathsFound({ output, data }: EventOf<'tool-ended'>): Generator<string> {
  const matches: unknown = fieldOf(data, 'matches');
  if (Array.isArray(matches)) for (const item of matches) yield* pathsIn(item);
  const diff: unknown = fieldOf(data, 'diff');
  if (typeof diff === 'string') yield* pathsIn({ patch: diff });
  for (const match of output.matchAll(/^(.+?):\d+: /gmu)) if (match[1] !== undefined) yield match[1];
}
