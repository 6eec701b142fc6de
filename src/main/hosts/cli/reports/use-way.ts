import { resolve } from 'node:path';
import { readWay, type Way, wayForm } from '@shared/comparisons/way.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import { chosenWaysSchema, type KindWays } from '@shared/routing/kind-ways.ts';
import { workKinds, type WorkKind, workKindNames } from '@shared/routing/work-kinds.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine } from '../../text/terminal.ts';
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
  const projectPath = args.project === undefined ? null : resolve(args.project);
  if (projectPath !== null) await requireFolder(projectPath);
  if (args.use === undefined) return listUsed(client, terminal, args.json === true);
  const kind = workKinds.find((one) => one === args.kind);
  if (args.kind !== undefined && kind === undefined)
    throw usageError(`--kind is one of ${workKinds.join(', ')}, not "${args.kind}".`);
  const way = args.use === 'usual' ? null : readWay(args.use);
  if (typeof way === 'string') throw usageError(`A way is ${wayForm}, or usual: ${way}.`);
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
  const { policy, local, cloud } = way;
  const choices = {
    policy,
    ...(local === undefined ? {} : { local }),
    ...(cloud === undefined ? {} : { cloud }),
  };
  if (projectPath !== null) await client.projects.configure({ projectPath, change: { type: 'choose', choices } });
  else for (const [key, value] of Object.entries(choices)) await client.settings.set({ key, value });
}

async function listUsed(client: CoreClient, terminal: Terminal, isJson: boolean): Promise<number> {
  const { everywhere, projects } = chosenWaysSchema.parse(await client.settings.get({ key: 'kindWays' }));
  if (isJson) terminal.out(jsonLine({ everywhere, projects }));
  const lines = [
    ...linesOf(everywhere, ''),
    ...Object.entries(projects).flatMap(([path, ways]) => linesOf(ways, ` --project ${seenName(path)}`)),
  ];
  if (isJson) return 0;
  if (lines.length === 0) terminal.err('No way was chosen for a kind of task.\n');
  for (const line of lines) terminal.out(`${line}\n`);
  return 0;
}

function linesOf(ways: KindWays, where: string): readonly string[] {
  return workKinds.flatMap((kind) => {
    const way = ways[kind];
    if (way === undefined) return [];
    return [
      `${workKindNames[kind]}: ${seenName(wayName(way))}   remove: dewpoint route --use usual --kind ${kind}${where}`,
    ];
  });
}
