import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import {
  isGone,
  nullIfGone,
  openChildFolder,
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

/** What must be known of a project before commands run in it. Paths are relative, sorted. */
export interface WorkspaceScan {
  /** Files that hold secrets. */
  readonly secrets: readonly string[];
  /** The outermost folders in which there is nothing but such files, and more than one. */
  readonly secretFolders: readonly string[];
  /** Folders that could not be looked into. */
  readonly closed: readonly string[];
  /** Folders that are the data of a git repository: `.git`, `sub/.git`, `bare.git`. */
  readonly gitFolders: readonly string[];
  /** What a person wants to be hidden: files, and folders as a whole. What lies in those is in no other list. */
  readonly masked: readonly Mask[];
  /** Sockets by which a program of this machine can be reached, whatever network a command has. */
  readonly sockets: readonly string[];
  /** Files and folders whose names are no text. They cannot be hidden, nor what lies in them. */
  readonly unnamed: number;
  /** Of those, and of what lies in them, what should be hidden; U+FFFD stands for what is no text. */
  readonly unnamedSecrets: readonly string[];
  /** Where the look ended before it had seen everything; null: it is whole. */
  readonly cut: { readonly why: 'entries' | 'depth'; readonly folder: string } | null;
}

/** About ten seconds on a slow disk. Packages and `.git` are not looked through. */
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

/** Looks through a project on the host without following a link. What vanishes is left out. */
export async function scanWorkspace(
  workspacePath: string,
  signal: AbortSignal,
  isMasked: (path: string) => boolean = () => false,
): Promise<WorkspaceScan> {
  const found = emptyScanning();
  const root = await openHostFolder(workspacePath);
  try {
    await scanFolder(root, { prefix: '', depth: 0, found, signal, isMasked });
  } finally {
    await root.close();
  }
  for (const list of [found.secrets, found.closed, found.sockets, found.gitFolders]) list.sort();
  return found;
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
  readonly prefix: string;
  readonly depth: number;
  readonly found: Scanning;
  readonly signal: AbortSignal;
  readonly isMasked: (path: string) => boolean;
}

/** Returns whether there is anything in it that is no secret; an empty folder counts as such. */
async function scanFolder(folder: HostFolder, place: Place): Promise<boolean> {
  const { prefix, depth, found, signal } = place;
  const read = readdir(folder.place, { withFileTypes: true });
  const entries = (prefix === '' ? await read : await read.catch(closedOr(found, prefix.slice(0, -1)))) ?? [];
  const names = new Set(entries.map((entry) => entry.name));
  // Gone through all the same: anybody can give a folder this form.
  if (prefix !== '' && isGitData(names)) noteGitData(found, prefix.slice(0, -1), entries);
  let hasOther = entries.length === 0;
  const before = { secrets: found.secrets.length, folders: found.secretFolders.length };
  for (const entry of entries) {
    signal.throwIfAborted();
    found.entries += 1;
    if (depth > maxDepth) found.cut ??= { why: 'depth', folder: prefix.slice(0, -1) };
    if (found.entries > maxEntries) found.cut ??= { why: 'entries', folder: prefix.slice(0, -1) };
    if (found.cut !== null) return true;
    // Most entries need no waiting, and there may be millions.
    const other = scanEntry(folder, entry, place);
    hasOther = (typeof other === 'boolean' ? other : await other) || hasOther;
  }
  if (entries.some(({ name }) => name.includes('\uFFFD'))) await scanUnnamed(folder, place);
  if (hasOther || prefix === '') return true;
  if (found.secrets.length - before.secrets > 1)
    found.secretFolders.splice(before.folders, Number.POSITIVE_INFINITY, prefix.slice(0, -1));
  return false;
}

/** Says whether it is, or holds, anything else than secrets. */
function scanEntry(folder: HostFolder, entry: Dirent, place: Place): boolean | Promise<boolean> {
  const { prefix, found } = place;
  const { name } = entry;
  // A name that is no text cannot be given to the engine either.
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
  return entry.isSocket() ? noteSocket(folder, name, place) : true;
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
  // What we may not open no command may either: they run as the same user.
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

/** What is found in a folder whose name is no text has no path either: it goes where a person is told of it. */
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

/** Git keeps logins there where somebody told it to; its own files are told of elsewhere. */
function noteGitData(found: Scanning, path: string, entries: readonly Dirent[]): void {
  found.gitFolders.push(path);
  const logins = entries.filter((entry) => entry.isFile() && ['credentials', '.git-credentials'].includes(entry.name));
  for (const { name } of logins) found.secrets.push(`${path}/${name}`);
}

/** For `catch`: null for a folder that is gone or closed. What cannot be explained so is an error: it hides nothing. */
function closedOr(found: Scanning, path: string): (error: unknown) => null {
  return (error) => {
    if (isGone(error)) return null;
    if (!['EACCES', 'EPERM'].includes(errorCodeOf(error) ?? '')) throw error;
    found.closed.push(path);
    return null;
  };
}

/** Git takes any folder of this form for a repository, also one without `.git` around it. */
function isGitData(names: ReadonlySet<string>): boolean {
  return ['HEAD', 'config', 'objects', 'refs'].every((name) => names.has(name));
}

async function isSecret(folder: HostFolder, name: string | Buffer, path: string): Promise<boolean> {
  const kind = secretKind(path);
  if (kind === null || kind === 'secret') return kind !== null;
  const bytes = await readStart(folder, name, secretTextBytes)
    .catch(nullIfGone)
    .catch(() => 'closed' as const);
  // One that cannot be looked into is hidden: nothing is lost by it.
  return bytes === 'closed' || (bytes !== null && isSecretText(kind, bytes.toString('latin1')));
}

const connectMs = 300;

/** Whether somebody may be behind a socket: nothing is sent. One that was left by a program that has ended is a file. */
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
