import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRuleFiles } from '../../../src/main/router/rules-file.ts';
import { fittingRule, parseRouteRules } from '../../../src/shared/route-rules.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-rules-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (text: string): Promise<void> => writeFile(join(folder, 'routes.rules'), text);

describe('rules on where steps run', () => {
  it('are read a line each, and what is none is named with its line', () => {
    const text =
      '# mine\nlocal path secrets/**   # keys\n\ncloud task Migration\nup always\nlocal purpose walk\nlocal path\n';
    const { rules, errors } = parseRouteRules(text, 'your rules');
    expect(rules.map(({ where, kind, value, from }) => [where, kind, value, from])).toEqual([
      ['local', 'path', 'secrets/**', 'line 2 of your rules'],
      ['cloud', 'task', 'Migration', 'line 4 of your rules'],
    ]);
    expect(errors.map(({ line }) => line)).toEqual([5, 6, 7]);
  });

  it('decide by the first one that fits', () => {
    const { rules } = parseRouteRules('local path secrets/**\ncloud task migration\nlocal always', 'mine');
    const subject = { purpose: 'act', task: 'A MIGRATION', paths: ['src/a.ts'] } as const;
    expect(fittingRule(rules, subject)?.where).toBe('cloud');
    expect(fittingRule(rules, { ...subject, paths: ['secrets/key.pem'] })?.where).toBe('local');
    expect(fittingRule(rules, { ...subject, task: 'x' })?.kind).toBe('always');
    expect(fittingRule([], subject)).toBeNull();
  });

  it('stay as they were while their file has an error, which is said', async () => {
    const files = createRuleFiles(folder);
    await write('local always');
    expect((await files.load(null)).rules).toHaveLength(1);
    await write('local always\nnonsense');
    const found = await files.load(null);
    expect(found.rules).toHaveLength(1);
    expect(found.problems[0]).toContain('Line 2 of');
    expect(found.problems.at(-1)).toBe('Its rules hold as they were before.');
    expect((await createRuleFiles(folder).load(null)).rules).toEqual([]);
    await rm(join(folder, 'routes.rules'));
    expect(await files.load(null)).toEqual({ rules: [], problems: [] });
  });

  it('of a project can keep work here and not send it away', async () => {
    const project = join(folder, 'project');
    await mkdir(join(project, '.dewpoint'), { recursive: true });
    await writeFile(join(project, '.dewpoint', 'routes.rules'), 'cloud always\nlocal task keys');
    const found = await createRuleFiles(folder).load(project);
    expect(found.rules.map(({ where }) => where)).toEqual(['local']);
    expect(found.problems[0]).toContain('a project cannot send work to the cloud');
  });

  it('are not read through a link', async () => {
    await writeFile(join(folder, 'other'), 'local always');
    await symlink(join(folder, 'other'), join(folder, 'routes.rules'));
    expect((await createRuleFiles(folder).load(null)).rules).toEqual([]);
  });
});
