import { failure, success, type Reply } from '@shared/errors.ts';
import { keepOutput } from '../../kept-output.ts';
import { createDeadlinePause } from '../../../lib/async/deadline-pause.ts';
import type { AskAboutDisk, ExecRequest, ExecResult } from '../../sandbox.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import { watchDisks } from '../engine/disk-watch.ts';
import { diskEveryMs, filesOf, spaceOf } from '../engine/engine-disk.ts';
import { changedBetween, readProtected, type ProtectedState } from '../protection/protected-watch.ts';
import { untrackedText } from '@shared/session/reducers/reduce-sandbox.ts';
import type { ImageCapabilities } from '../container/image-capabilities.ts';
import { ContainerGoneError, type ContainerProgram } from './container-process.ts';
import type { ContainerRuns, RunEnd } from './run-in-container.ts';
import { memoryNotice } from './container-scripts.ts';
import type { LiveContainer } from '../container/session-container-options.ts';
import type { SessionContainer } from '../container/session-container.ts';

const defaultKeepBytes = 256 * 1024;
/** A command that prints more than this is ended, because nobody reads so much and it would fill logs. */
const maxOutputBytes = 1024 * 1024 * 1024;
const maxCommandBytes = 100_000;

export interface CommandPlace {
  readonly session: SessionContainer;
  readonly runs: ContainerRuns;
  readonly onDiskLow: AskAboutDisk | null;
}

/** Runs a command in a session's container to its end, and reports changes to protected files. */
export async function execCommand(
  place: CommandPlace,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<Reply<ExecResult>> {
  const { session, runs } = place;
  const refused = refuseCommand(request);
  if (refused !== null) return refused;
  const started = performance.now();
  const stdout = keepOutput(request.keepBytes ?? defaultKeepBytes);
  const stderr = keepOutput(request.keepBytes ?? defaultKeepBytes);
  const before = { guarded: await readProtected(session.guarded), left: session.guard.left.length };
  const stopLooking = session.guard.whileRunning();
  const { disk, ...follow } = watchWhileItRuns(place, signal);
  const ended = await runs.run(
    {
      program: programOf(request),
      ...(request.env === undefined ? {} : { env: request.env }),
      ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
      onChunk: (chunk) => {
        (chunk.stream === 'stdout' ? stdout : stderr).push(chunk.bytes);
        request.onOutput?.(chunk);
      },
      timeoutMs: request.timeoutMs,
      maxOutputBytes,
      ...follow,
    },
    disk.signal,
  );
  disk.stop();
  stopLooking();
  const notice = await noticeOf(session, before);
  if (!ended.ok) return ended;
  const { outcome, exitCode } = ended.value;
  if (outcome === 'no-folder') {
    return failure('not-found', `There is no folder ${request.cwd ?? '.'} to run the command in.`);
  }
  return success({
    ...outcomeOf(
      { outcome, exitCode },
      { isDiskFull: disk.problem() !== null && !signal.aborted, stderr: stderr.text() },
    ),
    stdout: stdout.text(),
    stderr: `${stderr.text()}${endText(ended.value, disk.problem())}${notice}`,
    stdoutBytes: stdout.totalBytes,
    stderrBytes: stderr.totalBytes,
    durationMs: performance.now() - started,
  });
}

/** Watches the disks while a command runs. Also returns the hooks that the command's run needs for that. */
function watchWhileItRuns({ session, onDiskLow }: CommandPlace, signal: AbortSignal) {
  let live: LiveContainer | null = null;
  const hold = createDeadlinePause();
  const freezeMs = 10_000;
  const disk = watchDisks({
    signal,
    hold,
    freeze: () => withDeadline(freezeMs, null, (abortSignal) => inContainer(live).pause({ abortSignal })),
    thaw: () => withDeadline(freezeMs, null, (abortSignal) => inContainer(live).unpause({ abortSignal })),
    ask: onDiskLow,
  });
  const { workspacePath } = session;
  const project = { name: 'the disk of the project', everyMs: diskEveryMs };
  disk.watch({ ...project, counts: 'bytes', space: () => spaceOf(workspacePath) });
  disk.watch({ ...project, counts: 'files', space: () => filesOf(workspacePath) });
  const onStarted = (started: LiveContainer): void => {
    // This is called twice if the first container could not be used.
    if (live === null && started.engineDisk !== null) disk.watch(started.engineDisk);
    live = started;
  };
  return { disk, hold, onStarted };
}

function inContainer(live: LiveContainer | null): LiveContainer['container'] {
  if (live === null) throw new ContainerGoneError();
  return live.container;
}

interface Before {
  readonly guarded: ProtectedState;
  /** How many places had been reported before. */
  readonly left: number;
}

// The user may have made the change at the same moment, so the text accuses nobody.
async function noticeOf(session: SessionContainer, before: Before): Promise<string> {
  const { guarded, guard } = session;
  const [after] = await Promise.all([readProtected(guarded), guard.look()]);
  const changed = changedBetween(before.guarded, after);
  const left = guard.left.slice(before.left).map(untrackedText);
  if (changed.length > 0) {
    const text = `changed while this command ran, and may run on your machine later: ${changed.join(', ')}`;
    session.warn(text);
    left.push(text);
  }
  return left.map((text) => `\n[dewpoint: ${text}]\n`).join('');
}

type Command = Pick<ExecRequest, 'command' | 'cwd' | 'env'>;

export function refuseCommand({ command, cwd, env }: Command): Reply<never> | null {
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

/** Runs a command in its folder, with bash if there is one. */
export function programOf({ command, cwd }: Command): (capabilities: ImageCapabilities) => ContainerProgram {
  const folder = cwd === undefined || cwd === '' ? '.' : cwd.startsWith('/') ? cwd : `./${cwd}`;
  return ({ bash }) => ({ type: 'command', command, shell: bash ? '/bin/bash' : '/bin/sh', folder });
}

/** Why the command was ended early, if the cause was its own behavior. */
function endText({ outcome }: RunEnd, diskProblem: string | null): string {
  const why = outcome === 'flooded' ? 'ended because it printed too much' : diskProblem;
  return why === null ? '' : `\n[dewpoint: ${why}]\n`;
}

type CommandEnd = { readonly outcome: Exclude<RunEnd['outcome'], 'no-folder'>; readonly exitCode: number | null };

function outcomeOf(
  end: CommandEnd,
  { isDiskFull, stderr }: { readonly isDiskFull: boolean; readonly stderr: string },
): Pick<ExecResult, 'outcome' | 'exitCode' | 'killedFor'> {
  if (end.outcome === 'flooded') return { outcome: 'killed', exitCode: null, killedFor: 'output' };
  if (end.outcome === 'cancelled' && isDiskFull) return { outcome: 'killed', exitCode: null, killedFor: 'disk' };
  // Killed by a signal that was not sent from here. If the cause was memory, the very end of stderr says so.
  if (end.outcome === 'exited' && end.exitCode === 137) {
    const isMemory = stderr.trimEnd().endsWith(memoryNotice);
    return { outcome: 'killed', exitCode: 137, killedFor: isMemory ? 'memory' : 'signal' };
  }
  return { outcome: end.outcome, exitCode: end.exitCode };
}
