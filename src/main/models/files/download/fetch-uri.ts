import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { failure, messageOf, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { childAbort } from '../../../lib/async/child-abort.ts';
import { isDiskFull } from '../../../lib/files/json-file.ts';
import { explainDownloadFailure } from './explain-download-failure.ts';
import { hubAddress } from './hub-client.ts';

interface FetchUriOptions {
  readonly fetch: typeof fetch;
  /** `HF_ENDPOINT` and `HF_TOKEN`, as other tools of that hub use them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a source may send nothing. Default: one minute. */
  readonly stalledMs?: number;
  /** Opens the file to append to. For tests. */
  readonly openFile?: (path: string) => Promise<FileHandle>;
}

interface Wanted {
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
}

type FetchUri = (uri: string, path: string, options: Wanted) => Promise<Reply<null>>;

/**
 * Downloads `hf:OWNER/REPO/FILE` or an address into a file, and resumes an earlier try. If a connection breaks after
 * some bytes came, it is opened again at once. After a failure or an abort, the bytes so far are kept: the file is
 * always a prefix of the source.
 */
export function createFetchUri(options: FetchUriOptions): FetchUri {
  return async (uri, path, { signal, onProgress }) => {
    let file: FileHandle | null = null;
    try {
      file = await (options.openFile ?? ((name) => open(name, 'a+')))(path);
      const { size } = await file.stat();
      return await untilWhole({ ...options, uri, file, signal, onProgress }, size);
    } catch (error) {
      if (isDiskFull(error))
        return failure('disk-full', 'The disk is full.', 'What was downloaded is kept. Free some space and try again.');
      return failure('internal', `The model could not be written: ${messageOf(error)}`);
    } finally {
      await file?.close();
    }
  };
}

interface Source extends FetchUriOptions, Wanted {
  readonly uri: string;
  readonly file: FileHandle;
}

async function untilWhole(source: Source, size: number): Promise<Reply<null>> {
  let doneBytes = size;
  for (;;) {
    const part = await fetchPart(source, doneBytes);
    if (part.isWhole) return success(null);
    if (source.signal.aborted) return failure('cancelled', 'The download was cancelled.');
    if (part.doneBytes <= doneBytes) return part.reason;
    doneBytes = part.doneBytes;
  }
}

type Part =
  | { readonly isWhole: true }
  | { readonly isWhole: false; readonly doneBytes: number; readonly reason: Reply<null> };

/** A network that swallows what it does not allow must not keep the next source waiting for long. */
const answerMs = 15_000;

/** Makes one request. Throws only errors of the disk. */
async function fetchPart(source: Source, from: number): Promise<Part> {
  const { uri, file, onProgress } = source;
  const stalledMs = source.stalledMs ?? 60_000;
  const child = childAbort(source.signal);
  let isStalled = false;
  const giveUp = (): void => {
    isStalled = true;
    child.abort();
  };
  let timer = setTimeout(giveUp, Math.min(stalledMs, answerMs));
  let doneBytes = from;
  const ended = (reason: Reply<null>): Part => ({ isWhole: false, doneBytes, reason });
  try {
    const response = await network(ask(source, from, child.signal));
    const start = startOf(response, from);
    if (response.status === 416 && wholeBytes(response) === from) return { isWhole: true };
    if (!response.ok || start === null) {
      return ended(explainDownloadFailure(uri, `its source answered with status ${response.status}`));
    }
    clearTimeout(timer);
    timer = setTimeout(giveUp, stalledMs);
    if (start !== from) await file.truncate(start);
    doneBytes = start;
    onProgress(doneBytes);
    const reader = response.body?.getReader();
    while (reader !== undefined) {
      const { done, value } = await network(reader.read());
      if (done) break;
      clearTimeout(timer);
      timer = setTimeout(giveUp, stalledMs);
      await file.appendFile(value);
      doneBytes += value.length;
      onProgress(doneBytes);
    }
    await file.sync();
    return { isWhole: true };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    return ended(
      isStalled
        ? stalled(uri, doneBytes === from ? Math.min(stalledMs, answerMs) : stalledMs)
        : explainDownloadFailure(uri, error.message),
    );
  } finally {
    clearTimeout(timer);
    child.abort();
    child.release();
  }
}

/** An error of the source or the network, in contrast to one of the disk. */
class NetworkError extends Error {}

async function network<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // The cause of a failed request has the reason.
    const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
    throw new NetworkError(`${messageOf(error)}${cause}`);
  }
}

function ask(source: Source, from: number, signal: AbortSignal): Promise<Response> {
  const { url, token } = addressOf(source);
  return source.fetch(url, {
    signal,
    headers: {
      'accept-encoding': 'identity',
      ...(from > 0 ? { range: `bytes=${from}-` } : {}),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
  });
}

/** The token is sent only to the hub's own address. */
function addressOf({ uri, env }: Source): { readonly url: string; readonly token: string | null } {
  const named = /^hf:([^/]+\/[^/]+)\/(.+)$/u.exec(uri);
  if (named === null) return { url: uri, token: null };
  const { endpoint, token } = hubAddress(env);
  return { url: `${endpoint}/${named[1]}/resolve/main/${named[2]}`, token };
}

/** The offset of the response's bytes in the file. Null: neither the start nor the requested offset. */
function startOf(response: Response, from: number): number | null {
  if (response.status !== 206) return 0;
  const start = /^bytes (\d+)-/u.exec(response.headers.get('content-range') ?? '')?.[1];
  return start === String(from) ? from : null;
}

function wholeBytes(response: Response): number | null {
  const whole = /^bytes \*\/(\d+)$/u.exec(response.headers.get('content-range') ?? '')?.[1];
  return whole === undefined ? null : Number(whole);
}

function stalled(uri: string, stalledMs: number): Reply<null> {
  return failure(
    'network',
    `${uri} has sent nothing for ${Math.round(stalledMs / 1000)} seconds.`,
    'What was downloaded is kept. Try again when you are online.',
  );
}
