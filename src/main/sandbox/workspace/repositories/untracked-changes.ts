import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { isMaybeEnvironment } from '../../files/skipped-folders.ts';
import { FolderChain } from './folder-chain.ts';
import { entriesOf } from './folder-entries.ts';
import { hostNameOf, namesOf, shownPath } from './folder-names.ts';
import { nullIfGone, pathIn, type CallMode } from '../../../lib/files/host-folder.ts';

/** Folders that are not tracked for changes, but from which programs run. */
const runFrom: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__', '.tox', '.nox']);
const shownFiles = 3;
/** The most folders of one name that are listed. More are counted together. */
const shownFolders = 5;

export interface UntrackedChangesQuery {
  /** A real path. */
  readonly workspacePath: string;
  readonly asking: CallMode;
  /** All folders of the workspace. */
  readonly folders: Iterable<string>;
  /** Folders that are Python environments. */
  readonly environments: ReadonlySet<string>;
  /** In milliseconds since 1970. Earlier changes are not reported. */
  readonly sinceMs: number;
  readonly pause: () => Promise<void>;
}

/**
 * Changes in folders of packages and compiled files, which are not tracked but run by the project. A program cannot
 * set the time of a file's last change, so one request for each file finds it. Rejects only on abort.
 */
export async function findUntrackedChanges(request: UntrackedChangesQuery): Promise<readonly UntrackedPlace[]> {
  const byRoot = new Map<string, string[]>();
  const chain = new FolderChain(request.workspacePath, request.asking);
  try {
    for (const folder of request.folders) {
      const root = rootOf(folder, request.environments);
      if (root === null) continue;
      await request.pause();
      const changed = await chain
        .use(namesOf(folder), async (opened) => {
          const files = [...(await entriesOf(opened, request.asking))].flatMap(([name, kind]) =>
            kind === 'folder' ? [] : [name],
          );
          const places: string[] = [];
          for (const name of files) {
            const place = pathIn(opened, hostNameOf(name));
            const found = await statsOf(place, request.asking);
            if (found !== null && found.ctimeMs >= request.sinceMs) places.push(`${folder}/${name}`);
          }
          return places;
        })
        // Gone meanwhile, or without permissions. The look at folders reports those.
        .catch(() => []);
      if (changed.length > 0) byRoot.set(root, [...(byRoot.get(root) ?? []), ...changed]);
    }
  } finally {
    await chain.close();
  }
  return placesOf(byRoot);
}

async function statsOf(place: string | Buffer, asking: CallMode): Promise<Stats | null> {
  if (asking === 'waiting') return lstat(place).catch(nullIfGone);
  return lstatSync(place, { throwIfNoEntry: false }) ?? null;
}

/** The topmost folder of such a kind that contains a path, or is it. */
function rootOf(path: string, environments: ReadonlySet<string>): string | null {
  const names = namesOf(path);
  for (let count = 1; count <= names.length; count += 1) {
    const name = names[count - 1] ?? '';
    const root = names.slice(0, count).join('/');
    if (name === '.git') return null;
    if (runFrom.has(name) || (isMaybeEnvironment(name) && environments.has(root))) return root;
  }
  return null;
}

function placesOf(byRoot: ReadonlyMap<string, readonly string[]>): readonly UntrackedPlace[] {
  const byName = new Map<string, string[]>();
  for (const root of byRoot.keys()) {
    const name = namesOf(root).at(-1) ?? root;
    byName.set(name, [...(byName.get(name) ?? []), root]);
  }
  return [...byName].flatMap(([name, roots]) => {
    const place = (path: string, files: readonly string[]): UntrackedPlace => ({
      path,
      why: `${whyOf(name)}; ${countOf(files.length)} changed: ${someOf(files)}`,
      done: null,
    });
    if (roots.length <= shownFolders) return roots.map((root) => place(shownPath(root), byRoot.get(root) ?? []));
    return [
      place(
        `${name} in ${roots.length} folders`,
        roots.flatMap((root) => byRoot.get(root) ?? []),
      ),
    ];
  });
}

function whyOf(name: string): string {
  return name === '__pycache__'
    ? 'Python runs compiled files instead of the sources'
    : 'the project and its tools run what is there';
}

function countOf(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}

function someOf(files: readonly string[]): string {
  const names = files.slice(0, shownFiles).map(shownPath).join(', ');
  return files.length > shownFiles ? `${names} and ${files.length - shownFiles} more` : names;
}
