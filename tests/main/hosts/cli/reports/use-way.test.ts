import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useWay, type UseArguments } from '../../../../../src/main/hosts/cli/reports/use-way.ts';
import { success } from '../../../../../src/shared/errors.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { type ClientCore, openClientCore } from '../../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../../fakes/sandbox/memory-sandbox.ts';

let home: string;
let project: string;
let core: ClientCore;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-ways-'));
  project = join(home, 'work', "it's 日本");
  await mkdir(project, { recursive: true });
  core = await openClientCore({
    home: join(home, 'home'),
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
});
afterAll(async () => {
  await core.dispose();
  await rm(home, { recursive: true, force: true });
});

async function say(args: UseArguments): Promise<string> {
  const { context, said } = commandContext(core);
  await useWay(core.client, context.terminal, args);
  return said.out + said.err;
}

describe('a way that is used from now on', () => {
  // Bug: the path was not quoted, and a folder that was gone kept its way for ever.
  it('is listed with a command that removes it, also when the folder is gone', async () => {
    await say({ use: 'local,effort=high', kind: 'fix', project });
    const listed = await say({ used: true, project });
    expect(listed).toContain(`fixes in ${project}: local,effort=high   remove: dewpoint route --use usual --kind fix`);
    expect(listed).toContain(`--project '${project.replace("'", String.raw`'\''`)}'`);
    expect(await say({ used: true, project: home })).toBe('No way was chosen for a kind of task.\n');
    await rm(project, { recursive: true });
    await expect(say({ use: 'local', kind: 'fix', project })).rejects.toMatchObject({ code: 'usage' });
    await say({ use: 'usual', kind: 'fix', project });
    expect(await say({ used: true })).toBe('No way was chosen for a kind of task.\n');
  });

  // Bug: the strategy was left out without a word.
  it('is no default where a default cannot hold all of it', async () => {
    await expect(say({ use: 'cloud,strategy=loop' })).rejects.toMatchObject({
      code: 'usage',
      message: 'A default has a policy and models, and no strategy.',
    });
    expect(await core.client.settings.get({ key: 'policy' })).not.toBe('cloud');
  });

  // Bug: the order of models that was there before still decided.
  it('goes before an order of models as the default', async () => {
    for (const name of ['near', 'other'])
      await core.client.settings.set({
        key: `providers.${name}`,
        value: { kind: 'scripted', where: 'local', replies: [{ text: 'ok' }] },
      });
    await core.client.settings.set({ key: 'modelOrder', value: ['near/script', 'other/script'] });
    await say({ use: 'local:other/script' });
    expect(await core.client.settings.get({ key: 'modelOrder' })).toBeNull();
    expect(await core.client.settings.get({ key: 'local' })).toBe('other/script');
  });
});
