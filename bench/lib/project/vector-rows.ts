import { rm } from 'node:fs/promises';
import type { VectorProgress } from '@shared/documents/document-search.ts';
import { openChunkIndex } from '../../../src/main/documents/search/chunk-index.ts';
import { openIndex, type IndexOptions } from '../../../src/main/documents/search/index-client.ts';
import { createVectorWork } from '../../../src/main/documents/search/make-vectors.ts';
import type { BenchRow } from '../rows.ts';
import { seeded } from '../seeded.ts';
import { residentBytes } from './resident-bytes.ts';
import type { BenchModel } from './retrieval-rows.ts';

const measuredMs = 20_000;
const sampleMs = 20;
const manyParts = 100_000;
const partsPerFile = 100;
const numbers = 384;

/** How quickly vectors of an index are made, beside whatever else this machine does. */
export async function vectorRows(
  files: readonly { readonly path: string; readonly fingerprint: string }[],
  options: IndexOptions,
  { texts, engine }: BenchModel,
): Promise<readonly BenchRow[]> {
  const stop = new AbortController();
  const work = createVectorWork({ texts, open: (signal) => openIndex(options, 0, signal) });
  let most = 0;
  const sampler = setInterval(() => (most = Math.max(most, residentBytes(engine.pid() ?? undefined))), sampleMs);
  let first: number | null = null;
  let startedAt = 0;
  let made = 0;
  const onProgress = (progress: VectorProgress): void => {
    if (progress.type === 'waiting') return;
    const { done } = progress;
    if (first === null) [first, startedAt] = [done, performance.now()];
    made = done - first;
    if (performance.now() - startedAt > measuredMs) stop.abort();
  };
  await work.makeAll(files, onProgress, stop.signal).catch(() => null);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampler);
  await work.dispose();
  const note = 'all-MiniLM-L6-v2 on the processor, at a low priority';
  return [
    { figure: 'documents: parts that get vectors', value: made / seconds, unit: '/s', target: null, note },
    { figure: 'documents: memory of the embedding model', value: most / 1e6, unit: 'MB', target: null, note },
  ];
}

/** A search by meaning compares the question with the vectors of all parts. */
export async function scanRows(options: IndexOptions): Promise<readonly BenchRow[]> {
  const random = seeded(36);
  const digest = 'made';
  const row = (): string =>
    Buffer.from(Float32Array.from({ length: numbers }, () => random() - 0.5).buffer).toString('base64');
  const files = Array.from({ length: manyParts / partsPerFile }, (_, at) => ({ path: `${at}.md`, fingerprint: '' }));
  const made = openChunkIndex(options.indexPath, 0);
  let after = 0;
  for (const file of files) {
    const part = { toLine: 1, titles: [], page: null };
    made.add(
      file,
      Array.from({ length: partsPerFile }, (_, at) => ({ ...part, fromLine: at, text: `${file.path} ${at}` })),
    );
    const unread = made.vectors.unread(digest, { after, most: partsPerFile });
    after = unread.at(-1)?.chunk ?? after;
    made.vectors.add(
      digest,
      unread.map(({ chunk }) => ({ chunk, rows: [row()] })),
    );
  }
  made.close();
  const pids: number[] = [];
  const programs: IndexOptions['programs'] = {
    start: (...given) => {
      const child = options.programs.start(...given);
      if (child.pid !== undefined) pids.push(child.pid);
      return child;
    },
  };
  const index = openIndex({ ...options, programs }, 0, new AbortController().signal);
  const times: number[] = [];
  let most = 0;
  try {
    for (let at = 0; at < files.length; at += partsPerFile) await index.take(files.slice(at, at + partsPerFile));
    for (let time = 0; time < 10; time += 1) {
      const query = { digest, row: row() };
      const startedAt = performance.now();
      await index.find('page', 5, query);
      times.push(performance.now() - startedAt);
      for (const pid of pids) most = Math.max(most, residentBytes(pid));
    }
  } finally {
    index.close();
  }
  await rm(options.indexPath, { force: true });
  const note = `${manyParts} vectors of ${numbers} numbers, in bytes`;
  const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? null;
  return [
    { figure: 'documents: search by meaning', value: median, unit: 'ms', target: null, note },
    { figure: 'documents: memory of that search', value: most / 1e6, unit: 'MB', target: { atMost: 300 }, note },
  ];
}
