import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { changeVersion } from '@shared/session/file-change-state.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { restoreTo } from '../../../../src/main/sessions/changes/restore-to.ts';
import { showChanges, takeChanges, undoChanges } from '../../../../src/main/sessions/changes/undo-and-take.ts';
import type { LiveJournal } from '../../../../src/main/sessions/journal/live-journal.ts';
import { makeHome } from '../session-fixtures.ts';
import { changedFolder, text } from './changed-folder.ts';

const lines = (end = '\n'): string[] => Array.from({ length: 30 }, (_, at) => `line ${at}${end}`);

/** A file of 30 lines, some of which are others. */
const file = (others: Readonly<Record<number, string>>, end = '\n'): string =>
  lines(end)
    .map((line, at) => (others[at] === undefined ? line : `${others[at]}${end}`))
    .join('');

const apart = 'somebody else changed the same lines, so they cannot be told apart';
const statesOf = async (journal: LiveJournal): Promise<unknown[]> =>
  (await showChanges(journal)).map(({ path, state }) => [path, state]);

/** Catches: lines of a person that go away because the agent worked in the same file. */
describe('an undo beside the edits of a person', () => {
  it('leaves what was written between two changes of the agent, and brings the changes back', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    await change('a.txt', file({ 2: 'agent', 15: 'mine', 25: 'agent' }));
    const [shown] = await showChanges(journal);
    expect(shown?.diff).not.toContain('mine');
    expect([shown?.added, shown?.hunks]).toEqual([2, ['open', 'open']]);
    for (let round = 0; round < 2; round += 1) {
      expect((await undoChanges(journal)).done).toEqual(['a.txt']);
      expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine' }));
      expect(await statesOf(journal)).toEqual([['a.txt', 'undone']]);
      expect(await undoChanges(journal)).toEqual({ done: ['a.txt'], broughtBack: ['a.txt'], refused: [] });
      expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'agent', 15: 'mine', 25: 'agent' }));
      expect(await statesOf(journal)).toEqual([['a.txt', 'open']]);
    }
    let folded = emptySession;
    for await (const event of journal.read()) folded = reduceSession(folded, event);
    expect(folded.changes).toEqual(journal.state().changes);
  });

  it('leaves what was written since, before and after an undo', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    expect(await undoChanges(journal)).toEqual({ done: ['a.txt'], merged: ['a.txt'], refused: [] });
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine' }));
    expect(await statesOf(journal)).toEqual([['a.txt', 'undone']]);
    await writeFile(join(workspace, 'a.txt'), file({ 15: 'mine', 28: 'mine, too' }));
    const back = { done: ['a.txt'], broughtBack: ['a.txt'], merged: ['a.txt'], refused: [] };
    expect(await undoChanges(journal)).toEqual(back);
    expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'agent', 15: 'mine', 28: 'mine, too' }));
    expect((await undoChanges(journal)).done).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine', 28: 'mine, too' }));
  });

  it('says that a file stays in which both changed the same lines', async () => {
    await using home = await makeHome();
    const files = { 'a.txt': file({}), 'b.txt': file({}), 'c.txt': file({}) };
    const { journal, workspace, change } = await changedFolder(home, 'in-place', files);
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'mine' }));
    await change('a.txt', file({ 2: 'mine', 20: 'agent' }));
    await change('b.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'b.txt'), file({ 2: 'mine' }));
    await change('c.txt', file({ 2: 'agent' }));
    expect(await undoChanges(journal)).toEqual({
      done: ['c.txt'],
      refused: [
        { path: 'a.txt', why: apart },
        { path: 'b.txt', why: 'it was changed since' },
      ],
    });
    expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'mine', 20: 'agent' }));
    expect(await text(workspace, 'b.txt')).toBe(file({ 2: 'mine' }));
  });

  it('keeps a new file that a person wrote in, and what the agent deleted of theirs comes back', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'old.txt': file({}) });
    await change('new.txt', file({}));
    await writeFile(join(workspace, 'new.txt'), file({ 5: 'mine' }));
    await change('new.txt', file({ 5: 'mine', 20: 'agent' }));
    await change('old.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'old.txt'), file({ 2: 'agent', 15: 'mine' }));
    await change('old.txt', null);
    expect(await undoChanges(journal)).toEqual({ done: ['old.txt'], refused: [{ path: 'new.txt', why: apart }] });
    expect(await text(workspace, 'old.txt')).toBe(file({ 15: 'mine' }));
    expect(await text(workspace, 'new.txt')).toBe(file({ 5: 'mine', 20: 'agent' }));
  });

  it('shows a change that took nothing but lines of a person away, and gives them back', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    await change('a.txt', file({}));
    expect(await statesOf(journal)).toEqual([['a.txt', 'open']]);
    expect((await undoChanges(journal)).done).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine' }));
  });

  it('of a hunk leaves the lines of a person in place', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    await change('a.txt', file({ 2: 'agent', 15: 'mine', 25: 'agent' }));
    const undoHunk = (place: number) => {
      const [only] = journal.state().changes;
      const version = only === undefined ? '' : changeVersion(only);
      return undoChanges(journal, ['a.txt'], { places: [place], version });
    };
    expect((await undoHunk(0)).done).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine', 25: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 15: 'mine', 20: 'mine, too', 25: 'agent' }));
    expect((await undoChanges(journal)).merged).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine', 20: 'mine, too' }));
    expect(await statesOf(journal)).toEqual([['a.txt', 'undone']]);
    expect((await undoChanges(journal)).broughtBack).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine', 20: 'mine, too', 25: 'agent' }));
  });

  it('of a hunk works in a file that was edited since, and its other hunks still can be decided on', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent', 15: 'agent', 25: 'agent' }));
    const path = join(workspace, 'a.txt');
    await writeFile(path, file({ 2: 'agent', 8: 'mine', 15: 'agent', 25: 'agent' }));
    await chmod(path, 0o755);
    const decide = (act: typeof undoChanges, place: number) => {
      const [only] = journal.state().changes;
      return act(journal, ['a.txt'], { places: [place], version: only === undefined ? '' : changeVersion(only) });
    };
    const merged = { done: ['a.txt'], merged: ['a.txt'], refused: [] };
    expect(await decide(undoChanges, 1)).toEqual(merged);
    expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'agent', 8: 'mine', 25: 'agent' }));
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    const [shown] = await showChanges(journal);
    expect(shown?.hunks).toEqual(['open', 'undone', 'open']);
    expect(shown?.diff).not.toContain('mine');
    await decide(takeChanges, 2);
    await writeFile(path, file({ 2: 'agent', 8: 'mine', 20: 'mine, too', 25: 'agent' }));
    expect(await decide(undoChanges, 1)).toEqual({ ...merged, broughtBack: ['a.txt'] });
    await writeFile(path, file({ 2: 'mine', 8: 'mine', 15: 'agent', 20: 'mine, too', 25: 'agent' }));
    const why = 'it was changed since in these lines or beside them; edit it yourself';
    for (const place of [0, 1])
      expect(await decide(undoChanges, place)).toEqual({ done: [], refused: [{ path: 'a.txt', why }] });
    await writeFile(path, file({ 2: 'agent', 8: 'mine', 15: 'agent', 20: 'mine, too', 25: 'agent' }));
    expect((await undoChanges(journal)).done).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 8: 'mine', 20: 'mine, too', 25: 'agent' }));
    let folded = emptySession;
    for await (const event of journal.read()) folded = reduceSession(folded, event);
    expect(folded.changes).toEqual(journal.state().changes);
  });

  it('of a taken hunk leaves what was written in the project since, and so does the take', async () => {
    await using home = await makeHome();
    const { journal, project, change } = await changedFolder(home, 'copy', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent', 15: 'agent' }));
    await writeFile(join(project, 'a.txt'), file({ 8: 'mine' }));
    const decide = (act: typeof undoChanges, place: number) => {
      const [only] = journal.state().changes;
      return act(journal, ['a.txt'], { places: [place], version: only === undefined ? '' : changeVersion(only) });
    };
    expect((await decide(takeChanges, 0)).done).toEqual(['a.txt']);
    expect(await text(project, 'a.txt')).toBe(file({ 2: 'agent', 8: 'mine' }));
    await writeFile(join(project, 'a.txt'), file({ 2: 'agent', 8: 'mine', 20: 'mine, too' }));
    expect((await takeChanges(journal)).done).toEqual(['a.txt']);
    expect(await text(project, 'a.txt')).toBe(file({ 2: 'agent', 8: 'mine', 15: 'agent', 20: 'mine, too' }));
    expect((await decide(undoChanges, 0)).done).toEqual(['a.txt']);
    expect(await text(project, 'a.txt')).toBe(file({ 8: 'mine', 15: 'agent', 20: 'mine, too' }));
    expect((await showChanges(journal))[0]?.hunks).toEqual(['open', 'taken']);
  });

  it('keeps line ends, a missing last line end, encodings and modes', async () => {
    await using home = await makeHome();
    const crlf = (others: Readonly<Record<number, string>>): string => file(others, '\r\n').slice(0, -2);
    const old = (others: Readonly<Record<number, string>>): Buffer =>
      iconv.encode(file({ 0: 'größer', ...others }), 'latin1');
    const { journal, workspace, change } = await changedFolder(home, 'in-place', {
      'a.txt': crlf({}),
      'b.txt': old({}),
    });
    await change('a.txt', crlf({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), crlf({ 2: 'agent', 29: 'mine' }));
    await change('a.txt', crlf({ 2: 'agent', 15: 'agent', 29: 'mine' }));
    await change('b.txt', old({ 2: 'agent' }));
    await writeFile(join(workspace, 'b.txt'), old({ 2: 'agent', 20: 'süß' }));
    await chmod(join(workspace, 'b.txt'), 0o755);
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect(await text(workspace, 'a.txt')).toBe(crlf({ 29: 'mine' }));
    expect(await readFile(join(workspace, 'b.txt'))).toEqual(old({ 20: 'süß' }));
    expect((await stat(join(workspace, 'b.txt'))).mode & 0o777).toBe(0o755);
  });

  it('keeps a mode that a person set, and refuses a binary file that both changed', async () => {
    await using home = await makeHome();
    const bytes = (last: number): Buffer => Buffer.from([0, 1, 2, last]);
    const files = { 'a.sh': file({}), 'b.bin': bytes(1) };
    const { journal, workspace, change } = await changedFolder(home, 'in-place', files);
    await change('a.sh', file({ 2: 'agent' }));
    await chmod(join(workspace, 'a.sh'), 0o755);
    await change('b.bin', bytes(2));
    await writeFile(join(workspace, 'b.bin'), bytes(3));
    await change('b.bin', bytes(4));
    expect(await undoChanges(journal)).toEqual({ done: ['a.sh'], refused: [{ path: 'b.bin', why: apart }] });
    expect((await stat(join(workspace, 'a.sh'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(workspace, 'b.bin'))).toEqual(bytes(4));
  });

  it('after a restore that merged takes nothing of the person away', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    const message = { type: 'user-message-added', messageId: 'm1', text: 'Do it', queued: false } as const;
    await journal.append(message);
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    expect((await restoreTo(journal, { checkpoint: 'm1', files: true, conversation: false })).merged).toEqual([
      'a.txt',
    ]);
    expect(await statesOf(journal)).toEqual([['a.txt', 'undone']]);
    await undoChanges(journal);
    expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'agent', 15: 'mine' }));
    await undoChanges(journal);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine' }));
  });

  it('of a take leaves what was written into the project since', async () => {
    await using home = await makeHome();
    const { journal, workspace, project, change } = await changedFolder(home, 'copy', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    expect((await takeChanges(journal)).done).toEqual(['a.txt']);
    await writeFile(join(project, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    expect(await undoChanges(journal)).toEqual({ done: ['a.txt'], merged: ['a.txt'], refused: [] });
    expect(await text(project, 'a.txt')).toBe(file({ 15: 'mine' }));
    expect(await statesOf(journal)).toEqual([['a.txt', 'open']]);
    expect(await undoChanges(journal)).toEqual({ done: ['a.txt'], broughtBack: ['a.txt'], refused: [] });
    expect(await text(project, 'a.txt')).toBe(file({ 2: 'agent', 15: 'mine' }));
    expect(await statesOf(journal)).toEqual([['a.txt', 'taken']]);
    expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'agent' }));
  });

  it('of a whole take leaves what was written in the project before, during and since', async () => {
    await using home = await makeHome();
    const made = await changedFolder(home, 'copy', { 'a.txt': file({}), 'b.txt': file({}), 'c.txt': file({}) });
    const { journal, workspace, project, change } = made;
    for (const path of ['a.txt', 'b.txt']) await change(path, file({ 2: 'agent' }));
    await change('c.txt', null);
    await change('new.txt', 'agent');
    await writeFile(join(project, 'a.txt'), file({ 15: 'mine' }));
    await chmod(join(project, 'a.txt'), 0o755);
    await writeFile(join(project, 'b.txt'), file({ 2: 'mine' }));
    await writeFile(join(project, 'c.txt'), file({ 9: 'mine' }));
    await writeFile(join(project, 'new.txt'), 'mine');
    const since = 'it was changed since';
    const refused = [
      { path: 'b.txt', why: since },
      { path: 'c.txt', why: since },
      { path: 'new.txt', why: 'a file with this name exists now' },
    ];
    expect(await takeChanges(journal)).toEqual({ done: ['a.txt'], merged: ['a.txt'], refused });
    const taken = file({ 2: 'agent', 15: 'mine' });
    expect([await text(project, 'a.txt'), await text(workspace, 'a.txt')]).toEqual([taken, file({ 2: 'agent' })]);
    expect((await stat(join(project, 'a.txt'))).mode & 0o777).toBe(0o755);
    expect([await text(project, 'b.txt'), await text(project, 'c.txt'), await text(project, 'new.txt')]).toEqual([
      file({ 2: 'mine' }),
      file({ 9: 'mine' }),
      'mine',
    ]);
    expect((await statesOf(journal)).slice(0, 1)).toEqual([['a.txt', 'taken']]);
    // More work is taken on top of it, beside what was written since.
    await change('a.txt', file({ 2: 'agent', 25: 'agent' }));
    await writeFile(join(project, 'a.txt'), file({ 2: 'agent', 15: 'mine', 20: 'mine' }));
    expect(await takeChanges(journal, ['a.txt'])).toEqual({ done: ['a.txt'], merged: ['a.txt'], refused: [] });
    const both = file({ 2: 'agent', 15: 'mine', 20: 'mine', 25: 'agent' });
    expect(await text(project, 'a.txt')).toBe(both);
    expect((await undoChanges(journal, ['a.txt'])).done).toEqual(['a.txt']);
    expect(await text(project, 'a.txt')).toBe(file({ 2: 'agent', 15: 'mine', 20: 'mine' }));
    expect((await undoChanges(journal, ['a.txt'])).broughtBack).toEqual(['a.txt']);
    expect(await text(project, 'a.txt')).toBe(both);
    let folded = emptySession;
    for await (const event of journal.read()) folded = reduceSession(folded, event);
    expect(folded.changes).toEqual(journal.state().changes);
  });

  it('of a copy leaves what was written into the copy, and a take brings all of it', async () => {
    await using home = await makeHome();
    const { journal, workspace, project, change } = await changedFolder(home, 'copy', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'agent', 15: 'mine' }));
    await change('a.txt', file({ 2: 'agent', 15: 'mine', 25: 'agent' }));
    expect((await undoChanges(journal)).done).toEqual(['a.txt']);
    expect(await text(workspace, 'a.txt')).toBe(file({ 15: 'mine' }));
    expect(await statesOf(journal)).toEqual([['a.txt', 'undone']]);
    await change('a.txt', file({ 15: 'mine', 28: 'agent' }));
    expect((await takeChanges(journal)).done).toEqual(['a.txt']);
    expect(await text(project, 'a.txt')).toBe(file({ 15: 'mine', 28: 'agent' }));
  });

  it('is not done with a content that was not kept in between', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': file({}) });
    await change('a.txt', file({ 2: 'agent' }));
    const unkept = { kept: false, why: 'too-large' } as const;
    const after = { ...unkept, seen: { sizeBytes: file({ 2: 'large' }).length, at: Date.now() + 60_000 } };
    const who = { by: 'model', toolCallId: 't', added: null, removed: null, undoes: [] } as const;
    await writeFile(join(workspace, 'a.txt'), file({ 2: 'large' }));
    await journal.append({ type: 'file-changed', path: 'a.txt', before: unkept, after, ...who, undoes: [] });
    expect((await undoChanges(journal)).refused).toEqual([{ path: 'a.txt', why: apart }]);
    expect(await text(workspace, 'a.txt')).toBe(file({ 2: 'large' }));
  });

  it('of a file that a person deleted meanwhile brings back what was there before', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'd/a.txt': file({}) });
    await change('d/a.txt', file({ 2: 'agent' }));
    await rm(join(workspace, 'd'), { recursive: true });
    await mkdir(join(workspace, 'd'));
    await change('d/a.txt', 'agent\n');
    expect((await undoChanges(journal)).done).toEqual(['d/a.txt']);
    expect(await text(workspace, 'd/a.txt')).toBe(file({}));
  });
});
