import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restoreTo } from '../../../../src/main/sessions/changes/restore-to.ts';
import { takeChanges, undoChanges } from '../../../../src/main/sessions/changes/undo-and-take.ts';
import { makeHome } from '../session-fixtures.ts';
import { changedFolder, text } from './changed-folder.ts';

/** On Linux: `DEWPOINT_CASE_BLIND` names a folder on exFAT or another such disk. */
const disk = process.env['DEWPOINT_CASE_BLIND'] ?? tmpdir();
const isCaseBlind = ((): boolean => {
  const folder = mkdtempSync(join(disk, 'dewpoint-case-'));
  writeFileSync(join(folder, 'a'), '');
  const isFound = existsSync(join(folder, 'A'));
  rmSync(folder, { recursive: true });
  return isFound;
})();

describe.skipIf(!isCaseBlind)('a change of case on a disk that does not tell capital letters apart', () => {
  it.each([
    ['in-place', 'one\n'],
    ['in-place', 'two\n'],
    ['copy', 'one\n'],
    ['copy', 'two\n'],
  ] as const)('is undone, brought back, taken and restored (%s, %j)', async (mode, next) => {
    await using home = await makeHome();
    const base = mkdtempSync(join(disk, 'dewpoint-case-'));
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
