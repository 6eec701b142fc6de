import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import type { SandboxFactory } from '../../../../src/main/sandbox/sandbox-factory.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { openClientCore } from '../../../fakes/core-client.ts';
import type { MemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

interface Started {
  readonly request: Parameters<SandboxFactory>[0];
  readonly sandbox: MemorySandbox;
}

let folder = '';
let core: ClientCore;
let started: Started[] = [];

beforeEach(async () => {
  started = [];
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-computing-')));
  await mkdir(join(folder, 'home'));
  await mkdir(join(folder, 'project'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async (request) => {
      const sandbox = createMemorySandbox({
        files: {},
        exec: async () => ({ stdout: '1267650600228229401496703205376' }),
      });
      started.push({ request, sandbox });
      return success(sandbox);
    },
  });
  const toolCalls = [{ name: 'calculate', input: { code: 'print(2 ** 100)' } }];
  const replies = [{ toolCalls }, { text: 'It is large.' }, { toolCalls }, { text: 'It is large.' }];
  await core.client.settings.set({
    key: 'providers.here',
    value: { kind: 'scripted', strategies: ['loop'], replies, where: 'local' },
  });
  await core.client.settings.set({ key: 'local', value: 'here/script' });
});
afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function ask(
  projectPath: string | null,
  text = 'What is 2 to the power of 100?',
  sessionId?: string,
): Promise<string> {
  const id = sessionId ?? (await core.client.sessions.create({ projectPath })).sessionId;
  await core.client.sessions.send({ sessionId: id, text, options: runOptionsSchema.parse({}), attachments: [] });
  await core.client.sessions.result({ sessionId: id });
  return id;
}

const ran = (): readonly string[] =>
  started.flatMap(({ request, sandbox }) =>
    sandbox.commands.filter((one) => one.includes('base64 -d')).map(() => request.workspacePath),
  );

/** Catches: a program of a talk that reads or changes the files of its project. */
describe('a question that is computed', () => {
  it.each([
    ['talk', 'What is a square root of 2, to 30 digits?', 'chat'],
    ['question', 'What is 2 to the power of 100?', 'ask'],
  ])(
    'runs in an empty folder of its own in a project, which goes with its container: a %s',
    async (_what, text, mode) => {
      await core.client.settings.set({ key: 'calculate', value: true });
      const id = await ask(join(folder, 'project'), text);
      const { state } = await core.client.sessions.show({ sessionId: id });
      expect(state.turns).toMatchObject([{ mode }]);
      const apart = join(folder, 'home', 'workspaces', `${id}-computing`);
      expect(ran()).toEqual([apart]);
      expect(started.filter(({ request }) => request.workspacePath === apart)).toSatisfy((all: readonly Started[]) =>
        all.every(({ request }) => request.projectPath === null),
      );
      expect(existsSync(apart)).toBe(true);
      await core.dispose();
      expect(existsSync(apart)).toBe(false);
      expect(started.every(({ sandbox }) => sandbox.disposed)).toBe(true);
    },
  );

  it('is offered nothing to compute with until the person switches it on, also within a session', async () => {
    const id = await ask(join(folder, 'project'));
    expect(ran()).toEqual([]);
    expect(started.some(({ request }) => request.workspacePath.endsWith('-computing'))).toBe(false);
    await core.client.settings.set({ key: 'calculate', value: true });
    await ask(null, undefined, id);
    expect(ran()).toEqual([join(folder, 'home', 'workspaces', `${id}-computing`)]);
  });

  it('runs in the folder of its session without a project', async () => {
    await core.client.settings.set({ key: 'calculate', value: true });
    const id = await ask(null);
    expect(ran()).toEqual([join(folder, 'home', 'workspaces', id)]);
  });
});
