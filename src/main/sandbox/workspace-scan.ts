import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCodeOf } from '../lib/json-file.ts';
import { openChildFolder, openHostFolder, readRegularFile, type HostFolder } from '../lib/host-folder.ts';
import { isSecretText, secretKind, secretTextBytes } from './secret-files.ts';
import { isSkippedFolder } from './skipped-folders.ts';

/** A path that commands find empty. */
export interface Mask {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** What must be known of a project before commands run in it. Paths are relative, sorted. */
export interface WorkspaceScan {
  /** Files that hold secrets. */
  readonly secrets: readonly string[];
  /** What a person wants to be hidden: files, and folders as a whole. What lies in those is in no other list. */
  readonly masked: readonly Mask[];
  /** Sockets by which a program of this machine can be reached, whatever network a command has. */
  readonly sockets: readonly string[];
  /** Files and folders whose names are no text. They cannot be hidden, nor what lies in them. */
  readonly unnamed: number;
  /** The project has more entries than were looked at. */
  readonly isCut: boolean;
}

const maxEntries = 200_000;
const maxDepth = 40;

interface Scanning {
  readonly secrets: string[];
  readonly sockets: string[];
  readonly masked: Mask[];
  entries: number;
  unnamed: number;
  isCut: boolean;
}

/** Looks through a project on the host without following a link. What vanishes or may not be read is left out. */
export async function scanWorkspace(
  workspacePath: string,
  signal: AbortSignal,
  isMasked: (path: string) => boolean = () => false,
): Promise<WorkspaceScan> {
  const found: Scanning = {
    secrets: [],
    sockets: [],
    masked: [],
    entries: 0,
    unnamed: 0,
    isCut: false,
  };
  const root = await openHostFolder(workspacePath);
  try {
    await scanFolder(root, { prefix: '', depth: 0, found, signal, isMasked });
  } finally {
    await root.close();
  }
  for (const list of [found.secrets, found.sockets]) list.sort();
  return found;
}

interface Place {
  readonly prefix: string;
  readonly depth: number;
  readonly found: Scanning;
  readonly signal: AbortSignal;
  readonly isMasked: (path: string) => boolean;
}

async function scanFolder(folder: HostFolder, place: Place): Promise<void> {
  const { prefix, depth, found, signal } = place;
  const entries = await readdir(folder.place, { withFileTypes: true }).catch((): Dirent[] => []);
  for (const entry of entries) {
    signal.throwIfAborted();
    found.entries += 1;
    if (found.entries > maxEntries || depth > maxDepth) {
      found.isCut = true;
      return;
    }
    // A name that is no text cannot be given to the engine either.
    if (entry.name.includes('\uFFFD')) {
      found.unnamed += 1;
      continue;
    }
    const path = prefix + entry.name;
    if ((entry.isFile() || entry.isDirectory()) && place.isMasked(path)) {
      found.masked.push({ path, kind: entry.isFile() ? 'file' : 'folder' });
      continue;
    }
    if (entry.isSocket() && (await isListening(folder.at(entry.name)))) found.sockets.push(path);
    if (entry.isFile()) await noteFile(folder, entry.name, path, found);
    if (!entry.isDirectory()) continue;
    if (!isSkippedFolder(entry.name)) await descend(folder, entry.name, place);
  }
}

async function descend(folder: HostFolder, name: string, place: Place): Promise<void> {
  const child = await openChildFolder(folder, name).catch(() => null);
  if (child === null) return;
  try {
    await scanFolder(child, { ...place, prefix: `${place.prefix}${name}/`, depth: place.depth + 1 });
  } finally {
    await child.close();
  }
}

async function noteFile(folder: HostFolder, name: string, path: string, found: Scanning): Promise<void> {
  const kind = secretKind(path);
  if (kind === null) return;
  if (kind !== 'secret') {
    const bytes = await readRegularFile(folder, name, secretTextBytes);
    if (bytes === null || !isSecretText(kind, bytes.toString('latin1'))) return;
  }
  found.secrets.push(path);
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
