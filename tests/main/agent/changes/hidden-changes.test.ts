import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFileBaseline } from '../../../../src/main/agent/changes/file-baseline.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';

const none = new AbortController().signal;

/** Catches: a file that is hidden from now on counts as changed or deleted, and its old content is shown as a change. */
it('a file that became hidden does not count as a change', async () => {
  const work = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-hidden-changes-')));
  await mkdir(join(work, 'keys'));
  for (const name of ['.env', 'keys/a', 'open.txt']) await writeFile(join(work, name), name);
  let hidden: readonly string[] = [];
  const has = (path: string): boolean => hidden.some((one) => path === one || path.startsWith(`${one}/`));
  const sandbox = createReadOnlySandbox({
    workspacePath: work,
    because: null,
    hidden: () => Promise.resolve({ has }),
  });
  const baseline = createFileBaseline(sandbox.files, null);
  await baseline.refresh(none);
  hidden = ['.env', 'keys'];
  expect(await baseline.collect(none)).toEqual([]);
  await rm(join(work, 'open.txt'));
  expect((await baseline.collect(none))?.map(({ path }) => path)).toEqual(['open.txt']);
  hidden = [];
  expect(await baseline.collect(none)).toEqual([]);
  await rm(work, { recursive: true });
});
