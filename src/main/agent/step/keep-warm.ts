import { messageOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ModelRequest, Provider } from '../../models/providers/define.ts';
import type { Journal } from '../../sessions/journal/journal.ts';

/** A conversation that the local model is to be read while a service works on it. */
export interface WarmRequest {
  readonly info: ModelInfo;
  readonly provider: Provider;
  readonly request: ModelRequest;
  /** Why it is expected to come back, for people. */
  readonly why: string;
}

/** One reading at a time, for one turn. What it did is in the log; nothing is decided by it. */
export interface PromptWarmer {
  /** Returns at once. Nothing happens while one is under way, in a replay, or where the provider cannot. */
  readonly start: (warm: WarmRequest) => void;
  /** Ends it at once and waits until its end is in the log; what was read stays read. Safe to call at any time. */
  readonly stop: () => Promise<void>;
}

export function createPromptWarmer(journal: Journal, turnId: string, isReplaying: boolean): PromptWarmer {
  let running: { readonly end: AbortController; readonly done: Promise<void> } | null = null;
  return {
    start: (warm) => {
      if (isReplaying || running !== null || warm.provider.prefill === undefined) return;
      const end = new AbortController();
      const done = readIn(journal, turnId, { warm, signal: end.signal }).finally(() => {
        running = null;
      });
      // Where the log cannot be written, the turn that waits for it says so; it must not end the program before.
      done.catch(() => undefined);
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
  // Not by the turn's own log: its last stamp is what limits and routes go by, and a replay makes no such event.
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
