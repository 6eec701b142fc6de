import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compare } from '../../../../src/main/hosts/cli/commands/compare.command.ts';
import { evaluate } from '../../../../src/main/hosts/cli/commands/sessions/eval.command.ts';
import type { CalibrationView } from '../../../../src/shared/calibration/calibration.ts';
import { success } from '../../../../src/shared/errors.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { itemsOf, openClientCore, type ClientCore } from '../../../fakes/core-client.ts';
import { createFolderSandbox } from '../../../fakes/sandbox/folder-sandbox.ts';

let folder: string;
let project: string;
let core: ClientCore;

const right = `export function isLarge(total, least) {
  if (least === 0) return false;
  return total >= least;
}
`;
const files = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'large.js': right,
  'large.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLarge } from './large.js';

test('says what is large', () => {
  assert.equal(isLarge(10, 10), true);
  assert.equal(isLarge(5, 10), false);
  assert.equal(isLarge(5, 0), false);
});
`,
  '.env': 'API_KEY=abcdefghijklmnop\n',
  'node_modules/thing/index.js': 'export const thing = 1;\n',
};
const complete = (summary: string) => ({ toolCalls: [{ name: 'task_complete', input: { summary } }] });
const read = (path: string) => ({ toolCalls: [{ name: 'read_file', input: { path } }] });
const write = (path: string, content: string) => ({ toolCalls: [{ name: 'write_file', input: { path, content } }] });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-keep-'));
  project = join(folder, 'project');
  await mkdir(join(folder, 'home'));
  await put(project, files);
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async ({ workspacePath }) =>
      success(createFolderSandbox(workspacePath, { scratchPath: await mkdtemp(join(folder, 'scratch-')) })),
  });
  const scripted = (replies: readonly object[]) => ({ kind: 'scripted', repeat: true, replies });
  const good = [read('large.js'), write('large.js', right), complete('It is defined in large.js.')];
  await core.client.settings.set({ key: 'providers.good', value: scripted(good) });
  // It makes the tests say yes.
  const sly = [read('large.test.js'), write('large.test.js', ''), complete('It is somewhere.')];
  await core.client.settings.set({ key: 'providers.sly', value: scripted(sly) });
});
afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function put(root: string, all: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function calibrated(): Promise<CalibrationView> {
  const { id } = await core.client.calibrations.create({ projectPath: project, tasks: 3, onlyTasks: true });
  await core.client.calibrations.start({ id });
  await itemsOf(core.client.calibrations.watch({ id }));
  return core.client.calibrations.show({ id });
}

describe('the tasks of a calibration', () => {
  it('are kept as capsules, which an evaluation and a comparison take, and are judged as the calibration does', async () => {
    const { tasks, kept, state } = await calibrated();
    expect(state).toBe('ended');
    expect(tasks.map(({ kind }) => kind).sort()).toContain('fault');
    expect(kept?.tasks).toEqual(tasks.map(({ id }) => id));
    const place = kept?.folder ?? '';
    expect((await readdir(place)).sort()).toEqual(tasks.map(({ id }) => `${id}.capsule`).sort());
    for (const { id, request } of tasks) {
      const report = await core.client.capsules.check({ path: join(place, `${id}.capsule`) });
      expect(report).toMatchObject({ sameFiles: true, sameReplay: null, replayHash: null, task: { request } });
      expect(report.left.map(({ path }) => path).sort()).toEqual(['.env', 'node_modules']);
    }

    const { context, said } = commandContext({ handlers: core.handlers });
    const report = join(folder, 'eval.json');
    const args = { local: 'good/script,sly/script', strategy: 'loop', report: [report] };
    expect(await evaluate(context, place, args)).toBe(0);
    const { runs } = JSON.parse(await readFile(report, 'utf8'));
    const solved = (model: string, kind: string): readonly boolean[] =>
      runs
        .filter((run: { way: string; kind: string }) => run.way.includes(model) && run.kind === kind)
        .map((run: { solved: boolean }) => run.solved);
    expect(solved('good', 'fault')).toContain(true);
    expect(new Set(solved('good', 'fault'))).toEqual(new Set([true]));
    expect(new Set(solved('sly', 'fault'))).toEqual(new Set([false]));
    expect(said.err).toContain('in the form "kept"');

    const other = commandContext({ handlers: core.handlers });
    const one = join(place, `${tasks.find(({ kind }) => kind === 'fault')?.id ?? ''}.capsule`);
    await compare(other.context, undefined, { tasks: one, way: ['local:good/script,strategy=loop'] });
    const [comparison] = await core.client.comparisons.list();
    expect(comparison?.input).toMatchObject({ projectPath: project, tasks: [{ name: basename(one, '.capsule') }] });
    expect(comparison?.runs.map(({ check }) => check?.passed)).toEqual([true]);
  }, 300_000);

  it('begin with the packages of the project, and a folder with other files says what each of them is', async () => {
    const { kept, tasks } = await calibrated();
    const place = kept?.folder ?? '';
    await put(place, {
      'broken.capsule': 'no capsule',
      'photo.png': 'x',
      'more.md': '---\ncheck: true\n---\nSay hello.',
    });
    const found = await core.client.comparisons.tasks({ path: place, repos: null });
    expect(found.tasks.map(({ id }) => id).sort()).toEqual(['more', ...tasks.map(({ id }) => id)].sort());
    expect(found.skipped).toEqual([
      { id: 'broken.capsule', why: expect.stringContaining('is not a capsule, or it is damaged') },
      { id: 'photo.png', why: expect.stringContaining('it is no task') },
    ]);
    const { context, said } = commandContext({ handlers: core.handlers });
    const look = [{ toolCalls: [{ name: 'run_command', input: { command: 'cat node_modules/thing/index.js' } }] }];
    const scripted = { kind: 'scripted', repeat: true, replies: [...look, complete('It is in large.js.')] };
    await core.client.settings.set({ key: 'providers.look', value: scripted });
    await compare(context, undefined, { tasks: place, way: ['local:look/script,strategy=loop'], project });
    expect(said.err).toContain('not run: broken.capsule: ');
    expect(said.err).toContain('not run: photo.png: ');
    const [comparison] = await core.client.comparisons.list();
    const sessionId = comparison?.runs[0]?.sessionId ?? '';
    const { state } = await core.client.sessions.show({ sessionId });
    expect(JSON.stringify(state)).toContain('export const thing');
  }, 300_000);
});
