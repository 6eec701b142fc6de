import type { RoleQuestion } from '../step/ask-by-role.ts';
import type { StepReply } from '../step/run-step.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { imageTokens } from '../../models/providers/call/image-tokens.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { buildRequest, renderEntries } from './build-prompt.ts';
import type { PromptShape } from './build-prompt.ts';
import { shortenResult } from './shorten-output.ts';
import type { CallEntry, Entry } from '../../recipes/conversation-entries.ts';
import { useSkillName } from '../../tools/skills/skill-catalog.ts';
import { withoutSkills } from './loaded-skills.ts';
import { promptTexts } from './prompt-texts.ts';
import { fullShare, maxOutputTokens, promptRoom } from '@shared/models/prompt-room.ts';
import { noteAnswers, resultTokensOf, shareResults, smallestShareTokens } from './fit-answers.ts';
import { promptBytes } from './token-estimate.ts';
import type { Turn } from '../turn/turn.ts';

/** The part of a turn that making room needs. */
type RoomTurn = Pick<Turn, 'prompt' | 'limits' | 'log'>;

/** The model that `makeRoom` makes room for, and the form of its prompt. */
export interface RoomSubject {
  readonly info: ModelInfo;
  readonly shape: PromptShape;
  readonly request: () => ModelRequest;
  /** Asks for a summary; by default the stage's own model. */
  readonly ask: (question: Omit<RoleQuestion, 'own'>) => Promise<StepReply>;
}

const AFTER_TRIM = 0.7;
/** The results of this many last answers stay whole. */
const FRESH_ANSWERS = 2;
const TRIMMED_TOKENS = 120;

/**
 * The next request, with its prompt fitted into the context: first older results are shortened, then everything before
 * the last answers is replaced by a summary. Both are events; nothing is cut silently. Null: nothing is left to remove.
 */
export async function makeRoom(turn: RoomTurn, subject: RoomSubject, isForced: boolean): Promise<ModelRequest | null> {
  const room = promptRoom(subject.info);
  const asItIs = subject.request();
  const before = sizeOf(turn, asItIs);
  if (!isForced && before <= room * fullShare) return asItIs;
  await trimResults(turn, subject, before - room * AFTER_TRIM);
  const trimmed = subject.request();
  const left = sizeOf(turn, trimmed);
  if (!isForced && left <= room * fullShare) return trimmed;
  if (!isForced) {
    const fitted = await withoutSummary(turn, subject, { room, left });
    if (fitted !== null) return fitted;
  }
  await compact(turn, subject, { room, beforeTokens: left });
  const compacted = subject.request();
  const after = sizeOf(turn, compacted);
  if (after > room) return fitAll(turn, subject, room);
  return after <= room || after < left ? compacted : null;
}

interface Room {
  readonly room: number;
  /** The tokens of the prompt now. */
  readonly left: number;
}

/** Fits the prompt without losing what was said: old arguments become notes, and results get a fair share. */
async function withoutSummary(
  turn: RoomTurn,
  subject: RoomSubject,
  { room, left }: Room,
): Promise<ModelRequest | null> {
  const fits = (): boolean => sizeOf(turn, subject.request()) <= room * fullShare;
  const answers = turn.prompt.conversation.entries().filter((entry) => entry.type === 'assistant');
  await noteAnswers(turn, answers.slice(0, -1), left - room * AFTER_TRIM);
  if (fits()) return subject.request();
  const now = sizeOf(turn, subject.request());
  // If the rest alone is large, a summary saves more.
  if (now - resultTokensOf(turn.prompt) > room / 2) return null;
  await shareResults(turn, now - room * AFTER_TRIM);
  return fits() ? subject.request() : null;
}

/** Null: even with everything cut that can be, it does not fit. */
async function fitAll(turn: RoomTurn, subject: RoomSubject, room: number): Promise<ModelRequest | null> {
  await shareResults(turn, sizeOf(turn, subject.request()) - room * AFTER_TRIM);
  const shared = subject.request();
  if (sizeOf(turn, shared) <= room) return shared;
  await noteAnswers(turn, turn.prompt.conversation.entries(), Infinity);
  const noted = subject.request();
  const now = sizeOf(turn, noted);
  if (now <= room) return noted;
  // Many results are large together, although each is small.
  await shareResults(turn, now - room * AFTER_TRIM, smallestShareTokens);
  const small = subject.request();
  return sizeOf(turn, small) <= room ? small : null;
}

function sizeOf(turn: Pick<Turn, 'prompt'>, request: ModelRequest): number {
  return turn.prompt.tokens.countBytes(promptBytes(request));
}

/** Shortens the oldest results first, until about `surplus` tokens are saved. */
async function trimResults(turn: RoomTurn, subject: RoomSubject, surplus: number): Promise<void> {
  const answers = turn.prompt.conversation.entries().filter((entry) => entry.type === 'assistant');
  let saved = 0;
  const needed = new Set(
    answers.slice(-FRESH_ANSWERS).flatMap(({ calls }) => calls.map(({ result }) => result?.above?.toolCallId)),
  );
  for (const call of answers.slice(0, -FRESH_ANSWERS).flatMap((entry) => entry.calls)) {
    if (saved >= surplus) return;
    // A fresh answer points to it, and would show it again.
    if (needed.has(call.toolCallId) || call.tool === useSkillName) continue;
    const { keepTokens = null } = call.result ?? {};
    const before = call.result === null ? 0 : (keepTokens ?? resultTokens(turn, subject, call.result));
    if (before <= TRIMMED_TOKENS * 2) continue;
    saved += before - TRIMMED_TOKENS;
    await turn.log.append({
      type: 'observation-trimmed',
      toolCallId: call.toolCallId,
      beforeTokens: before,
      afterTokens: TRIMMED_TOKENS,
    });
  }
}

function resultTokens(
  { prompt: { tokens } }: RoomTurn,
  { info, shape }: RoomSubject,
  { text, pictures = [] }: NonNullable<CallEntry['result']>,
): number {
  const images = pictures.flatMap(({ attachment }) => (attachment.kind === 'image' ? [attachment] : []));
  return (shape.seesImages ? images : []).reduce(
    (sum, image) => sum + imageTokens(image, info.name, info.imageTokens),
    tokens.count(text),
  );
}

async function compact(
  turn: RoomTurn,
  subject: RoomSubject,
  { room, beforeTokens }: { readonly room: number; readonly beforeTokens: number },
): Promise<void> {
  const entries = turn.prompt.conversation.entries();
  const cut = cutPoint(entries);
  const last = entries[cut - 1];
  if (cut < 2 || last === undefined) return;
  const old = entries.slice(0, cut);
  const text = (await summarize(subject, old, room)) ?? mechanicalSummary(old);
  const summary = [firstTask(old, room, [...turn.prompt.conversation.skills().texts.keys()]), text, imagesLeft(old)]
    .filter((piece) => piece !== '')
    .join('\n\n');
  await turn.log.append({
    type: 'context-compacted',
    summary,
    replacesUpToSeq: last.seq,
    beforeTokens,
    afterTokens: Math.max(0, beforeTokens - tokensOf(turn, subject, old) + turn.prompt.tokens.count(summary)),
  });
  // What is summed up may be read again, and that is no model going in circles.
  turn.limits.forgetCalls();
}

/** Keeps the last answers as they are. Cutting right after an answer keeps its results with it. */
function cutPoint(entries: readonly Entry[]): number {
  let answers = 0;
  for (let at = entries.length - 1; at > 0; at -= 1) {
    if (entries[at]?.type === 'assistant') answers += 1;
    if (answers === FRESH_ANSWERS) return at;
  }
  return Math.max(0, entries.length - 1);
}

function tokensOf(turn: Pick<Turn, 'prompt'>, { shape }: RoomSubject, entries: readonly Entry[]): number {
  const bytes = renderEntries(entries, { ...shape, style: 'text' }).reduce(
    (sum, message) => sum + messageBytes(message),
    0,
  );
  return turn.prompt.tokens.countBytes(bytes);
}

function messageBytes(message: Message): number {
  return message.parts.reduce(
    (sum: number, part: Part) => sum + (part.type === 'text' ? Buffer.byteLength(part.text) : 0),
    0,
  );
}

/** Names the images that the summary no longer shows. */
function imagesLeft(entries: readonly Entry[]): string {
  const names = entries
    .flatMap((entry) =>
      entry.type === 'user' ? (entry.attached ?? []) : entry.calls.flatMap(({ result }) => result?.pictures ?? []),
    )
    .flatMap(({ attachment: { kind, name } }) => (kind === 'image' ? [name] : []));
  return names.length === 0 ? '' : `Images that were shown before and are not shown any more: ${names.join(', ')}.`;
}

/** Keeps the task in its own words in every summary. */
function firstTask(entries: readonly Entry[], room: number, skills: readonly string[]): string {
  const first = entries.find((entry) => entry.type === 'user');
  if (first === undefined) return '';
  return shortenResult(withoutSkills(first.text, skills), Math.floor(room / 4));
}

async function summarize(subject: RoomSubject, entries: readonly Entry[], room: number): Promise<string | null> {
  const transcript = renderEntries(entries, { ...subject.shape, style: 'text' })
    .map((message) => `${message.role}: ${textOf(message)}`)
    .join('\n\n');
  const reply = await subject.ask({
    purpose: 'summarize',
    reason: {
      code: 'same-model',
      text: 'The conversation no longer fits the context, so the same model summarizes it.',
    },
    request: ({ info }) => ({
      ...buildRequest(subject.shape, [], info, { seed: 0, temperature: 0, cacheKey: 'summary' }),
      messages: [
        textMessage('system', promptTexts.summarize),
        textMessage('user', shortenResult(transcript, Math.floor(room * 0.6))),
      ],
      tools: [],
      output: { type: 'text' },
      stop: [],
      maxOutputTokens: Math.min(600, maxOutputTokens(info)),
    }),
  });
  if (reply.type !== 'answered') return null;
  const text = textOf(reply).trim();
  return text === '' ? null : text;
}

/** A summary made without a model: the calls and how each ended, one per line. */
function mechanicalSummary(entries: readonly Entry[]): string {
  const calls = entries.flatMap((entry) => (entry.type === 'assistant' ? entry.calls : []));
  const lines = calls.slice(-40).map(callLine);
  const left = calls.length - lines.length;
  return [...(left > 0 ? [`${left} earlier calls are left out.`] : []), ...lines].join('\n');
}

function callLine(call: CallEntry): string {
  const input = JSON.stringify(call.input) ?? '';
  const result = call.result === null ? 'not run' : (call.result.text.split('\n')[0] ?? '').slice(0, 160);
  return `${call.tool} ${input.slice(0, 160)} -> ${result}`;
}
