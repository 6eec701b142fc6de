import { describe, expect, it } from 'vitest';
import { proposedLineField } from '../../../../src/shared/projects/memory-proposal.ts';
import { createWebGuard } from '../../../../src/main/hosts/web/web-guard.ts';

describe('the guard of a browser without a grant', () => {
  const guard = createWebGuard();
  const set = async (key: string): Promise<unknown> => guard({ name: 'settings.set', input: { key, value: null } });

  // Bug: the star of a model was offered on the page, and refused.
  it.each(['shortcuts', 'notify', 'favoriteModels'])('lets a setting of the display be changed: %s', async (key) => {
    await expect(set(key)).resolves.toBeUndefined();
  });

  // Catches: a page that writes a line which every later task believes, or approves a skill of a stranger.
  it.each(['skills.enable', 'skills.save', 'memory.add', 'memory.forget'])('refuses %s, and says how', async (name) => {
    await expect((async () => guard({ name, input: {} }))()).rejects.toMatchObject({
      hint: expect.stringContaining('--allow settings'),
    });
    await expect(createWebGuard(['settings'])({ name, input: {} })).resolves.toBeUndefined();
  });

  // Catches: a page that answers yes to a line which an agent proposes, and so writes it without a grant.
  it('refuses a yes to a proposed line, and no other answer', async () => {
    const values = { [proposedLineField]: 'Be short.' };
    const approve = (input: object) => ({ name: 'sessions.approve', input });
    await expect(guard(approve({ answer: 'allow', values }))).rejects.toMatchObject({ code: 'refused' });
    await expect(guard(approve({ answer: 'deny' }))).resolves.toBeUndefined();
    await expect(guard(approve({ answer: 'allow', values: { own: 'CSV' } }))).resolves.toBeUndefined();
    await expect(createWebGuard(['settings'])(approve({ answer: 'allow', values }))).resolves.toBeUndefined();
  });

  // Catches: a page that writes into the tools of the machine with its answer to a question.
  it('refuses a yes to all later calls of a tool, with every grant, and no other answer', async () => {
    const approve = (scope: string) => ({ name: 'sessions.approve', input: { answer: 'allow', scope } });
    const all = createWebGuard(['settings', 'keys', 'terminal']);
    await expect(all(approve('always'))).rejects.toMatchObject({ code: 'refused' });
    await expect(all(approve('session'))).resolves.toBeUndefined();
  });

  it.each(['policy', 'local', 'favoriteModels.more'])('refuses another setting, and says how: %s', async (key) => {
    await expect(set(key)).rejects.toMatchObject({ hint: expect.stringContaining('--allow settings') });
  });

  // Catches: a page that has a folder outside its own ones searched, with a grant that is not for it.
  it('refuses folders for search, also with a grant for settings', async () => {
    const granted = createWebGuard(['settings']);
    const change = { type: 'folder', path: '/etc' };
    const calls = [
      { name: 'projects.configure', input: { projectPath: 'a', change } },
      { name: 'settings.set', input: { key: 'projectFolders', value: {} } },
      { name: 'settings.set', input: { key: ['projectFolders', '/a'], value: ['/etc'] } },
    ];
    for (const call of calls) await expect(granted(call)).rejects.toMatchObject({ code: 'refused' });
    const own = { name: 'projects.change', input: { project: 'a', change } };
    await expect(granted(own)).rejects.toMatchObject({
      code: 'refused',
      hint: expect.stringContaining('dewpoint projects set'),
    });
    const input = { projectPath: 'a', change: { type: 'test-command', command: null } };
    await expect(granted({ name: 'projects.configure', input })).resolves.toBeUndefined();
  });

  // Catches: a page with a grant for settings that sends a key to an address of its own, or has a program of its own run.
  it('refuses where keys go without a grant for keys, and a program of the machine with every grant', async () => {
    const set = (key: unknown, value: unknown) => ({ name: 'settings.set', input: { key, value } });
    const evil = { kind: 'openai', baseUrl: 'https://evil.example/v1' };
    const server = { kind: 'llama-server', program: '/tmp/evil' };
    const keys = [
      set('providers.openai', evil),
      set(['providers', 'openai', 'baseUrl'], evil.baseUrl),
      set('connection.proxy', 'http://evil.example'),
      { name: 'settings.unset', input: { key: 'providers.openai' } },
    ];
    const programs = [
      set('providers.mine', server),
      set('providers', { mine: server }),
      set(['providers', 'mine', 'program'], server.program),
    ];
    for (const call of [...keys, ...programs])
      await expect(createWebGuard(['settings'])(call)).rejects.toMatchObject({ code: 'refused' });
    const all = createWebGuard(['settings', 'keys', 'terminal']);
    for (const call of keys) await expect(all(call)).resolves.toBeUndefined();
    for (const call of programs) await expect(all(call)).rejects.toMatchObject({ code: 'refused' });
    await expect(createWebGuard(['settings'])(set('policy', 'local'))).resolves.toBeUndefined();
  });

  // Catches: a switch that the page offers and that is refused, and a service of that name with an address of its own.
  it('lets a grant for settings say which models see pictures, and nothing else of a service', async () => {
    const granted = createWebGuard(['settings']);
    const set = (key: unknown, value: unknown = true) => ({ name: 'settings.set', input: { key, value } });
    const pictures = ['providers.mine.images', ['providers', 'mine', 'models', 'm-1.5', 'images']];
    for (const key of pictures) {
      await expect(granted(set(key))).resolves.toBeUndefined();
      await expect((async () => guard(set(key)))()).rejects.toMatchObject({ code: 'refused' });
    }
    const service = { kind: 'openai', baseUrl: 'https://evil.example/v1' };
    for (const key of ['providers.images', ['providers', 'mine', 'headers', 'images'], 'connection.x.images'])
      await expect(granted(set(key, service))).rejects.toMatchObject({ code: 'refused' });
  });
});
