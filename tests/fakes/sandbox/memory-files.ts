import { failure, success, type Reply } from '@shared/errors.ts';
import type { FileContent, FileStat, ScannedFile, ScannedFiles } from '../../../src/main/sandbox/sandbox.ts';
import { isSkippedFolder } from '../../../src/main/sandbox/files/skipped-folders.ts';
import { foldersOf, isFolder, missing } from './memory-tree.ts';
import { sha256Of } from '../../../src/main/lib/sha256.ts';

export interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Increases with every change of any file. */
  readonly version: number;
}

/** Files by path. A folder exists as long as it contains a file. */
export interface MemoryFiles {
  readonly files: ReadonlyMap<string, MemoryFile>;
  readonly put: (path: string, content: string | Uint8Array, mode?: number) => void;
  readonly remove: (path: string) => void;
  read(path: string, maxBytes?: number): Reply<FileContent>;
  write(path: string, bytes: Uint8Array, expect: string | null | undefined): Reply<void>;
  delete(path: string, expect: string | undefined): Reply<void>;
  setMode(path: string, mode: number): Reply<void>;
  stat(path: string): Reply<FileStat>;
  scan(): ScannedFiles;
}

const defaultReadBytes = 4 * 1024 * 1024;

export function createMemoryFiles(initial: Readonly<Record<string, string | Uint8Array>>): MemoryFiles {
  const files = new Map<string, MemoryFile>();
  let version = 0;
  const put: MemoryFiles['put'] = (path, content, mode) => {
    version += 1;
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
    files.set(path, { bytes, mode: mode ?? files.get(path)?.mode ?? 0o644, version });
  };
  for (const [path, content] of Object.entries(initial)) put(path, content);
  return {
    files,
    put,
    remove: (path) => void files.delete(path),
    read: (path, maxBytes = defaultReadBytes) => {
      const file = files.get(path);
      if (file === undefined) return missing(files, path);
      const { bytes, mode } = file;
      if ((mode & 0o400) === 0) return denied(path);
      if (bytes.length > maxBytes)
        return failure('too-large', `${path} has ${bytes.length} bytes; at most ${maxBytes} are read at once.`);
      return success({ bytes: Uint8Array.from(bytes), sha256: sha256Of(bytes), mode });
    },
    write: (path, bytes, expect) => {
      if (isFolder(files, path)) return failure('bad-input', `${path} is a folder.`);
      if ([...foldersOf(path)].some((folder) => files.has(folder))) {
        return failure('bad-input', `${path} is not a folder, or lies below something that is none.`);
      }
      const refused = checkWritable(files.get(path), path) ?? checkExpected(files.get(path), path, expect);
      if (refused !== null) return refused;
      put(path, bytes);
      return success(undefined);
    },
    delete: (path, expect) => {
      const file = files.get(path);
      if (file === undefined) return missing(files, path);
      const stale = checkExpected(file, path, expect);
      if (stale !== null) return stale;
      files.delete(path);
      return success(undefined);
    },
    setMode: (path, mode) => {
      const file = files.get(path);
      if (file === undefined) return missing(files, path);
      put(path, file.bytes, mode);
      return success(undefined);
    },
    stat: (path) => {
      const file = files.get(path);
      if (file !== undefined)
        return success({ kind: 'file', sizeBytes: file.bytes.length, mode: file.mode, modifiedMs: file.version });
      return isFolder(files, path)
        ? success({ kind: 'folder', sizeBytes: 0, mode: 0o755, modifiedMs: 0 })
        : missing(files, path);
    },
    scan: () => scan(files),
  };
}

function scan(files: ReadonlyMap<string, MemoryFile>): ScannedFiles {
  const scanned = new Map<string, ScannedFile>();
  for (const [path, file] of files) {
    if ([...foldersOf(path)].some((folder) => isSkippedFolder(folder.slice(folder.lastIndexOf('/') + 1)))) continue;
    const fingerprint = `${file.bytes.length}:${file.version}`;
    scanned.set(path, { sizeBytes: file.bytes.length, mode: file.mode, fingerprint });
  }
  return { files: scanned, unseen: [] };
}

function checkWritable(file: MemoryFile | undefined, path: string): Reply<never> | null {
  return file !== undefined && (file.mode & 0o200) === 0 ? denied(path) : null;
}

function denied(path: string): Reply<never> {
  return failure('refused', `${path} is protected: its permissions do not allow this.`);
}

function checkExpected(
  file: MemoryFile | undefined,
  path: string,
  expect: string | null | undefined,
): Reply<never> | null {
  const isAsExpected =
    expect === undefined ||
    (expect === null ? file === undefined : file !== undefined && sha256Of(file.bytes) === expect);
  return isAsExpected
    ? null
    : failure('stale-file', `${path} is not what it was when it was last read; nothing was written.`, 'Read it again.');
}
