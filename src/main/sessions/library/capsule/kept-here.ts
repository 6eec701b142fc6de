import { AppError } from '@shared/errors.ts';
import type { FenceHit, Fences } from '@shared/safety/fences.ts';
import { openProject, type ProjectFencesOptions } from '../../../safety/project-fences.ts';
import { fenceSources } from '../../../safety/rules/session-rules.ts';
import type { FenceTaint } from '../../../safety/taint.ts';
import type { HiddenFromReading } from '../../../sandbox/read-only/hidden-from-reading.ts';
import { createReadOnlySandbox } from '../../../sandbox/read-only/read-only-sandbox.ts';
import { isSecretFile } from '../../../sandbox/workspace/secret-files.ts';
import { fenceMemoryOf } from '../../open/runner-for.ts';
import type { HiddenValues } from '../../../safety/hidden-values.ts';
import type { HistoryCommandsOptions } from '../../history/commands.ts';

/** What must stay on this machine: by path, and how it is recognized in a text. */
export interface KeptHere {
  readonly fences: Fences;
  /** What the session read and made, as the log tells it. Its commands found hidden files empty. */
  readonly flow: FenceTaint;
  /** The content of all fenced and hidden files. */
  readonly contents: FenceTaint;
}

export interface KeptOptions extends Pick<HistoryCommandsOptions, 'rules' | 'settings' | 'store'> {
  readonly home: string;
  readonly hidden: HiddenValues;
}

interface KeptPlace {
  readonly sessionId: string;
  readonly projectPath: string | null;
  /** The folder whose files are packed. */
  readonly root: string;
  readonly hidden: HiddenFromReading;
}

export async function findKept(
  options: KeptOptions,
  { sessionId, projectPath, root, hidden }: KeptPlace,
  signal: AbortSignal,
): Promise<KeptHere> {
  const sources = fenceSources(await options.rules.activeRules(projectPath), options.settings());
  // Secrets stay out of a capsule whatever may be sent to a model.
  const settings = sources.secrets === 'off' ? { ...sources, secrets: 'redact' as const } : sources;
  const memory =
    projectPath === null ? {} : { memory: fenceMemoryOf({ ...options, homePath: options.home }, projectPath) };
  const reading = { workspacePath: root, because: null };
  const { files } = createReadOnlySandbox(reading);
  const open = (more: Partial<ProjectFencesOptions>): ReturnType<typeof openProject> =>
    openProject({ projectPath, projectFiles: files, isSecretFile, hidden: options.hidden, ...more }, settings, signal);
  const { files: projectFiles } = createReadOnlySandbox({ ...reading, hidden: async () => hidden });
  const { taint: flow, fences } = await open({ sessionId, projectFiles, ...memory });
  const { taint: contents } = await open({});
  return { fences, flow, contents };
}

export function hitsIn({ flow, contents }: KeptHere, text: string): readonly FenceHit[] {
  return [...contents.inText(text), ...flow.inText(text)];
}

/** Throws `refused` if there is one. */
export function refuseHits([hit]: readonly FenceHit[], what: string): void {
  if (hit === undefined) return;
  const from = hit.path === null ? '' : ` (${hit.path})`;
  throw new AppError(
    'refused',
    `${what} holds a secret, or what a rule keeps on this machine: ${hit.rule}${from}. A capsule would hold it, so none was written.`,
    { hint: 'Do the task again without it, in a copy that does not have it, and make a capsule of that.' },
  );
}
