import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { sleep } from '../../lib/async/abort.ts';
import type { HostPrograms, ProgramNeeds } from '../../lib/programs/host-programs.ts';
import { isWholePath } from '../../lib/files/is-within.ts';
import { programAt } from '../../lib/programs/search-path.ts';

/** A model server that Dewpoint started. It listens only on this machine and ends with Dewpoint. */
export interface OwnServer {
  /** The end of its output. */
  readonly words: () => string;
  readonly hasEnded: () => boolean;
  /** Ends this server only. Safe to call twice. */
  readonly end: () => Promise<void>;
}

export interface ServerPrograms {
  readonly nodePath: string;
  /** The built `server-guard`. */
  readonly guardPath: string;
  readonly programs: HostPrograms;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

interface ServerCommand extends ProgramNeeds {
  readonly program: string;
  readonly args: readonly string[];
  /** Called for each complete line of its output. */
  readonly onLine?: (line: string) => void;
}

const keptCharacters = 8_000;
const pollMs = 100;

/** Starts the server under its guard, so that it ends with Dewpoint even after a crash. */
export function startOwnServer({ nodePath, guardPath, programs }: ServerPrograms, command: ServerCommand): OwnServer {
  const { program, args, onLine, ...needs } = command;
  const child = programs.start(nodePath, [guardPath, program, ...args], {
    ...needs,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  const hear = (text: string): void => {
    said = (said + text).slice(-keptCharacters);
  };
  for (const stream of [child.stdout, child.stderr]) {
    let line = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      hear(text);
      const lines = (line + text).split('\n');
      line = (lines.pop() ?? '').slice(-keptCharacters);
      if (onLine !== undefined) lines.forEach(onLine);
    });
  }
  child.on('error', (error) => hear(messageOf(error)));
  return { words: () => said.trim(), hasEnded: () => hasEnded(child), end: () => end(child) };
}

/**
 * Waits until the server answers, ends by itself, `forMs` pass, or the signal aborts. Never rejects. Does not end
 * the server.
 */
export async function waitForServer(
  server: OwnServer,
  answers: () => Promise<boolean>,
  { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal },
): Promise<'answers' | 'ended' | 'late' | 'cancelled'> {
  const deadline = performance.now() + forMs;
  while (performance.now() < deadline) {
    if (signal.aborted) return 'cancelled';
    // If our server has ended, an answer comes from another program's server at the same address.
    if (server.hasEnded()) return 'ended';
    if (await answers()) return 'answers';
    await sleep(pollMs, signal).catch(() => undefined);
  }
  return signal.aborted ? 'cancelled' : 'late';
}

export interface ServerPlaces {
  /** The program's own name. */
  readonly name: string;
  /** From the settings: a name or a full path. */
  readonly wanted: string | undefined;
  /** Folders of its installers, searched after the search path. */
  readonly usual: readonly string[];
}

/**
 * Finds the program: at its full path if the settings have one, else on the search path, else in the usual folders.
 * Null: not found.
 */
export async function findServerProgram(
  { programs, platform }: Pick<ServerPrograms, 'programs' | 'platform'>,
  { name, wanted, usual }: ServerPlaces,
): Promise<string | null> {
  const isUsable = async (path: string): Promise<boolean> =>
    isWholePath(path, platform) && (await programAt(path)) !== null && (await programs.isOutside(path));
  if (wanted !== undefined && /[\\/]/u.test(wanted)) return (await isUsable(wanted)) ? wanted : null;
  const onPath = await programs.find(wanted ?? name);
  if (onPath !== null || wanted !== undefined) return onPath;
  const file = platform === 'win32' ? `${name}.exe` : name;
  const places = usual.map((folder) => join(folder, file)).filter((place) => isWholePath(place, platform));
  for (const place of places) if ((await programAt(place)) !== null) return place;
  return null;
}

/** The end of a server's output, as the end of a sentence. Empty if it printed nothing. */
export function lastOutput(words: string): string {
  const last = words.split('\n').slice(-3).join(' ').slice(-400);
  return last === '' ? '' : ` Its last output: ${last}`;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Ends the guard, which ends its server first. */
function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(child)) return resolve();
    child.once('exit', () => resolve());
    if (child.connected) child.disconnect();
    else child.kill('SIGTERM');
  });
}
