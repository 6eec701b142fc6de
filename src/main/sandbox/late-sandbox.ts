import type { Sandbox } from './sandbox.ts';

/**
 * A sandbox for a session that is only a conversation so far. It reads, and cannot run commands or write. `prepare`
 * starts the real one once something needs it. `start` must not reject: if it gets no other sandbox, it returns one
 * that only reads and says what is missing.
 */
export function createLateSandbox(reading: Sandbox, start: (signal: AbortSignal) => Promise<Sandbox>): Sandbox {
  let real: Sandbox | null = null;
  let starting: Promise<Sandbox> | null = null;
  let isDisposed = false;
  const now = (): Sandbox => real ?? reading;
  return {
    get tier() {
      return now().tier;
    },
    get description() {
      return now().description;
    },
    get workspacePath() {
      return now().workspacePath;
    },
    get scratchPath() {
      return now().scratchPath;
    },
    get backgroundProcesses() {
      return now().backgroundProcesses;
    },
    get links() {
      return now().links;
    },
    prepare: async (signal) => {
      if (real !== null || isDisposed) return;
      starting ??= start(signal);
      const made = await starting;
      starting = null;
      if (isDisposed) await made.dispose();
      else real = made;
    },
    exec: (request, signal) => now().exec(request, signal),
    runWithNetwork: (request, signal) => now().runWithNetwork(request, signal),
    open: (request, signal) => now().open(request, signal),
    files: {
      read: (path, options, signal) => now().files.read(path, options, signal),
      readMany: (paths, options, signal) => now().files.readMany(paths, options, signal),
      write: (path, bytes, expect, signal) => now().files.write(path, bytes, expect, signal),
      delete: (path, expect, signal) => now().files.delete(path, expect, signal),
      realPath: (path, signal) => now().files.realPath(path, signal),
      setMode: (path, mode, signal) => now().files.setMode(path, mode, signal),
      list: (path, options, signal) => now().files.list(path, options, signal),
      search: (query, signal) => now().files.search(query, signal),
      stat: (path, signal) => now().files.stat(path, signal),
      scan: (signal) => now().files.scan(signal),
    },
    look: (signal) => now().look(signal),
    settle: (signal) => now().settle(signal),
    dispose: async () => {
      isDisposed = true;
      await Promise.all([real?.dispose(), reading.dispose()]);
    },
  };
}
