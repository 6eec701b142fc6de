import type { ParsedCall } from '../../tools/parsed-call.ts';
import { textOf, type ToolCallPart } from '@shared/models/model-messages.ts';
import type { Tool } from '../../tools/define.ts';
import { callToolName, findToolName } from '../../tools/connected/find-tools.ts';
import { outsideProject } from '../../tools/values/tool-path-input.ts';
import { extractCalls } from './extract-calls.ts';
import { callsInOtherFormats } from './other-formats.ts';
import { unlisted } from '../prompt/tool-descriptions.ts';
import { fitInput, isClosedJson, readJson, type ReadJson } from './read-arguments.ts';
import type { CallError, ParseCalls, ParsedCalls } from './call-types.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { isRecord } from '@shared/unknown-value.ts';

/**
 * Reads the calls of an answer. Native calls are parts; the other styles write calls into the text. If a native answer
 * has no call as a part, its text is read too, because many local models leak calls that way.
 */
export const parseCalls: ParseCalls = (parts, style, tools): ParsedCalls => {
  const native = parts.filter((part): part is ToolCallPart => part.type === 'tool-call');
  const results =
    native.length > 0
      ? native.map((part) => readNative(part, tools))
      : readText(textOf({ parts }), style === 'text', tools);
  return {
    calls: results.flatMap((result) => (result.ok ? [result.call] : [])),
    errors: results.flatMap((result) => (result.ok ? [] : [result.error])),
  };
};

type Outcome = { readonly ok: true; readonly call: ParsedCall } | { readonly ok: false; readonly error: CallError };

interface Named {
  readonly id: string | null;
  readonly name: string;
  readonly input: unknown;
  readonly raw: string;
  readonly repairs: readonly string[];
}

function readNative(part: ToolCallPart, tools: readonly Tool[]): Outcome {
  const raw = part.raw ?? JSON.stringify(part.input ?? null);
  if (isRecord(part.input)) return toCall({ id: part.id, name: part.name, input: part.input, raw, repairs: [] }, tools);
  if (!isClosedJson(raw)) return cut(raw, part);
  const read = readInner(readJson(raw));
  // Servers send "null" or "" for a call whose arguments they could not read.
  if (!read.ok || !isRecord(read.value)) return badJson(raw, part, tools);
  return toCall({ id: part.id, name: part.name, input: read.value, raw, repairs: read.repairs }, tools);
}

/** Some services send the arguments as a text that holds JSON. */
function readInner(read: ReadJson): ReadJson {
  return read.ok && typeof read.value === 'string' && isClosedJson(read.value) ? readJson(read.value) : read;
}

function readText(text: string, isExpected: boolean, tools: readonly Tool[]): readonly Outcome[] {
  const own = extractCalls(text);
  return (own.length > 0 ? own : callsInOtherFormats(text)).flatMap((raw) => {
    if (raw.isUnread === true) return [badJson(raw.text, null, tools)];
    if (!raw.whole) return isExpected || mentionsTool(raw.text, tools) ? [cut(raw.text, null)] : [];
    const read = readJson(raw.text);
    if (!read.ok) return [badJson(raw.text, null, tools)];
    const named = readEnvelope(read.value, raw.text, read.repairs);
    if (named === null) return isExpected ? [badJson(raw.text, null, tools)] : [];
    return [toCall(named, tools)];
  });
}

function mentionsTool(text: string, tools: readonly Tool[]): boolean {
  return tools.some((tool) => text.includes(tool.name));
}

const nameKeys = ['tool', 'name', 'tool_name', 'action', 'function'] as const;
const inputKeys = ['input', 'arguments', 'args', 'parameters', 'params', 'action_input', 'tool_input'] as const;

/**
 * Reads name and input from the shapes that models write: `{tool, input}`, `{name, arguments}`, `{function: {…}}`,
 * flat.
 */
function readEnvelope(value: unknown, raw: string, repairs: readonly string[]): Named | null {
  if (!isRecord(value)) return null;
  if (isRecord(value.function)) return readEnvelope(value.function, raw, repairs);
  if (isRecord(value.tool_call)) return readEnvelope(value.tool_call, raw, repairs);
  const nameKey = nameKeys.find((key) => typeof value[key] === 'string');
  if (nameKey === undefined) return null;
  const name = String(value[nameKey]);
  const inputKey = inputKeys.find((key) => value[key] !== undefined);
  if (inputKey === undefined) {
    const { [nameKey]: _name, ...rest } = value;
    return { id: null, name, input: rest, raw, repairs: [...repairs, 'the arguments stood beside the name'] };
  }
  const inner = value[inputKey];
  if (typeof inner !== 'string') return { id: null, name, input: inner, raw, repairs };
  const read = readJson(inner);
  return {
    id: null,
    name,
    input: read.ok ? read.value : inner,
    raw,
    repairs: read.ok ? [...repairs, ...read.repairs] : repairs,
  };
}

function toCall(named: Named, tools: readonly Tool[]): Outcome {
  const tool =
    tools.find((candidate) => candidate.name === named.name) ??
    tools.find((candidate) => candidate.connected === undefined && sameName(candidate.name, named.name)) ??
    onlyConnected(named.name, tools);
  if (tool?.name === callToolName) return toFoundCall(named, tools);
  if (tool === undefined) {
    const told = tools.filter((candidate) => candidate.isHidden !== true && !unlisted.includes(candidate.name));
    const more = tools.every((candidate) => candidate.isHidden !== true)
      ? ''
      : ` Others are found with ${findToolName}.`;
    const message = `There is no tool "${shortenText(named.name, 100)}". The tools are: ${told.map(({ name }) => name).join(', ')}.${more}`;
    return { ok: false, error: { kind: 'unknown-tool', id: named.id, name: named.name, raw: named.raw, message } };
  }
  const fitted = fitInput(named.input, tool.input);
  if (!fitted.ok) {
    const message = `The arguments of ${tool.name} are not right: ${fitted.problem}.`;
    const kind = fitted.problem.includes(outsideProject) ? 'outside-project' : 'bad-arguments';
    return { ok: false, error: { kind, id: named.id, name: tool.name, raw: named.raw, message } };
  }
  const spelled = tool.name === named.name ? [] : [`"${named.name}" was read as "${tool.name}"`];
  return {
    ok: true,
    call: {
      id: named.id,
      tool: tool.as?.(fitted.input) ?? tool,
      input: fitted.input,
      repairs: [...named.repairs, ...spelled, ...fitted.repairs],
      corrections: fitted.corrections,
      ...(wantsNetwork(named.input) ? { wantsNetwork: true } : {}),
    },
  };
}

/** Whether a call asks for network access the way other programs do. It names no hosts, so `askNetwork` finds them. */
function wantsNetwork(input: unknown): boolean {
  return isRecord(input) && (input.network_enabled === true || input.network_enabled === 'true');
}

/**
 * Turns a call through the finder into a call of the found tool, so that approval, fences and the log treat it as that
 * tool.
 */
function toFoundCall(named: Named, tools: readonly Tool[]): Outcome {
  const inner = readEnvelope(named.input, named.raw, named.repairs);
  if (inner !== null && inner.name !== callToolName) return toCall({ ...inner, id: named.id }, tools);
  const example = '{"tool": "NAME", "arguments": {…}}';
  const message = `The arguments of ${callToolName} are not right: they have to be ${example}, with a name that ${findToolName} found.`;
  return { ok: false, error: { kind: 'bad-arguments', id: named.id, name: named.name, raw: named.raw, message } };
}

/**
 * A tool whose name differs only in case and hyphens, if there is exactly one: names of connected tools are often
 * similar.
 */
function onlyConnected(name: string, tools: readonly Tool[]): Tool | undefined {
  const plain = (one: string): string => one.toLowerCase().replaceAll('-', '_');
  const [first, ...others] = tools.filter((tool) => tool.connected !== undefined && plain(tool.name) === plain(name));
  return others.length === 0 ? first : undefined;
}

/** Some models write the name of a namespace before that of the tool. */
function sameName(left: string, right: string): boolean {
  const plain = (name: string): string =>
    name
      .toLowerCase()
      .replace(/^(?:functions|default_api|tools?)[.:]/u, '')
      .replaceAll(/[^a-z]/gu, '');
  return plain(left) === plain(right);
}

type CallPart = Pick<ToolCallPart, 'id' | 'name'>;

function cut(raw: string, part: CallPart | null): Outcome {
  const message = 'The call broke off before its end, so nothing was run. Write it again, whole and shorter.';
  return { ok: false, error: { kind: 'cut', ...idOf(part), raw, message } };
}

function badJson(raw: string, part: CallPart | null, tools: readonly Tool[]): Outcome {
  const example = JSON.stringify({ tool: part?.name ?? tools[0]?.name ?? 'read_file', input: {} }).replace('{}', '{…}');
  const message = `The call could not be read as JSON, so nothing was run. Write it like this: ${example}`;
  return { ok: false, error: { kind: 'bad-json', ...idOf(part), raw, message } };
}

function idOf(part: CallPart | null): Pick<CallError, 'id' | 'name'> {
  return { id: part?.id ?? null, name: part?.name ?? null };
}
