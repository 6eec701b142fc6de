import { z } from 'zod';
import { noteUnseen } from '../../../lib/net/record-of-sends.ts';
import { watchForStalls } from '../call/stall-watch.ts';
import type { OllamaApi } from './ollama-api.ts';
import { OllamaError } from './ollama-errors.ts';
import type { PullProgress } from '@shared/contract/models-contract.ts';

const count = z.number().nonnegative().nullish().catch(null);
const lineSchema = z.object({
  status: z.string(),
  digest: z.string().nullish().catch(null),
  total: count,
  completed: count,
});

/** Has the server download a model, layer by layer. After an abort or a failure, the server keeps what it has. */
export async function pullModel(
  api: OllamaApi,
  name: string,
  options: {
    readonly onProgress: (progress: PullProgress) => void;
    readonly signal: AbortSignal;
    readonly stallMs: number;
  },
): Promise<void> {
  const { onProgress, signal, stallMs } = options;
  const layers = new Map<string, { readonly done: number; readonly total: number }>();
  let isDone = false;
  noteUnseen(`Ollama, for ${name}`);
  for await (const line of watchForStalls(await api.pull(name, signal), () => stallMs, signal)) {
    const parsed = lineSchema.safeParse(line);
    if (!parsed.success) continue;
    const { status, digest, total, completed } = parsed.data;
    if (digest !== null && digest !== undefined && total !== null && total !== undefined)
      layers.set(digest, { done: completed ?? 0, total });
    isDone = status === 'success';
    const sum = (key: 'done' | 'total'): number => [...layers.values()].reduce((all, layer) => all + layer[key], 0);
    onProgress({
      phase: isDone ? 'done' : phaseOf(status),
      doneBytes: sum('done'),
      totalBytes: layers.size === 0 ? null : sum('total'),
      text: isDone ? `ollama/${name}` : '',
    });
  }
  signal.throwIfAborted();
  const message = `Ollama stopped before ${name} was complete. What was downloaded is kept. Try again.`;
  if (!isDone) throw new OllamaError({ code: 'cut', message, retryable: true });
}

function phaseOf(status: string): PullProgress['phase'] {
  if (status.startsWith('pulling') && status !== 'pulling manifest') return 'downloading';
  return status.startsWith('verifying') ? 'verifying' : 'checking';
}
