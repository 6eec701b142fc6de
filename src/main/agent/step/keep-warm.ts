import { messageOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { ModelRequest, LanguageModel } from '../../models/providers/define.ts';
import type { Journal } from '../../sessions/journal/journal.ts';
import { orNoted } from '../../lib/log.ts';

/** A conversation that the local model reads ahead while a cloud model works on it. */
export interface WarmRequest {
  readonly info: ModelInfo;
  readonly provider: LanguageModel;
  readonly request: ModelRequest;
  /** Why the local model is expected to need it, as a text for the user. */
  readonly why: string;
}

/** Reads one conversation ahead at a time, for one turn. The result is in the log; no decision depends on it. */
export interface PromptWarmer {
  /** Returns at once. Does nothing while a reading is under way, in a replay, or if the provider cannot read ahead. */
  readonly start: (warm: WarmRequest) => void;
  /**
   * Stops reading and waits until its end is in the log. What was read stays in the cache. Safe to call at any time.
   */
  readonly stop: () => Promise<void>;
}

export function createPromptWarmer(journal: Journal, turnId: string, isReplaying: boolean): PromptWarmer {
  let running: { readonly end: AbortController; readonly done: Promise<void> } | null = null;
  return {
    start: (warm) => {
      // What is read ahead elsewhere would leave this machine past the fences.
      if (isReplaying || running !== null || leavesMachine(warm.info) || warm.provider.prefill === undefined) return;
      const end = new AbortController();
      const done = readIn(journal, turnId, { warm, signal: end.signal }).finally(() => {
        running = null;
      });
      // If the log cannot be written, `stop` rejects. Until then the rejection must not end the process.
      done.catch(orNoted('A prompt was not kept warm', undefined));
      running = { end, done };
    },
    stop: async () => {
      const current = running;
      if (current === null) return;
      current.end.abort();
      await current.done;
    },
  };
}

async function readIn(
  journal: Journal,
  turnId: string,
  { warm, signal }: { readonly warm: WarmRequest; readonly signal: AbortSignal },
): Promise<void> {
  const { info, provider, request, why } = warm;
  const startedAt = journal.now();
  const read = await provider
    .prefill?.(request, signal)
    .catch((error: unknown) => ({ promptTokens: null, evaluatedTokens: null, error: messageOf(error) }));
  if (read === undefined) return;
  const outcome = signal.aborted ? 'cancelled' : read.error === null ? 'done' : 'failed';
  const { promptTokens, evaluatedTokens } = read;
  // Not through the turn's own log: limits and routes depend on its last stamp, and a replay has no such event.
  await journal.append({
    type: 'cache-prefilled',
    turnId,
    model: info.id,
    outcome,
    promptTokens,
    evaluatedTokens,
    tookMs: Math.max(0, journal.now() - startedAt),
    text: `${outcomeTexts[outcome](info.label, evaluatedTokens)}${outcome === 'failed' ? ` (${read.error})` : ''}. ${why}`,
  });
}

const outcomeTexts = {
  done: (label: string, tokens: number | null) =>
    `While the cloud worked, ${label} read the conversation${tokens === null ? '' : ` (${tokens} new tokens)`}`,
  cancelled: (label: string, tokens: number | null) =>
    `${label} stopped reading ahead${tokens === null ? '' : ` after ${tokens} tokens`}: it was needed, or the turn ended`,
  failed: (label: string) => `${label} could not read ahead`,
} as const;
