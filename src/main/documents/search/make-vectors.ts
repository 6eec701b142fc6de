import { messageOf } from '@shared/errors.ts';
import type { SearchedBy, VectorProgress } from '@shared/documents/document-search.ts';
import { abortable } from '../../lib/async/abort.ts';
import { noteFailure } from '../../lib/log.ts';
import type { TextVectors, VectorModel } from '../../models/text-vectors.ts';
import type { IndexedFile } from './chunk-index.ts';
import type { VectorQuery } from './chunk-vectors.ts';
import type { IndexClient } from './index-client.ts';

export interface VectorWorkOptions {
  readonly texts: Pick<TextVectors, 'model' | 'read'>;
  /** Opens the index, with nothing taken into it. */
  readonly open: (signal: AbortSignal) => IndexClient;
}

/** `query` is null where words alone are used. */
export interface PreparedSearch {
  readonly by: SearchedBy;
  readonly query: VectorQuery | null;
}

/** The vectors of documents: made in the background, one project after the other, and used by searches. */
export interface VectorWork {
  /** How to search by meaning in what the index took, which are these files. Why their last making failed is said once. */
  readonly prepare: (
    index: IndexClient,
    asked: { readonly words: string; readonly files: readonly IndexedFile[] },
    signal: AbortSignal,
  ) => Promise<PreparedSearch>;
  /** Begins to make what these files lack. The latest call waits for the running one; those between are dropped. */
  readonly begin: (files: readonly IndexedFile[]) => void;
  /**
   * Makes what these files lack, after what runs. Returns why it stopped early, in a sentence; null: all are made. An
   * abort ends the wait for what runs, too.
   */
  readonly makeAll: (
    files: readonly IndexedFile[],
    onProgress: (progress: VectorProgress) => void,
    signal: AbortSignal,
  ) => Promise<string | null>;
  /** Ends what runs, and waits for its end. */
  readonly dispose: () => Promise<void>;
}

/** With fewer of them, what has no vector yet would rarely be found. */
const leastShare = 0.9;
/** Listed at once. The model reads them one by one, so that a question waits for one of them and not for all. */
const listedChunks = 8;
/** Named at once. A longer list would keep others waiting while it is written and read. */
export const listedFiles = 200;

export function createVectorWork({ texts, open }: VectorWorkOptions): VectorWork {
  const stop = new AbortController();
  const failures = createFailures();
  let running: Promise<unknown> = Promise.resolve();
  let inLine = 0;
  let isRunning = false;
  let next: readonly IndexedFile[] | null = null;
  const make: VectorWork['makeAll'] = async (files, onProgress, signal) => {
    signal.throwIfAborted();
    failures.take(files);
    const chosen = await texts.model(signal);
    if ('why' in chosen) return chosen.why;
    const { model } = chosen;
    const index = open(signal);
    try {
      for (let at = 0; at < files.length; at += listedFiles) await index.take(files.slice(at, at + listedFiles));
      return await makeMissing(index, { texts, model, onProgress }, signal);
    } finally {
      index.close();
    }
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    inLine += 1;
    const mine = running.then(work).finally(() => (inLine -= 1));
    running = mine.catch(() => undefined);
    return mine;
  };
  const makeUnasked = async (files: readonly IndexedFile[]): Promise<string | null> => {
    try {
      return await make(files, () => undefined, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) noteFailure('The vectors of documents were not made', error);
      return messageOf(error);
    }
  };
  const makeNext = async (): Promise<void> => {
    isRunning = true;
    for (let files = next; files !== null && !stop.signal.aborted; files = next) {
      next = null;
      const why = await makeUnasked(files);
      if (why !== null) failures.keep(files, why);
    }
    isRunning = false;
  };
  return {
    prepare: prepareBy(texts, failures),
    begin: (files) => {
      next = files;
      if (!isRunning && !stop.signal.aborted) void inTurn(makeNext);
    },
    makeAll: (files, onProgress, signal) => {
      const ends = AbortSignal.any([signal, stop.signal]);
      if (inLine > 0) onProgress({ type: 'waiting' });
      return abortable(
        inTurn(() => make(files, onProgress, ends)),
        ends,
      );
    },
    dispose: async () => {
      stop.abort();
      await running;
    },
  };
}

function prepareBy(texts: VectorWorkOptions['texts'], failures: Pick<Failures, 'take'>): VectorWork['prepare'] {
  return async (index, { words, files }, signal) => {
    const chosen = await texts.model(signal);
    if ('why' in chosen) return { by: { type: 'words', why: chosen.why }, query: null };
    const { model } = chosen;
    const count = await index.count(model.digest);
    const { label } = model;
    const why = count.done < count.of ? failures.take(files) : null;
    if (count.done < count.of * leastShare || count.of === 0)
      return {
        by: why === null ? { type: 'words-yet', model: label, ...count } : { type: 'words', why },
        query: null,
      };
    const read = await texts.read([words], { model, use: 'question' }, signal);
    const [row] = read.ok ? read.rows : [];
    if (row === undefined)
      return { by: { type: 'words', why: read.ok ? `${label} gave no vector.` : read.why }, query: null };
    const by = { type: 'meaning', model: label, ...count, ...(why === null ? {} : { why }) } as const;
    return { by, query: { digest: model.digest, row } };
  };
}

interface Failure {
  readonly files: ReadonlySet<string>;
  readonly why: string;
}

const mostFailures = 16;

/** Why makings failed, with the files of each: what failed in one project says nothing of another. */
interface Failures {
  readonly keep: (files: readonly IndexedFile[], why: string) => void;
  /** That of these files, which is forgotten then. A project is the same while most of its files are. */
  readonly take: (files: readonly IndexedFile[]) => string | null;
}

function createFailures(): Failures {
  let kept: readonly Failure[] = [];
  const keyOf = ({ path, fingerprint }: IndexedFile): string => `${fingerprint} ${path}`;
  const take = (files: readonly IndexedFile[]): string | null => {
    const isOf = (failure: Failure): boolean =>
      files.filter((file) => failure.files.has(keyOf(file))).length * 2 > files.length;
    const found = kept.findLast(isOf)?.why ?? null;
    kept = kept.filter((failure) => !isOf(failure));
    return found;
  };
  const keep = (files: readonly IndexedFile[], why: string): void => {
    take(files);
    kept = [...kept, { files: new Set(files.map(keyOf)), why }].slice(-mostFailures);
  };
  return { keep, take };
}

interface Making {
  readonly texts: Pick<TextVectors, 'read'>;
  readonly model: VectorModel;
  readonly onProgress: (progress: VectorProgress) => void;
}

/** Returns why it stopped early, in a sentence. What is made by then is kept. */
async function makeMissing(
  index: IndexClient,
  { texts, model, onProgress }: Making,
  signal: AbortSignal,
): Promise<string | null> {
  const { of, done: before } = await index.count(model.digest);
  let done = before;
  onProgress({ type: 'vectors', done, of });
  for (let after = 0; ;) {
    const unread = await index.unread(model.digest, { after, most: listedChunks });
    if (unread.length === 0) return null;
    for (const { chunk, pieces } of unread) {
      const read = await texts.read(pieces, { model, use: 'text' }, signal);
      if (!read.ok) return read.why;
      if (read.rows.length < pieces.length) return `${model.label} gave too few vectors.`;
      await index.addVectors(model.digest, [{ chunk, rows: read.rows }]);
      after = chunk;
      done = Math.min(of, done + 1);
    }
    onProgress({ type: 'vectors', done, of });
  }
}
