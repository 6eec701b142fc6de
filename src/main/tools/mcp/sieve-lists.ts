import type { isSpecType, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { depthOf } from '../connected/schema-check.ts';
import { deepest } from '../servers/tool-pins.ts';

/** For each list request: the field of the answer, and the type of its items. */
const lists = {
  'tools/list': { field: 'tools', kind: 'Tool' },
  'prompts/list': { field: 'prompts', kind: 'Prompt' },
  'resources/list': { field: 'resources', kind: 'Resource' },
  'resources/templates/list': { field: 'resourceTemplates', kind: 'ResourceTemplate' },
} as const;
type ListMethod = keyof typeof lists;

const taskMethod = 'tools/call';

export interface SieveOptions {
  readonly isSpecType: typeof isSpecType;
  /** The old protocol demands more of a schema than the new one. */
  readonly isOld: () => boolean;
}

export interface ListSieve {
  /** The names or positions of the unusable tools in the latest complete list. */
  readonly unusableTools: () => readonly string[];
}

/**
 * Changes answers before the client package sees them. The package rejects a whole list for one invalid tool, and does
 * not know tasks. Must be set up before the client connects.
 */
export function sieveLists(transport: Transport, { isSpecType: is, isOld }: SieveOptions): ListSieve {
  const asked = new Map<
    string | number,
    { readonly method: ListMethod | typeof taskMethod; readonly isFirst: boolean }
  >();
  let unusable: string[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const method = 'method' in message && 'id' in message ? message.method : '';
    if ('id' in message && message.id !== undefined && (isListMethod(method) || method === taskMethod))
      asked.set(message.id, { method, isFirst: fieldOf(fieldOf(message, 'params'), 'cursor') === undefined });
    return send(message, options);
  };
  const sieved = (message: JSONRPCMessage): JSONRPCMessage => {
    const id = 'method' in message ? undefined : message.id;
    const question = id === undefined ? undefined : asked.get(id);
    if (id === undefined || question === undefined) return message;
    asked.delete(id);
    if (question.method === taskMethod)
      return withWholeBeside(isOld() ? message : withTaskBeside(message), is.CallToolResult);
    const { field, kind } = lists[question.method];
    const items = 'result' in message ? message.result[field] : null;
    if (!('result' in message) || !Array.isArray(items)) return message;
    // A value that is too deep would overflow the stack of this program.
    const fits = items.map(
      (item) => depthOf(item, deepest) <= deepest && is[kind](item) && (kind !== 'Tool' || !isOld() || fitsOld(item)),
    );
    if (kind === 'Tool') {
      if (question.isFirst) unusable = [];
      unusable.push(...items.flatMap((item, at) => (fits[at] === true ? [] : [itemName(item, at + 1)])));
    }
    return { ...message, result: { ...message.result, [field]: items.filter((_, at) => fits[at]) } };
  };
  let hear: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => hear,
    set: (next: Transport['onmessage']) => {
      hear = next === undefined ? undefined : (message, extra) => next(sieved(message), extra);
    },
  });
  return { unusableTools: () => unusable };
}

/** The client package only knows results: a task that came instead is put next to an empty result. */
function withTaskBeside(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result.resultType !== 'task') return message;
  const result = { resultType: 'complete', content: [], structuredContent: {}, task: message.result };
  return { ...message, result };
}

/**
 * The tool has run, and the client package would throw its whole result away: for one part of a kind that it does not
 * know, or for structured content that its definition promises and that is not there. Such a result is put next to an
 * empty one, and `readCallResult` reads what there is.
 */
function withWholeBeside(message: JSONRPCMessage, isWhole: (result: unknown) => boolean): JSONRPCMessage {
  if (!('result' in message)) return message;
  const whole: unknown = message.result;
  const type = fieldOf(whole, 'resultType');
  const isOther = (type !== undefined && type !== 'complete') || fieldOf(whole, 'task') !== undefined;
  if (isOther || (isWhole(whole) && isRecord(fieldOf(whole, 'structuredContent')))) return message;
  return { ...message, result: { resultType: 'complete', content: [], structuredContent: {}, whole } };
}

function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(lists, method);
}

function fitsOld(tool: unknown): boolean {
  const isWhole = (schema: unknown): boolean => {
    const [type, properties, required] = ['type', 'properties', 'required'].map((key) => fieldOf(schema, key));
    const areNames =
      required === undefined || (Array.isArray(required) && required.every((one) => typeof one === 'string'));
    return type === 'object' && areNames && (properties === undefined || isRecord(properties));
  };
  const result = fieldOf(tool, 'outputSchema');
  return isWhole(fieldOf(tool, 'inputSchema')) && (result === undefined || isWhole(result));
}

const longestName = 100;

function itemName(item: unknown, at: number): string {
  const name = fieldOf(item, 'name');
  return typeof name === 'string' && name !== '' ? name.slice(0, longestName) : `number ${at} of its list`;
}
