import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface LogFileOptions {
  readonly folder: string;
  /** A file that has grown to this size is set aside. */
  readonly fileBytes?: number;
  /** How many files there are at most, the current one included. */
  readonly files?: number;
}

/** The folder of the log in a home. */
export const logFolderOf = (home: string): string => join(home, 'logs');

const currentName = 'dewpoint.log';
/** Set aside by one of the processes at some time. Its name sorts by time. */
const asideName = /^dewpoint-\d{8}T\d{9}-\d+\.log$/u;
const defaults = { fileBytes: 1_000_000, files: 5 };

/**
 * The files of the log. Returns what appends one line. Any number of processes may write to one folder: each line is
 * one write at the end of the file, and the file is opened anew for it, so that whoever sets it aside disturbs nobody.
 * A full or read-only disk loses lines and nothing else: this never throws.
 */
export function createLogFile(options: LogFileOptions): (line: string) => void {
  const { folder, fileBytes, files } = { ...defaults, ...options };
  const path = join(folder, currentName);
  // A full disk may take a part of a line. The next one must not continue it.
  let isTorn = false;
  return (line) => {
    try {
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`, 'utf8');
      const { written, size } = append(path, folder, bytes);
      isTorn = written < bytes.length;
      if (size >= fileBytes) setAside(folder, files);
    } catch {
      // There is no better place to tell it than this log.
    }
  };
}

/** Neither follows a link nor waits for the reader of a pipe that lies in the file's place. */
const flags =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

function append(path: string, folder: string, bytes: Uint8Array): { readonly written: number; readonly size: number } {
  const file = openLog(path, folder);
  try {
    const written = writeSync(file, bytes);
    return { written, size: fstatSync(file).size };
  } finally {
    closeSync(file);
  }
}

function openLog(path: string, folder: string): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // Only this folder: a home that somebody removed does not come back.
    mkdirSync(folder, { mode: 0o700 });
    return openSync(path, flags, 0o600);
  }
}

/** If two processes do it at once, one sets aside a file that is nearly empty. No line is lost by that. */
function setAside(folder: string, files: number): void {
  const time = new Date().toISOString().replaceAll(/[-:.Z]/gu, '');
  renameSync(join(folder, currentName), join(folder, `dewpoint-${time}-${process.pid}.log`));
  const old = readdirSync(folder)
    .filter((name) => asideName.test(name))
    .sort();
  for (const name of old.slice(0, Math.max(0, old.length - files + 1))) unlinkSync(join(folder, name));
}

/** The end of the log, oldest line first. Empty if there is none yet. Rejects if it cannot be read. */
export async function readLogFile(folder: string, mostBytes: number): Promise<string> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const aside = names.filter((name) => asideName.test(name)).sort();
  let text = '';
  for (const name of [...aside, ...names.filter((one) => one === currentName)].reverse()) {
    const rest = mostBytes - Buffer.byteLength(text);
    if (rest <= 0) break;
    text = (await endOf(join(folder, name), rest)) + text;
  }
  return text;
}

/** Whole lines from the end of a file. */
async function endOf(path: string, mostBytes: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - mostBytes);
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(Math.min(size, mostBytes)),
      0,
      Math.min(size, mostBytes),
      from,
    );
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}
