import { isRecord } from '@shared/unknown-value.ts';
import type { CallEntry, CallResult, Entry } from '../../recipes/conversation-entries.ts';

/** A shorter text takes no more room than the line that would stand for it. */
const leastCharacters = 300;

interface ReadCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: unknown;
}

/**
 * The earlier call whose result says word for word what this one says, while the conversation still shows it whole. It
 * is compared after reading anew, so it cannot be out of date. Null: there is none.
 */
export function equalAbove(entries: readonly Entry[], call: ReadCall, text: string): string | null {
  if (text.length < leastCharacters) return null;
  const isSame = ({ toolCallId, tool, input, result }: CallEntry): boolean =>
    toolCallId !== call.toolCallId &&
    tool === call.tool &&
    isWhole(result) &&
    !result.isError &&
    pathOf(input) === pathOf(call.input) &&
    // A text that was cut names the id of its own call.
    (result.text === text || result.text.replaceAll(toolCallId, call.toolCallId) === text);
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    const same = entry?.type === 'assistant' ? entry.calls.findLast(isSame) : undefined;
    if (same !== undefined) return same.toolCallId;
  }
  return null;
}

/**
 * How many answers of the model before the last one a call stands, which is in the entry at this index. Null: the
 * conversation does not show it whole.
 */
export function answersBack(entries: readonly Entry[], at: number, toolCallId: string): number | null {
  const entry = entries[at];
  const call = entry?.type === 'assistant' ? entry.calls.find((one) => one.toolCallId === toolCallId) : undefined;
  if (call === undefined || !isWhole(call.result)) return null;
  return entries.slice(at + 1).filter((one) => one.type === 'assistant').length;
}

/** What the model reads in place of a text that stands above. */
export function aboveText({ answersBack: back }: NonNullable<CallResult['above']>): string {
  const where = back === 0 ? 'in this answer' : back === 1 ? '1 answer back' : `${back} answers back`;
  return `Unchanged: word for word the result of the same call above, ${where}.`;
}

/** A result is shown again where the one that it points to is not shown whole any more. */
export function withResultsBack(entries: readonly Entry[]): readonly Entry[] {
  const calls = entries.flatMap((entry) => (entry.type === 'assistant' ? entry.calls : []));
  const whole = new Set(calls.flatMap(({ result, toolCallId }) => (isWhole(result) ? [toolCallId] : [])));
  return entries.map((entry) => {
    if (entry.type === 'user' || !entry.calls.some((call) => isLost(call, whole))) return entry;
    return { ...entry, calls: entry.calls.map((call) => (isLost(call, whole) ? shownAgain(call) : call)) };
  });
}

function isLost({ result }: CallEntry, whole: ReadonlySet<string>): boolean {
  return result?.above !== undefined && !whole.has(result.above.toolCallId);
}

/** A result with its own text in place of a pointer. */
export function shownAgain(call: CallEntry): CallEntry {
  if (call.result === null) return call;
  const { above: _above, ...result } = call.result;
  return { ...call, result };
}

function isWhole(result: CallResult | null): result is CallResult {
  return result !== null && result.keepTokens === null && result.above === undefined;
}

function pathOf(input: unknown): unknown {
  return isRecord(input) ? input.path : undefined;
}

/** The index of the entry with this `seq`, by which entries are ordered; -1: it is not in the conversation. */
export function placeOf({ entries }: { readonly entries: readonly Entry[] }, seq: number | undefined): number {
  if (seq === undefined) return -1;
  let [from, to] = [0, entries.length - 1];
  while (from <= to) {
    const middle = (from + to) >> 1;
    const found = entries[middle]?.seq ?? 0;
    if (found === seq) return middle;
    if (found < seq) from = middle + 1;
    else to = middle - 1;
  }
  return -1;
}
