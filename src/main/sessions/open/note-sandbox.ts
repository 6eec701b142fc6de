import { projectOrigin } from '../../projects/project-origin.ts';
import type { SandboxDescription } from '../../sandbox/sandbox.ts';
import type { Journal } from '../journal/journal.ts';

/** Writes down in what a session works from now on, and from where the files of its project came. */
export async function noteSandbox(
  journal: Pick<Journal, 'append' | 'state'>,
  { tier, image, text, limits, warnings }: SandboxDescription,
): Promise<void> {
  const { projectPath } = journal.state();
  const from = projectPath === null ? null : await projectOrigin(projectPath);
  const description = [text, ...warnings].join(' ');
  const origin = from === null ? {} : { cameFrom: from };
  await journal.append({ type: 'sandbox-started', tier, image, description, limits, ...origin });
}
