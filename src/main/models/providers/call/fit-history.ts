import { unseenImage } from '../unseen-image.ts';
import type { Message, Part, ReasoningPart, ToolCallPart } from '@shared/models/model-messages.ts';
import { sha256Of } from '../../../lib/sha256.ts';

/** An unpaired surrogate: JSON can carry it, but no service accepts it. Replacing it keeps the length. */
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** A text that every service accepts: half characters and null bytes become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD').replaceAll('\0', '\uFFFD');
}

/** Does the same for every string and key inside a value. */
export function wellFormedValue(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedValue);
  if (typeof value === 'object' && value !== null) return wellFormedObject(value);
  return value;
}

export function wellFormedObject(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormed(key), wellFormedValue(inner)]));
}

/** A history in the strict form that every service takes; see `fitHistory`. */
export interface FittedHistory {
  /** Empty if there is none. */
  readonly system: string;
  readonly turns: readonly FittedTurn[];
}

export type FittedTurn = UserTurn | AssistantTurn;

export interface UserTurn {
  readonly role: 'user';
  /** At least one. No text is blank. */
  readonly parts: readonly UserPart[];
}

export type UserPart = Extract<Part, { type: 'text' | 'image' }>;

export interface AssistantTurn {
  readonly role: 'assistant';
  /** At least one text or call. No text is blank, and calls come last. */
  readonly parts: readonly (Extract<Part, { type: 'text' }> | ReasoningPart | FittedCall)[];
  /** One for each call, in the same order. */
  readonly results: readonly FittedResult[];
}

export interface FittedCall {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Only from this very model. */
  readonly state: string | null;
}

export interface FittedResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What a service requires of a history beyond what all services require. */
export interface HistoryRules {
  /** `KIND/MODEL`. Only this model's reasoning and signatures are sent back. */
  readonly by: string;
  readonly images: boolean;
  readonly callId: { readonly pattern: RegExp; readonly length: number };
  /** The service refuses a user message right after tool results. */
  readonly answersResults?: boolean;
}

const NOT_RUN = '(This call was not run.)';
const NO_OUTPUT = '(no output)';

/**
 * Makes a history of any origin valid for one service without losing messages. Reasoning of other models is dropped.
 * Call ids that do not fit or occur twice are renamed. Every call gets exactly one result, right after its turn.
 * Turns alternate, and begin and end with the user (or with results). An unchanged beginning stays unchanged in the
 * output, so that the service's prompt cache stays valid while the history grows.
 */
export function fitHistory(messages: readonly Message[], rules: HistoryRules): FittedHistory {
  const fold: Fold = { rules, system: [], turns: [], ids: new Map(), takenIds: new Set() };
  for (const message of messages) addMessage(fold, message);
  const turns = fold.turns.map(close).filter((turn) => turn !== null);
  return { system: fold.system.join('\n\n'), turns: alternate(turns, rules) };
}

interface OpenTurn {
  readonly role: 'assistant';
  readonly said: (Extract<Part, { type: 'text' }> | ReasoningPart)[];
  readonly calls: { readonly call: FittedCall; readonly originalId: string; result: FittedResult | null }[];
}

interface Fold {
  readonly rules: HistoryRules;
  readonly system: string[];
  readonly turns: ({ readonly role: 'user'; readonly parts: UserPart[] } | OpenTurn)[];
  /** How often each original id has occurred. */
  readonly ids: Map<string, number>;
  readonly takenIds: Set<string>;
}

function addMessage(fold: Fold, message: Message): void {
  for (const part of message.parts) {
    switch (part.type) {
      case 'text':
        addText(fold, message.role, wellFormed(part.text));
        break;
      case 'image':
        addUserPart(fold, fold.rules.images ? part : { type: 'text', text: unseenImage(part.name) });
        break;
      case 'reasoning':
        if (part.by === fold.rules.by) assistantTurn(fold).said.push({ ...part, text: wellFormed(part.text) });
        break;
      case 'tool-call':
        addCall(fold, part);
        break;
      case 'tool-result':
        addResult(fold, part);
        break;
      default:
        part satisfies never;
    }
  }
}

function addText(fold: Fold, role: Message['role'], text: string): void {
  if (text.trim() === '') return;
  if (role === 'assistant') {
    const turn = assistantTurn(fold);
    const last = turn.said.at(-1);
    if (last?.type === 'text') turn.said[turn.said.length - 1] = { type: 'text', text: last.text + text };
    else turn.said.push({ type: 'text', text });
    return;
  }
  // Only an opening system message becomes the service's system text. A later one would change the whole prefix.
  if (role === 'system' && fold.turns.length === 0) fold.system.push(text);
  else addUserPart(fold, { type: 'text', text });
}

function addUserPart(fold: Fold, part: UserPart): void {
  const last = fold.turns.at(-1);
  if (last?.role === 'user') last.parts.push(part);
  else fold.turns.push({ role: 'user', parts: [part] });
}

/** The assistant turn to add to. A turn whose calls have results is complete, so a new one begins. */
function assistantTurn(fold: Fold): OpenTurn {
  const last = fold.turns.at(-1);
  if (last?.role === 'assistant' && last.calls.every((entry) => entry.result === null)) return last;
  const turn: OpenTurn = { role: 'assistant', said: [], calls: [] };
  fold.turns.push(turn);
  return turn;
}

function addCall(fold: Fold, part: ToolCallPart): void {
  const turn = assistantTurn(fold);
  const call: FittedCall = {
    type: 'tool-call',
    id: newId(fold, part.id),
    name: fitName(part.name),
    input: fitInput(part.input),
    state: part.by === fold.rules.by ? (part.state ?? null) : null,
  };
  turn.calls.push({ call, originalId: part.id, result: null });
}

function addResult(fold: Fold, part: Extract<Part, { type: 'tool-result' }>): void {
  const text = wellFormed(part.text);
  const turn = fold.turns.findLast((entry) => entry.role === 'assistant');
  const waiting = turn?.role === 'assistant' ? turn.calls.filter((entry) => entry.result === null) : [];
  const entry = waiting.find(({ originalId }) => originalId === part.id);
  if (entry === undefined) {
    // A result whose call is missing (it was compacted away, or already answered) is kept as text.
    addUserPart(fold, { type: 'text', text: `Result of ${fitName(part.name)}:\n${text}` });
    return;
  }
  const { id, name } = entry.call;
  entry.result = { id, name, text: text.trim() === '' ? NO_OUTPUT : text, isError: part.isError };
}

function newId(fold: Fold, original: string): string {
  const { pattern, length } = fold.rules.callId;
  const seen = fold.ids.get(original) ?? 0;
  fold.ids.set(original, seen + 1);
  let id = seen === 0 && pattern.test(original) ? original : '';
  for (let attempt = 0; id === '' || fold.takenIds.has(id); attempt += 1) {
    const digest = sha256Of(JSON.stringify([original, seen, attempt]));
    id = digest.slice(0, Math.min(length, 24));
  }
  fold.takenIds.add(id);
  return id;
}

function fitName(name: string): string {
  const fitted = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 63);
  return /^[a-zA-Z_]/.test(fitted) ? fitted : `_${fitted}`;
}

/** Parses arguments that came as text. Wraps values that are not objects. */
function fitInput(input: unknown): Record<string, unknown> {
  if (input === null || input === undefined) return {};
  if (typeof input === 'object' && !Array.isArray(input)) return wellFormedObject(input);
  if (typeof input === 'string') {
    try {
      const parsed: unknown = JSON.parse(input);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return wellFormedObject(parsed);
    } catch {
      // A text that is not JSON is kept as a value.
      return wellFormedObject({ value: input });
    }
  }
  return wellFormedObject({ value: input });
}

function close(turn: Fold['turns'][number]): FittedTurn | null {
  if (turn.role === 'user') return { role: 'user', parts: turn.parts };
  const calls = turn.calls.map((entry) => entry.call);
  if (calls.length === 0 && !turn.said.some((part) => part.type === 'text')) return null;
  const results = turn.calls.map(
    ({ call, result }) => result ?? { id: call.id, name: call.name, text: NOT_RUN, isError: true },
  );
  // Services refuse trailing reasoning, because it belongs to the content that follows it.
  const end = calls.length > 0 ? turn.said.length : turn.said.findLastIndex((part) => part.type === 'text') + 1;
  return { role: 'assistant', parts: [...turn.said.slice(0, end), ...calls], results };
}

function alternate(turns: readonly FittedTurn[], rules: HistoryRules): readonly FittedTurn[] {
  const result: FittedTurn[] = [];
  for (const turn of turns) {
    const last = result.at(-1);
    if (turn.role === 'assistant') {
      if (last === undefined) result.push(said('user', '(The conversation goes on from here.)'));
      if (last?.role === 'assistant' && last.results.length === 0) result[result.length - 1] = join(last, turn);
      else result.push(turn);
      continue;
    }
    if (last?.role === 'user') {
      result[result.length - 1] = { role: 'user', parts: [...last.parts, ...turn.parts] };
      continue;
    }
    if (rules.answersResults === true && last !== undefined && last.results.length > 0)
      result.push(said('assistant', 'I have seen the results.'));
    result.push(turn);
  }
  const last = result.at(-1);
  if (last === undefined || (last.role === 'assistant' && last.results.length === 0))
    result.push(said('user', 'Continue.'));
  return result;
}

function join(left: AssistantTurn, right: AssistantTurn): AssistantTurn {
  return { role: 'assistant', parts: [...left.parts, ...right.parts], results: right.results };
}

function said(role: 'user' | 'assistant', text: string): FittedTurn {
  const parts = [{ type: 'text' as const, text }];
  return role === 'user' ? { role, parts } : { role, parts, results: [] };
}
