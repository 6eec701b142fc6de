import { AppError } from '@shared/errors.ts';
import { callFolder } from '@shared/sandbox/call-file.ts';
import type { NewEvent } from '@shared/events/events.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import type { UserApprover } from '../../safety/approvals/user-approver.ts';
import { askAboutDisk } from '../../safety/approvals/ask-about-disk.ts';
import type { OpenSessionsOptions } from './session-options.ts';
import type { BackgroundProcessState, SandboxDescription } from '../../sandbox/sandbox.ts';
import type { LiveJournal } from '../journal/live-journal.ts';
import { projectOrigin } from '../../projects/project-origin.ts';
import type { Journal } from '../journal/journal.ts';
import { orNoted } from '../../lib/log.ts';
import { readyCallFolder } from './saved-calls.ts';

interface SandboxOwner {
  readonly journal: LiveJournal;
  readonly approver: UserApprover;
  readonly wanted: 'container' | 'read-only';
}

/**
 * What the sandbox of the session must hide: by the current rules, and the calls that it saves. A sandbox that began
 * without these is started anew before the first is written.
 */
export async function currentMasks(
  { userFiles }: OpenSessionsOptions,
  journal: LiveJournal,
): Promise<readonly string[]> {
  const { projectPath, organized } = journal.state();
  const { masks } = await userFiles.rules(projectPath);
  return organized?.savesCalls === true ? [...masks, callFolder] : masks;
}

/** The request for a session's sandbox, and callbacks that log what happens to it. */
export async function sandboxRequest(options: OpenSessionsOptions, { journal, approver, wanted }: SandboxOwner) {
  const { workspace, projectPath } = journal.state();
  if (workspace === null) throw new AppError('log-damaged', 'The log does not name the workspace of this session.');
  await readyCallFolder(journal);
  // A callback may come after the journal was closed. There is nothing to log then.
  const note = (event: NewEvent): void =>
    void journal.append(event).catch(orNoted('What the sandbox did was not recorded', undefined));
  return {
    sessionId: journal.sessionId,
    workspacePath: workspace.path,
    projectPath,
    settings: options.settings().sandbox,
    masks: await currentMasks(options, journal),
    wanted,
    ...(workspace.falseAnswer === undefined ? {} : { falseAnswer: workspace.falseAnswer }),
    onLost: (loss: { readonly reason: string; readonly recreated: boolean }): void =>
      note({ type: 'sandbox-lost', ...loss }),
    onService: ({ id: serviceId, command, status, exitCode }: BackgroundProcessState): void =>
      note({ type: 'service-changed', serviceId, command, status, exitCode }),
    onUntracked: (places: readonly UntrackedPlace[]): void => note({ type: 'untracked-found', places: [...places] }),
    onDiskLow: askAboutDisk({ journal, approver }),
    onProgress: options.workspaces.onProgress,
  };
}

/** Logs the sandbox that the session works in from now on, and where the files of its project came from. */
export async function noteSandbox(
  { homePath }: Pick<OpenSessionsOptions, 'homePath'>,
  journal: Pick<Journal, 'append' | 'state'>,
  { tier, image, text, limits, warnings }: SandboxDescription,
): Promise<void> {
  const { projectPath } = journal.state();
  const from = projectPath === null ? null : await projectOrigin(projectPath, homePath);
  const description = [text, ...warnings].join(' ');
  const origin = from === null ? {} : { cameFrom: from };
  await journal.append({ type: 'sandbox-started', tier, image, description, limits, ...origin });
}
