import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOG_VERSION, RECORD_FORM } from '../../../src/shared/events/events.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { sealRecord } from '../../../src/main/sessions/log/log-record.ts';
import { success } from '../../../src/shared/errors.ts';
import type { ClientCore } from '../../fakes/core-client.ts';
import { openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

let folder = '';
let real = '';
let link = '';
let core: ClientCore;

const open = (): Promise<ClientCore> =>
  openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-one-key-')));
  [real, link] = [join(folder, 'real'), join(folder, 'link')];
  await mkdir(real);
  await mkdir(join(folder, 'home'));
  await symlink(real, link);
});
afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function settingsFile(value: object): Promise<void> {
  await writeFile(join(folder, 'home', 'settings.json'), JSON.stringify({ version: 1, ...value }));
}

// Each of these was a second project, which none of the limits and rules of the first one held for.
describe('a project opened by a link', () => {
  it('has the same spending limit', async () => {
    core = await open();
    await core.client.budget.change({ scope: 'project', projectPath: real, change: { how: 'set', usd: 3 } });
    const views = await core.client.budget.show({ projectPath: link });
    expect(views.find(({ scope }) => scope === 'project')).toMatchObject({ limitUsd: 3, isOwn: true });
  });

  it('has its sessions in one list under one folder', async () => {
    core = await open();
    for (const projectPath of [real, link]) await core.client.sessions.create({ projectPath });
    expect((await core.client.sessions.list()).map(({ projectPath }) => projectPath)).toEqual([real, real]);
  });

  it('has the same models, variables and tool switches', async () => {
    core = await open();
    await core.client.projects.configure({
      projectPath: link,
      change: { type: 'choose', choices: { policy: 'local' } },
    });
    await core.client.projects.configure({ projectPath: link, change: { type: 'variable', name: 'A', value: '1' } });
    expect(await core.client.projects.settings({ projectPath: real })).toMatchObject({
      own: { policy: 'local' },
      variables: { A: '1' },
    });
    await core.client.settings.set({ key: ['projectTools', link], value: { server: false } });
    expect(await core.client.settings.get({ key: 'projectTools' })).toEqual({ [real]: { server: false } });
  });

  it('has the same instructions, approved once for both', async () => {
    await writeFile(join(real, 'AGENTS.md'), 'Be kind.\n');
    core = await open();
    const [shown] = await core.client.projects.instructions({ projectPath: link });
    await core.client.projects.approveInstructions({
      projectPath: link,
      path: 'AGENTS.md',
      sha256: shown?.sha256 ?? '',
    });
    expect(await core.client.projects.instructions({ projectPath: real })).toMatchObject([{ state: 'approved' }]);
  });
});

describe('the data of an earlier version under a link', () => {
  it('are found in the settings, with the stricter of two limits', async () => {
    const [hash, other] = ['a'.repeat(64), 'b'.repeat(64)];
    await settingsFile({
      budget: { projects: { [link]: 2, [real]: 5 } },
      network: {
        projects: {
          [link]: { deny: ['bad.example'], ask: [], allow: [] },
          [real]: { deny: [], ask: [], allow: ['good.example'] },
        },
        trusted: [link, real],
      },
      sandbox: { projects: { [link]: { env: { A: 'link', B: 'link' } }, [real]: { env: { A: 'real' } } } },
      rules: { approved: { [link]: other, [real]: hash } },
      projects: { added: [link], removed: { [link]: 7 } },
      fences: { rules: [{ project: link, paths: ['secret/**'], verdict: 'local-only' }] },
    });
    core = await open();
    const all = await core.client.settings.get({});
    expect(all).toMatchObject({
      budget: { projects: { [real]: 2 } },
      network: { projects: { [real]: { deny: ['bad.example'], allow: ['good.example'] } }, trusted: [real] },
      sandbox: { projects: { [real]: { env: { A: 'real', B: 'link' } } } },
      rules: { approved: { [real]: hash } },
      projects: { added: [real], removed: { [real]: 7 } },
      fences: { rules: [{ project: real }] },
    });
    expect(JSON.stringify(all)).not.toContain(link);
    // A look changes no file.
    expect(await readFile(join(folder, 'home', 'settings.json'), 'utf8')).toContain(link);
  });

  it('are found in the list of sessions, and a session can continue', async () => {
    const id = '20260101-000000-aa000000';
    const at = Date.UTC(2026, 0, 1);
    const created = {
      type: 'session-created',
      logVersion: LOG_VERSION,
      sessionId: id,
      appVersion: '0.0.0',
      title: 'Old',
      projectPath: link,
      workspace: { mode: 'in-place', path: real },
      parentId: null,
      groupId: null,
    };
    await mkdir(join(folder, 'home', 'sessions', id), { recursive: true });
    await writeFile(
      join(folder, 'home', 'sessions', id, 'events.jsonl'),
      sealRecord({ v: RECORD_FORM, seq: 1, at, ...created }),
    );
    core = await open();
    expect(await core.client.sessions.list()).toMatchObject([{ sessionId: id, projectPath: real }]);
    await core.client.sessions.send({ sessionId: id, text: 'hello', options: runOptionsSchema.parse({}) });
    expect(await core.client.sessions.list()).toMatchObject([{ projectPath: real }]);
  });
});
