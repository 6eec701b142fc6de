import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { success } from '../../src/shared/errors.ts';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { openClientCore, type ClientCore } from './core-client.ts';
import { createMemorySandbox, type MemorySandbox } from './sandbox/memory-sandbox.ts';

export type MadeFiles = Readonly<Record<string, string | Uint8Array>>;

/** Homes and projects on a disk, with a scripted model and a sandbox in memory whose files are written back. */
export interface CapsuleWorld {
  readonly folder: string;
  readonly home: (name: string) => Promise<ClientCore>;
  readonly project: (name: string, files: MadeFiles) => Promise<string>;
  /** Runs one task in a project, whose files then are as the task left them. Returns the session. */
  readonly work: (core: ClientCore, projectPath: string, ...texts: readonly string[]) => Promise<string>;
  readonly end: () => Promise<void>;
}

export const addReplies = [
  { text: 'Looking.', toolCalls: [{ name: 'read_file', input: { path: 'calc.py' } }] },
  { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] },
  { toolCalls: [{ name: 'write_file', input: { path: 'made.txt', content: 'made by the task' } }] },
  { toolCalls: [{ name: 'run_command', input: { command: 'pytest -q' } }] },
  { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] },
];

const options = runOptionsSchema.parse({ local: 'script/script', strategy: 'loop' });

export async function makeCapsuleWorld(replies: readonly object[] = addReplies): Promise<CapsuleWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-capsule-'));
  const cores: ClientCore[] = [];
  let last: { readonly root: string; readonly sandbox: MemorySandbox } | null = null;
  return {
    folder,
    home: async (name) => {
      const core = await openClientCore({
        home: join(folder, name),
        cache: join(folder, `${name}-cache`),
        version: '0.0.0-test',
        onNotice: () => undefined,
        startSandbox: async ({ workspacePath }) => {
          // As a container does, it hides what holds secrets.
          const { '.env': _hidden, ...files } = await filesBelow(workspacePath);
          const sandbox = createMemorySandbox({
            files,
            exec: () => ({ exitCode: 0 }),
          });
          last = { root: workspacePath, sandbox };
          return success(sandbox);
        },
      });
      cores.push(core);
      await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies, repeat: true } });
      return core;
    },
    project: async (name, files) => {
      const path = join(folder, name);
      await writeAll(path, files);
      return path;
    },
    work: async ({ client }, projectPath, ...texts) => {
      const { sessionId } = await client.sessions.create({ projectPath, title: 'Adding' });
      for (const text of texts) {
        await client.sessions.send({ sessionId, text, options });
        await client.sessions.result({ sessionId });
      }
      const { root, sandbox } = last ?? { root: projectPath, sandbox: createMemorySandbox() };
      for (const [path, { bytes }] of sandbox.contents) await writeAll(root, { [path]: bytes });
      return sessionId;
    },
    end: async () => {
      for (const core of cores) await core.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeAll(root: string, files: MadeFiles): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const place = join(root, path);
    await mkdir(dirname(place), { recursive: true });
    const old = await readFile(place).catch(() => null);
    if (old === null || !old.equals(Buffer.from(content))) await writeFile(place, content);
  }
}

/** What lies below a folder now, by its path. */
export async function filesBelow(root: string): Promise<Record<string, Uint8Array>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [relative(root, path), await readFile(path)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
