import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createMemorySandbox, type MemoryExecHandler } from '../fakes/sandbox/memory-sandbox.ts';
import { createReadOnlySandbox } from '../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { contractCommands, describeSandbox } from './sandbox-contract.ts';

const shell: MemoryExecHandler = async ({ command }, _sandbox, signal) => {
  if (command === contractCommands.both) return { exitCode: 3, stdout: 'out\n', stderr: 'err\n' };
  if (command === contractCommands.long) return { stdout: 'x'.repeat(100_000) };
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ exitCode: 143 }), { once: true });
  });
};

describeSandbox('a sandbox in memory', { writes: true, commands: true }, () => {
  const sandbox = createMemorySandbox({ exec: shell });
  return Promise.resolve({
    sandbox,
    put: (path, content, mode) => Promise.resolve(sandbox.put(path, content, mode)),
    text: (path) => Promise.resolve(sandbox.text(path)),
    close: () => sandbox.dispose(),
  });
});

describeSandbox('a read-only sandbox on the host', { writes: false, commands: false }, async () => {
  const workspacePath = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-read-only-')));
  return {
    sandbox: createReadOnlySandbox({ workspacePath, because: null }),
    put: async (path, content, mode = 0o644) => {
      await mkdir(dirname(join(workspacePath, path)), { recursive: true });
      await writeFile(join(workspacePath, path), content);
      await chmod(join(workspacePath, path), mode);
    },
    text: (path) => readFile(join(workspacePath, path), 'utf8').catch(() => null),
    ...(process.getuid?.() === 0
      ? {}
      : { setFolderMode: (path: string, mode: number) => chmod(join(workspacePath, path), mode) }),
    close: () => rm(workspacePath, { recursive: true }),
  };
});
