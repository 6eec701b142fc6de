import { toFailure } from '@shared/errors.ts';
import { memo } from '../lib/memo.ts';
import { namePattern } from './find-name.ts';
import type { RunningServer } from './running-server.ts';
import type { Problem } from './server-answers.ts';
import type { SessionServers } from './session-servers.ts';

/** A file before and after an edit; null: it does not exist. */
export interface EditedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * `none`: no server knows the files. `late`: no answer came in time, or the server is still being started. `isTooMuch`:
 * with so many files, the next answer would come too late as well.
 */
export type NewErrors =
  | { readonly type: 'none' }
  | { readonly type: 'late'; readonly isTooMuch?: true }
  | { readonly type: 'found'; readonly by: string; readonly errors: readonly Problem[] };

export interface NewErrorsWait {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** A name that the edit changed everywhere: an error from before that now has the new name is not new. */
  readonly renamed?: { readonly name: string; readonly newName: string } | undefined;
  /** The files on the disk stay as they were before the edit, so the server is left with that. */
  readonly isTrial?: boolean;
}

const mostFiles = 20;
/** After so many answers in a row that came too late, a server is not asked any more. */
const mostLate = 3;

/** Of more files at once, such as those of a rename, an answer that comes too late says nothing about the server. */
const fewFiles = 5;

const latenessOf = memo((_server: RunningServer) => ({ inARow: 0 }));

/**
 * The errors of edited files that were not there before the edit. The server gets the files as they were, and then as
 * they are, so errors that others made are not laid to the edit. Never waits for a server that is not ready.
 */
export async function findNewErrors(
  servers: SessionServers,
  edited: readonly EditedFile[],
  { limitMs, ...wait }: NewErrorsWait,
): Promise<NewErrors> {
  const byServer = new Map<RunningServer, EditedFile[]>();
  let isKnown = false;
  for (const file of edited.slice(-mostFiles)) {
    const server = servers.warm(file.path);
    if (server?.kind.lagsBehindEdits === true) continue;
    isKnown ||= servers.knows(file.path);
    if (server !== null && latenessOf(server).inARow < mostLate)
      byServer.set(server, [...(byServer.get(server) ?? []), file]);
  }
  const [first] = byServer.keys();
  if (first === undefined) return isKnown ? { type: 'late' } : { type: 'none' };
  const until = performance.now() + limitMs;
  const found = await Promise.all(
    [...byServer].map(async ([server, files]) => {
      const errors = await compare(server, files, { ...wait, until });
      const lateness = latenessOf(server);
      if (errors !== null) lateness.inARow = 0;
      else if (files.length <= fewFiles) lateness.inARow += 1;
      return errors;
    }),
  );
  const known = found.filter((one) => one !== null);
  return known.length < found.length
    ? { type: 'late', ...([...byServer.values()].some(({ length }) => length > fewFiles) ? { isTooMuch: true } : {}) }
    : { type: 'found', by: [...byServer.keys()].map(({ kind }) => kind.name).join(', '), errors: known.flat() };
}

interface Until extends Omit<NewErrorsWait, 'limitMs'> {
  /** By `performance.now()`. */
  readonly until: number;
}

/** Null: it took too long, or there was no answer. */
async function compare(
  server: RunningServer,
  files: readonly EditedFile[],
  { until, signal, isTrial = false, renamed }: Until,
): Promise<readonly Problem[] | null> {
  const wait = () => ({ limitMs: Math.max(1, Math.round(until - performance.now())), signal });
  const problemsOf = async (paths: readonly string[]): Promise<ReadonlyMap<string, readonly Problem[] | null>> =>
    new Map(await Promise.all(paths.map(async (path) => [path, await server.problems(path, wait())] as const)));
  const present = files.filter(({ after }) => after !== null).map(({ path }) => path);
  try {
    showTexts(server, files, 'before');
    const old = files.filter(({ before, after }) => before !== null && after !== null).map(({ path }) => path);
    const before = await problemsOf(old);
    showTexts(server, files, 'after');
    const after = await problemsOf(present);
    return present.flatMap((path) => newOnes(withNewName(before.get(path), renamed), after.get(path)));
  } catch (error) {
    signal.throwIfAborted();
    const { code } = toFailure(error);
    if (code === 'internal' && !isTimeout(error)) throw error;
    return null;
  } finally {
    showTexts(server, files, isTrial ? 'before' : 'after');
  }
}

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

function showTexts(server: RunningServer, files: readonly EditedFile[], when: 'before' | 'after'): void {
  for (const file of files) {
    const text = file[when];
    if (text === null) server.close(file.path);
    else server.show(file.path, text);
  }
}

function withNewName(
  problems: readonly Problem[] | null | undefined,
  renamed: NewErrorsWait['renamed'],
): readonly Problem[] | null | undefined {
  if (renamed === undefined || problems === null || problems === undefined) return problems;
  const name = new RegExp(namePattern(renamed.name), 'gu');
  return problems.map((one) => ({ ...one, text: one.text.replaceAll(name, () => renamed.newName) }));
}

/** An error may have moved to another line. Null: unknown. */
function newOnes(before: readonly Problem[] | null = [], after: readonly Problem[] | null = []): readonly Problem[] {
  if (before === null || after === null) return [];
  const known = new Map<string, number>();
  for (const { text } of before) known.set(text, (known.get(text) ?? 0) + 1);
  return after.filter(({ text }) => {
    const left = known.get(text) ?? 0;
    known.set(text, left - 1);
    return left <= 0;
  });
}
