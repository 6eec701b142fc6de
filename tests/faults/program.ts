import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { parseEvent } from '../../src/shared/events/events.ts';
import type { EventOf, EventType, SessionEvent } from '../../src/shared/events/events.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { requireEngine } from '../docker/docker-kit.ts';

const runProgram = promisify(execFile);

/** Node 24, which the built program needs. */
export const node = existsSync(resolve('node_modules/.bin/node'))
  ? resolve('node_modules/.bin/node')
  : process.execPath;

/** One answer of the scripted model. */
export interface Answer {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly delayMs?: number;
  readonly error?: string;
}

export const command = (line: string, delayMs = 0): Answer => ({
  delayMs,
  toolCalls: [{ name: 'run_command', input: { command: line, why: 'a test' } }],
});
export const tool = (name: string, input: unknown, delayMs = 0): Answer => ({
  delayMs,
  toolCalls: [{ name, input }],
});
/** If the task asks for a change, an end without one is not accepted. */
export const change = (path = 'made.txt'): Answer => tool('write_file', { path, content: 'made\n' });
export const complete = (summary = 'All done.'): Answer => tool('task_complete', { summary });

/** A run of the program that has ended. `code` is null when a signal ended it. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Every complete line of stdout of a run with `--json`. */
  readonly events: readonly SessionEvent[];
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly events: () => readonly SessionEvent[];
  /** Its stderr so far. */
  readonly said: () => string;
  /** Resolves with the first matching event as soon as it was printed. Rejects if the program ends without it. */
  until<Type extends EventType>(type: Type, fits?: (event: EventOf<Type>) => boolean): Promise<EventOf<Type>>;
}

/** The program with its own home and project. */
export interface Program {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  start(args: readonly string[], options?: StartOptions): Running;
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** `run --project … --json TASK` with the scripted model. */
  startTask(task?: string, more?: readonly string[], options?: StartOptions): Running;
  /** Sets the model's answers, in order. The next process that opens the home reads them. */
  script(replies: readonly Answer[]): Promise<void>;
  /** Replaces all settings. Given without a version. */
  settings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  put(path: string, content: string): Promise<void>;
  /** The text of a file of the project. Null if it does not exist. */
  text(path: string): Promise<string | null>;
  /** The events in the log. */
  log(sessionId: string): Promise<readonly SessionEvent[]>;
  sessionIds(): Promise<readonly string[]>;
  leftovers(): Promise<{ readonly containers: readonly string[]; readonly volumes: readonly string[] }>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface StartOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that starts this program, to set its limits and rights. */
  readonly under?: readonly string[];
}

export const taskText = 'Make the change that the notes describe.';

/**
 * A copy of the build, because another build in the same checkout removes chunks of a running program. `npm test`
 * builds first. Without a build, one is made.
 */
let built: Promise<string> | null = null;

async function copyBuild(): Promise<string> {
  if (!existsSync(resolve('out/main/cli.cjs'))) {
    await runProgram(node, [resolve('node_modules/electron-vite/bin/electron-vite.js'), 'build']);
  }
  const root = await mkdtemp(join(tmpdir(), 'dewpoint-built-'));
  await mkdir(join(root, 'out'));
  await cp(resolve('out/main'), join(root, 'out', 'main'), { recursive: true });
  for (const name of ['resources', 'scripts', 'node_modules']) await symlink(resolve(name), join(root, name));
  return join(root, 'out', 'main', 'cli.cjs');
}

/** The file to run. All tests of a file use the same copy. */
function entry(): Promise<string> {
  built ??= copyBuild();
  return built;
}

afterAll(async () => {
  if (built !== null) await runProgram('rm', ['-rf', resolve(dirname(await built), '..', '..')]);
});

export async function createProgram(files: Readonly<Record<string, string>> = {}): Promise<Program> {
  const path = await entry();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-program-')));
  const home = join(folder, 'home');
  const project = join(folder, 'project');
  await mkdir(home, { mode: 0o700 });
  await mkdir(project);
  const children = new Set<ChildProcess>();
  const put = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), content);
  };
  for (const [name, content] of Object.entries(files)) await put(name, content);
  const start: Program['start'] = (args, options = {}) => {
    const [first = node, ...rest] = [...(options.under ?? []), node, path, ...args];
    const child = spawn(first, rest, {
      cwd: folder,
      env: environment({ home, cache: join(folder, 'cache'), ...options.env }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('close', () => children.delete(child));
    // A program that ends before it has read its input does not fail the test.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    return follow(child, args[0] === 'run' && args.includes('--json'));
  };
  return {
    folder,
    home,
    project,
    start,
    run: (args, options) => start(args, options).ended,
    startTask: (task = taskText, more = [], options = {}) =>
      start(['run', '--project', project, '--json', ...more, '--', task], options),
    script: (replies) => writeSettings(home, scripted(replies)),
    settings: (settings) => writeSettings(home, settings),
    put,
    text: (name) => readFile(join(project, name), 'utf8').catch(() => null),
    log: (sessionId) => readLog(home, sessionId),
    sessionIds: () => readdir(join(home, 'sessions')).catch(() => []),
    leftovers: () => leftoversOf(home),
    [Symbol.asyncDispose]: async () => {
      for (const child of children) child.kill('SIGKILL');
      await removeLeftovers(home);
      // A test may have removed the right to it.
      await chmod(project, 0o755).catch(() => undefined);
      // Much faster than Node's own removal with 100,000 files.
      await runProgram('rm', ['-rf', folder]);
    },
  };
}

/** An environment without the user's settings, but with what the container engine needs. */
function environment(more: Readonly<Record<string, string>> & { home: string; cache: string }): NodeJS.ProcessEnv {
  const { home, cache, ...rest } = more;
  const kept = ['PATH', 'HOME', 'DOCKER_HOST', 'XDG_RUNTIME_DIR', 'TMPDIR', 'CI', 'DEWPOINT_SANDBOX_IMAGE'];
  const found = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return { ...Object.fromEntries(found), DEWPOINT_HOME: home, DEWPOINT_CACHE: cache, ...rest };
}

/** Settings with one scripted model, `script/script`. */
const scripted = (replies: readonly Answer[]): Readonly<Record<string, unknown>> => ({
  local: 'script/script',
  providers: { script: { kind: 'scripted', replies } },
});

async function writeSettings(home: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  await writeFile(join(home, 'settings.json'), JSON.stringify({ version: 1, ...settings }));
}

/** Reads what a program prints while it runs. A line that a kill cut was not acknowledged. */
export function follow(child: ChildProcess, isJson: boolean): Running {
  const events: SessionEvent[] = [];
  const watchers = new Set<() => void>();
  const out: Buffer[] = [];
  let rest = '';
  let stderr = '';
  let isOver = false;
  const decoder = new TextDecoder();
  child.stdout?.on('data', (chunk: Buffer) => {
    out.push(chunk);
    if (!isJson) return;
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = parseEvent(JSON.parse(line));
      if (event !== null) events.push(event);
    }
    for (const watch of watchers) watch();
  });
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolveEnd, fail) => {
    child.once('error', fail);
    // 'close': everything that it wrote before it ended was read.
    child.once('close', (code, signal) => {
      isOver = true;
      resolveEnd({ code, signal, stdout: Buffer.concat(out).toString('utf8'), stderr, events });
      for (const watch of watchers) watch();
    });
  });
  const until: Running['until'] = (type, fits = () => true) =>
    new Promise((found, fail) => {
      const watch = (): void => {
        const event = ofType(events, type).find(fits);
        if (event === undefined && !isOver) return;
        watchers.delete(watch);
        if (event === undefined) fail(new Error(`It ended without ${type}:\n${stderr}`));
        else found(event);
      };
      watchers.add(watch);
      watch();
    });
  return { child, ended, events: () => events, said: () => stderr, until };
}

export function ofType<Type extends EventType>(events: readonly SessionEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

export function sessionOf(events: readonly SessionEvent[]): string {
  const created = ofType(events, 'session-created')[0];
  if (created === undefined) throw new Error('No session was begun.');
  return created.sessionId;
}

/**
 * Reads the file itself, without the code under test. An incomplete last line is left out. A missing file has no
 * events.
 */
export async function readLog(home: string, sessionId: string): Promise<readonly SessionEvent[]> {
  const text = await readFile(join(home, 'sessions', sessionId, 'events.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const event = parseEvent(JSON.parse(line));
      return event === null ? [] : [event];
    });
}

async function leftoversOf(home: string): Promise<{ containers: string[]; volumes: string[] }> {
  const { docker } = requireEngine();
  const filters = { label: [`dewpoint.home=${homeIdOf(home)}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const { Volumes } = await docker.listVolumes({ filters });
  return { containers: containers.map(({ Id }) => Id), volumes: (Volumes ?? []).map(({ Name }) => Name) };
}

async function removeLeftovers(home: string): Promise<void> {
  const { docker } = requireEngine();
  const { containers, volumes } = await leftoversOf(home);
  await Promise.allSettled(containers.map((id) => docker.getContainer(id).remove({ force: true, v: true })));
  await Promise.allSettled(volumes.map((name) => docker.getVolume(name).remove()));
}
