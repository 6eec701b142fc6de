import type { TerminalPush } from '@shared/sandbox/sandbox-view.ts';
import type { PathAliases } from './path-aliases.ts';
import type { SessionPush } from '@shared/contract/sessions-contract.ts';

type Hide = <T>(value: T) => T;

/**
 * A stream of the core, as the page receives it. Text and output come in pieces, so the possible beginning of a path is
 * held back until the next piece. Text that is still held back at the end comes with the event that has the whole text.
 */
export async function* hidePathsInStream(
  source: AsyncIterable<unknown>,
  names: PathAliases,
  hide: Hide,
): AsyncIterable<unknown> {
  const waiting = new Map<string, string>();
  const join = (of: string, piece: string): string => {
    const text = (waiting.get(of) ?? '') + piece;
    const length = names.safeLength(text);
    if (length < text.length) waiting.set(of, text.slice(length));
    else waiting.delete(of);
    return text.slice(0, length);
  };
  for await (const item of source) yield hide(isInPieces(item) ? joined(item, join) : item);
}

type Pieces = Extract<SessionPush, { type: 'transients' }> | Extract<TerminalPush, { type: 'output' }>;

/** Recognized by type: of everything that the contract streams, only these two come in pieces. */
function isInPieces(item: unknown): item is Pieces {
  const type: unknown = Reflect.get(Object(item), 'type');
  return type === 'transients' || type === 'output';
}

function joined(push: Pieces, join: (of: string, piece: string) => string): Pieces {
  if (push.type === 'output') return { ...push, text: join('terminal', push.text) };
  const items = push.items.map((item) => {
    if (item.type === 'call-progress') return item;
    const of = item.type === 'output-chunk' ? item.toolCallId : `${item.type} ${item.callId}`;
    return { ...item, text: join(of, item.text) };
  });
  return { ...push, items };
}
