import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { sleep } from '../../lib/async/abort.ts';
import type { HostPrograms, ProgramNeeds } from '../../lib/programs/host-programs.ts';
import { isProgram, isWholePath } from '../../lib/programs/search-path.ts';

/** A server of models that we have started: it listens on this machine alone and ends with Dewpoint. */
export interface OwnServer {
  /** The last of what it printed. */
  readonly words: () => string;
  readonly hasEnded: () => boolean;
  /** Ends it, and nothing else. Safe to call twice. */
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
  /** Each whole line that it prints. */
  readonly onLine?: (line: string) => void;
}

const keptCharacters = 8_000;
const pollMs = 100;

/** With its guard, so that it ends with us, however we end. */
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

/** Until it answers, has ended by itself, `forMs` are over, or the signal aborts. Never rejects; ends nothing. */
export async function waitForServer(
  server: OwnServer,
  answers: () => Promise<boolean>,
  { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal },
): Promise<'answers' | 'ended' | 'late' | 'cancelled'> {
  const deadline = Date.now() + forMs;
  while (Date.now() < deadline) {
    if (signal.aborted) return 'cancelled';
    // Only what we have started may count as ours: a server that another program has started meanwhile ends this one.
    if (server.hasEnded()) return 'ended';
    if (await answers()) return 'answers';
    await sleep(pollMs, signal).catch(() => undefined);
  }
  return signal.aborted ? 'cancelled' : 'late';
}

export interface ServerPlaces {
  /** The program's own name. */
  readonly name: string;
  /** Of the settings: a name, or a whole path. */
  readonly wanted: string | undefined;
  /** Folders where its installers put it, beside the search path. */
  readonly usual: readonly string[];
}

/** By its whole path, where the settings have one; else on the search path, then in the usual places. Null: not there. */
export async function findServerProgram(
  { programs, platform }: Pick<ServerPrograms, 'programs' | 'platform'>,
  { name, wanted, usual }: ServerPlaces,
): Promise<string | null> {
  if (wanted !== undefined && /[\\/]/u.test(wanted))
    return isWholePath(wanted, platform) && isProgram(wanted) ? wanted : null;
  const onPath = await programs.find(wanted ?? name);
  if (onPath !== null || wanted !== undefined) return onPath;
  const file = platform === 'win32' ? `${name}.exe` : name;
  const places = usual.map((folder) => join(folder, file)).filter((place) => isWholePath(place, platform));
  return places.find(isProgram) ?? null;
}

/** The end of what a server printed, as the end of a sentence; empty where it printed nothing. */
export function lastOutput(words: string): string {
  const last = words.split('\n').slice(-3).join(' ').slice(-400);
  return last === '' ? '' : ` Its last output: ${last}`;
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
