import type { ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import { homedir } from 'node:os';
import { loginShell, loginWords, pathPrinted } from './login-path.ts';
import type { Need } from './program-environment.ts';
import { foldersToAsk, programEnvironment } from './program-environment.ts';
import type { SearchPlace } from './search-path.ts';
import { askWhereTo, findOnPath, isOfProject } from './search-path.ts';
import { realPathOf } from '../files/host-folder.ts';
import { diagnostics } from '../log.ts';
import { noteUnseen } from '../net/record-of-sends.ts';
import type { ProgramStart } from './start-program.ts';
import { startProgram } from './start-program.ts';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';

/** More non-empty folders than this are no accident. */
const maxTries = 50;

/**
 * An empty folder, private to this user, as the current folder of programs, so that they find no files beside them. If
 * something got into it, the next one is used (`-2`, `-3`); nothing is deleted. Throws if none can be made.
 */
export function emptyFolder(path: string): string {
  for (let number = 1; number <= maxTries; number += 1) {
    const folder = number === 1 ? path : `${path}-${number}`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOursAndEmpty(folder)) return folder;
  }
  throw new Error(`Programs need an empty folder to run in. Remove the contents of ${path}.`);
}

function isOursAndEmpty(folder: string): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    const user = process.getuid?.();
    // Windows has no such permissions; there, the parent folder controls who may write.
    if (user !== undefined && (uid !== user || (mode & 0o022) !== 0)) return false;
    return readdirSync(folder).length === 0;
  } catch {
    // A folder that cannot be examined is not trusted.
    return false;
  }
}

/** A program, by name or absolute path, and the first words of its command. */
export type Program = readonly [program: string, ...words: string[]];

export interface ProgramOutcome {
  /** Null: it could not be started, or was killed. */
  readonly code: number | null;
  readonly stdout: string;
  /** The end of its output, including errors. */
  readonly output: string;
}

export interface ProgramNeeds {
  readonly needs: readonly Need[];
  /** Variables to set in addition to those of the machine. */
  readonly more?: Readonly<Record<string, string>>;
}

interface Running extends ProgramNeeds {
  readonly signal: AbortSignal;
  /** Called with each line of its error output. */
  readonly onErrorLine?: (line: string) => void;
  /** It is killed after this time. */
  readonly timeoutMs?: number;
}

/**
 * Starts all programs on the host: by an absolute path that was looked up once and never in a project, in an empty
 * folder of ours, with a listed environment. The files of the current folder, which belong to a project, influence
 * neither what runs nor what it loads.
 */
export interface HostPrograms {
  /** The absolute path of a program on this machine; null: there is none. A found path is kept. */
  readonly find: (name: string) => Promise<string | null>;
  /**
   * Adds the PATH of the user's shell if Dewpoint was not started from a terminal, because desktop apps get a shorter
   * one. Asks the shell once and waits at most 5 s. Never rejects.
   */
  readonly widenPath: () => Promise<void>;
  /** Whether a path, with links resolved, is outside every project. */
  readonly isOutside: (path: string) => Promise<boolean>;
  /** `program` is an absolute path. Throws if there is no folder to start it in. */
  readonly start: (program: string, args: readonly string[], how: Starting) => ChildProcess;
  /** Never rejects. An abort kills the program, at once or within a second. */
  readonly run: (program: Program, words: readonly string[], how: Running) => Promise<ProgramOutcome>;
}

type Starting = ProgramNeeds &
  Pick<ProgramStart, 'stdio' | 'detached' | 'isSeen' | 'isQuoted'> & {
    /** It needs a network and counts by itself what it sends. */
    readonly isCounted?: true;
    /** What the record of sends calls it. Absent: the name of the program. */
    readonly name?: string;
  };

export interface HostProgramsOptions {
  /** The home of Dewpoint, which contains the empty folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders of projects besides the current one; called when a program is looked up. */
  readonly projects?: () => Promise<readonly string[]>;
}

const keptStdout = 4 * 1024 * 1024;
const keptOutput = 4_000;
const shellMs = 5_000;

export function createHostPrograms({ home, env, projects }: HostProgramsOptions): HostPrograms {
  const found = new Map<string, string>();
  const current = currentFolder();
  let place: SearchPlace = { env, platform: process.platform, homeFolder: homedir(), projects: current };
  let silent: ReadonlySet<string> = new Set();
  const learn = async (...more: readonly string[]): Promise<SearchPlace> => {
    const named = [...current, ...((await projects?.()) ?? [])];
    // A link that cannot be followed now, such as on a drive that is silent, counts by its name.
    const [real, asked] = await Promise.all([
      Promise.all(named.map((folder) => realPathOf(folder).catch(() => folder))),
      askWhereTo([...foldersToAsk(place), homedir(), ...more]),
    ]);
    for (const [folder, where] of asked)
      if (where === null && !silent.has(folder))
        diagnostics.warn(`Programs are not looked for in ${folder}: its drive does not answer`);
    silent = new Set([...asked].flatMap(([folder, where]) => (where === null ? [folder] : [])));
    place = { ...place, projects: [...new Set([...named, ...real])], asked };
    return place;
  };
  const find = async (name: string): Promise<string | null> => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const path = await findOnPath(name, await learn());
    if (path !== null) found.set(name, path);
    return path;
  };
  const start: HostPrograms['start'] = (program, args, { needs, more, isCounted, ...how }) => {
    if (needs.includes('network') && isCounted !== true) noteUnseen(how.name ?? basename(program));
    return startProgram({
      ...how,
      program,
      args,
      folder: emptyFolder(join(home, 'empty')),
      env: programEnvironment(needs, place, more),
    });
  };
  const run: HostPrograms['run'] = async ([program, ...first], words, how) => {
    try {
      const path = /[\\/]/u.test(program) ? program : await find(program);
      if (path === null) return { code: null, stdout: '', output: `${program}: ENOENT, there is no such program` };
      if (how.signal.aborted) return { code: null, stdout: '', output: '' };
      const child = start(path, [...first, ...words], { ...how, stdio: ['ignore', 'pipe', 'pipe'] });
      return await outcomeOf(child, how);
    } catch (error) {
      return { code: null, stdout: '', output: error instanceof Error ? error.message : String(error) };
    }
  };
  const widen = async (): Promise<void> => {
    const shell = loginShell(env, process.platform);
    const learned = await learn();
    if (shell === null || isOfProject(shell, learned)) return;
    const { stdout } = await run([shell], loginWords, {
      needs: [],
      timeoutMs: shellMs,
      signal: new AbortController().signal,
    });
    const more = pathPrinted(stdout);
    if (more === null) return;
    place = { ...place, env: { ...env, PATH: `${env.PATH ?? ''}:${more}` } };
    await learn();
  };
  let widened: Promise<void> | null = null;
  return {
    find,
    widenPath: () => (widened ??= widen()),
    isOutside: async (path) => !isOfProject(path, await learn(path)),
    start,
    run,
  };
}

/** Empty if the current folder was deleted. */
function currentFolder(): readonly string[] {
  try {
    return [process.cwd()];
  } catch {
    return [];
  }
}

function outcomeOf(child: ChildProcess, { signal, timeoutMs, onErrorLine }: Running): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    const heard = { stdout: '', output: '' };
    const hear = (text: string): void => {
      heard.output = (heard.output + text).slice(-keptOutput);
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      hear(text);
      if (heard.stdout.length < keptStdout) heard.stdout += text;
    });
    let line = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      hear(text);
      const lines = (line + text).split('\n');
      line = (lines.pop() ?? '').slice(-keptOutput);
      for (const whole of lines) onErrorLine?.(whole);
    });
    const end = (): void => {
      child.kill('SIGTERM');
      setTimeout(() => {
        child.kill('SIGKILL');
        // What it started may hold its output open, and is not waited for.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, 1000).unref();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const settle = (code: number | null): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve({ code, ...heard });
    };
    child.on('error', (error) => {
      hear(error.message);
      settle(null);
    });
    child.on('close', (code) => {
      if (line !== '') onErrorLine?.(line);
      settle(code);
    });
  });
}
