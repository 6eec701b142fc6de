/**
 * What the model last read of each file (SHA-256), so that it never overwrites a later change by the user. It lasts
 * while the session is open; afterwards a file must be read again before it is written.
 */
export interface ReadLedger {
  readonly lastRead: (path: string) => string | undefined;
  readonly noteRead: (path: string, sha256: string) => void;
  readonly forget: (path: string) => void;
}

export function createReadLedger(): ReadLedger {
  const read = new Map<string, string>();
  return {
    lastRead: (path) => read.get(path),
    noteRead: (path, sha256) => {
      read.set(path, sha256);
    },
    forget: (path) => {
      read.delete(path);
    },
  };
}
