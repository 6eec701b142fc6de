import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { failure, messageOf, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { abortable, sleep } from '../../lib/async/abort.ts';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';
import { isProgram, isWholePath } from '../../lib/programs/search-path.ts';

/**
 * An Ollama server of our own, for machines where it is installed and does not run. It listens on this machine alone and
 * ends with Dewpoint. One that runs already is never touched.
 */
export interface OwnOllamaServer {
  /** Where the program is; null: it is not installed. Looks anew each time. */
  readonly find: (program: string | undefined) => Promise<string | null>;
  /**
   * Starts it at a place where nobody answers, and returns when it does; all who ask meanwhile wait for the same start.
   * A failure says why, with the last words of the program. Rejects with the signal's reason; the start goes on.
   */
  readonly start: (wish: ServerStart, signal: AbortSignal) => Promise<Reply<null>>;
  /** Ends what was started here, and nothing else. Safe to call twice. */
  readonly dispose: () => Promise<void>;
}

export interface ServerStart {
  readonly program: string;
  /** `HOST:PORT` of this machine. */
  readonly host: string;
  /** Whether it answers. */
  readonly answers: (signal: AbortSignal) => Promise<boolean>;
}

export interface OwnOllamaServerOptions {
  readonly nodePath: string;
  /** The built `server-guard`. */
  readonly guardPath: string;
  readonly programs: HostPrograms;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Until it answers. Default 30 s. */
  readonly startMs?: number;
}

const pollMs = 100;
const keptCharacters = 8_000;

export function createOwnOllamaServer(options: OwnOllamaServerOptions): OwnOllamaServer {
  const running = new Map<string, ChildProcess>();
  const starting = new Map<string, Promise<Reply<null>>>();
  const closing = new AbortController();
  return {
    find: (program) => findOllama(program, options),
    start: (wish, signal) => {
      const known = starting.get(wish.host);
      if (known !== undefined) return abortable(known, signal);
      const started = startServer(options, wish, { running, signal: closing.signal }).finally(() =>
        starting.delete(wish.host),
      );
      starting.set(wish.host, started);
      return abortable(started, signal);
    },
    dispose: async () => {
      closing.abort();
      await Promise.all(starting.values());
      await Promise.all([...running.values()].map(end));
      running.clear();
    },
  };
}

/** The program of the settings by its whole path; else on the search path, then where its installers put it. */
async function findOllama(
  program: string | undefined,
  { env, platform, programs }: OwnOllamaServerOptions,
): Promise<string | null> {
  if (program !== undefined && /[\\/]/u.test(program))
    return isWholePath(program, platform) && isProgram(program) ? program : null;
  const onPath = await programs.find(program ?? 'ollama');
  if (onPath !== null || program !== undefined) return onPath;
  const isWindows = platform === 'win32';
  const name = isWindows ? 'ollama.exe' : 'ollama';
  const usual = isWindows
    ? [join(env.LOCALAPPDATA ?? '', 'Programs', 'Ollama')]
    : platform === 'darwin'
      ? ['/Applications/Ollama.app/Contents/Resources', '/opt/homebrew/bin', '/usr/local/bin']
      : ['/usr/local/bin', '/usr/bin'];
  const places = usual.map((folder) => join(folder, name)).filter((place) => isWholePath(place, platform));
  return places.find(isProgram) ?? null;
}

async function startServer(
  { nodePath, guardPath, programs, startMs = 30_000 }: OwnOllamaServerOptions,
  { program, host, answers }: ServerStart,
  { running, signal }: { readonly running: Map<string, ChildProcess>; readonly signal: AbortSignal },
): Promise<Reply<null>> {
  const child = programs.start(nodePath, [guardPath, program, 'serve'], {
    needs: ['network', 'card', 'ollama'],
    more: { OLLAMA_HOST: host },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.set(host, child);
  const words = lastWordsOf(child);
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline && !signal.aborted) {
    if (hasEnded(child)) {
      running.delete(host);
      return failure('engine-lost', endedText(program, host, words()), hintOf(words()));
    }
    // Only what we have started may count as ours: a server that another program has started meanwhile ends this one.
    if (await answers(signal)) return success(null);
    await sleep(pollMs, signal).catch(() => undefined);
  }
  running.delete(host);
  await end(child);
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  const text = `${program} was started but did not answer at ${host} within ${Math.round(startMs / 1000)} seconds.`;
  return failure('engine-lost', `${text}${saidText(words())}`);
}

function lastWordsOf(child: ChildProcess): () => string {
  let said = '';
  const hear = (chunk: unknown): void => {
    said = (said + String(chunk)).slice(-keptCharacters);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.on('error', (error) => hear(messageOf(error)));
  return () => said.trim();
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** The guard ends its server first. */
function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(child)) return resolve();
    child.once('exit', () => resolve());
    if (child.connected) child.disconnect();
    else child.kill('SIGTERM');
  });
}

function endedText(program: string, host: string, words: string): string {
  const isTaken = /address already in use|Only one usage of each socket address/i.test(words);
  return isTaken
    ? `${program} could not be started: another program, not Ollama, uses the port of ${host}.`
    : `${program} was started and ended at once.${saidText(words)}`;
}

function hintOf(words: string): string {
  return /address already in use/i.test(words)
    ? 'Set another address: providers.ollama.baseUrl in your settings.'
    : 'Start it by hand to see more: ollama serve';
}

function saidText(words: string): string {
  const last = words.split('\n').slice(-3).join(' ').slice(-400);
  return last === '' ? '' : ` Its last output: ${last}`;
}
