import type { BlobRef } from '@shared/events/blob-ref.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import type { EffectRecord, Journal } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';

/**
 * The whole of a result that a model was shown a part of: by the id of its call, or the last one that was shortened by
 * itself. Null: there is none, or its file is gone. It is in the log, so it stays there after a restart.
 */
export async function keptResult(
  { dependencies: { journal } }: Pick<Turn, 'dependencies'>,
  id: string | null,
): Promise<string | null> {
  const found = amongLatest(journal.state(), id) ?? (await inLog(journal, id));
  const bytes = found === null ? null : await journal.getBlob(found);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** What was read of a result is asked for by its own id; without one the result itself is meant. */
function isMeant(
  id: string | null,
  { toolCallId, tool }: { readonly toolCallId: string; readonly tool: string },
): boolean {
  return id === null ? tool !== 'read_result' : toolCallId === id;
}

function amongLatest({ toolCalls }: SessionState, id: string | null): BlobRef | null {
  const call = toolCalls.findLast((one) => one.full !== undefined && one.callId !== null && isMeant(id, one));
  return call?.full ?? null;
}

/** For calls that the state has let go; a log that long takes a while to read. */
async function inLog(journal: Journal, id: string | null): Promise<BlobRef | null> {
  const { toolCalls, totals } = journal.state();
  if (totals.toolCalls <= toolCalls.length) return null;
  const asked = new Set<string>();
  let found: BlobRef | null = null;
  for await (const event of journal.read()) {
    if (event.type === 'tool-call-requested') asked.add(event.toolCallId);
    if (event.type !== 'tool-ended' || event.full === null || !asked.has(event.toolCallId)) continue;
    if (isMeant(id, event)) found = event.full;
  }
  return found;
}

interface Call {
  readonly tool: Tool;
  readonly input: unknown;
  readonly toolCallId: string;
}

/** What one turn keeps at most. */
const mostKept = 200;

/** Makes a call that only reads, or answers it with what an equal one before it in this turn gave: nothing is sent twice. */
export async function readOnce(
  { repeated }: Pick<Turn, 'repeated'>,
  { tool, input, toolCallId }: Call,
  read: () => Promise<EffectRecord>,
): Promise<EffectRecord> {
  const key = keyOf(tool, input);
  const before = repeated.get(key);
  if (before !== undefined) return before;
  const record = await read();
  if (record.status === 'ok' && repeated.size < mostKept)
    repeated.set(key, { ...record, durationMs: 0, waitedMs: 0, reusedFrom: toolCallId, pictures: undefined });
  return record;
}

/** What a call of ours is for changes nothing of its answer. */
function keyOf({ name, isWeb }: Tool, input: unknown): string {
  const asked = isWeb === true && isRecord(input) ? { ...input, why: '' } : input;
  return sha256Of(JSON.stringify([name, sorted(asked)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key])]);
}
