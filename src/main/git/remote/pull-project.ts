import { AppError } from '@shared/errors.ts';
import type { CloneStep } from '@shared/git/clone-progress.ts';
import type { MadePull, PullProgress } from '@shared/git/pull-progress.ts';
import { progressStream } from '../../lib/async/push-queue.ts';
import { receivingCalls, type HostingAccess } from '../hosting-access.ts';
import { broughtSchema, forwardedSchema, upstreamSchema } from '../process/git-answer.ts';
import type { RunGit } from '../process/run-apart.ts';

export interface PullInput {
  readonly projectPath: string;
  /** Null: the one that the branch follows. */
  readonly remote: string | null;
}

interface PullTools {
  readonly access: HostingAccess;
  readonly run: RunGit;
  readonly signal: AbortSignal;
  /** Throws while an agent works in this folder. */
  readonly refuseAtWork: (folder: string) => void;
}

/**
 * Brings what the remote has, and moves the checked out branch forward. Only the host of the remote is called. A stop
 * while it receives changes no file. Once files are written, it ends first, which takes seconds.
 */
export function pullProject(input: PullInput, tools: PullTools): AsyncIterable<PullProgress> {
  const stoppable = new AbortController();
  const abort = (): void => stoppable.abort();
  if (tools.signal.aborted) abort();
  tools.signal.addEventListener('abort', abort, { once: true });
  return progressStream<PullProgress>(async (tell, stop) => {
    const { access, run } = tools;
    const { projectPath, remote } = input;
    // Even what a killed pull left is not put back under an agent.
    tools.refuseAtWork(projectPath);
    const { upstream, notes } = await run(
      { type: 'upstream', projectPath, remote },
      { schema: upstreamSchema, signal: stop },
    );
    const { address, branch, theirs, commit: from, folder } = upstream;
    tools.refuseAtWork(folder);
    const begin = { folder, branch, theirs, remote: address.remote, host: address.host };
    tell({ type: 'began', ...begin });
    const onProgress = (progress: CloneStep): void => tell({ type: 'progress', ...progress });
    const { send, hasToken } = await receivingCalls(address, access, { signal: stop, onProgress });
    const job = { type: 'bring', projectPath, upstream, hasToken } as const;
    const brought = await run(job, { schema: broughtSchema, signal: stop, send, onProgress });
    const ended = (pull: Pick<MadePull, 'to' | 'files' | 'notes'>): void =>
      tell({ type: 'ended', pull: { ...begin, from, ...pull, notes: [...notes, ...brought.notes, ...pull.notes] } });
    if (brought.isAt === 'same') return ended({ to: from, files: 0, notes: [] });
    if (brought.isAt === 'ahead') return ended({ to: from, files: 0, notes: [aheadNote(begin)] });
    if (brought.isAt === 'apart') throw apart(begin, upstream.isShallow);
    stop.throwIfAborted();
    tools.refuseAtWork(folder);
    const forward = { type: 'forward', projectPath, branch, from, to: brought.commit, remote: address.remote } as const;
    // From here on it is not stopped, because half of a checkout is of no use. Who stops it hears how it ended.
    tools.signal.removeEventListener('abort', abort);
    const made = await run(forward, { schema: forwardedSchema, signal: new AbortController().signal, onProgress });
    ended({ to: brought.commit, ...made });
  }, stoppable.signal);
}

type Begin = Pick<MadePull, 'branch' | 'remote' | 'theirs'>;

const aheadNote = ({ branch, remote, theirs }: Begin): string =>
  `${branch} has commits that ${remote}/${theirs} lacks. To send them: dewpoint projects push`;

function apart({ branch, remote, theirs }: Begin, isShallow: boolean): AppError {
  const name = `${remote}/${theirs}`;
  if (isShallow)
    return new AppError(
      'conflict',
      `Whether ${branch} can follow ${name} is not known, because older commits are missing here. Your files are as they were.`,
      {
        hint: 'Bring the rest: git fetch --unshallow',
      },
    );
  return new AppError(
    'conflict',
    `${branch} and ${name} both have commits that the other lacks. Your files are as they were.`,
    {
      hint: `The new commits are here as ${name}. Put them together with your own git: git merge ${name}, or git rebase ${name}`,
    },
  );
}
