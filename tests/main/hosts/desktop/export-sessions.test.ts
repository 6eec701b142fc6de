import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AppError } from '../../../../src/shared/errors.ts';
import { exportInto } from '../../../../src/main/hosts/desktop/export-sessions.ts';
import { createPageCore } from '../../../fakes/page-core.ts';

/** Catches: an export that replaces another file of the folder, and an unreadable session that stops the others. */
it('an export of sessions overwrites no file, and names the sessions that it could not write', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-exports-'));
  const core = createPageCore();
  const ids = ['Sums', 'Sums', '../a: b?', 'Broken'].map((title) => core.createSession({ projectPath: null, title }));
  core.replace({
    sessions: {
      export: async ({ input }) => {
        if (input.sessionId === ids[3]) throw new AppError('log-damaged', 'The log cannot be read.');
        await writeFile(input.path, input.sessionId, { flag: 'wx' });
        return { blobs: 0, missing: 1, branches: 0 };
      },
    },
  });
  await writeFile(join(folder, 'Sums.dewpoint'), 'mine');
  expect(await exportInto(core.client, folder, ids, undefined)).toEqual({
    done: ids.slice(0, 3),
    refused: [{ sessionId: ids[3], why: 'The log cannot be read.' }],
    missing: 3,
  });
  expect((await readdir(folder)).sort()).toEqual([
    '.. a  b.dewpoint',
    'Sums (2).dewpoint',
    'Sums (3).dewpoint',
    'Sums.dewpoint',
  ]);
  await rm(folder, { recursive: true, force: true });
});
