import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientCore } from '../../fakes/core-client.ts';
import { openClientCore } from '../../fakes/core-client.ts';

let root: string;
let core: ClientCore;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-no-folder-')));
  core = await openClientCore({
    home: join(root, 'home'),
    cache: join(root, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
  });
});

afterEach(async () => {
  await core.dispose();
  await rm(root, { recursive: true, force: true });
});

describe('a project without a folder', () => {
  // Catches: a chosen folder that is refused because the key of the project is taken for a path, and one that is lost.
  it('takes folders for search that the user chose, and keeps them when it gets a folder', async () => {
    const { projects } = core.client;
    const { key } = await projects.create({ name: 'Küche 台所' });
    const manuals = join(root, 'manuals');
    await mkdir(manuals);
    await mkdir(join(root, 'app'));
    await projects.configure({ projectPath: key, change: { type: 'folder', path: manuals } });
    expect((await projects.settings({ projectPath: key })).folders).toEqual([manuals]);
    const { key: folder } = await projects.change({
      project: key,
      change: { type: 'folder', path: join(root, 'app') },
    });
    expect((await projects.settings({ projectPath: folder })).folders).toEqual([manuals]);
  });

  // Catches: a folder named like the key, below the folder where Dewpoint was started, that is read or written.
  it('says what it has no folder for', async () => {
    const { projects, rules, ownTools, skills } = core.client;
    const { key } = await projects.create({ name: 'Küche' });
    const none = { data: { code: 'bad-input' }, message: expect.stringContaining('This project has no folder') };
    await expect(projects.map({ projectPath: key })).rejects.toMatchObject(none);
    await expect(projects.preparation({ projectPath: key })).rejects.toMatchObject(none);
    await expect(projects.copySize({ projectPath: key })).rejects.toMatchObject(none);
    await expect(
      rules.save({ owner: 'project', projectPath: key, text: 'local-only path *', hash: null, approve: true }),
    ).rejects.toMatchObject(none);
    await expect(ownTools.create({ name: 'add_up', language: 'js', projectPath: key })).rejects.toMatchObject(none);
    await expect(
      projects.approveInstructions({ projectPath: key, path: 'AGENTS.md', sha256: 'a'.repeat(64) }),
    ).rejects.toMatchObject(none);
    expect(await projects.instructions({ projectPath: key })).toEqual([]);
    expect((await skills.list({ projectPath: key })).skills).toEqual([]);
  });
});
