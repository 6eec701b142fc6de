import { AppError, messageOf } from '@shared/errors.ts';
import { abortable, neverAborts } from '../lib/async/abort.ts';
import { fileText } from '../lib/files/file-text.ts';
import { noteFailure } from '../lib/log.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { findServers, type FoundServer } from './find-servers.ts';
import { startServer, type FileNews, type RunningServer } from './running-server.ts';
import { languageFor } from './server-table.ts';

/** A server that ended by itself so often is not started again in this sandbox. */
const mostEnds = 3;
/** A longer look at all files is not made before each question. */
const longestLookMs = 2_000;
/** The first answer needs the whole project read. */
const warmLimitMs = 60_000;
const mostNews = 5_000;

/** One server of the sandbox, whether it runs or not. */
interface Slot {
  readonly found: FoundServer;
  starting: Promise<RunningServer> | null;
  warming: Promise<void> | null;
  running: RunningServer | null;
  ends: number;
  lastEnd: string;
  /** It has answered about a file once, so the next answer comes quickly. */
  isWarm: boolean;
  /** The files as the server last heard of them. */
  files: ReadonlyMap<string, string> | null;
  isSlowToLook: boolean;
}

/** The language servers of one sandbox. Each is started when it is first needed, and ends with the sandbox. */
export class SessionServers {
  readonly sandbox: Sandbox;
  #finding: Promise<readonly Slot[]> | null = null;
  #found: readonly Slot[] = [];

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  /** The servers that are there. Starts none. */
  async find(signal: AbortSignal): Promise<readonly FoundServer[]> {
    return (await abortable(this.#slots(), signal)).map(({ found }) => found);
  }

  knows(path: string): boolean {
    return this.#slotFor(path) !== undefined;
  }

  /** The server for a file, if it is ready to answer quickly. Else it is made ready, and nobody waits. */
  warm(path: string): RunningServer | null {
    const slot = this.#slotFor(path);
    if (slot === undefined) return null;
    if (slot.isWarm) return slot.running;
    if (slot.warming === null && slot.ends < mostEnds)
      slot.warming = this.#warm(slot, path)
        .catch((error: unknown) => noteFailure('A language server was not made ready', error))
        .finally(() => (slot.warming = null));
    return null;
  }

  /** The server for a file, started if it does not run. Rejects with an `AppError` that says why there is none. */
  async get(path: string, signal: AbortSignal): Promise<RunningServer> {
    await abortable(this.#slots(), signal);
    const slot = this.#slotFor(path);
    if (slot === undefined) throw new AppError('not-found', `No language server here knows ${path}.`);
    if (slot.running !== null) return slot.running;
    if (slot.starting === null && slot.ends >= mostEnds) {
      const { name } = slot.found.kind;
      throw new AppError('not-found', `The language server ${name} ended ${slot.ends} times: ${slot.lastEnd}`);
    }
    return abortable(slot.starting ?? this.#start(slot), signal);
  }

  /** Tells a server what is different on the disk since it was last told, whoever changed it. */
  async refresh(server: RunningServer, signal: AbortSignal): Promise<void> {
    const open = server.shown();
    if (open.size > 0) {
      const read = await this.sandbox.files.readMany([...open.keys()], {}, signal);
      for (const [path, text] of open) {
        const now = read.ok ? read.value.get(path) : undefined;
        if (now === undefined || fileText(now.bytes)?.text !== text) server.close(path);
      }
    }
    const slot = this.#found.find(({ running }) => running === server);
    if (slot === undefined || slot.isSlowToLook) return;
    const begun = performance.now();
    const scanned = await this.sandbox.files.scan(signal);
    slot.isSlowToLook = performance.now() - begun > longestLookMs;
    if (!scanned.ok) return;
    const now = new Map([...scanned.value.files].map(([path, { fingerprint }]) => [path, fingerprint]));
    if (slot.files !== null) server.tellChanged(newsBetween(slot.files, now));
    slot.files = now;
  }

  #slots(): Promise<readonly Slot[]> {
    this.#finding ??= findServers(this.sandbox, neverAborts).then((found) => {
      this.#found = found.map((one) => ({
        found: one,
        starting: null,
        warming: null,
        running: null,
        isWarm: false,
        ends: 0,
        lastEnd: '',
        files: null,
        isSlowToLook: false,
      }));
      return this.#found;
    });
    return this.#finding;
  }

  async #warm(slot: Slot, path: string): Promise<void> {
    const server = slot.running ?? (await (slot.starting ?? this.#start(slot)));
    const read = await this.sandbox.files.read(path, {}, neverAborts);
    const text = read.ok ? fileText(read.value.bytes)?.text : undefined;
    if (text !== undefined && !server.shown().has(path)) server.show(path, text);
    if (text !== undefined) await server.problems(path, { limitMs: warmLimitMs, signal: neverAborts });
    slot.isWarm = slot.running === server;
  }

  #slotFor(path: string): Slot | undefined {
    return this.#found.find(({ found }) => languageFor(found.kind, path) !== null);
  }

  async #start(slot: Slot): Promise<RunningServer> {
    const starting = startServer(this.sandbox, slot.found, neverAborts);
    slot.starting = starting;
    slot.files = null;
    try {
      const server = await starting;
      slot.running = server;
      void server.ended.then((why) => {
        slot.running = null;
        slot.isWarm = false;
        slot.ends += 1;
        slot.lastEnd = why;
      });
      // From now on it is told what changes.
      await this.refresh(server, neverAborts);
      return server;
    } catch (error) {
      slot.ends += 1;
      slot.lastEnd = messageOf(error);
      throw error;
    } finally {
      slot.starting = null;
    }
  }
}

function newsBetween(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly FileNews[] {
  const news: FileNews[] = [];
  for (const [path, mark] of now) {
    const old = before.get(path);
    if (old !== mark) news.push({ path, what: old === undefined ? 'created' : 'changed' });
  }
  for (const path of before.keys()) if (!now.has(path)) news.push({ path, what: 'deleted' });
  return news.slice(0, mostNews);
}
