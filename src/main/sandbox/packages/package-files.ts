import { readdir } from 'node:fs/promises';
import { openChildFolder, openHostFolder, readRegularFile, type HostFolder } from '../../lib/files/host-folder.ts';
import { isDecidingFile } from './deciding-files.ts';
import type { MountName, ProjectTexts } from './dependency-part.ts';
import { orNoted } from '../../lib/log.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

/** The contents of one folder, mostly the top of a project. */
export interface ProjectTop {
  readonly texts: ProjectTexts;
  /** The names of all files and folders at the top. Folders end with `/`. */
  readonly names: ReadonlySet<string>;
}

/**
 * Lock files of large projects have megabytes. A file that is larger than this is not read, and its project is not
 * prepared.
 */
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
  'go.mod',
  'go.sum',
  'go.work',
  'Cargo.toml',
  'Cargo.lock',
  'pom.xml',
  'Gemfile',
  'Gemfile.lock',
  'composer.json',
  'composer.lock',
]);
/** Folders on which packages are mounted. Empty ones do not mean that the project contains packages. */
const mountNames: ReadonlySet<string> = new Set<MountName>(['node_modules', 'vendor']);
/** `requirements.txt`, `requirements-dev.txt`, `dev-requirements.txt`, `test_requirements.txt` … */
const requirements = /^(?=[\w.-]*requirements|constraints)[\w.-]*\.(?:txt|in)$/i;

/** Folders whose files belong to the folder that they are in. */
const insideFolders: ReadonlyMap<string, (path: string) => boolean> = new Map([
  ['requirements', (path: string) => /\.(?:txt|in)$/.test(path)],
  ...['.cargo', '.mvn', '.bundle'].map((name) => [name, isDecidingFile] as const),
]);

/** A folder below the top, by its relative path. */
export interface ProjectFolder {
  readonly folder: string;
  readonly top: ProjectTop;
}

export interface ProjectFiles {
  readonly top: ProjectTop;
  readonly below: readonly ProjectFolder[];
  /** All texts, by their path in the project. */
  readonly texts: ProjectTexts;
}

/** How deep below the top to search for packages, and in how many folders. */
const maxDepth = 2;
const maxFolders = 200;
/** Folders to skip: they contain documentation, examples, tests or templates, or come from elsewhere. */
const passedOver =
  /^(?:\..*|node_modules|site-packages|venv|env|vendor|third[_-]party|examples?|samples?|docs?|tests?|__tests__|fixtures?|testdata|dist|build|target|out|coverage|requirements)$/i;

/** Names without special characters for a shell. Other folders are skipped. */
const plain = /^[\w.@+-]+$/;

/**
 * Reads the files that say how to install a project's packages, on the host and without following links. Rejects on
 * abort.
 */
export async function readProject(projectPath: string, signal: AbortSignal): Promise<ProjectFiles> {
  return askDrive(projectPath, (left) => readOnDrive(projectPath, AbortSignal.any([signal, left])), { signal });
}

async function readOnDrive(projectPath: string, signal: AbortSignal): Promise<ProjectFiles> {
  const root = await openHostFolder(projectPath);
  const below: ProjectFolder[] = [];
  const counted = { folders: 0 };
  const visit = async (place: HostFolder, path: string, depth: number): Promise<ProjectTop> => {
    const top = await readFolder(place, signal);
    if (depth === maxDepth) return top;
    for (const name of [...top.names].flatMap((one) => (one.endsWith('/') ? [one.slice(0, -1)] : []))) {
      if (passedOver.test(name) || !plain.test(name) || counted.folders === maxFolders) continue;
      counted.folders += 1;
      // A folder that cannot be opened names no packages.
      const child = await openChildFolder(place, name).catch(() => null);
      if (child === null) continue;
      const folder = path === '' ? name : `${path}/${name}`;
      try {
        const found = await visit(child, folder, depth + 1);
        if (found.texts.size > 0) below.push({ folder, top: found });
      } finally {
        await child.close();
      }
    }
    return top;
  };
  try {
    const top = await visit(root, '', 0);
    below.sort((left, right) => (left.folder < right.folder ? -1 : 1));
    const prefixed = below.flatMap(({ folder, top: { texts } }) =>
      [...texts].map(([name, text]) => [`${folder}/${name}`, text] as const),
    );
    return { top, below, texts: new Map([...top.texts, ...prefixed]) };
  } finally {
    await root.close();
  }
}

async function readFolder(root: HostFolder, signal: AbortSignal): Promise<ProjectTop> {
  const texts = new Map<string, string>();
  const names = new Set<string>();
  const entries = await readdir(root.place, { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    signal.throwIfAborted();
    if (mountNames.has(entry.name) && entry.isDirectory() && (await isEmpty(root, entry.name))) continue;
    names.add(entry.isDirectory() ? `${entry.name}/` : entry.name);
    if (entry.isFile() && (known.has(entry.name) || requirements.test(entry.name) || isDecidingFile(entry.name)))
      await addText(root, entry.name, { texts, prefix: '' });
  }
  for (const [name, isWanted] of insideFolders)
    if (names.has(`${name}/`)) await addFolder(root, name, { texts, isWanted });
  return { texts, names };
}

async function isEmpty(folder: HostFolder, name: string): Promise<boolean> {
  const child = await openChildFolder(folder, name).catch(() => null);
  if (child === null) return false;
  // A folder that cannot be listed does not count as empty.
  const names = await readdir(child.place).catch(
    orNoted('sandbox: a folder with files of packages was not read', null),
  );
  await child.close();
  return names?.length === 0;
}

async function addFolder(
  root: HostFolder,
  name: string,
  { texts, isWanted }: { readonly texts: Map<string, string>; readonly isWanted: (path: string) => boolean },
): Promise<void> {
  // A folder that cannot be opened names no packages.
  const folder = await openChildFolder(root, name).catch(() => null);
  if (folder === null) return;
  try {
    const entries = await readdir(folder.place, { withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile() && isWanted(`${name}/${entry.name}`))
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
