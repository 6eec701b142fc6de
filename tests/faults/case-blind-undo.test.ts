import { mkdtempSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { restoreTo } from '../../src/main/sessions/changes/restore-to.ts';
import { takeChanges, undoChanges } from '../../src/main/sessions/changes/undo-and-take.ts';
import { makeHome } from '../main/sessions/session-fixtures.ts';
import { changedFolder, text } from '../main/sessions/changes/changed-folder.ts';
import { caseBlindDisk } from './case-blind-disk.ts';

const disk = await caseBlindDisk();
afterAll(() => disk?.[Symbol.asyncDispose]());

describe.skipIf(disk === null)('a change of case on a disk that does not tell capital letters apart', () => {
  it.each([
    ['in-place', 'one\n'],
    ['in-place', 'two\n'],
    ['copy', 'one\n'],
    ['copy', 'two\n'],
  ] as const)('is undone, brought back, taken and restored (%s, %j)', async (mode, next) => {
    await using home = await makeHome();
    const base = mkdtempSync(join(disk?.path ?? '', 'dewpoint-'));
    const made = await changedFolder({ ...home, path: base }, mode, { 'readme.md': 'one\n' });
    const { journal, workspace, project, change } = made;
    await journal.append({ type: 'user-message-added', messageId: 'm1', text: 'x', queued: false });
    await change('readme.md', null);
    await change('README.md', next);
    const old = [['readme.md'], 'one\n'];
    const fresh = [['README.md'], next];
    const now = async (folder = workspace): Promise<unknown> => {
      const names = await readdir(folder);
      return [names, await text(folder, names[0] ?? '')];
    };
    expect(await now()).toEqual(fresh);
    for (let round = 0; round < 2; round += 1) {
      expect((await undoChanges(journal)).refused).toEqual([]);
      expect(await now()).toEqual(old);
      expect((await undoChanges(journal)).refused).toEqual([]);
      expect(await now()).toEqual(fresh);
    }
    expect((await takeChanges(journal)).refused).toEqual([]);
    expect(await now(project)).toEqual(fresh);
    const outcome = await restoreTo(journal, { checkpoint: 'm1', files: true, conversation: false });
    expect([outcome.kept, await now()]).toEqual([[], old]);
    await journal.close();
  });
});
