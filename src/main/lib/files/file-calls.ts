import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { link, lstat, mkdir, open, readlink, rename, rm, unlink } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type CallMode, type HostFolder, openForReading, openToReadAtOnce } from './host-folder.ts';

/**
 * Calls on single names, all by one way: the caller has opened the folder that a path leads through. They reject with the
 * file system's error. Tens of thousands of short calls take several times as long when each waits for another thread.
 */
export interface FileCalls {
  readonly mode: CallMode;
  readonly lstat: (place: string) => Promise<BigIntStats>;
  readonly readlink: (place: string) => Promise<Buffer>;
  readonly link: (from: string, to: string) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (place: string) => Promise<void>;
  readonly mkdir: (place: string) => Promise<void>;
  /** Removes a folder with all that is in it. */
  readonly removeFolder: (place: string) => Promise<void>;
  /** Writes a file that is not there yet. */
  readonly writeNew: (place: string, bytes: Uint8Array, how: NewFile) => Promise<void>;
  /** Opens a file to read it from its start. Follows no link. */
  readonly open: (folder: HostFolder, name: string) => Promise<FileToRead>;
}

export interface NewFile {
  readonly mode: number;
  /** Returns only once the disk has it. */
  readonly isSynced: boolean;
}

interface FileToRead {
  readonly sizeBytes: number;
  /** Fills the start of `piece` with what comes next. 0: the end. */
  readonly read: (piece: Buffer) => Promise<number>;
  readonly close: () => Promise<void>;
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

const waiting: FileCalls = {
  mode: 'waiting',
  lstat: (place) => lstat(place, { bigint: true }),
  readlink: (place) => readlink(place, { encoding: 'buffer' }),
  link,
  rename,
  unlink,
  mkdir: (place) => mkdir(place),
  removeFolder: (place) => rm(place, { recursive: true, force: true }),
  writeNew: async (place, bytes, { mode, isSynced }) => {
    const handle = await open(place, newFile, mode);
    try {
      await handle.writeFile(bytes);
      if (isSynced) await handle.sync();
    } finally {
      await handle.close();
    }
  },
  open: async (folder, name) => {
    const handle = await openForReading(folder, name);
    const { size } = await handle.stat().catch(async (error: unknown) => {
      await handle.close();
      throw error;
    });
    return {
      sizeBytes: size,
      read: async (piece) => (await handle.read(piece, 0, piece.length, null)).bytesRead,
      close: () => handle.close(),
    };
  },
};

/** So many files, and then other work of the process has its turn. */
const filesInARow = 64;

/** `at-once` blocks this process while the system works, so it is for a process that does nothing else. */
export function fileCalls(mode: CallMode): FileCalls {
  if (mode === 'waiting') return waiting;
  let files = 0;
  const nextFile = async (): Promise<void> => {
    files += 1;
    if (files % filesInARow === 0) await setImmediate();
  };
  return {
    mode,
    lstat: async (place) => lstatSync(place, { bigint: true }),
    readlink: async (place) => readlinkSync(place, { encoding: 'buffer' }),
    link: async (from, to) => linkSync(from, to),
    rename: async (from, to) => renameSync(from, to),
    unlink: async (place) => unlinkSync(place),
    mkdir: async (place) => {
      mkdirSync(place);
    },
    removeFolder: async (place) => rmSync(place, { recursive: true, force: true }),
    writeNew: async (place, bytes, { mode: access, isSynced }) => {
      await nextFile();
      const file = openSync(place, newFile, access);
      try {
        writeFileSync(file, bytes);
        if (isSynced) fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
    open: async (folder, name) => {
      await nextFile();
      const file = openToReadAtOnce(folder, name);
      return {
        sizeBytes: fstatSync(file).size,
        read: async (piece) => readSync(file, piece, 0, piece.length, null),
        close: async () => closeSync(file),
      };
    },
  };
}
