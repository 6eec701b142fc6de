import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { success } from '../../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import type { MemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { eventsOf, openClientCore } from '../../../fakes/core-client.ts';

interface Reply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly delayMs?: number;
}

/** A core with a project of two files, a lead model and worker models, each with its script. */
export interface ChildrenKit {
  readonly core: ClientCore;
  readonly home: string;
  readonly project: string;
  /** Sandboxes by their working folder. A child that only reads works in its parent's folder. */
  readonly sandboxes: ReadonlyMap<string, MemorySandbox>;
  readonly script: (name: string, replies: readonly Reply[], more?: object) => Promise<void>;
  readonly begin: (text: string, options?: object) => Promise<string>;
  readonly run: (text: string, options?: object) => Promise<string>;
  readonly events: (sessionId: string) => Promise<readonly SessionEvent[]>;
  /** Restarts the core, as a new start of the program does. */
  readonly reopen: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** The text that the tests of fences protect. */
export const secret = 'the launch code of the blue rocket is seven four nine two, and nobody else may know it';

export const files = {
  'a.py': 'x = 1\n',
  'b.py': 'y = 1\n',
  'package-lock.json': '{}\n',
  'secret.txt': `${secret}\n`,
} as const;

export const call = (name: string, input: unknown): Reply => ({ toolCalls: [{ name, input }] });
export const done = (summary: string): Reply => call('task_complete', { summary });
export const calls = (...toolCalls: NonNullable<Reply['toolCalls']>): Reply => ({ toolCalls });
export const edit = (path: string, old: string, text: string): Reply => call('edit_file', { path, old, new: text });

export async function openChildrenKit(): Promise<ChildrenKit> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-children-'));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  await mkdir(home);
  await mkdir(project);
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const sandboxes = new Map<string, MemorySandbox>();
  const open = (): Promise<ClientCore> =>
    openClientCore({
      home,
      cache: join(folder, 'cache'),
      version: '0.0.0-test',
      onNotice: () => undefined,
      startSandbox: async ({ workspacePath }) => {
        // A sandbox that was given back is closed. Its files are there for the next one.
        const before = sandboxes.get(workspacePath);
        const now = Object.entries(files).map(([name, text]) => [name, before?.text(name) ?? text]);
        const sandbox = createMemorySandbox({ files: Object.fromEntries(now) });
        sandboxes.set(workspacePath, sandbox);
        return success(sandbox);
      },
    });
  const kit = { core: await open() };
  const begin = async (text: string, options: object = {}): Promise<string> => {
    const { sessionId } = await kit.core.client.sessions.create({ projectPath: project });
    await send(sessionId, text, options);
    return sessionId;
  };
  const send = async (sessionId: string, text: string, options: object): Promise<void> => {
    const run = runOptionsSchema.parse({ local: 'lead/script', strategy: 'loop', mode: 'work', ...options });
    await kit.core.client.sessions.send({ sessionId, text, options: run });
  };
  return {
    get core() {
      return kit.core;
    },
    home,
    project,
    sandboxes,
    script: async (name, replies, more = {}) => {
      await kit.core.client.settings.set({
        key: `providers.${name}`,
        value: { kind: 'scripted', replies: [...replies], ...more },
      });
    },
    begin,
    run: async (text, options) => {
      const sessionId = await begin(text, options);
      await kit.core.client.sessions.result({ sessionId });
      return sessionId;
    },
    events: (sessionId) => eventsOf(kit.core.client, sessionId),
    reopen: async () => {
      await kit.core.dispose();
      kit.core = await open();
    },
    dispose: async () => {
      await kit.core.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
