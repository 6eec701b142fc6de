import type { Message, Part, ToolCallPart } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { memo } from '../../lib/memo.ts';
import type { ModelRequest, ToolSpec } from '../../models/providers/define.ts';
import type { Tool } from '../../tools/define.ts';
import { callToolName, definitionText } from '../../tools/connected/find-tools.ts';
import type { CallStyle } from '../calls/call-types.ts';
import { aboveText } from './equal-results.ts';
import { shortenResult } from './shorten-output.ts';
import type { AssistantEntry, CallEntry, Entry, UserEntry } from '../../recipes/conversation-entries.ts';
import { partsOf, roomForAttached, seenPartsOf } from './attached-parts.ts';
import { promptTexts } from './prompt-texts.ts';
import type { Turn } from '../turn/turn.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { messagesBytes, toolsBytes } from './token-estimate.ts';
import type { PromptForm } from './tool-descriptions.ts';
import { toolLines, toolsForForm, toolSpec, withFinders } from './tool-descriptions.ts';
import { isRecord } from '@shared/unknown-value.ts';

/**
 * The form of a model's prompt in the loop. It stays the same for a whole stage, so that the prefix stays the same byte
 * for byte.
 */
export interface PromptShape {
  readonly style: CallStyle;
  readonly form: PromptForm;
  readonly tools: readonly Tool[];
  /** For the provider's tools field; empty if the definitions are only in the system text. */
  readonly specs: readonly ToolSpec[];
  readonly system: string;
  /** The room for the attachments of one message, in tokens. */
  readonly roomForAttached: number;
  /**
   * What stands below the conversation instead of in the system text, so that the same talk without it is not read
   * again. Absent: nothing.
   */
  readonly below?: string;
  /** How earlier calls are shown, if not in `style`. */
  readonly earlier?: CallStyle;
  /** Whether images that tools returned are shown. The text of each result names them in any case. */
  readonly seesImages: boolean;
}

/**
 * Models up to this many billion parameters get the short form. An unknown size counts as large only with a large
 * context.
 */
const SMALL_MODEL_B = 9;

export function isSmall(info: ModelInfo): boolean {
  return info.parametersB === null ? info.contextTokens <= 8192 : info.parametersB <= SMALL_MODEL_B;
}

/** The access of tools that are offered when nothing may be changed. */
const looking: readonly Tool['access'][] = ['read', 'web', 'end'];

/** What happens when the agent tries to change a guarded file. */
const guardTexts = { asks: 'Changing one asks the user.', refuses: 'Changing one is refused here.' } as const;

export function promptShape(
  info: ModelInfo,
  tools: readonly Tool[],
  about: {
    readonly mode: TurnOptions['mode'];
    readonly canExecute: boolean;
    readonly asksPerson?: boolean;
    /** The connected tool that is called first. */
    readonly wanted?: string | null;
    /** Whether the skills of the turn leave it a tool; absent: they leave all. */
    readonly isLeft?: (tool: Tool) => boolean;
  },
): PromptShape {
  const form: PromptForm = info.driving?.promptForm ?? (isSmall(info) ? 'short' : 'full');
  const style = styleFor(info, form);
  const isPlain = form === 'short' && isForced(style);
  const readOnly = about.mode === 'plan' || !about.canExecute;
  const isAllowed = ({ access }: Tool): boolean => looking.includes(access);
  const isStrong = form === 'full' && (info.driving?.toolBudget ?? null) === null;
  const sees = info.capabilities.images === true;
  const fitting = tools.filter((tool) => (isStrong || tool.isForStrong !== true) && (sees || tool.isForSight !== true));
  const allowed = withFinders(readOnly ? fitting.filter(isAllowed) : fitting, info, about.wanted);
  const told = toolsForForm(about.isLeft === undefined ? allowed : allowed.filter(about.isLeft), form, {
    budget: info.driving?.toolBudget ?? null,
    writesWhole: info.driving?.edits === 'whole-file',
  });
  const guard = guardTexts[about.asksPerson === true ? 'asks' : 'refuses'];
  const pieces = [form === 'short' ? promptTexts.loopShort : promptTexts.loopFull.replace('{guard}', guard)];
  if (about.mode === 'plan') pieces.push(promptTexts.plan);
  else if (!about.canExecute) pieces.push(promptTexts.readOnly);
  if (style !== 'native') pieces.push(`Tools:\n${toolLines(told, form, isPlain)}`, howToCall(style, told));
  const wanted = told.find(({ name }) => name === about.wanted)?.connected;
  if (wanted !== undefined && form === 'short') pieces.push(`Call this tool first:\n${definitionText(wanted)}`);
  if (info.driving?.systemText !== undefined) pieces.push(info.driving.systemText);
  const specs = style === 'text' ? [] : told.map((tool) => toolSpec(tool, form, isPlain));
  return { style, form, tools: allowed, specs, system: pieces.join('\n\n'), ...roomOf(info) };
}

/**
 * The form of a chat. Without tools it is the shortest, and earlier calls are text. `draws`: the user asked for a
 * drawing. `wanted`: the tool that is called first, as one for models that may not choose.
 */
export function chatShape(
  info: ModelInfo,
  about: { readonly draws: boolean; readonly tools: readonly Tool[]; readonly wanted: string | null },
): PromptShape {
  const form: PromptForm = info.driving?.promptForm ?? (isSmall(info) ? 'short' : 'full');
  const usual = styleFor(info, form);
  // An answer in words must stay possible, so a call is forced only where one tool is to be called first.
  const isWordy = about.tools.length === 0 || (isForced(usual) && about.wanted === null);
  const style = isWordy ? 'text' : usual;
  const tools = withFinders(about.tools, info, about.wanted);
  const told = tools.filter(({ isHidden }) => isHidden !== true);
  const own = info.driving?.systemText;
  const aboutTools = told.length === 0 ? [] : toolPieces(told, style, form);
  // One call is forced between answers in words, which go on with the same talk.
  const isBetween = isForced(style);
  const pieces = [
    promptTexts.chat,
    ...(about.draws ? [promptTexts.chatDrawing] : []),
    ...(isBetween ? [] : aboutTools),
    ...(own === undefined ? [] : [own]),
  ];
  const specs = style === 'text' ? [] : told.map((tool) => toolSpec(tool, form, false));
  const shape = { style, form, tools, specs, system: pieces.join('\n\n'), ...roomOf(info) };
  return isBetween ? { ...shape, below: aboutTools.join('\n\n'), earlier: 'text' } : shape;
}

function toolPieces(told: readonly Tool[], style: CallStyle, form: PromptForm): readonly string[] {
  if (style === 'native') return [promptTexts.chatTools];
  const lines = told.map((tool) =>
    tool.connected === undefined ? toolLines([tool], form, false) : definitionText(tool.connected),
  );
  return [promptTexts.chatTools, `Tools:\n${lines.join('\n')}`, howToCall(style, told)];
}

function roomOf(info: ModelInfo): Pick<PromptShape, 'roomForAttached' | 'seesImages'> {
  return { roomForAttached: roomForAttached(info), seesImages: info.capabilities.images === true };
}

/**
 * Native calls if the model supports them. A small model uses a grammar instead if it can: in our trials none made a
 * readable native call, and definitions as lines are a third of their size as JSON Schema.
 */
function styleFor(info: ModelInfo, form: PromptForm): CallStyle {
  const { tools, grammar, schema = false } = info.capabilities;
  const wanted = info.driving?.calls;
  if (wanted !== undefined && { text: true, native: tools, grammar, schema }[wanted]) return wanted;
  if (form === 'short' && grammar) return 'grammar';
  if (tools) return 'native';
  return grammar ? 'grammar' : 'text';
}

/** Whether the whole answer is one call, enforced by the engine's grammar or by a schema given to the server. */
function isForced(style: CallStyle): boolean {
  return style === 'grammar' || style === 'schema';
}

function howToCall(style: CallStyle, told: readonly Tool[]): string {
  // A small model copies the example: one wrote a file named "NAME". This example contains nothing to copy.
  const has = (tool: string): boolean => told.some(({ name }) => name === tool);
  const isPlain = isForced(style) && has('list_files');
  const [first] = told;
  const other =
    has('read_file') || first === undefined
      ? '"read_file", "input": {"path": "NAME"}'
      : `"${first.name}", "input": {…}`;
  const example = isPlain ? '{"tool": "list_files", "input": {}}' : `{"tool": ${other}}`;
  if (isForced(style)) return `Answer with one call: ${example}`;
  return `To call a tool, end your answer with:\nTOOL_CALL\n${example}\nEND_TOOL_CALL`;
}

export function buildRequest(
  shape: PromptShape,
  entries: readonly Entry[],
  info: ModelInfo,
  options: { readonly seed: number | null; readonly temperature: number; readonly cacheKey: string },
): ModelRequest {
  return {
    model: info.name,
    messages: [systemMessage(shape), ...renderEntries(entries, shape)],
    tools: shape.specs,
    output: isForced(shape.style) ? { type: 'tool-calls' } : { type: 'text' },
    prefill: null,
    stop: shape.style === 'text' && shape.tools.length > 0 ? ['END_TOOL_CALL'] : [],
    temperature: Math.max(options.temperature, info.driving?.temperature ?? 0),
    topP: info.driving?.topP ?? 0.95,
    ...(info.driving?.temperature === undefined && info.driving?.topP === undefined ? {} : { isSamplingChosen: true }),
    seed: options.seed,
    maxOutputTokens: maxOutputTokens(info),
    cacheKey: options.cacheKey,
    ...(info.effort === undefined ? {} : { effort: info.effort }),
    ...(info.imageTokens === undefined ? {} : { imageTokens: info.imageTokens }),
  };
}

/** A request for one question outside the conversation, answered in words. */
export function textRequest(
  { options, dependencies }: Pick<Turn, 'options' | 'dependencies'>,
  model: string,
  asked: { readonly system: string; readonly user: string; readonly maxOutputTokens: number; readonly use: string },
): ModelRequest {
  return {
    model,
    messages: [textMessage('system', asked.system), textMessage('user', asked.user)],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: [],
    temperature: 0,
    topP: 0.95,
    seed: options.seed,
    maxOutputTokens: asked.maxOutputTokens,
    cacheKey: `${dependencies.journal.sessionId}:${asked.use}`,
  };
}

/**
 * The size in bytes of the prompt that `buildRequest` would build. Computed from its parts, because each step needs it
 * for a model that may not be chosen.
 */
export function requestBytes(
  shape: PromptShape,
  entries: readonly Entry[],
  model: Pick<ModelInfo, 'name' | 'imageTokens'>,
): number {
  const render = rendererFor(shape);
  const fixed = messagesBytes([systemMessage(shape)], model) + toolsBytes(shape.specs);
  return entries.reduce((bytes, entry) => bytes + messagesBytes(render(entry), model), fixed);
}

/** Unchanged entries give the same message objects again, so that results memoized for them stay valid. */
export function renderEntries(
  entries: readonly Entry[],
  shape: Pick<PromptShape, 'style' | 'earlier' | 'roomForAttached' | 'seesImages'>,
): Message[] {
  return entries.flatMap(rendererFor(shape));
}

function rendererFor({
  style: own,
  earlier: style = own,
  roomForAttached: room,
  seesImages,
}: Pick<PromptShape, 'style' | 'earlier' | 'roomForAttached' | 'seesImages'>): (entry: Entry) => Message[] {
  const said = userMessagesFor(room, seesImages);
  // A server that follows a schema may not know tool calls at all, so earlier answers are shown to it as it wrote them.
  const answer = style === 'schema' ? answerAsSchema : style === 'text' ? answerAsText : answerAsParts;
  return (entry) => {
    if (entry.type === 'user') return said(entry);
    return seesImages ? [...answer(entry), ...shownPictures(entry)] : answer(entry);
  };
}

const systemMessage = memo((shape: PromptShape) => textMessage('system', shape.system));
const answerAsText = memo((entry: AssistantEntry) => renderAsText(entry, (call) => `\nTOOL_CALL\n${call}\n`));
const answerAsSchema = memo((entry: AssistantEntry) => renderAsText(entry, (call) => call));
const answerAsParts = memo((entry: AssistantEntry) => renderAsParts(entry));

/** Images follow the results, because some services do not accept them inside a result. */
const shownPictures = memo((entry: AssistantEntry): Message[] =>
  entry.calls.flatMap(({ tool, result }) => {
    const pictures = result?.keepTokens === null ? (result.pictures ?? []) : [];
    if (pictures.length === 0) return [];
    const about = { type: 'text', text: `Images of the result of ${tool}:` } as const;
    return [{ role: 'user', parts: [about, ...partsOf(pictures, 0)] }];
  }),
);

/** Memoized by room and sight; the models of a session have only a few different ones. */
const userMessagesByReader = new Map<string, (entry: UserEntry) => Message[]>();

function userMessagesFor(room: number, sees: boolean): (entry: UserEntry) => Message[] {
  const key = `${room} ${sees}`;
  const known = userMessagesByReader.get(key);
  if (known !== undefined) return known;
  const made = memo((entry: UserEntry) => userMessage(entry, sees ? seenPartsOf : partsOf, room));
  userMessagesByReader.set(key, made);
  return made;
}

/** Attachments come before the words about them. */
function userMessage({ text, attached = [] }: UserEntry, parts: typeof partsOf, room: number): Message[] {
  return attached.length === 0
    ? [textMessage('user', text)]
    : [{ role: 'user', parts: [...parts(attached, room), { type: 'text', text }] }];
}

const NOT_RUN = '(This call was not run, because the work on that answer ended before it.)';

function renderAsParts(entry: AssistantEntry): Message[] {
  const native = entry.parts.filter((part): part is ToolCallPart => part.type === 'tool-call');
  if (native.length === 0) return renderAsText(entry, (call) => call);
  const waiting = [...entry.calls];
  const results = native.map((part): Message => {
    const at = matchingCall(waiting, part);
    const [call] = at === -1 ? [] : waiting.splice(at, 1);
    const result: Part = {
      type: 'tool-result',
      id: part.id,
      name: part.name,
      text: call === undefined ? NOT_RUN : resultText(call),
      isError: call?.result?.isError ?? true,
    };
    return { role: 'tool', parts: [result] };
  });
  return [{ role: 'assistant', parts: [...entry.parts] }, ...results];
}

/** By its id, else by its name. The log records a call of a found tool under that tool's own name. */
function matchingCall(calls: readonly CallEntry[], { id, name, input }: ToolCallPart): number {
  const same = calls.findIndex(({ partId }) => partId === id);
  if (same !== -1) return same;
  const inner = name === callToolName && isRecord(input) ? (input.tool ?? input.name) : null;
  return calls.findIndex(({ tool }) => tool === name || tool === inner);
}

function renderAsText(entry: AssistantEntry, frame: (call: string) => string): Message[] {
  const text = entry.parts.map((part) => partText(part, frame)).join('');
  const results = entry.calls.map((call) => `TOOL_RESULT ${call.tool} ${outcomeWord(call)}\n${resultText(call)}`);
  const said: Message[] = text === '' && results.length === 0 ? [] : [textMessage('assistant', text)];
  return results.length === 0 ? said : [...said, textMessage('user', results.join('\n\n'))];
}

/** Only for calls as text: native calls have a field for it. */
function outcomeWord({ result }: CallEntry): string {
  return result?.isError === false ? 'SUCCESS' : 'ERROR';
}

/**
 * Calls of another style keep the tool name apart from the arguments, so their raw text would not be a call in this
 * one.
 */
function partText(part: Part, frame: (call: string) => string): string {
  if (part.type === 'text') return part.text;
  if (part.type !== 'tool-call') return '';
  const { name, input, raw } = part;
  return frame(isRecord(input) ? JSON.stringify({ tool: name, input }) : (raw ?? ''));
}

/** A call's result as the model sees it. */
export function resultText(call: CallEntry): string {
  if (call.result === null) return NOT_RUN;
  const { text, keepTokens, rest, above } = call.result;
  if (above !== undefined) return aboveText(above);
  return keepTokens === null ? text : shortenResult(text, keepTokens, rest);
}
