import { watch, type FSWatcher } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, failure, messageOf, success, type Reply } from '@shared/errors.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { callModeFor, nullIfGone, readRegularFile, type CallMode } from '../../../lib/files/host-folder.ts';
import { projectKey } from '../../../lib/files/project-key.ts';
import { createOneAtATime } from '../../../lib/async/one-at-a-time.ts';
import { pauses } from '../../../lib/async/pauses.ts';
import { FolderChain } from './folder-chain.ts';
import { absolutePath, childPath, namesOf, shownPath } from './folder-names.ts';
import { FolderWatch, mostFolders, type LookEnd, type SeenFolder } from './folder-watch.ts';
import { addressFolders, isRepositoryData, linkedFolders, pointersIn, redirects, todoFile } from './git-data.ts';
import { earlierRecords, OwnRecord, recordFolder, type EarlierRecord } from './guard-record.ts';
import { globalHooks, namedByConfig } from './named-by-config.ts';
import {
  judgePointer,
  makeHarmless,
  maxConfigBytes,
  revertAdditions,
  type Harmless,
  createTakenFileKeeper,
} from './make-harmless.ts';
import { findUntrackedChanges } from './untracked-changes.ts';
import { neverAborts } from '../../../lib/async/abort.ts';
import { diagnostics, noteFailure } from '../../../lib/log.ts';
import { askDrive } from '../../../lib/files/served-drives.ts';

export interface GuardOptions {
  /** A real path. */
  readonly workspacePath: string;
  readonly homePath: string;
  readonly sessionId: string;
  /** Called once for each place, and again if something was done about it. Must not throw. */
  readonly onUntracked: (places: readonly UntrackedPlace[]) => void;
  /** The most folders that are checked after each command. */
  readonly mostFolders?: number;
}

type Found =
  /**
   * The user's own, from before any command ran. `kept` has the files that redirect git, and the remaining steps of
   * a rebase.
   */
  | { readonly type: 'own-data'; readonly kept: ReadonlyMap<string, string> }
  | { readonly type: 'own-pointer' }
  /**
   * Made by a command. Checked every time, because a file can be written through mapped memory without a change of
   * its time.
   */
  | { readonly type: 'data' | 'pointer' };

/** The least time between two looks while something runs. With many folders, looks are less frequent, up to a limit. */
const everyMs = 250;
const restPerLook = 40;
const mostRestMs = 5_000;
/** The times of files change in steps of up to this. */
const clockStepMs = 10;
const gitWhy = 'git runs what it says';

/**
 * Checks after every command, and while commands run, whether there is a new git repository, and makes it harmless.
 * Git on this machine runs what the data of a repository says, even for a repository deep inside another one.
 * Repositories from before the session are the user's own and are left alone, except for what commands add to them.
 */
export class RepositoryGuard {
  readonly #options: GuardOptions;
  readonly #asking: CallMode;
  readonly #watch: FolderWatch;
  readonly #turns = createOneAtATime();
  readonly #found = new Map<string, Found>();
  readonly #told = new Map<string, string>();
  /** The user's own repositories in whose data a name was added or removed since the last check. */
  readonly #touched = new Set<string>();
  readonly #keep: ReturnType<typeof createTakenFileKeeper>;
  /** Files that the user's own git settings name and that commands may change, with their marks. */
  readonly #named = new Map<string, string>();
  /** Where hooks are in any repository, by the user's own settings. */
  #globalHooks: readonly string[] = [];
  readonly #left: UntrackedPlace[] = [];
  #record: OwnRecord | null = null;
  #watchers: FSWatcher[] = [];
  /** Folders that are Python environments, judged by their contents. */
  readonly #environments = new Set<string>();
  /** When untracked places were last checked, by the clock of files and by one that never goes back. */
  #settled = { wallMs: Date.now(), steadyMs: performance.now() };
  #running = 0;
  /** A command has run since then. */
  #hasRun = false;
  #timer: NodeJS.Timeout | null = null;
  #isDisposed = false;
  /** Why the last look could not check everything as it must. Null: it could. */
  #problem: string | null = null;
  readonly #alsoChecked = new Set<() => Promise<unknown>>();

  private constructor(options: GuardOptions, asking: CallMode) {
    this.#options = options;
    this.#asking = asking;
    this.#watch = new FolderWatch(options.workspacePath, asking, options.mostFolders ?? mostFolders);
    this.#keep = createTakenFileKeeper(join(options.homePath, 'sandbox', 'taken-away', options.sessionId));
  }

  /**
   * Call it before the first command. Rejects with `refused` if the workspace is too large to be checked completely.
   */
  static async start(options: GuardOptions, signal: AbortSignal): Promise<RepositoryGuard> {
    const asking = await callModeFor(options.workspacePath);
    const guard = new RepositoryGuard(options, asking);
    const folder = recordFolder(options.homePath, await projectKey(options.workspacePath));
    const earlier = await earlierRecords(folder);
    const end = await guard.#lookThrough(signal, true);
    if (end.isCut) throw tooLarge(options.workspacePath);
    for (const [path, found] of guard.#found) {
      const isOwn = !(await isOfEarlier(path, options.workspacePath, earlier));
      if (!isOwn || (found.type !== 'data' && found.type !== 'pointer')) continue;
      const own: Found =
        found.type === 'data' ? { type: 'own-data', kept: await guard.#keptIn(path) } : { type: 'own-pointer' };
      guard.#found.set(path, own);
    }
    guard.#globalHooks = await globalHooks();
    guard.#reportOnce(await guard.#settle(end));
    await guard.#findNamed();
    const { sessionId, workspacePath } = options;
    guard.#record = await OwnRecord.write(folder, { sessionId, workspacePath, own: guard.#ownPaths() });
    for (const { endedMs, file } of earlier) if (endedMs !== null) await rm(file, { force: true });
    guard.#watchOwn();
    return guard;
  }

  /** The user's own: folders with the data of repositories, and `.git` files. Only paths that are text, sorted. */
  get own(): { readonly data: readonly string[]; readonly pointers: readonly string[] } {
    const of = (type: Found['type']): string[] =>
      [...this.#found].flatMap(([path, found]) => (found.type === type && !path.includes('\0') ? [path] : [])).sort();
    return { data: of('own-data'), pointers: of('own-pointer') };
  }

  /** Everything that was reported so far, in order. */
  get left(): readonly UntrackedPlace[] {
    return this.#left;
  }

  /**
   * Checks what a command left, makes it harmless and reports it. Waits for a running check and then checks again.
   * Never rejects.
   */
  async look(): Promise<readonly UntrackedPlace[]> {
    const leave = await this.#turns.enter(neverAborts);
    try {
      for (const check of this.#alsoChecked) await check();
      const end = await this.#lookThrough(neverAborts);
      const places = await this.#settle(end);
      this.#problem = end.isCut ? 'It has more folders than can be checked after each command.' : null;
      await this.#record?.touch();
      return this.#reportOnce(places);
    } catch (error) {
      diagnostics.error('sandbox: the look at repositories failed', error);
      this.#problem = `It could not be checked after a command (${messageOf(error)}).`;
      return this.#reportOnce([{ path: '.', why: 'it could not be checked after a command', done: null }]);
    } finally {
      leave?.();
    }
  }

  /**
   * Call it before a command. Fails with `refused` while not everything can be checked. Then it looks again, because the
   * user may have made room.
   */
  async admit(): Promise<Reply<void>> {
    if (this.#problem !== null) await this.look();
    if (this.#problem === null) return success(undefined);
    return failure(
      'refused',
      `Nothing runs in ${this.#options.workspacePath} now. ${this.#problem}`,
      'Delete what the last commands made there, or open a smaller folder as the project. Then continue.',
    );
  }

  /** Runs another check at every look. It must not reject. Call the returned function at its end. */
  alsoCheck(check: () => Promise<unknown>): () => void {
    this.#alsoChecked.add(check);
    return () => void this.#alsoChecked.delete(check);
  }

  /**
   * Call it at the end of a turn. Reports what commands changed in folders of packages, which are not tracked for
   * changes. Rejects only on abort.
   */
  async settle(signal: AbortSignal): Promise<void> {
    if (!this.#hasRun) return;
    await this.look();
    await this.#reportUntracked(signal);
  }

  async #reportUntracked(signal: AbortSignal): Promise<void> {
    if (!this.#hasRun) return;
    const { wallMs, steadyMs } = this.#settled;
    const at = { wallMs: Date.now(), steadyMs: performance.now() };
    // If the clock was put back since, what came after that has an earlier time.
    const sinceMs = Math.min(wallMs, at.wallMs - (at.steadyMs - steadyMs)) - clockStepMs;
    this.#hasRun = this.#running > 0;
    this.#settled = at;
    const { workspacePath } = this.#options;
    const where = {
      workspacePath,
      asking: this.#asking,
      folders: this.#watch.folders,
      environments: this.#environments,
    };
    const find = () => findUntrackedChanges({ ...where, sinceMs, pause: pauses(signal) });
    const places = await askDrive(workspacePath, find, { signal });
    for (const { path } of places) this.#told.delete(path);
    this.#reportOnce(places);
  }

  /** Checks repeatedly while something runs. Call the returned function at its end. */
  whileRunning(): () => void {
    this.#running += 1;
    this.#hasRun = true;
    this.#timer ??= this.#next(everyMs);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
    };
  }

  /** Makes the last check. Removes the record, unless that check could not see everything. Never rejects. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const watcher of this.#watchers) watcher.close();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.look();
    await this.#reportUntracked(neverAborts).catch((error: unknown) =>
      diagnostics.error('sandbox: what commands changed could not be reported', error),
    );
    const over = this.#problem === null ? this.#record?.remove() : this.#record?.end();
    await over?.catch((error: unknown) =>
      diagnostics.warn('sandbox: the record of a guard could not be written or removed', error),
    );
  }

  #next(afterMs: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      const started = performance.now();
      void this.look().then(() => {
        const goesOn = this.#running > 0 && !this.#isDisposed;
        this.#timer = goesOn ? this.#next(restAfter(performance.now() - started)) : null;
      });
    }, afterMs);
    timer.unref();
    return timer;
  }

  /**
   * Watches the user's own repositories through the system, which reports new names at once if the container uses
   * this machine's kernel.
   */
  #watchOwn(): void {
    for (const path of this.own.data) {
      const names = new Set<string>([...redirects, ...addressFolders].map((name) => namesOf(name)[0] ?? name));
      try {
        const watcher = watch(
          absolutePath(this.#options.workspacePath, path),
          { persistent: false },
          (_event, name) => {
            if (name === null || names.has(name)) void this.look();
          },
        );
        watcher.on('error', () => watcher.close());
        this.#watchers.push(watcher);
      } catch (error) {
        // The system has no more watches. The next look finds changes.
        noteFailure('sandbox: a folder could not be watched', error);
      }
    }
  }

  async #lookThrough(signal: AbortSignal, endsAtLimit = false): Promise<LookEnd> {
    const work = (left: AbortSignal): Promise<LookEnd> =>
      this.#watch.look({
        onFolder: (folder) => this.#note(folder),
        onGone: (path) => this.#found.delete(path),
        endsAtLimit,
        signal: AbortSignal.any([signal, left]),
      });
    return askDrive(this.#options.workspacePath, work, { signal });
  }

  #note({ path, entries }: SeenFolder): void {
    const known = this.#found.get(path);
    if (!isRepositoryData(path, entries)) {
      if (known?.type === 'data') this.#found.delete(path);
    } else if (known === undefined) {
      this.#found.set(path, { type: 'data' });
      const top = namesOf(path).slice(0, -1).join('/');
      for (const hooks of this.#globalHooks) this.#named.set(childPath(top, hooks), '');
    }
    if (entries.has('pyvenv.cfg')) this.#environments.add(path);
    const owner = this.#ownDataAround(path);
    if (owner !== null) this.#touched.add(owner);
    for (const name of pointersIn(entries)) {
      const pointer = childPath(path, name);
      if (!this.#found.has(pointer)) this.#found.set(pointer, { type: 'pointer' });
    }
  }

  /** The user's own repository whose data contains a folder. Null: none. */
  #ownDataAround(path: string): string | null {
    for (let inside = path; ; inside = inside.slice(0, Math.max(0, inside.lastIndexOf('/')))) {
      if (this.#found.get(inside)?.type === 'own-data') return inside;
      if (inside === '') return null;
    }
  }

  /** Makes harmless what commands made, and removes what they added to the user's own repositories. */
  async #settle({ unreadable, isCut }: LookEnd): Promise<readonly UntrackedPlace[]> {
    const places: UntrackedPlace[] = [];
    const chain = new FolderChain(this.#options.workspacePath, this.#asking);
    const isKnownData = (path: string): boolean => {
      const type = this.#found.get(path)?.type;
      return type === 'data' || type === 'own-data';
    };
    const with_ = { chain, keep: this.#keep, isKnownData, isFolder: (path: string) => this.#watch.has(path) };
    try {
      for (const [path, found] of this.#found) {
        if (found.type === 'own-data') {
          if (!this.#touched.has(path) && (await this.#markOf(childPath(path, todoFile))) === '') continue;
          const { done, problem } = await revertAdditions(path, found.kept, with_);
          if (done.length > 0 || problem !== null) places.push(placeOf(path, 'git follows it', { done, problem }));
        } else if (found.type === 'data') {
          if (!this.#watch.has(path) && (await this.#markOf(path)) === '') {
            this.#found.delete(path);
            continue;
          }
          const why = `a git repository that was made while commands ran; ${gitWhy}`;
          places.push(placeOf(path, why, await makeHarmless(path, with_)));
        } else if (found.type === 'pointer') {
          if ((await this.#markOf(path)) === '') this.#found.delete(path);
          else places.push(placeOf(path, 'it leads git to a repository', await judgePointer(path, with_)));
        }
      }
      this.#touched.clear();
    } finally {
      await chain.close();
    }
    for (const [path, mark] of this.#named) {
      const now = await this.#markOf(path);
      if (now === mark) continue;
      this.#named.set(path, now);
      places.push({ path: shownPath(path), why: 'your git settings in this project name it', done: null });
    }
    for (const path of unreadable)
      places.push({ path: shownPath(path), why: 'its permissions do not allow a check', done: null });
    if (isCut) places.push({ path: '.', why: 'it has more folders than can be checked', done: null });
    return places;
  }

  /** A mark that changes when a file is touched. Empty: it does not exist. */
  async #markOf(path: string): Promise<string> {
    const found = await lstat(absolutePath(this.#options.workspacePath, path)).catch(nullIfGone);
    return found === null ? '' : `${found.ino}:${found.size}:${found.ctimeMs}`;
  }

  async #findNamed(): Promise<void> {
    const { workspacePath } = this.#options;
    for (const folder of this.own.data) {
      for (const { path, isPinned } of await namedByConfig(workspacePath, folder)) {
        if (!isPinned) this.#named.set(path, await this.#markOf(path));
      }
    }
  }

  /** The current contents of the files that redirect git. */
  async #keptIn(path: string): Promise<ReadonlyMap<string, string>> {
    const kept = new Map<string, string>();
    const place = (name: string): string | Buffer => absolutePath(this.#options.workspacePath, childPath(path, name));
    for (const name of [...linkedFolders, ...redirects]) {
      if ((await lstat(place(name)).catch(nullIfGone)) !== null) kept.set(name, '');
    }
    for (const name of addressFolders) {
      // Most repositories lack some of these folders.
      for (const entry of await readdir(place(name)).catch(() => [])) kept.set(`${name}/${entry}`, '');
    }
    const chain = new FolderChain(this.#options.workspacePath, 'waiting');
    const [folder = '', file = ''] = todoFile.split('/');
    await chain
      .use(namesOf(childPath(path, folder)), async (opened) => {
        const bytes = await readRegularFile(opened, file, maxConfigBytes);
        if (bytes !== null) kept.set(todoFile, bytes.toString());
      })
      // No rebase is in progress.
      .catch(() => undefined);
    await chain.close();
    return kept;
  }

  /** Reports each place once, and again if something else was done about it. */
  #reportOnce(places: readonly UntrackedPlace[]): readonly UntrackedPlace[] {
    const news = places.filter(({ path, done }) => {
      const told = this.#told.get(path);
      return told === undefined || (done !== null && done !== told);
    });
    for (const { path, done } of news) this.#told.set(path, done ?? '');
    this.#left.push(...news);
    if (news.length > 0) this.#options.onUntracked(news);
    return news;
  }

  #ownPaths(): readonly string[] {
    return [...this.#found].flatMap(([path, { type }]) =>
      type === 'own-data' || type === 'own-pointer' ? [path] : [],
    );
  }
}

function placeOf(path: string, why: string, { done, problem }: Harmless): UntrackedPlace {
  const said = [...done, ...(problem === null ? [] : [`it could not be made harmless: ${problem}`])];
  return { path: shownPath(path) || '.', why, done: said.length === 0 ? null : said.join('; ') };
}

/** The rest after a look that took this long. */
export function restAfter(lookMs: number): number {
  return Math.min(mostRestMs, Math.max(everyMs, lookMs * restPerLook));
}

function tooLarge(path: string): AppError {
  return new AppError('refused', `${path} has more folders than can be checked after each command.`, {
    hint: 'Open a smaller folder in it as the project.',
  });
}

/** Whether it was made by commands of a session that was killed, or of another running session. */
async function isOfEarlier(path: string, workspacePath: string, earlier: readonly EarlierRecord[]): Promise<boolean> {
  const first = earlier[0];
  if (first === undefined || first.own.has(path)) return false;
  const born: number[] = [];
  for (const name of ['', 'config', 'HEAD', 'commondir']) {
    const place = absolutePath(workspacePath, name === '' ? path : childPath(path, name));
    const found = await lstat(place).catch(nullIfGone);
    if (found !== null) born.push(found.birthtimeMs > 0 ? found.birthtimeMs : found.ctimeMs);
  }
  return earlier.some(({ startedMs, endedMs, own }) => {
    const isIn = (at: number): boolean => at >= startedMs - 1_000 && (endedMs === null || at <= endedMs);
    return !own.has(path) && born.some(isIn);
  });
}
