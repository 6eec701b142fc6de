import { messageOf } from '@shared/errors.ts';
import type { SearchedBy } from '@shared/documents/document-search.ts';
import { noVectorModel } from '@shared/documents/document-search.ts';
import { noteFailure } from '../../lib/log.ts';
import type { TextVectors, VectorModel } from '../../models/text-vectors.ts';
import type { IndexedFile } from './chunk-index.ts';
import type { VectorCount, VectorQuery } from './chunk-vectors.ts';
import type { IndexClient } from './index-client.ts';

export interface VectorWorkOptions {
  readonly texts: Pick<TextVectors, 'model' | 'read'>;
  /** Opens the index, with nothing taken into it. */
  readonly open: (signal: AbortSignal) => IndexClient;
}

/** The vectors of documents: made in the background, one project after the other, and used by searches. */
export interface VectorWork {
  /** How to search by meaning in what the index took. `query` is null where words alone are used. */
  readonly prepare: (
    index: IndexClient,
    words: string,
    signal: AbortSignal,
  ) => Promise<{ readonly by: SearchedBy; readonly query: VectorQuery | null }>;
  /** Begins to make what these files lack. The latest call waits for the running one; those between are dropped. */
  readonly begin: (files: readonly IndexedFile[]) => void;
  /** Makes what these files lack, after what runs. Returns why it stopped early, in a sentence; null: all are made. */
  readonly makeAll: (
    files: readonly IndexedFile[],
    onProgress: (count: VectorCount) => void,
    signal: AbortSignal,
  ) => Promise<string | null>;
  /** Ends what runs, and waits for its end. */
  readonly dispose: () => Promise<void>;
}

/** With fewer of them, what has no vector yet would rarely be found. */
const leastShare = 0.9;
const chunksAtOnce = 8;
/** Named at once. A longer list would keep others waiting while it is written and read. */
export const listedFiles = 200;

export function createVectorWork({ texts, open }: VectorWorkOptions): VectorWork {
  const stop = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  let next: readonly IndexedFile[] | null = null;
  let failed: string | null = null;
  const make: VectorWork['makeAll'] = async (files, onProgress, signal) => {
    const model = await texts.model(signal);
    if (model === null) return noVectorModel;
    const index = open(signal);
    try {
      for (let at = 0; at < files.length; at += listedFiles) await index.take(files.slice(at, at + listedFiles));
      return await makeMissing(index, { texts, model, onProgress }, signal);
    } finally {
      index.close();
    }
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = running.then(work);
    running = mine.catch(() => undefined);
    return mine;
  };
  const makeNext = async (): Promise<void> => {
    isRunning = true;
    try {
      for (let files = next; files !== null && !stop.signal.aborted; files = next) {
        next = null;
        failed = await make(files, () => undefined, stop.signal);
      }
    } catch (error) {
      failed = messageOf(error);
      if (!stop.signal.aborted) noteFailure('The vectors of documents were not made', error);
    } finally {
      isRunning = false;
    }
  };
  return {
    prepare: async (index, words, signal) => {
      const model = await texts.model(signal);
      if (model === null) return { by: { type: 'words', why: noVectorModel }, query: null };
      const count = await index.count(model.digest);
      const { label } = model;
      if (count.done < count.of && failed !== null) {
        const why = failed;
        failed = null;
        return { by: { type: 'words', why }, query: null };
      }
      if (count.done < count.of * leastShare || count.of === 0)
        return { by: { type: 'words-yet', model: label, ...count }, query: null };
      const read = await texts.read([words], { model, use: 'question' }, signal);
      const [row] = read.ok ? read.rows : [];
      if (row === undefined)
        return { by: { type: 'words', why: read.ok ? `${label} gave no vector.` : read.why }, query: null };
      return { by: { type: 'meaning', model: label, ...count }, query: { digest: model.digest, row } };
    },
    begin: (files) => {
      next = files;
      if (!isRunning && !stop.signal.aborted) void inTurn(makeNext);
    },
    makeAll: (files, onProgress, signal) =>
      inTurn(() => make(files, onProgress, AbortSignal.any([signal, stop.signal]))),
    dispose: async () => {
      stop.abort();
      await running;
    },
  };
}

interface Making {
  readonly texts: Pick<TextVectors, 'read'>;
  readonly model: VectorModel;
  readonly onProgress: (count: VectorCount) => void;
}

/** Returns why it stopped early, in a sentence. What is made by then is kept. */
async function makeMissing(
  index: IndexClient,
  { texts, model, onProgress }: Making,
  signal: AbortSignal,
): Promise<string | null> {
  const { of, done: before } = await index.count(model.digest);
  let done = before;
  onProgress({ done, of });
  for (let after = 0; ;) {
    const unread = await index.unread(model.digest, { after, most: chunksAtOnce });
    if (unread.length === 0) return null;
    const read = await texts.read(
      unread.flatMap(({ pieces }) => pieces),
      { model, use: 'text' },
      signal,
    );
    if (!read.ok) return read.why;
    let at = 0;
    const made = unread.map(({ chunk, pieces }) => ({ chunk, rows: read.rows.slice(at, (at += pieces.length)) }));
    if (made.some(({ rows }) => rows.length === 0)) return `${model.label} gave too few vectors.`;
    await index.addVectors(model.digest, made);
    after = made.at(-1)?.chunk ?? after;
    done = Math.min(of, done + made.length);
    onProgress({ done, of });
  }
}
