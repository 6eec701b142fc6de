import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { doctor } from '../../../../../src/main/hosts/cli/commands/doctor.command.ts';
import { settings } from '../../../../../src/main/hosts/cli/commands/settings.command.ts';
import type { CommandContext } from '../../../../../src/main/hosts/text/command-context.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createFakeCore } from '../../../../fakes/fake-core.ts';

let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-broken-'));
  file = join(home, 'settings.json');
  vi.stubEnv('DEWPOINT_HOME', home);
  vi.stubEnv('DEWPOINT_CACHE', join(home, 'cache'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true });
});

/** No core starts here, as with the real program. */
function withoutCore() {
  const { context, said } = commandContext(createFakeCore());
  const broken: CommandContext = { ...context, core: () => Promise.reject(new Error('no core')) };
  return { context: broken, said };
}

// Bug: with an error in the settings, the two commands that help to mend them failed, too.
describe('a settings file with an error', () => {
  it.each([
    ['{"polciy": "local"}', 'have an error'],
    ['not json', 'cannot be read'],
    ['[]', 'are not an object'],
    ['{"version": 99}', 'A newer Dewpoint wrote the settings'],
  ])('is named with its path and what is wrong: %s', async (text, problem) => {
    await writeFile(file, text);
    const path = withoutCore();
    expect(await settings(path.context, 'path', [undefined, undefined])).toBe(0);
    expect(path.said.out).toBe(`${file}\n`);
    expect(path.said.err).toContain(problem);
    const check = withoutCore();
    expect(await doctor(check.context, {})).toBe(5);
    expect(check.said.out).toMatch(/✖ settings +/u);
    expect(check.said.out).toContain(problem);
    expect(check.said.out).toMatch(/move it away|move the file away/u);
    expect(check.said.out).toContain(`1.2.3 on Node`);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('does not keep the report for a problem from being written', async () => {
    await writeFile(file, 'not json');
    const bundle = join(home, 'report.json');
    const { context, said } = withoutCore();
    expect(await doctor(context, { bundle })).toBe(5);
    expect(said.err).toContain('Read it before you share it.');
    const report = await readFile(bundle, 'utf8');
    expect(report).toContain('cannot be read');
    expect(JSON.parse(report)).toMatchObject({ dewpoint: '1.2.3', settings: null, sessions: [] });
  });

  it('is not reported when there is none: the path is printed, and the core looks at the machine', async () => {
    const path = withoutCore();
    expect(await settings(path.context, 'path', [undefined, undefined])).toBe(0);
    expect(path.said).toEqual({ out: `${file}\n`, err: '' });
    await expect(doctor(withoutCore().context, {})).rejects.toThrow('no core');
  });
});
