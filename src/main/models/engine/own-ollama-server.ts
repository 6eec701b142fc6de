import { join } from 'node:path';
import { failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import { abortable } from '../../lib/async/abort.ts';
import { findServerProgram, lastOutput, startOwnServer, waitForServer } from './own-server.ts';
import type { OwnServer, ServerPrograms } from './own-server.ts';

/**
 * Starts an installed Ollama that does not run. It listens only on this machine and ends with Dewpoint. A server
 * that already runs is never touched.
 */
export interface OwnOllamaServer {
  /** The path of the program, looked up each time. Null: it is not installed. */
  readonly find: (program: string | undefined) => Promise<string | null>;
  /**
   * Starts the server at an unused address and resolves when it answers. Concurrent callers wait for the same start.
   * A failure contains the reason and the program's last output. Rejects with the signal's reason, while the start
   * goes on.
   */
  readonly start: (wish: ServerStart, signal: AbortSignal) => Promise<Reply<null>>;
  /** Ends only what was started here. Safe to call twice. */
  readonly dispose: () => Promise<void>;
}

export interface ServerStart {
  readonly program: string;
  /** `HOST:PORT` of this machine. */
  readonly host: string;
  /** Whether the server answers. */
  readonly answers: (signal: AbortSignal) => Promise<boolean>;
}

export interface OwnOllamaServerOptions extends ServerPrograms {
  /** The time limit until it answers. Default 30 s. */
  readonly startMs?: number;
}

export function createOwnOllamaServer(options: OwnOllamaServerOptions): OwnOllamaServer {
  const running = new Map<string, OwnServer>();
  const starting = new Map<string, Promise<Reply<null>>>();
  const closing = new AbortController();
  return {
    find: (program) => findServerProgram(options, { name: 'ollama', wanted: program, usual: usualPlaces(options) }),
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
      await Promise.all([...running.values()].map((server) => server.end()));
      running.clear();
    },
  };
}

function usualPlaces({ env, platform }: OwnOllamaServerOptions): readonly string[] {
  if (platform === 'win32') return [join(env.LOCALAPPDATA ?? '', 'Programs', 'Ollama')];
  return platform === 'darwin'
    ? ['/Applications/Ollama.app/Contents/Resources', '/opt/homebrew/bin', '/usr/local/bin']
    : ['/usr/local/bin', '/usr/bin'];
}

async function startServer(
  options: OwnOllamaServerOptions,
  { program, host, answers }: ServerStart,
  { running, signal }: { readonly running: Map<string, OwnServer>; readonly signal: AbortSignal },
): Promise<Reply<null>> {
  const { startMs = 30_000 } = options;
  const server = startOwnServer(options, {
    program,
    args: ['serve'],
    needs: ['network', 'card', 'ollama'],
    more: { OLLAMA_HOST: host },
  });
  running.set(host, server);
  const outcome = await waitForServer(server, () => answers(signal), { forMs: startMs, signal });
  if (outcome === 'answers') return success(null);
  running.delete(host);
  if (outcome === 'ended')
    return failure('engine-lost', endedText(program, host, server.words()), hintOf(server.words()));
  await server.end();
  if (outcome === 'cancelled') return failure('cancelled', 'It was cancelled.');
  const text = `${program} was started but did not answer at ${host} within ${Math.round(startMs / 1000)} seconds.`;
  return failure('engine-lost', `${text}${lastOutput(server.words())}`);
}

function endedText(program: string, host: string, words: string): string {
  const isTaken = /address already in use|Only one usage of each socket address/i.test(words);
  return isTaken
    ? `${program} could not be started: another program, not Ollama, uses the port of ${host}.`
    : `${program} was started and ended at once.${lastOutput(words)}`;
}

function hintOf(words: string): string {
  return /address already in use/i.test(words)
    ? 'Set another address: providers.ollama.baseUrl in your settings.'
    : 'Start it by hand to see more: ollama serve';
}
