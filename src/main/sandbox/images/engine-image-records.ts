import { createInterface } from 'node:readline';
import { z } from 'zod';
import { sizeText } from '@shared/text/size-text.ts';
import { jsonIn } from '@shared/text/json-in.ts';

export interface ImageRecords {
  /** The first error in the stream. Null: none. */
  readonly problem: string | null;
  /** The image that the engine named, after a load, an import or a build. */
  readonly named: string | null;
}

const recordSchema = z.object({
  error: z.string().nullish(),
  errorDetail: z.object({ message: z.string() }).nullish(),
  stream: z.string().nullish(),
  status: z.string().nullish(),
  id: z.string().nullish(),
  progressDetail: z.object({ current: z.number().nullish(), total: z.number().nullish() }).nullish(),
  aux: z.object({ ID: z.string().nullish() }).nullish(),
});

type ImageRecord = z.infer<typeof recordSchema>;

/**
 * Reads the engine's messages to the end while it builds, pulls, loads or imports an image. A failed attempt ends
 * the stream normally: only an `error` record in it shows the failure.
 */
export async function readImageRecords(
  stream: NodeJS.ReadableStream,
  onProgress: (text: string) => void,
): Promise<ImageRecords> {
  const layers = new Map<string, { readonly current: number; readonly total: number }>();
  let problem: string | null = null;
  let named: string | null = null;
  let told = '';
  for await (const line of createInterface({ input: stream })) {
    const record = recordSchema.safeParse(jsonIn(line));
    if (!record.success) continue;
    problem ??= record.data.errorDetail?.message ?? record.data.error ?? null;
    named = namedIn(record.data) ?? named;
    const text = progressOf(record.data, layers);
    if (text === null || text === told) continue;
    told = text;
    onProgress(text);
  }
  return { problem, named };
}

function namedIn({ stream, status, aux }: ImageRecord): string | null {
  const loaded = /^Loaded image(?: ID)?: (\S+)/.exec(stream ?? '')?.[1];
  return loaded ?? aux?.ID ?? /^sha256:[0-9a-f]{64}$/.exec(status ?? '')?.[0] ?? null;
}

/** Steps of a build and megabytes of a download. Null for messages that users need not see. */
function progressOf(
  { stream, status, id, progressDetail }: ImageRecord,
  layers: Map<string, { readonly current: number; readonly total: number }>,
): string | null {
  const step = (stream ?? '').trim();
  if (/^Step \d/.test(step)) return step;
  const { current, total } = progressDetail ?? {};
  if (status !== 'Downloading' || typeof id !== 'string' || typeof current !== 'number' || typeof total !== 'number')
    return null;
  layers.set(id, { current, total });
  const sum = { current: 0, total: 0 };
  for (const layer of layers.values()) {
    sum.current += layer.current;
    sum.total += layer.total;
  }
  return `fetched ${sizeText(sum.current)} of ${sizeText(sum.total)}`;
}
