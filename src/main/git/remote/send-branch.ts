import { z } from 'zod';
import { AppError, toFailure } from '@shared/errors.ts';
import type { SendCall } from '../hosting-calls.ts';
import type { GitJob } from '../process/git-job.ts';
import type { RunGit } from '../process/run-apart.ts';

/** Pushes a branch. When this is stopped or breaks off, the error says whether the host may have it. */
export async function sendBranch(
  job: Extract<GitJob, { type: 'push' }>,
  { run, signal, send }: { readonly run: RunGit; readonly signal: AbortSignal; readonly send: SendCall },
): Promise<void> {
  let sent: 'nothing' | 'the branch' | 'and answered' = 'nothing';
  const watched: SendCall = async (call) => {
    if (call.method === 'GET') return send(call);
    sent = 'the branch';
    const answer = await send(call);
    sent = 'and answered';
    return answer;
  };
  try {
    await run(job, { schema: z.null(), signal, send: watched });
  } catch (error) {
    throw stopped(error, { sent, isStopped: signal.aborted, job });
  }
}

interface HowFar {
  readonly sent: 'nothing' | 'the branch' | 'and answered';
  readonly isStopped: boolean;
  readonly job: Extract<GitJob, { type: 'push' }>;
}

function stopped(error: unknown, { sent, isStopped, job: { address, branch } }: HowFar): unknown {
  const { code, message } = toFailure(error);
  if (sent === 'nothing')
    return isStopped ? new AppError('cancelled', 'The push was stopped. Nothing was pushed.', { cause: error }) : error;
  if (sent === 'and answered' && !isStopped) return error;
  const what = isStopped ? 'The push was stopped.' : `The push broke off: ${message.replace(/\.$/u, '')}.`;
  return new AppError(
    isStopped ? 'cancelled' : code,
    `${what} Whether ${address.host} took the branch ${branch} is not known.`,
    { hint: 'Push again: what is there already is not sent twice.', cause: error },
  );
}
