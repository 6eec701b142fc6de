import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itemsOf, openClientCore } from '../../fakes/core-client.ts';

/** Catches: a page that goes on showing what was there, because nothing tells it what a terminal changed. */
it('the watch of settings tells of knowledge, memory and skills that anybody changes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-beside-'));
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(folder, 'notes.md'), 'The office opens at nine.');
  const paths = { home: join(folder, 'home'), cache: join(folder, 'cache') };
  const { client, dispose } = await openClientCore({ ...paths, version: 'test', onNotice: () => undefined });
  const stop = new AbortController();
  const watched = (await client.settings.watch(undefined, { signal: stop.signal }))[Symbol.asyncIterator]();
  const told = async (name: RegExp): Promise<true> => {
    for (;;) {
      const { value, done } = await watched.next();
      if (done === true) throw new Error('The watch has ended.');
      if (value.keys.some((key) => name.test(key))) return true;
    }
  };
  expect((await watched.next()).value).toEqual({ keys: [] });
  const source = { type: 'file', path: join(folder, 'notes.md') } as const;
  await itemsOf(client.knowledge.add({ projectPath: project, sources: [source] }));
  expect(await told(/^knowledge$/u)).toBe(true);
  await client.memory.add({ projectPath: project, text: 'Dates are in UTC.', of: 'project' });
  expect(await told(/^memory$/u)).toBe(true);
  await client.skills.save({
    name: 'reader',
    text: '---\nname: reader\ndescription: Reads.\n---\nRead it.',
    replace: false,
  });
  expect(await told(/^skills$/u)).toBe(true);
  await client.projects.change({ project, change: { type: 'name', name: 'Office' } });
  expect(await told(/^projects\b/u)).toBe(true);
  stop.abort();
  await dispose();
  await rm(folder, { recursive: true, force: true });
});
