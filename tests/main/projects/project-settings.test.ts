import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import type { CoreApi } from '../../../src/main/server/core-api.ts';
import { compose } from '../../../src/main/compose.ts';
import { createMemorySandbox } from '../../../src/main/sandbox/memory/memory-sandbox.ts';

let folder: string;
let project: string;
let core: CoreApi;

const replies = [{ text: 'It is a file.' }];
const price = { input: 3, output: 15, source: 'test', date: '2026-11-01' };

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-projects-')));
  project = join(folder, 'api.server');
  await mkdir(project);
  core = await compose({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    env: { DEPLOY_TOKEN: 'a-secret-of-the-shell' },
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.txt': 'a' } })),
  });
  await core.setSetting('providers.here', { kind: 'scripted', replies, repeat: true });
  await core.setSetting('providers.there', { kind: 'scripted', replies, repeat: true, where: 'cloud', price });
  await core.setSetting('local', 'here/script');
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function ask(projectPath: string): Promise<CoreApi> {
  const sessionId = await core.createSession({ projectPath });
  await core.send(sessionId, 'What is in a.txt?', runOptionsSchema.parse({ strategy: 'loop' }), []);
  await core.idle();
  const { state } = await core.showSession(sessionId);
  answered = { model: state.steps.at(-1)?.model ?? null, reason: state.turns.at(-1)?.reason ?? null };
  return core;
}

let answered: { readonly model: string | null; readonly reason: string | null };

it('works in a project on its own models, and in others on those of all', async () => {
  await core.configureProject(project, { type: 'choose', choices: { policy: 'cloud', cloud: 'there/script' } });
  await ask(project);
  expect(answered.model).toBe('there/script');
  await mkdir(join(folder, 'other'));
  await ask(join(folder, 'other'));
  expect(answered.model).toBe('here/script');
  await core.configureProject(project, { type: 'forget', names: ['policy', 'cloud'] });
  await ask(project);
  expect(answered.model).toBe('here/script');
  expect(core.getSetting('projectModels')).toEqual({});
});

it('stops at the cap of a project where all others have none, and goes on once that is raised', async () => {
  await core.configureProject(project, { type: 'choose', choices: { policy: 'cloud', cloud: 'there/script' } });
  const target = { scope: 'project', projectPath: project } as const;
  await core.changeBudget(target, { how: 'set', usd: 0 });
  await ask(project);
  expect(answered.reason).toBe('cap');
  await core.changeBudget(target, { how: 'raise', usd: 5 });
  await ask(project);
  expect(answered).toMatchObject({ model: 'there/script', reason: 'answered' });
});

it('shows names of variables, and of a secret one only whether it is there', async () => {
  await core.configureProject(project, { type: 'variable', name: 'STAGE', value: 'test' });
  await core.configureProject(project, { type: 'variable', name: 'DEPLOY_TOKEN', value: 'typed by mistake' });
  await core.configureProject(project, { type: 'secret', name: 'DEPLOY_TOKEN' });
  await core.configureProject(project, { type: 'secret', name: 'ABSENT' });
  const { variables, secrets } = await core.projectSettings(project);
  expect({ variables, secrets }).toEqual({
    variables: { STAGE: 'test' },
    secrets: [
      { name: 'ABSENT', isSet: false },
      { name: 'DEPLOY_TOKEN', isSet: true },
    ],
  });
  expect(JSON.stringify(core.getSetting(undefined))).not.toContain('mistake');
  await core.configureProject(project, { type: 'no-variable', name: 'STAGE' });
  expect((await core.projectSettings(project)).variables).toEqual({});
});

it('names the image, and says when the folder is gone', async () => {
  await core.configureProject(project, { type: 'image', name: 'mine:1' });
  await expect(core.configureProject(project, { type: 'image', name: '--rm' })).rejects.toThrow('cannot be the name');
  const image = { name: 'mine:1', approval: null };
  expect(await core.projectSettings(project)).toMatchObject({ isThere: true, image });
  await core.configureProject(project, { type: 'image', name: null });
  await rm(project, { recursive: true });
  expect(await core.projectSettings(project)).toMatchObject({ isThere: false, image: null });
});
