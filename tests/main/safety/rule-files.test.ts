import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RuleFiles } from '../../../src/main/safety/rule-files.ts';
import { createRuleFiles } from '../../../src/main/safety/rule-files.ts';

let home = '';
let project = '';
let approved: Record<string, string> = {};
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-rules-'));
  project = join(home, 'project');
  approved = {};
  await mkdir(join(project, '.dewpoint'), { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const own = { owner: 'own', projectPath: null } as const;
const files = (): RuleFiles => createRuleFiles({ home, approved: () => approved });
const write = (text: string): Promise<void> => writeFile(join(home, 'dewpoint.rules'), text);
const bring = (text: string): Promise<void> => writeFile(join(project, '.dewpoint', 'dewpoint.rules'), text);
const places = async (path: string | null = null): Promise<readonly string[]> =>
  (await files().activeRules(path)).places.map(({ where, kind, value }) => `${where} ${kind} ${value}`.trim());

describe('rule files', () => {
  it('stay in force as they last were without an error, also after a restart', async () => {
    await write('local always\nlocal-only path plans/**');
    expect(await places()).toEqual(['local always']);
    await write('local always\nlocal-only paths plans/**');
    const found = await files().activeRules(null);
    expect(found).toMatchObject({ shut: null, fences: [{ paths: ['plans/**'], verdict: 'local-only' }] });
    expect(found.problems).toEqual([
      expect.stringMatching(/^Line 2 of .*dewpoint\.rules: After "local-only" comes one of path, text, not "paths"\.$/),
      'Its last valid version stays in force.',
    ]);
    // `held` has the rules in force, not those in the file now.
    const [file] = await files().files(null);
    expect(file?.held?.map(({ verdict, value }) => `${verdict} ${value}`)).toEqual(['local ', 'local-only plans/**']);
    expect(file?.rules).toHaveLength(1);
    await rm(join(home, 'dewpoint.rules'));
    expect(await files().activeRules(null)).toMatchObject({ places: [], fences: [], problems: [], shut: null });
  });

  it('block every model elsewhere when they never had a version without an error', async () => {
    await write('local-only paths plans/**');
    expect((await files().activeRules(null)).shut).toContain('no valid version');
    await rm(join(home, 'dewpoint.rules'));
    await writeFile(join(home, 'other'), 'local always');
    await symlink(join(home, 'other'), join(home, 'dewpoint.rules'));
    const [file] = await files().files(null);
    expect(file).toMatchObject({
      holds: 'shut',
      problems: [expect.stringContaining('not a plain file'), expect.anything()],
    });
  });

  it('of a project only make things stricter until exactly these bytes are approved', async () => {
    await write('cloud task migration');
    await bring(
      'cloud always\nallow path .env\nlocal-only path plans/**\nredact text ACME\nmask path keys\nlocal task secret',
    );
    const before = await files().activeRules(project);
    expect(before.places.map(({ where, value }) => [where, value])).toEqual([
      ['cloud', 'migration'],
      ['local', 'secret'],
    ]);
    expect(before).toMatchObject({
      fences: [],
      projectFences: [{ paths: ['plans/**'] }, { paths: ['keys'] }],
      masks: ['keys'],
    });
    expect(before.problems).toEqual([expect.stringContaining('3 rules wait for your approval')]);
    const hash = (await files().files(project))[1]?.hash ?? '';
    approved = { [project]: hash };
    const after = await files().activeRules(project);
    expect(after.places).toHaveLength(3);
    expect(after).toMatchObject({ fences: { length: 4 }, projectFences: [], problems: [] });
    await bring('cloud always');
    expect(await places(project)).toEqual(['cloud task migration']);
  });

  it('are not saved with an error, or over a change that somebody else made meanwhile', async () => {
    await expect(files().save(own, 'local always\nlocal sometimes', null)).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('Line 2: '),
    });
    expect(await files().files(null)).toMatchObject([{ text: null, holds: 'none' }]);
    await files().save(own, 'local always', null);
    await expect(files().save(own, 'cloud always', null)).rejects.toMatchObject({ code: 'conflict' });
    const [file] = await files().files(null);
    await files().save(own, 'cloud always', file?.hash ?? null);
    expect(await places()).toEqual(['cloud always']);
  });

  it('report rules that contradict each other across both files', async () => {
    await write('local-only path secrets/**\ncloud path secrets/key.pem\nlocal always\nlocal task x\nask path a.md');
    await bring('redact path a.md\nask path b.md');
    const [mine, theirs] = await files().files(project);
    expect(mine?.warnings).toEqual([
      { line: 2, text: expect.stringContaining('line 1 of your rules keeps them here') },
      { line: 4, text: 'It never applies: line 3 of your rules comes first and wins.' },
    ]);
    expect(theirs?.warnings).toEqual([
      { line: 1, text: expect.stringContaining('"redact" where an earlier rule says "ask"') },
    ]);
    expect((await files().check(own, 'ask path a.md\nup')).errors.map(({ line }) => line)).toEqual([2]);
  });
});
