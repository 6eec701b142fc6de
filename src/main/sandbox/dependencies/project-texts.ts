import { readdir } from 'node:fs/promises';
import { openChildFolder, openHostFolder, readRegularFile, type HostFolder } from '../../lib/host-folder.ts';
import type { ProjectTexts } from './dependency-part.ts';

export interface ProjectTop {
  readonly texts: ProjectTexts;
  /** Names of all files and folders at the top; a folder with `/` at its end. */
  readonly names: ReadonlySet<string>;
}

/** Lock files of large projects have megabytes; what is larger than this is not read, and its project not prepared. */
const maxBytes = 24 * 1024 * 1024;
const maxFiles = 60;

const known: ReadonlySet<string> = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  '.npmrc',
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'uv.lock',
  'poetry.lock',
  'Pipfile',
  'Pipfile.lock',
  'tox.ini',
]);
/** `requirements.txt`, `requirements-dev.txt`, `dev-requirements.txt`, `test_requirements.txt` … */
const requirements = /^(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|in)$/i;

/** Reads what says how a project's packages are installed, on the host and without following a link. Rejects on abort. */
export async function readProjectTop(projectPath: string, signal: AbortSignal): Promise<ProjectTop> {
  const texts = new Map<string, string>();
  const names = new Set<string>();
  const root = await openHostFolder(projectPath);
  try {
    const entries = await readdir(root.place, { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      signal.throwIfAborted();
      names.add(entry.isDirectory() ? `${entry.name}/` : entry.name);
      if (entry.isFile() && (known.has(entry.name) || requirements.test(entry.name)))
        await addText(root, entry.name, { texts, prefix: '' });
    }
    if (names.has('requirements/')) await addFolder(root, 'requirements', texts);
  } finally {
    await root.close();
  }
  return { texts, names };
}

async function addFolder(root: HostFolder, name: string, texts: Map<string, string>): Promise<void> {
  const folder = await openChildFolder(root, name).catch(() => null);
  if (folder === null) return;
  try {
    const entries = await readdir(folder.place, { withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile() && /\.(?:txt|in)$/.test(entry.name))
        await addText(folder, entry.name, { texts, prefix: `${name}/` });
    }
  } finally {
    await folder.close();
  }
}

async function addText(
  folder: HostFolder,
  name: string,
  { texts, prefix }: { readonly texts: Map<string, string>; readonly prefix: string },
): Promise<void> {
  if (texts.size >= maxFiles) return;
  const bytes = await readRegularFile(folder, name, maxBytes);
  if (bytes !== null) texts.set(prefix + name, bytes.toString('utf8'));
}
