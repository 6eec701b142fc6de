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
