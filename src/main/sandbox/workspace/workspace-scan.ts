import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import {
  isGone,
  nullIfGone,
  openChildFolder,
  openFolderBelow,
  openHostFolder,
  readStart,
  type HostFolder,
} from '../../lib/files/host-folder.ts';
import { isSecretText, secretKind, secretTextBytes } from './secret-files.ts';
import { isSkippedFolder } from '../files/skipped-folders.ts';

/** A path that commands find empty. */
export interface Mask {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** What must be known of a project before commands run in it. Paths are relative and sorted. */
export interface WorkspaceScan {
  /** Files that contain secrets. */
  readonly secrets: readonly string[];
  /** The outermost folders that contain only such files, and more than one. */
  readonly secretFolders: readonly string[];
  /** Folders that could not be read. */
  readonly closed: readonly string[];
  /** Folders with the data of a git repository: `.git`, `sub/.git`, `bare.git`. */
  readonly gitFolders: readonly string[];
  /** Files and whole folders that the user hides. Their contents are in no other list. */
  readonly masked: readonly Mask[];
  /** Sockets of running programs on this machine, which commands could use even without a network. */
  readonly sockets: readonly string[];
  /** The number of files and folders whose names are not text. Neither they nor their contents can be hidden. */
  readonly unnamed: number;
  /** Those of them, and of their contents, that should be hidden. U+FFFD replaces what is not text. */
  readonly unnamedSecrets: readonly string[];
  /** Where and why the scan stopped early. Null: it is complete. */
  readonly cut: { readonly why: 'entries' | 'depth'; readonly folder: string } | null;
}

/** Takes about ten seconds on a slow disk. Packages and `.git` are not scanned. */
const maxEntries = 2_000_000;
/** A folder is held open on every level. */
const maxDepth = 256;

interface Scanning {
  readonly secrets: string[];
  readonly secretFolders: string[];
  readonly closed: string[];
  readonly sockets: string[];
  readonly masked: Mask[];
  readonly gitFolders: string[];
  readonly unnamedSecrets: string[];
  entries: number;
  unnamed: number;
  cut: WorkspaceScan['cut'];
}

/** Scans a project on the host without following links. Files that vanish meanwhile are left out. */
export async function scanWorkspace(
  workspacePath: string,
  signal: AbortSignal,
  isMasked: (path: string) => boolean = () => false,
): Promise<WorkspaceScan> {
  const found = emptyScanning();
  const root = await openHostFolder(workspacePath);
  try {
    await scanFolder(root, { workspacePath, prefix: '', depth: 0, found, signal, isMasked });
  } finally {
    await root.close();
  }
  for (const list of [found.secrets, found.closed, found.sockets, found.gitFolders]) list.sort();
  // A link and the file itself can both tell of it.
  return { ...found, secrets: [...new Set(found.secrets)] };
}

function emptyScanning(): Scanning {
  return {
    secrets: [],
    secretFolders: [],
    closed: [],
    sockets: [],
    masked: [],
    gitFolders: [],
    unnamedSecrets: [],
    entries: 0,
    unnamed: 0,
    cut: null,
  };
}

interface Place {
  readonly workspacePath: string;
  readonly prefix: string;
  readonly depth: number;
  readonly found: Scanning;
  readonly signal: AbortSignal;
  readonly isMasked: (path: string) => boolean;
}

/** Returns whether the folder contains anything that is not secret. An empty folder counts as such. */
async function scanFolder(folder: HostFolder, place: Place): Promise<boolean> {
  const { prefix, depth, found, signal } = place;
  const read = readdir(folder.place, { withFileTypes: true });
  const entries = (prefix === '' ? await read : await read.catch(closedOr(found, prefix.slice(0, -1)))) ?? [];
  const names = new Set(entries.map((entry) => entry.name));
  // Its contents are scanned all the same, because anybody can give a folder this form.
  if (prefix !== '' && isGitData(names)) noteGitData(found, prefix.slice(0, -1), entries);
  let hasOther = entries.length === 0;
  const before = { secrets: found.secrets.length, folders: found.secretFolders.length };
  for (const entry of entries) {
    signal.throwIfAborted();
    found.entries += 1;
    if (depth > maxDepth) found.cut ??= { why: 'depth', folder: prefix.slice(0, -1) };
    if (found.entries > maxEntries) found.cut ??= { why: 'entries', folder: prefix.slice(0, -1) };
    if (found.cut !== null) return true;
    // Most entries need no waiting, and there may be millions of them.
    const other = scanEntry(folder, entry, place);
    hasOther = (typeof other === 'boolean' ? other : await other) || hasOther;
  }
  if (entries.some(({ name }) => name.includes('\uFFFD'))) await scanUnnamed(folder, place);
  if (hasOther || prefix === '') return true;
  if (found.secrets.length - before.secrets > 1)
    found.secretFolders.splice(before.folders, Number.POSITIVE_INFINITY, prefix.slice(0, -1));
  return false;
}

/** Whether it is, or contains, anything that is not secret. */
function scanEntry(folder: HostFolder, entry: Dirent, place: Place): boolean | Promise<boolean> {
  const { prefix, found } = place;
  const { name } = entry;
  // The engine cannot use a name that is not text, either.
  if (name.includes('\uFFFD')) return true;
  const path = prefix + name;
  if ((entry.isFile() || entry.isDirectory()) && place.isMasked(path)) {
    found.masked.push({ path, kind: entry.isFile() ? 'file' : 'folder' });
    return true;
  }
  if (entry.isFile()) {
    return secretKind(path) === null || noteSecret(folder, name, place);
  }
  if (entry.isDirectory()) {
    if (name === '.git') return scanGitFolder(folder, place);
    return isSkippedFolder(name) || descend(folder, name, place);
  }
  if (entry.isSymbolicLink() && (place.isMasked(path) || secretKind(path) !== null)) return noteLinked(path, place);
  return entry.isSocket() ? noteSocket(folder, name, place) : true;
}

/** A file that is to be hidden by the name of a link to it. What links lead to outside of the project is not reached. */
async function noteLinked(link: string, { workspacePath, found, isMasked }: Place): Promise<true> {
  // A link that cannot be followed leads commands nowhere, either.
  const place = await realpath(join(workspacePath, link)).catch(() => null);
  if (place === null || !place.startsWith(`${workspacePath}/`)) return true;
  const path = place.slice(workspacePath.length + 1);
  const names = path.split('/');
  const folder = await openFolderBelow(workspacePath, names.slice(0, -1));
  if (folder === null) return true;
  try {
    const name = names.at(-1) ?? '';
    if (!(await lstat(folder.at(name))).isFile()) return true;
    if (isMasked(link) && !isMasked(path)) found.masked.push({ path, kind: 'file' });
    else if (await isSecretThroughLink(folder, name, link)) found.secrets.push(path);
    return true;
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  } finally {
    await folder.close();
  }
}

async function noteSecret(folder: HostFolder, name: string, { prefix, found }: Place): Promise<boolean> {
  if (!(await isSecret(folder, name, prefix + name))) return true;
  found.secrets.push(prefix + name);
  return false;
}

async function noteSocket(folder: HostFolder, name: string, { prefix, found }: Place): Promise<true> {
  if (await isListening(folder.at(name))) found.sockets.push(prefix + name);
  return true;
}

async function scanGitFolder(folder: HostFolder, { prefix, found }: Place): Promise<true> {
  // A folder that we cannot open is closed to commands, too, because they run as the same user.
  const child = await openChildFolder(folder, '.git').catch(() => null);
  const entries = child === null ? [] : await readdir(child.place, { withFileTypes: true }).catch(() => []);
  await child?.close();
  noteGitData(found, `${prefix}.git`, entries);
  return true;
}

async function descend(folder: HostFolder, name: string | Buffer, place: Place): Promise<boolean> {
  const path = place.prefix + name.toString();
  const child = await openChildFolder(folder, name).catch(closedOr(place.found, path));
  if (child === null) return true;
  try {
    return await scanFolder(child, { ...place, prefix: `${path}/`, depth: place.depth + 1 });
  } finally {
    await child.close();
  }
}

/**
 * Scans files and folders whose names are not text. Their contents have no usable paths, so they go into the list
 * for the user.
 */
async function scanUnnamed(folder: HostFolder, place: Place): Promise<void> {
  const { prefix, found } = place;
  const apart: Scanning = { ...emptyScanning(), entries: found.entries };
  for (const entry of await readdir(folder.place, { withFileTypes: true, encoding: 'buffer' })) {
    const name = entry.name.toString();
    if (!name.includes('\uFFFD')) continue;
    found.unnamed += 1;
    if (entry.isDirectory()) await descend(folder, entry.name, { ...place, found: apart });
    else if (entry.isFile() && (await isSecret(folder, entry.name, prefix + name))) apart.secrets.push(prefix + name);
  }
  found.entries = apart.entries;
  found.cut ??= apart.cut;
  found.unnamedSecrets.push(...apart.secrets, ...apart.closed, ...apart.sockets, ...apart.unnamedSecrets);
  found.unnamed += apart.unnamed;
}

/**
 * Notes a repository, and the files in which git stores logins if it is configured so. Logins in git's own
 * configuration are found elsewhere.
 */
function noteGitData(found: Scanning, path: string, entries: readonly Dirent[]): void {
  found.gitFolders.push(path);
  const logins = entries.filter((entry) => entry.isFile() && ['credentials', '.git-credentials'].includes(entry.name));
  for (const { name } of logins) found.secrets.push(`${path}/${name}`);
}

/**
 * For `catch`: returns null for a folder that is gone or closed. Throws for other errors, because an unexplained
 * error must not hide anything.
 */
function closedOr(found: Scanning, path: string): (error: unknown) => null {
  return (error) => {
    if (isGone(error)) return null;
    if (!['EACCES', 'EPERM'].includes(errorCodeOf(error) ?? '')) throw error;
    found.closed.push(path);
    return null;
  };
}

/** Git treats any folder of this form as a repository, even without `.git` around it. */
function isGitData(names: ReadonlySet<string>): boolean {
  return ['HEAD', 'config', 'objects', 'refs'].every((name) => names.has(name));
}

/** Whether a file must be hidden by its content, if it has this path or had it once. */
export async function isSecret(folder: HostFolder, name: string | Buffer, path: string): Promise<boolean> {
  const kind = secretKind(path);
  if (kind === null || kind === 'secret') return kind !== null;
  const bytes = await readStart(folder, name, secretTextBytes)
    .catch(nullIfGone)
    .catch(() => 'closed' as const);
  // A file that cannot be read is hidden, which loses nothing.
  return bytes === 'closed' || (bytes !== null && isSecretText(kind, bytes.toString('latin1')));
}

/** Commands make links as they like, so here a name alone hides no file: its content must look like it. */
async function isSecretThroughLink(folder: HostFolder, name: string, link: string): Promise<boolean> {
  const kind = secretKind(link);
  if (kind === null) return false;
  // What cannot be read here, commands cannot read either: they run as the same user.
  const bytes = await readStart(folder, name, secretTextBytes).catch(() => null);
  const text = bytes?.toString('latin1') ?? '';
  const kinds = kind === 'secret' ? (['private-key', 'token', 'login'] as const) : [kind];
  return kinds.some((one) => isSecretText(one, text));
}

const connectMs = 300;

/** Whether a program listens on a socket. Sends nothing. A socket that a program left behind is just a file. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(connectMs, () => end(true));
    socket.once('connect', () => end(true));
    socket.once('error', (error) => end(!['ECONNREFUSED', 'ENOENT'].includes(errorCodeOf(error) ?? '')));
  });
}
