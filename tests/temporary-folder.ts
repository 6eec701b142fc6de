import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives a run a temporary folder of its own, for its workers and all that they start, and removes it at the end. Tests
 * make thousands of folders, and what they leave would slow down whoever lists the common one. The name is short,
 * because the path of a socket has at most 104 characters.
 */
export default function useOwnFolder(): () => void {
  const folder = mkdtempSync(join(realpathSync.native(tmpdir()), 'dw-'));
  // Open to all, as the common one is: some tests work as another user.
  chmodSync(folder, 0o1777);
  const names = ['TMPDIR', 'TEMP', 'TMP'] as const;
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
