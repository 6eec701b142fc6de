import { readWay, type Way, wayForm } from '@shared/comparisons/way.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import { chosenWaysSchema, type KindWays } from '@shared/routing/kind-ways.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { workKinds, type WorkKind, workKindNames } from '@shared/routing/work-kinds.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { projectKey } from '../../../lib/files/project-key.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine } from '../../text/terminal.ts';
import { keyOfWord } from '../commands/projects/named-project.ts';
import { asWord } from '../program/run-flags.ts';
import { requireFolder } from '../checks/require-folder.ts';

export interface UseArguments {
  /** A way, or `usual`. */
  readonly use?: string;
  readonly used?: boolean;
  readonly kind?: string;
  readonly project?: string;
  readonly json?: boolean;
}

/** Says under compared ways how one of them is used from now on. */
export const wayHint = 'use a way from now on: dewpoint route --use WAY --kind fix --project DIR';

/** Uses a way from now on: for a project, for all, or for a kind of task there. Or lists what is used. */
export async function useWay(client: CoreClient, terminal: Terminal, args: UseArguments): Promise<number> {
  const projectPath = args.project === undefined ? null : await keyOfWord(async () => client, args.project);
  if (args.use === undefined) return listUsed(client, terminal, { projectPath, isJson: args.json === true });
  const kind = workKinds.find((one) => one === args.kind);
  if (args.kind !== undefined && kind === undefined)
    throw usageError(`--kind is one of ${workKinds.join(', ')}, not "${args.kind}".`);
  const way = args.use === 'usual' ? null : readWay(args.use);
  if (typeof way === 'string') throw usageError(`A way is ${wayForm}, or usual: ${way}.`);
  // What was chosen for a folder that is gone can be removed.
  if (way !== null && projectPath !== null && !hasNoFolder(projectPath)) await requireFolder(projectPath);
  const where = projectPath === null ? 'in all projects' : `in ${seenName(projectPath)}`;
  if (kind === undefined) await useForAll(client, way, projectPath);
  else await useForKind(client, way, { kind, projectPath });
  const what = kind === undefined ? '' : ` for ${workKindNames[kind]}`;
  const name = way === null ? 'the usual way' : seenName(wayName(way));
  terminal.err(`From now on ${name}${what} ${where}.\n`);
  return 0;
}

async function useForKind(
  client: CoreClient,
  way: Way | null,
  { kind, projectPath }: { readonly kind: WorkKind; readonly projectPath: string | null },
): Promise<void> {
  const key = projectPath === null ? ['kindWays', 'everywhere', kind] : ['kindWays', 'projects', projectPath, kind];
  if (way === null) {
    await client.settings.unset({ key });
    return;
  }
  const { assistant, plan, ...value } = way;
  if (assistant !== undefined || plan !== undefined)
    throw usageError(
      'A way for a kind of task takes no assistant and no plan.',
      'Choose them in the conversation and in the settings.',
    );
  await client.settings.set({ key, value });
}

async function useForAll(client: CoreClient, way: Way | null, projectPath: string | null): Promise<void> {
  if (way === null && projectPath !== null) {
    await client.projects.configure({ projectPath, change: { type: 'forget', names: ['policy', 'local', 'cloud'] } });
    return;
  }
  if (way === null) throw usageError('In all projects, name the way that is the usual one: --use local');
  const { policy, local, cloud, ...more } = way;
  const [extra] = Object.keys(more);
  if (extra !== undefined)
    throw usageError(
      `A default has a policy and models, and no ${extra}.`,
      'For a kind of task, effort and strategy can be chosen too: add --kind fix (or edit, answer, make).',
    );
  const choices = {
    policy,
    ...(local === undefined ? {} : { local }),
    ...(cloud === undefined ? {} : { cloud }),
  };
  if (projectPath !== null) await client.projects.configure({ projectPath, change: { type: 'choose', choices } });
  else {
    for (const [key, value] of Object.entries(choices)) await client.settings.set({ key, value });
    // An order of models would go before the models of the way.
    if (local !== undefined || cloud !== undefined) await client.settings.unset({ key: 'modelOrder' });
  }
}

async function listUsed(
  client: CoreClient,
  terminal: Terminal,
  { projectPath, isJson }: { readonly projectPath: string | null; readonly isJson: boolean },
): Promise<number> {
  const { everywhere, projects } = chosenWaysSchema.parse(await client.settings.get({ key: 'kindWays' }));
  const key = projectPath === null ? null : await projectKey(projectPath);
  const shown = Object.entries(projects).filter(([path]) => key === null || path === key);
  if (isJson) {
    terminal.out(jsonLine({ everywhere, projects: Object.fromEntries(shown) }));
    return 0;
  }
  const lines = [...linesOf(everywhere, null), ...shown.flatMap(([path, ways]) => linesOf(ways, path))];
  if (lines.length === 0) terminal.err('No way was chosen for a kind of task.\n');
  for (const line of lines) terminal.out(`${line}\n`);
  return 0;
}

function linesOf(ways: KindWays, project: string | null): readonly string[] {
  const place = project === null ? '' : ` in ${seenName(project)}`;
  const where = project === null ? '' : ` --project ${seenName(asWord(project))}`;
  return workKinds.flatMap((kind) => {
    const way = ways[kind];
    if (way === undefined) return [];
    const name = `${workKindNames[kind]}${place}: ${seenName(wayName(way))}`;
    return [`${name}   remove: dewpoint route --use usual --kind ${kind}${where}`];
  });
}
