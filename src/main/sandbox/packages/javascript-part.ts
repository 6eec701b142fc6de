import { z } from 'zod';
import type { FolderPart } from './dependency-part.ts';
import type { ProjectTop } from './package-files.ts';
import { hostsIn, lockHosts } from './source-hosts.ts';

const list = z.record(z.string(), z.string()).optional();
const packageSchema = z.object({
  packageManager: z.string().optional(),
  dependencies: list,
  devDependencies: list,
  optionalDependencies: list,
  peerDependencies: list,
  workspaces: z.unknown().optional(),
});

/** The package manager gets its own folder beside the copy. */
const toolFor = (name: string): string => `npm install --prefix ../tools ${name}`;
/**
 * Removes the project's own scripts, which would only build the unused copy. The scripts of its packages still run.
 */
const withoutScripts =
  'npm pkg delete scripts.preinstall scripts.install scripts.postinstall scripts.prepublish scripts.prepare';
const keep = 'cp -a node_modules/. /node_modules/';

/** How to install the packages of a JavaScript project. Null if it has none, or contains them already. */
export function findJavascriptPart({ texts, names }: ProjectTop, own: string | undefined): FolderPart | null {
  const text = texts.get('package.json');
  if (text === undefined) return null;
  const parsed = parsePackage(text);
  if (parsed === null) return null;
  const files = ['package.json', ...lockNames.filter((name) => texts.has(name))];
  const direct = { ...parsed.dependencies, ...parsed.devDependencies, ...parsed.optionalDependencies };
  const hosts = [
    ...new Set([
      ...files.slice(1).flatMap((name) => lockHosts(texts.get(name) ?? '')),
      ...hostsIn(Object.values(direct).join('\n')),
    ]),
  ].sort();
  if (own !== undefined)
    return { ecosystem: 'javascript', tool: 'own command', files, commands: [own, keep], isNeeded: true, hosts };
  // The packages of its members are installed together with those of the top.
  const hasMembers = parsed.workspaces !== undefined || texts.has('pnpm-workspace.yaml');
  const isEmpty = Object.keys({ ...direct, ...parsed.peerDependencies }).length === 0 && !hasMembers;
  if (names.has('node_modules/') || isEmpty) return null;
  const found = managerOf(texts, parsed.packageManager ?? null, hasMembers);
  return {
    ecosystem: 'javascript',
    tool: found.tool,
    files,
    commands: [withoutScripts, ...found.commands, keep],
    isNeeded: true,
    hosts,
  };
}

const lockNames = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
] as const;

function managerOf(
  texts: ProjectTop['texts'],
  named: string | null,
  hasMembers: boolean,
): { readonly tool: string; readonly commands: readonly string[] } {
  if (texts.has('package-lock.json') || texts.has('npm-shrinkwrap.json')) return { tool: 'npm', commands: ['npm ci'] };
  const pnpm = texts.get('pnpm-lock.yaml');
  if (pnpm !== undefined) {
    const tool = `pnpm@${versionOf('pnpm', named) ?? pnpmFor(pnpm)}`;
    return {
      tool: 'pnpm',
      commands: [
        toolFor(tool),
        // Without this option, members get links into pnpm's own store, which do not work elsewhere.
        `../tools/node_modules/.bin/pnpm install --frozen-lockfile${hasMembers ? ' --config.node-linker=hoisted' : ''} --store-dir ../cache/pnpm`,
      ],
    };
  }
  const yarn = texts.get('yarn.lock');
  if (yarn === undefined) return { tool: 'npm, without a lock file', commands: ['npm install --no-package-lock'] };
  if (!/^__metadata:/m.test(yarn))
    return {
      tool: 'yarn',
      commands: [
        toolFor(`yarn@${versionOf('yarn', named) ?? '1'}`),
        '../tools/node_modules/.bin/yarn install --frozen-lockfile --non-interactive',
      ],
    };
  return {
    tool: 'yarn',
    commands: [
      toolFor(`@yarnpkg/cli-dist@${versionOf('yarn', named) ?? '4'}`),
      'YARN_NODE_LINKER=node-modules YARN_IGNORE_PATH=1 node ../tools/node_modules/@yarnpkg/cli-dist/bin/yarn.js install --immutable',
    ],
  };
}

function versionOf(tool: string, named: string | null): string | null {
  return new RegExp(`^${tool}@(\\d[\\w.-]*)`).exec(named ?? '')?.[1] ?? null;
}

/** The last version that writes a lock file in this format. */
function pnpmFor(lock: string): string {
  const version = Number(/^lockfileVersion:\s*['"]?([\d.]+)/m.exec(lock)?.[1] ?? '9');
  if (version >= 9) return '10';
  return version >= 6 ? '8' : '7';
}

function parsePackage(text: string): z.infer<typeof packageSchema> | null {
  try {
    const parsed = packageSchema.safeParse(JSON.parse(text.replace(/^\uFEFF/, '')));
    return parsed.success ? parsed.data : null;
  } catch {
    // Nothing is installed for a broken package.json. The error shows when somebody works on the project.
    return null;
  }
}
