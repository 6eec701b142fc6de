import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClientCore } from '../../fakes/core-client.ts';
import { openClientCore } from '../../fakes/core-client.ts';

let home: string;
let core: ClientCore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-templates-'));
  core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
  });
});

afterEach(async () => {
  await core.dispose();
  await rm(home, { recursive: true, force: true });
});

/** Catches: a template that is only in memory, a hand-written one that is not found, and other files in the list. */
it('the prompt templates are Markdown files, also those written by hand', async () => {
  const { templates } = core.client;
  expect((await templates.list()).templates).toEqual([]);
  await templates.save({ name: 'review', text: 'Review {{file}}.\n' });
  expect(await readFile(join(home, 'prompts', 'review.md'), 'utf8')).toBe('Review {{file}}.\n');
  await writeFile(join(home, 'prompts', 'by-hand.md'), '# By hand\n');
  await writeFile(join(home, 'prompts', 'Not A Name.md'), 'x');
  await writeFile(join(home, 'prompts', 'empty.md'), '\n');
  await writeFile(join(home, 'prompts', 'large.md'), 'x'.repeat(100_000));
  await mkdir(join(home, 'prompts', 'folder.md'));
  expect((await templates.list()).templates).toEqual([
    { name: 'by-hand', text: '# By hand' },
    { name: 'review', text: 'Review {{file}}.' },
  ]);
  await templates.remove({ name: 'review' });
  await templates.remove({ name: 'review' });
  expect((await templates.list()).templates.map(({ name }) => name)).toEqual(['by-hand']);
});

/** Catches: a name that leads out of the folder, and one that makes a command unreachable. */
it('the prompt templates refuse names that are paths or commands', async () => {
  const { templates } = core.client;
  await expect(templates.save({ name: '../settings', text: 'x' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  for (const name of ['plan', 'file', 'quit']) {
    await expect(templates.save({ name, text: 'x' })).rejects.toMatchObject({ data: { code: 'conflict' } });
  }
  expect((await templates.list()).templates).toEqual([]);
});

/** Catches: a prompt of one project that is offered in others, and one that is lost or left over with its project. */
it('a project keeps prompts of its own, also without a folder, until it is deleted for good', async () => {
  const { templates, projects } = core.client;
  const { key, id } = await projects.create({ name: 'Steuer 税' });
  await templates.save({ name: 'review', text: 'Everywhere.' });
  await templates.save({ name: 'review', text: 'For {{year}}.', projectPath: key });
  await templates.save({ name: 'sum', text: 'Add it up.', projectPath: key });
  const here = await templates.list({ projectPath: key });
  expect(here.projectFolder).toBe(join(home, 'projects', id, 'prompts'));
  expect(here.templates).toEqual([
    { name: 'review', text: 'For {{year}}.', isOfProject: true },
    { name: 'sum', text: 'Add it up.', isOfProject: true },
  ]);
  expect((await templates.list({ projectPath: null })).templates).toEqual([{ name: 'review', text: 'Everywhere.' }]);
  await templates.remove({ name: 'review', projectPath: key });
  expect((await templates.list({ projectPath: key })).templates[1]).toEqual({ name: 'review', text: 'Everywhere.' });
  expect((await projects.removal({ project: key })).lost).toContain('1 prompt of its own');
  await projects.remove({ project: key });
  await expect(templates.save({ name: 'sum', text: 'x', projectPath: key })).rejects.toMatchObject({
    data: { code: 'not-found' },
  });
  expect((await templates.list({ projectPath: key })).templates).toHaveLength(1);
  await projects.restore({ id });
  expect((await templates.list({ projectPath: key })).templates[0]).toMatchObject({ name: 'sum' });
});

/** Catches: a prompt that is lost because another one got its name or its place. */
it('a prompt never takes the place of another one, and moves without one left behind', async () => {
  const { templates, projects } = core.client;
  const { key } = await projects.create({ name: 'Taxes' });
  const general = { name: 'review', projectPath: null };
  const ofProject = { name: 'review', projectPath: key };
  await templates.save({ ...general, text: 'Everywhere.' });
  await templates.save({ ...ofProject, text: 'Here.' });
  await templates.save({ name: 'sum', text: 'Add it up.' });
  const taken = [
    { ...general, text: 'Here.', before: ofProject },
    { ...ofProject, text: 'Everywhere.', before: general },
    { ...general, text: 'Add it up.', before: { name: 'sum', projectPath: null } },
    { ...general, text: 'A new one.' },
  ];
  for (const wanted of taken)
    await expect(templates.save(wanted)).rejects.toMatchObject({
      data: { code: 'conflict', hint: expect.stringContaining('Nothing was changed.') },
    });
  const texts = async () => (await templates.list({ projectPath: key })).templates.map(({ text }) => text);
  expect(await texts()).toEqual(['Here.', 'Add it up.']);
  expect((await templates.list()).templates.map(({ text }) => text)).toEqual(['Everywhere.', 'Add it up.']);

  await templates.save({ ...general, text: 'Changed.', before: general });
  await templates.save({ name: 'sum', projectPath: key, text: 'Moved.', before: { name: 'sum', projectPath: null } });
  expect(await texts()).toEqual(['Here.', 'Moved.']);
  expect((await templates.list()).templates).toEqual([{ name: 'review', text: 'Changed.' }]);
});

/** Catches: a project with a folder of which nothing was said yet, which takes no prompt. */
it('a project that is only a folder gets a record with its first prompt', async () => {
  const { templates, projects } = core.client;
  const folder = join(home, 'cache', 'app');
  await mkdir(folder, { recursive: true });
  await templates.save({ name: 'sum', text: 'Add it up.', projectPath: folder });
  expect(await projects.records()).toMatchObject([{ folder }]);
  expect((await templates.list({ projectPath: folder })).templates).toMatchObject([{ name: 'sum' }]);
});
