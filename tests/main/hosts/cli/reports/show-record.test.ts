import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RouteArguments } from '../../../../../src/main/hosts/cli/commands/route.command.ts';
import { route } from '../../../../../src/main/hosts/cli/commands/route.command.ts';
import { success } from '../../../../../src/shared/errors.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { openClientCore } from '../../../../fakes/core-client.ts';
import { madeOutcome } from '../../../../fakes/made-outcomes.ts';
import { createMemorySandbox } from '../../../../fakes/sandbox/memory-sandbox.ts';

const first = { model: 'script/script', version: '', where: 'local' } as const;

/** A core whose home knows ten tasks, and how the command speaks of them. */
async function withRecord() {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-record-'));
  const at = Date.now();
  const outcomes = Array.from({ length: 10 }, (_, index) =>
    madeOutcome({ at, first, solved: index < 7, seconds: 300 + index, usd: 0 }),
  );
  const replies = [{ text: 'Done.' }];
  await writeFile(
    join(home, 'settings.json'),
    JSON.stringify({ local: 'script/script', policy: 'hybrid', providers: { script: { kind: 'scripted', replies } } }),
  );
  await writeFile(join(home, 'route-record.json'), JSON.stringify({ version: 1, outcomes }));
  const core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  onTestFinished(async () => {
    await core.dispose();
    await rm(home, { recursive: true, force: true });
  });
  const say = async (args: RouteArguments): Promise<string> => {
    const { context, said } = commandContext(core);
    expect(await route(context, undefined, undefined, args)).toBe(0);
    return said.out + said.err;
  };
  return { home, say };
}

describe('dewpoint route, about what was learned,', () => {
  it('says for each model how much it solves, who judged that, and what is not known yet', async () => {
    const { say } = await withRecord();
    const text = await say({ learned: true });
    expect(text).toMatch(/script\/script +repair +7 of 10 \(4 to 9\), 7 of 10 +a check 10 +0/u);
    expect(text).toContain('is not known yet: 3 of 10 judged tasks that script/script began failed');
    expect(text).toContain('it takes at least 29. You allow 1 in 10.');
    expect(JSON.parse((await say({ learned: true, json: true })).split('\n')[0] ?? '')).toMatchObject({ tasks: 10 });
  });

  it('says before the start what a task is likely to bring, and what it does not know', async () => {
    const { say } = await withRecord();
    const text = await say({ expect: 'Repair add().' });
    expect(text).toMatch(/local +7 of 10 \(4 to 9\), 7 of 10 +\S+ min.* +no bill/u);
    expect(await say({ expect: 'What does add() do?' })).toMatch(/local +unknown yet +unknown yet/u);
  });

  it('forgets a project, or everything', async () => {
    const { home, say } = await withRecord();
    expect(await say({ forget: true, project: home })).toContain('what 0 tasks said');
    expect(await say({ forget: true })).toContain('what 10 tasks said');
    expect(JSON.parse(await readFile(join(home, 'route-record.json'), 'utf8'))).toEqual({ version: 1, outcomes: [] });
  });
});
