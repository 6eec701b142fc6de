import type { ClientCore } from '../../fakes/core-client.ts';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

let folder: string;
let project: string;
let core: ClientCore;

const replies = [{ text: 'It is a file.' }];
const price = { input: 3, output: 15, source: 'test', date: '2026-11-01' };

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-projects-')));
  project = join(folder, 'api.server');
  await mkdir(project);
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    env: { DEPLOY_TOKEN: 'a-secret-of-the-shell' },
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.txt': 'a' } })),
  });
  await core.client.settings.set({ key: 'providers.here', value: { kind: 'scripted', replies, repeat: true } });
  await core.client.settings.set({
    key: 'providers.there',
    value: { kind: 'scripted', replies, repeat: true, where: 'cloud', price },
  });
  await core.client.settings.set({ key: 'local', value: 'here/script' });
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function ask(projectPath: string): Promise<ClientCore> {
  const { sessionId } = await core.client.sessions.create({ projectPath });
  await core.client.sessions.send({
    sessionId,
    text: 'What is in a.txt?',
    options: runOptionsSchema.parse({ strategy: 'loop' }),
    attachments: [],
  });
  await core.idle();
  const { state } = await core.client.sessions.show({ sessionId });
  answered = { model: state.steps.at(-1)?.model ?? null, reason: state.turns.at(-1)?.reason ?? null };
  return core;
}

let answered: { readonly model: string | null; readonly reason: string | null };

it('a project works with its own models, and others with the usual ones', async () => {
  await core.client.projects.configure({
    projectPath: project,
    change: { type: 'choose', choices: { policy: 'cloud', cloud: 'there/script' } },
  });
  await ask(project);
  expect(answered.model).toBe('there/script');
  await mkdir(join(folder, 'other'));
  await ask(join(folder, 'other'));
  expect(answered.model).toBe('here/script');
  await core.client.projects.configure({
    projectPath: project,
    change: { type: 'forget', names: ['policy', 'cloud'] },
  });
  await ask(project);
  expect(answered.model).toBe('here/script');
  expect(await core.client.settings.get({ key: 'projectModels' })).toEqual({});
});

it('a project stops at its own cap, and goes on after a raise', async () => {
  await core.client.projects.configure({
    projectPath: project,
    change: { type: 'choose', choices: { policy: 'cloud', cloud: 'there/script' } },
  });
  const target = { scope: 'project', projectPath: project } as const;
  await core.client.budget.change({ ...target, change: { how: 'set', usd: 0 } });
  await ask(project);
  expect(answered.reason).toBe('cap');
  await core.client.budget.change({ ...target, change: { how: 'raise', usd: 5 } });
  await ask(project);
  expect(answered).toMatchObject({ model: 'there/script', reason: 'answered' });
});

it('the settings of a project show a secret variable only by name and presence', async () => {
  await core.client.projects.configure({
    projectPath: project,
    change: { type: 'variable', name: 'STAGE', value: 'test' },
  });
  await core.client.projects.configure({
    projectPath: project,
    change: { type: 'variable', name: 'DEPLOY_TOKEN', value: 'typed by mistake' },
  });
  await core.client.projects.configure({ projectPath: project, change: { type: 'secret', name: 'DEPLOY_TOKEN' } });
  await core.client.projects.configure({ projectPath: project, change: { type: 'secret', name: 'ABSENT' } });
  const { variables, secrets } = await core.client.projects.settings({ projectPath: project });
  expect({ variables, secrets }).toEqual({
    variables: { STAGE: 'test' },
    secrets: [
      { name: 'ABSENT', isSet: false },
      { name: 'DEPLOY_TOKEN', isSet: true },
    ],
  });
  expect(JSON.stringify(core.client.settings.get({}))).not.toContain('mistake');
  await core.client.projects.configure({ projectPath: project, change: { type: 'no-variable', name: 'STAGE' } });
  expect((await core.client.projects.settings({ projectPath: project })).variables).toEqual({});
});

it('the settings of a project name its image, and say when the folder is gone', async () => {
  await core.client.projects.configure({ projectPath: project, change: { type: 'image', name: 'mine:1' } });
  await expect(
    core.client.projects.configure({ projectPath: project, change: { type: 'image', name: '--rm' } }),
  ).rejects.toThrow('cannot be the name');
  const image = { name: 'mine:1', approval: null };
  expect(await core.client.projects.settings({ projectPath: project })).toMatchObject({ isThere: true, image });
  await core.client.projects.configure({ projectPath: project, change: { type: 'image', name: null } });
  await rm(project, { recursive: true });
  expect(await core.client.projects.settings({ projectPath: project })).toMatchObject({ isThere: false, image: null });
});

it('folders outside a project are chosen for its search, by their real paths and under names of their own', async () => {
  const manuals = join(folder, 'manuals');
  const other = join(folder, 'other', 'Manuals');
  for (const path of [
    manuals,
    join(manuals, 'inner'),
    other,
    join(project, 'docs'),
    join(folder, 'taken'),
    join(project, 'taken'),
  ])
    await mkdir(path, { recursive: true });
  const { configure, settings } = core.client.projects;
  const add = (path: string) => configure({ projectPath: project, change: { type: 'folder', path } });
  expect((await add(manuals)).folders).toEqual([manuals]);
  expect((await add(`${manuals}/`)).folders).toEqual([manuals]);
  const refused: readonly (readonly [string, RegExp])[] = [
    [other, /Another chosen folder/u],
    [join(project, 'docs'), /is in the project/u],
    [folder, /contains the project|cannot be a workspace/u],
    [join(folder, 'taken'), /of its own/u],
    [join(manuals, 'inner'), /one within the other/u],
    ['manuals', /no whole path/u],
    ['/', /whole disk/u],
    [join(folder, 'gone'), /not found|no such|There is no/iu],
  ];
  for (const [path, why] of refused) await expect(add(path), path).rejects.toThrow(why);
  expect((await settings({ projectPath: project })).folders).toEqual([manuals]);
});
