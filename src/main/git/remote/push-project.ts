import { AppError } from '@shared/errors.ts';
import type { MadePush, PushPlan } from '@shared/git/push-plan.ts';
import { hostingFor, type HostingAccess } from '../hosting-access.ts';
import { preparedPushSchema } from '../process/git-answer.ts';
import type { RunGit } from '../process/run-apart.ts';
import { sendBranch } from './send-branch.ts';

export interface PushInput {
  readonly projectPath: string;
  readonly branch: string | null;
  readonly remote: string | null;
}

interface PushTools {
  readonly run: RunGit;
  readonly signal: AbortSignal;
}

/** Shows what would leave this machine. Connects to nothing. */
export async function showPush(wish: PushInput, { run, signal }: PushTools): Promise<PushPlan> {
  return (await run({ type: 'plan-push', ...wish }, { schema: preparedPushSchema, signal })).plan;
}

/** Pushes exactly the approved commit to the approved branch. Never by force. */
export async function pushProject(
  wish: PushInput,
  { approval, access, run, signal }: PushTools & { readonly approval: string; readonly access: HostingAccess },
): Promise<MadePush> {
  const { plan, address } = await run({ type: 'plan-push', ...wish }, { schema: preparedPushSchema, signal });
  if (plan.approval !== approval)
    throw new AppError('conflict', 'The branch or the remote is not as it was shown. Nothing was sent.', {
      hint: 'Look at it again.',
    });
  const { hasToken, plain } = await hostingFor(address, access, signal);
  if (!hasToken)
    throw new AppError('missing-key', `There is no token for ${address.host}. Nothing was sent.`, {
      hint: `Make one there with the right to write to the repository, and save it: dewpoint projects git token ${address.host}`,
    });
  const { branch, commit } = plan;
  const job = { type: 'push', projectPath: wish.projectPath, address, branch, commit } as const;
  await sendBranch(job, { run, signal, send: plain.send });
  return { branch, commit, address: plan.address };
}
