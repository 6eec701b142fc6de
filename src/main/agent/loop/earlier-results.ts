import type { BlobRef } from '@shared/events/blob-ref.ts';
import { conversationFilter } from '@shared/session/restore-state.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { createLogFold } from '../../sessions/journal/log-fold.ts';
import type { EffectRecord, Journal } from '../../sessions/journal/journal.ts';
import type { Tool } from '../../tools/define.ts';
import { withoutWords } from './without-words.ts';
import type { Turn } from '../turn/turn.ts';

/**
 * The whole result of a call of which the model saw only a part: by the id of the call, or the last one that was
 * shortened. Null: there is none, a restore took it out of the conversation, or its file is gone. It is read from the
 * log, so it survives a restart.
 */
export async function keptResult(
  { dependencies: { journal } }: Pick<Turn, 'dependencies'>,
  id: string | null,
): Promise<string | null> {
  const state = journal.state();
  const isCut = state.restores?.some(({ conversation }) => conversation) === true;
  const found = (isCut ? null : amongLatest(state, id)) ?? (await inLog(journal, id, isCut));
  const bytes = found === null ? null : await journal.getBlob(found);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** With an id, the result of that call. Without one, any result except one of `read_result`. */
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

/** Searches the log for a call that is no longer in the state, or of which the state does not say when it ran. */
async function inLog(journal: Journal, id: string | null, isCut: boolean): Promise<BlobRef | null> {
  const { toolCalls, totals, restores } = journal.state();
  if (!isCut && totals.toolCalls <= toolCalls.length) return null;
  const results = await resultsIn(journal);
  if (!isCut && id === null) return results.last?.full ?? null;
  const isShown = conversationFilter(restores);
  const isThat = (one: KeptResult): boolean => isShown(one.seq) && isMeant(id, one);
  if (id === null) return [...results.kept.values()].findLast(isThat)?.full ?? null;
  const kept = results.kept.get(id);
  return kept !== undefined && isThat(kept) ? kept.full : null;
}

interface KeptResult {
  readonly seq: number;
  readonly toolCallId: string;
  readonly tool: string;
  readonly full: BlobRef;
}

interface ResultsOfLog {
  /** The calls that a model asked for. */
  readonly asked: Set<string>;
  /** The whole results of those whose result was cut. */
  readonly kept: Map<string, KeptResult>;
  /** The last one that is meant without an id. */
  last: KeptResult | null;
}

const resultsIn = createLogFold<ResultsOfLog>(
  () => ({ asked: new Set(), kept: new Map(), last: null }),
  (results, event) => {
    if (event.type === 'tool-call-requested') results.asked.add(event.toolCallId);
    if (event.type !== 'tool-ended' || event.full === null || !results.asked.has(event.toolCallId)) return;
    const { seq, toolCallId, tool, full } = event;
    results.kept.set(toolCallId, { seq, toolCallId, tool, full });
    if (isMeant(null, event)) results.last = { seq, toolCallId, tool, full };
  },
);

interface Call {
  readonly tool: Tool;
  readonly input: unknown;
  readonly toolCallId: string;
}

/** The most results that one turn keeps. */
const mostKept = 200;

/**
 * Runs a call that only reads, or answers it with the result of an equal call earlier in this turn. Nothing is sent
 * twice.
 */
export async function readOnce(
  { files: { repeated } }: Pick<Turn, 'files'>,
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

/** Words for the person do not affect the answer, so they are not part of the key. */
function keyOf(tool: Tool, input: unknown): string {
  return sha256Of(JSON.stringify([tool.name, sorted(withoutWords(tool, input))]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key])]);
}
