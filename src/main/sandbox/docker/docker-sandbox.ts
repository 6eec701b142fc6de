import { failure, success, type Reply } from '@shared/errors.ts';
import { isGitName } from '../../lib/host-folder.ts';
import { keepOutput } from '../kept-output.ts';
import { workspaceRelative } from '../paths.ts';
import { skippedText } from '../skipped-folders.ts';
import type {
  ExecRequest,
  ExecResult,
  FileContent,
  FileStat,
  ListOptions,
  Listing,
  OpenProcess,
  OpenRequest,
  ReadOptions,
  Sandbox,
  SandboxDescription,
  ScannedFile,
  SearchQuery,
  SearchResult,
} from '../sandbox.ts';
import { noFolderExit, scriptCommand } from './scripts.ts';
import { workspaceInContainer } from './create-body.ts';
import { watchDisk } from './disk-watch.ts';
import { ContainerFiles } from './container-files.ts';
import type { UserIds } from './identity.ts';
import {
  changedBetween,
  readProtected,
  redirectText,
  removeRedirects,
  type ProtectedState,
} from './protected-watch.ts';
import { ContainerRuns, newMark, type RunEnd } from './run-in-container.ts';
import type { SessionContainer } from './session-container.ts';

export interface DockerSandboxOptions {
  readonly session: SessionContainer;
  readonly imageName: string;
  readonly description: string;
  readonly limits: SandboxDescription['limits'];
  readonly warnings: readonly string[];
}

const defaultKeepBytes = 256 * 1024;
/** A command that prints more than this is ended: it fills logs and nobody reads it. */
const maxOutputBytes = 1024 * 1024 * 1024;
const maxCommandBytes = 100_000;

/** A session's container as a `Sandbox`: commands and file operations are processes in it. */
export class DockerSandbox implements Sandbox {
  readonly tier = 'container';
  readonly workspacePath = workspaceInContainer;
  readonly scratchPath: string | null;
  readonly #options: DockerSandboxOptions;
  readonly #runs: ContainerRuns;
  readonly #files: ContainerFiles;
  readonly #open = new Set<OpenProcess>();

  constructor(options: DockerSandboxOptions) {
    this.#options = options;
    this.scratchPath = options.session.scratchPath;
    this.#runs = new ContainerRuns(options.session);
    this.#files = new ContainerFiles(this.#runs);
  }

  get description(): SandboxDescription {
    const { imageName, description, limits, warnings, session } = this.#options;
    return {
      tier: 'container',
      image: imageName,
      text: `${description} ${userText(session.user)} ${skippedText}`,
      limits,
      warnings: [...warnings, ...session.warnings],
    };
  }

  async exec(request: ExecRequest, signal: AbortSignal): Promise<Reply<ExecResult>> {
    const refused = refuseCommand(request);
    if (refused !== null) return refused;
    const started = performance.now();
    const stdout = keepOutput(request.keepBytes ?? defaultKeepBytes);
    const stderr = keepOutput(request.keepBytes ?? defaultKeepBytes);
    const nonce = newMark();
    const { session } = this.#options;
    const guarded = await readProtected(session.workspacePath, session.pins);
    const disk = watchDisk(session.workspacePath, signal);
    const ended = await this.#runs.run(
      {
        argv: commandLine(request, nonce),
        ...(request.env === undefined ? {} : { env: request.env }),
        ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
        onChunk: (chunk) => {
          (chunk.stream === 'stdout' ? stdout : stderr).push(chunk.bytes);
          request.onOutput?.(chunk);
        },
        timeoutMs: request.timeoutMs,
        maxOutputBytes,
      },
      disk.signal,
    );
    disk.stop();
    const notice = await noticeOf(session, guarded);
    if (!ended.ok) return ended;
    const errorText = stderr.text();
    if (ended.value.exitCode === noFolderExit && errorText === nonce) {
      return failure('not-found', `There is no folder ${request.cwd ?? '.'} to run the command in.`);
    }
    return success({
      ...outcomeOf(ended.value, disk.problem() !== null && !signal.aborted),
      stdout: stdout.text(),
      stderr: `${errorText}${endText(ended.value, disk.problem())}${notice}`,
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
      durationMs: performance.now() - started,
    });
  }

  async open(request: OpenRequest, signal: AbortSignal): Promise<Reply<OpenProcess>> {
    const refused = refuseCommand(request);
    if (refused !== null) return refused;
    const mark = newMark();
    const started = await this.#runs.start(
      {
        argv: commandLine(request, newMark()),
        ...(request.env === undefined ? {} : { env: request.env }),
        onChunk: request.onOutput,
        keepInputOpen: true,
      },
      mark,
      signal,
    );
    if (!started.ok) return started;
    const { live, running } = started.value;
    const process: OpenProcess = {
      write: (bytes) => writeInput(running.stream, bytes),
      ended: running.ended.then((end) => {
        this.#open.delete(process);
        return { exitCode: end.type === 'exited' ? end.exitCode : null };
      }),
      close: async () => {
        if (this.#open.has(process)) await this.#runs.stop(live, mark, { running, graceTenths: 5 });
        await running.ended;
      },
    };
    this.#open.add(process);
    return success(process);
  }

  readFile(path: string, options: ReadOptions, signal: AbortSignal): Promise<Reply<FileContent>> {
    return this.#at(path, (inside) => this.#hidden(inside) ?? this.#files.read(inside, options, signal));
  }

  readFiles(
    paths: readonly string[],
    options: ReadOptions,
    signal: AbortSignal,
  ): Promise<Reply<ReadonlyMap<string, FileContent>>> {
    const inside = paths.flatMap((path) => {
      const found = workspaceRelative(path, workspaceInContainer);
      return found.ok ? [found.value] : [];
    });
    return this.#files.readMany(inside, options, signal);
  }

  writeFile(
    path: string,
    bytes: Uint8Array,
    expect: string | null | undefined,
    signal: AbortSignal,
  ): Promise<Reply<void>> {
    return this.#at(
      path,
      (inside) => this.#hidden(inside) ?? ofGit(inside) ?? this.#files.write(inside, { bytes, expect }, signal),
    );
  }

  deleteFile(path: string, expect: string | undefined, signal: AbortSignal): Promise<Reply<void>> {
    return this.#at(
      path,
      (inside) => this.#hidden(inside) ?? ofGit(inside) ?? this.#files.delete(inside, expect, signal),
    );
  }

  list(path: string, options: ListOptions, signal: AbortSignal): Promise<Reply<Listing>> {
    return this.#at(path, (inside) => this.#files.list(inside, options, signal));
  }

  search(query: SearchQuery, signal: AbortSignal): Promise<Reply<SearchResult>> {
    return this.#at(query.path ?? '.', (inside) => this.#files.search({ ...query, path: inside }, signal));
  }

  stat(path: string, signal: AbortSignal): Promise<Reply<FileStat>> {
    return this.#at(path, (inside) => this.#files.stat(inside, signal));
  }

  scan(signal: AbortSignal): Promise<Reply<ReadonlyMap<string, ScannedFile>>> {
    return this.#files.scan(signal);
  }

  async dispose(): Promise<void> {
    await this.#options.session.dispose();
  }

  // The mount over it holds in any case; this says why it is empty.
  #hidden(inside: string): Promise<Reply<never>> | null {
    if (!this.#options.session.masks.has(inside)) return null;
    return Promise.resolve(
      failure(
        'refused',
        `${inside} holds secrets and is hidden from models.`,
        'Go on without it, or ask the person to show it.',
      ),
    );
  }

  async #at<T>(path: string, work: (inside: string) => Promise<Reply<T>>): Promise<Reply<T>> {
    const inside = workspaceRelative(path, workspaceInContainer);
    return inside.ok ? work(inside.value) : inside;
  }
}

// A change by the person themselves at this moment looks the same: it is told, not judged.
async function noticeOf(session: SessionContainer, before: ProtectedState): Promise<string> {
  const removed = await removeRedirects(session.workspacePath, session.pins);
  const left = changedBetween(before, await readProtected(session.workspacePath, session.pins));
  if (removed.length + left.length === 0) return '';
  const texts = [
    ...(removed.length === 0 ? [] : [redirectText(removed)]),
    ...(left.length === 0
      ? []
      : [`changed while this command ran, and may run on your machine later: ${left.join(', ')}`]),
  ];
  session.warn(texts.join('; '));
  return texts.map((text) => `\n[dewpoint: ${text}]\n`).join('');
}

/** Git on the person's machine runs what stands in its data, so that no file tool writes there, in any spelling. */
function ofGit(inside: string): Promise<Reply<never>> | null {
  if (!inside.split('/').some(isGitName)) return null;
  return Promise.resolve(
    failure('refused', `${inside} lies in the data of git and is not written.`, 'Use git itself, by a command.'),
  );
}

function userText(user: UserIds | null): string {
  if (user === null) return '';
  return `Commands run as ${user.uid}:${user.gid}${user.uid === 0 ? ', root without any capability' : ''}.`;
}

type Command = Pick<ExecRequest, 'command' | 'cwd' | 'env'>;

function refuseCommand({ command, cwd, env }: Command): Reply<never> | null {
  if (command.includes('\0') || cwd?.includes('\0') === true)
    return failure('bad-input', 'A command cannot hold a NUL character.');
  if (Buffer.byteLength(command) > maxCommandBytes) {
    return failure(
      'too-large',
      `The command is longer than ${maxCommandBytes} bytes.`,
      'Write it to a file and run that.',
    );
  }
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes('\0'))
      return failure('bad-input', `"${name}" cannot be an environment variable.`);
  }
  return null;
}

function commandLine({ command, cwd }: Command, nonce: string): (mark: string) => readonly string[] {
  const folder = cwd === undefined || cwd === '' ? '.' : cwd.startsWith('/') ? cwd : `./${cwd}`;
  return (mark) => scriptCommand('run', mark, folder, nonce, command);
}

/** Why it was ended before its time, where that was for what it did. */
function endText({ outcome }: RunEnd, diskProblem: string | null): string {
  const why = outcome === 'flooded' ? 'ended because it printed too much' : diskProblem;
  return why === null ? '' : `\n[dewpoint: ${why}]\n`;
}

function outcomeOf(end: RunEnd, isDiskFull: boolean): Pick<ExecResult, 'outcome' | 'exitCode'> {
  if (end.outcome === 'flooded' || (end.outcome === 'cancelled' && isDiskFull))
    return { outcome: 'killed', exitCode: null };
  // 137: killed by a signal that we did not send, most often for memory.
  if (end.outcome === 'exited' && end.exitCode === 137) return { outcome: 'killed', exitCode: 137 };
  return { outcome: end.outcome, exitCode: end.exitCode };
}

function writeInput(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
