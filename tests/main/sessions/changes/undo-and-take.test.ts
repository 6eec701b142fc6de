import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { showChanges, takeChanges, undoChanges } from '../../../../src/main/sessions/changes/undo-and-take.ts';
import { makeHome } from '../session-fixtures.ts';
import type { FileImage } from '@shared/events/tool-events.ts';
import { changedFolder, text } from './changed-folder.ts';

describe('the changes of a session', () => {
  it('are shown as one unified diff for each path', async () => {
    await using home = await makeHome();
    const { journal, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one\ntwo\n', 'old.txt': 'gone\n' });
    await change('a.txt', 'one\n2\n');
    await change('a.txt', 'one\nTWO\n');
    await change('new/b.txt', 'fresh\n');
    await change('old.txt', null);
    await change('image.bin', Buffer.from([0, 1, 2]));
    await change('passing.txt', 'x');
    await change('passing.txt', null);
    const shown = await showChanges(journal);
    expect(
      shown.map(({ path, kind, added, removed, state, note }) => [path, kind, added, removed, state, note]),
    ).toEqual([
      ['a.txt', 'modified', 1, 1, 'open', null],
      ['new/b.txt', 'added', 1, 0, 'open', null],
      ['old.txt', 'deleted', 0, 1, 'open', null],
      ['image.bin', 'added', 1, 1, 'open', 'binary'],
    ]);
    expect(shown[0]?.diff).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n');
    expect(shown[1]?.diff).toContain('--- /dev/null\n+++ b/new/b.txt');
    expect((await showChanges(journal, ['new'])).map(({ path }) => path)).toEqual(['new/b.txt']);
    await journal.close();
  });

  it('can be undone and restored again: contents, modes, files and folders', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', {
      'a.txt': 'one\n',
      'deep/old.txt': 'gone\n',
    });
    await change('a.txt', 'changed\n', 0o755);
    await change('b.txt', 'fresh\n');
    await change('deep/old.txt', null);
    await rm(join(workspace, 'deep'), { recursive: true });
    const all = ['a.txt', 'b.txt', 'deep/old.txt'];
    expect((await showChanges(journal, ['a.txt']))[0]?.note).toBe('mode 644 to 755');
    for (let round = 0; round < 2; round += 1) {
      expect(await undoChanges(journal)).toEqual({ done: all, refused: [] });
      expect(await text(workspace, 'a.txt')).toBe('one\n');
      expect((await stat(join(workspace, 'a.txt'))).mode & 0o777).toBe(0o644);
      await expect(stat(join(workspace, 'b.txt'))).rejects.toThrow('ENOENT');
      expect(await text(workspace, 'deep/old.txt')).toBe('gone\n');
      expect((await showChanges(journal)).map(({ state }) => state)).toEqual(['undone', 'undone', 'undone']);

      expect(await undoChanges(journal)).toEqual({ done: all, broughtBack: all, refused: [] });
      expect(await text(workspace, 'a.txt')).toBe('changed\n');
      expect((await stat(join(workspace, 'a.txt'))).mode & 0o777).toBe(0o755);
      expect(await text(workspace, 'b.txt')).toBe('fresh\n');
      await expect(stat(join(workspace, 'deep/old.txt'))).rejects.toThrow('ENOENT');
      expect((await showChanges(journal)).map(({ state, kind }) => [state, kind])).toEqual([
        ['open', 'modified'],
        ['open', 'added'],
        ['open', 'deleted'],
      ]);
    }
    await journal.close();
  });

  it('take a new folder away with its last file, and no other', async () => {
    await using home = await makeHome(undefined, Date.now);
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'kept/old.txt': 'old' });
    // An empty folder that the user made before anything was done.
    await mkdir(join(workspace, 'empty'));
    await new Promise((resolve) => setTimeout(resolve, 120));
    await journal.append({ type: 'notice-added', level: 'info', code: 'begin', text: '' });
    for (const path of ['kept/new.txt', 'empty/new.txt', 'made/deep/a.txt', 'made/deep/b.txt', 'made/c.txt'])
      await change(path, 'new');
    await writeFile(join(workspace, 'made/of-a-person.txt'), 'mine');
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect((await readdir(workspace, { recursive: true })).sort()).toEqual(
      ['empty', 'kept', 'kept/old.txt', 'made', 'made/of-a-person.txt'].sort(),
    );
    // A redone change restores its folders. The next undo removes them again.
    await rm(join(workspace, 'made/of-a-person.txt'));
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect(await readFile(join(workspace, 'made/deep/a.txt'), 'utf8')).toBe('new');
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect((await readdir(workspace)).sort()).toEqual(['empty', 'kept']);
  });

  it('are named in the log of their undo', async () => {
    await using home = await makeHome();
    const { journal, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one\n' });
    await change('a.txt', 'two\n');
    await change('a.txt', 'three\n');
    await undoChanges(journal);
    await undoChanges(journal);
    const seen = [];
    for await (const event of journal.read(4)) if (event.type === 'file-changed') seen.push([event.by, event.undoes]);
    expect(seen).toEqual([
      ['undo', [2, 3]],
      ['undo', [4]],
    ]);
    await journal.close();
  });

  it('are not undone in a file that a person changed since, and the others are', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', {
      a: '1',
      b: '1',
      c: '1',
      d: '1',
      e: '1',
    });
    for (const path of ['a', 'b', 'd', 'e']) await change(path, 'agent');
    await change('c', null);
    await writeFile(join(workspace, 'a'), 'person');
    await rm(join(workspace, 'b'));
    await writeFile(join(workspace, 'c'), 'person');
    await rm(join(workspace, 'd'));
    await mkdir(join(workspace, 'd'));
    expect(await undoChanges(journal)).toEqual({
      done: ['e'],
      refused: [
        { path: 'a', why: 'it was changed since' },
        { path: 'b', why: 'it was deleted or renamed since' },
        { path: 'd', why: 'it is a folder now' },
        { path: 'c', why: 'a file with this name exists now' },
      ],
    });
    expect([await text(workspace, 'a'), await text(workspace, 'c'), await text(workspace, 'e')]).toEqual([
      'person',
      'person',
      '1',
    ]);
    await journal.close();
  });

  it('are not restored when the agent itself took them back', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'test_a.py': 'good' });
    await change('test_a.py', 'cheat');
    await writeFile(join(workspace, 'test_a.py'), 'good');
    const [changed] = journal.state().changes;
    if (!changed) throw new Error('no change');
    const { before: after, after: before } = changed;
    await journal.append({
      type: 'file-changed',
      path: 'test_a.py',
      before,
      after,
      by: 'undo',
      toolCallId: 'tool-1',
      added: 1,
      removed: 1,
      undoes: [2],
    });
    expect(await undoChanges(journal)).toEqual({ done: [], refused: [] });
    expect(await text(workspace, 'test_a.py')).toBe('good');
    expect(await showChanges(journal)).toEqual([]);
    await journal.close();
  });

  it('are never written through a link that the agent left', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', {
      'dir/a.txt': 'one',
      'b.txt': 'one',
    });
    await change('dir/a.txt', 'two');
    await change('b.txt', 'two');
    const outside = join(home.path, 'outside');
    await mkdir(outside);
    for (const name of ['a.txt', 'b.txt']) await writeFile(join(outside, name), 'two');
    await rm(join(workspace, 'dir'), { recursive: true });
    await symlink(outside, join(workspace, 'dir'));
    await rm(join(workspace, 'b.txt'));
    await symlink(join(outside, 'b.txt'), join(workspace, 'b.txt'));
    const outcome = await undoChanges(journal);
    expect(outcome.done).toEqual([]);
    expect(outcome.refused.map(({ path }) => path)).toEqual(['dir/a.txt', 'b.txt']);
    expect([await text(outside, 'a.txt'), await text(outside, 'b.txt')]).toEqual(['two', 'two']);
    await journal.close();
  });

  it('are refused for a path outside the workspace', async () => {
    await using home = await makeHome();
    const { journal, change } = await changedFolder(home, 'in-place', {});
    await change('../escaped.txt', 'x');
    const { done, refused } = await undoChanges(journal);
    expect([done, refused.map(({ path }) => path)]).toEqual([[], ['../escaped.txt']]);
    expect(await text(home.path, 'escaped.txt')).toBe('x');
    await journal.close();
  });

  it('of a copy are written into the project, and can be taken out again', async () => {
    await using home = await makeHome();
    const { journal, project, workspace, change } = await changedFolder(home, 'copy', {
      'a.txt': 'one',
      'b.txt': 'one',
      'c.txt': 'one',
    });
    await change('a.txt', 'two', 0o755);
    await change('b.txt', null);
    await change('d/new.txt', 'new');
    await change('c.txt', 'two');
    await writeFile(join(project, 'c.txt'), 'person');
    expect(await takeChanges(journal)).toEqual({
      done: ['a.txt', 'b.txt', 'd/new.txt'],
      refused: [{ path: 'c.txt', why: 'it was changed since' }],
    });
    expect([await text(project, 'a.txt'), await text(project, 'd/new.txt'), await text(project, 'c.txt')]).toEqual([
      'two',
      'new',
      'person',
    ]);
    expect((await stat(join(project, 'a.txt'))).mode & 0o777).toBe(0o755);
    await expect(stat(join(project, 'b.txt'))).rejects.toThrow('ENOENT');
    expect((await showChanges(journal)).map(({ path, state }) => [path, state])).toEqual([
      ['a.txt', 'taken'],
      ['b.txt', 'taken'],
      ['d/new.txt', 'taken'],
      ['c.txt', 'open'],
    ]);
    expect(await takeChanges(journal, ['a.txt', 'b.txt', 'd'])).toEqual({ done: [], refused: [] });

    const taken = ['a.txt', 'b.txt', 'd/new.txt'];
    expect(await undoChanges(journal, taken)).toEqual({ done: taken, refused: [] });
    expect([await text(project, 'a.txt'), await text(project, 'b.txt')]).toEqual(['one', 'one']);
    expect(await text(workspace, 'a.txt')).toBe('two');
    expect(await takeChanges(journal, taken)).toEqual({ done: taken, refused: [] });
    expect(await text(project, 'a.txt')).toBe('two');

    expect(await undoChanges(journal, taken)).toEqual({ done: taken, refused: [] });
    expect(await undoChanges(journal, taken)).toEqual({ done: taken, broughtBack: taken, refused: [] });
    expect(await text(project, 'a.txt')).toBe('two');
    expect(await undoChanges(journal, taken)).toEqual({ done: taken, refused: [] });
    expect(await text(project, 'a.txt')).toBe('one');
    await journal.close();
  });

  it('of a copy can be taken on top of earlier ones', async () => {
    await using home = await makeHome();
    const { journal, project, change } = await changedFolder(home, 'copy', { 'a.txt': 'one' });
    await change('a.txt', 'two');
    await takeChanges(journal);
    await change('a.txt', 'three');
    expect(await takeChanges(journal)).toEqual({ done: ['a.txt'], refused: [] });
    expect(await text(project, 'a.txt')).toBe('three');
    await journal.close();
  });

  it('are never written into the files of git', async () => {
    await using home = await makeHome();
    const { journal, project, change } = await changedFolder(home, 'copy', {});
    await change('.git/hooks/pre-commit', '#!/bin/sh\n', 0o755);
    expect((await takeChanges(journal)).refused).toEqual([
      { path: '.git/hooks/pre-commit', why: 'files of git itself are not taken' },
    ]);
    await expect(stat(join(project, '.git'))).rejects.toThrow('ENOENT');
    await journal.close();
  });

  it('in place are marked as reviewed, and the list begins anew', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one' });
    await change('a.txt', 'two');
    expect(await takeChanges(journal)).toEqual({ done: ['a.txt'], refused: [] });
    expect(await undoChanges(journal)).toEqual({ done: [], refused: [] });
    await change('a.txt', 'three');
    expect(await undoChanges(journal)).toEqual({ done: ['a.txt'], refused: [] });
    expect(await text(workspace, 'a.txt')).toBe('two');
    await journal.close();
  });

  it('in place stay after a review, also after an undo of an undo', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one' });
    await change('a.txt', 'two');
    for (let round = 0; round < 2; round += 1) await undoChanges(journal);
    await takeChanges(journal);
    expect(await undoChanges(journal)).toEqual({ done: [], refused: [] });
    expect(await text(workspace, 'a.txt')).toBe('two');
    await journal.close();
  });

  it('are only noted as undone when an earlier undo ended before its note', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one' });
    await change('a.txt', 'two');
    await writeFile(join(workspace, 'a.txt'), 'one');
    expect(await undoChanges(journal)).toEqual({ done: ['a.txt'], refused: [] });
    expect((await showChanges(journal))[0]?.state).toBe('undone');
    await journal.close();
  });

  it('are known for more paths than the summary of a session holds', async () => {
    const blob = { sha256: 'f'.repeat(64), bytes: 1 };
    const events = Array.from({ length: 2100 }, (_, index): SessionEvent => {
      const after = { kept: true, blob, mode: 0o644 } as const;
      const stamp = { v: 2, seq: index + 1, at: 0 };
      const rest = { by: 'model', toolCallId: 't', added: 1, removed: 0, undoes: [] } satisfies Partial<
        EventOf<'file-changed'>
      >;
      return { ...stamp, type: 'file-changed', path: `file-${index}`, before: null, after, ...rest };
    });
    const state = events.reduce(reduceSession, emptySession);
    const read = async function* (): AsyncGenerator<SessionEvent> {
      yield* events;
    };
    expect(state.changes).toHaveLength(2000);
    const shown = await showChanges({ state: () => state, read, getBlob: async () => Buffer.from('x') });
    expect([shown.length, shown.at(-1)?.path]).toEqual([2100, 'file-2099']);
  });

  it('are not undone when a content was not kept or its bytes are lost', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one' });
    await change('a.txt', 'two');
    await journal.append({
      type: 'file-changed',
      path: 'big.bin',
      before: { kept: false, why: 'too-large' },
      after: null,
      by: 'model',
      toolCallId: 't',
      added: null,
      removed: null,
      undoes: [],
    });
    await rm(join(home.path, 'blobs'), { recursive: true });
    expect((await undoChanges(journal)).refused).toEqual([
      { path: 'a.txt', why: 'its stored content is missing or damaged' },
      { path: 'big.bin', why: 'its content was not kept' },
    ]);
    expect(await text(workspace, 'a.txt')).toBe('two');
    await journal.close();
  });

  // Catches: a command that lets a small file grow over the limit, or takes away the right to read it, and the old
  // content is kept but never comes back.
  it('are undone over a content that was not kept, unless someone touched it since', async () => {
    await using home = await makeHome();
    const { journal, workspace } = await changedFolder(home, 'in-place', {
      'a.txt': 'one',
      'b.txt': 'two',
      'c.txt': 'three',
    });
    const grow = async (path: string, before: FileImage, age: number): Promise<void> => {
      await writeFile(join(workspace, path), 'x'.repeat(900_000));
      const after: FileImage = {
        kept: false,
        why: 'too-large',
        seen: { sizeBytes: 900_000, at: Date.now() - age },
      };
      const rest = { by: 'model', toolCallId: 't', added: null, removed: null } as const;
      await journal.append({ type: 'file-changed', path, before, after, ...rest, undoes: [] });
    };
    const kept = async (path: string): Promise<FileImage> => ({
      kept: true,
      blob: await journal.putBlob(await readFile(join(workspace, path))),
      mode: 0o644,
    });
    await grow('a.txt', await kept('a.txt'), 0);
    await grow('b.txt', await kept('b.txt'), 60_000);
    await grow('made.txt', null, 0);
    expect(await undoChanges(journal)).toEqual({
      done: ['a.txt'],
      refused: [
        { path: 'b.txt', why: 'it was changed since' },
        { path: 'made.txt', why: 'its content was not kept' },
      ],
    });
    expect(await text(workspace, 'a.txt')).toBe('one');
    await journal.close();
  });

  // Catches: the old file is refused because of a folder that the same undo removes a moment later.
  it('can turn a file into a folder and back, and an undo restores both', async () => {
    await using home = await makeHome(undefined, Date.now);
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'a.txt': 'one', 'dir/x.txt': 'x' });
    await change('a.txt', null);
    await change('a.txt/inner.txt', 'inner');
    await change('dir/x.txt', null);
    await rm(join(workspace, 'dir'), { recursive: true });
    await change('dir', 'a file');
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect([await text(workspace, 'a.txt'), await text(workspace, 'dir/x.txt')]).toEqual(['one', 'x']);
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect([await text(workspace, 'a.txt/inner.txt'), await text(workspace, 'dir')]).toEqual(['inner', 'a file']);
    await journal.close();
  });

  // Catches: a kill in the middle of an undo leaves a file beside those of the user for ever.
  it('are cleaned of what a killed undo left, but not of a running one', async () => {
    await using home = await makeHome();
    const { journal, workspace, change } = await changedFolder(home, 'in-place', { 'sub/a.txt': 'one' });
    await change('sub/a.txt', 'two');
    const gone = '.dewpoint-999999999-0123456789ab.tmp';
    const others = [`.dewpoint-${process.pid}-0123456789ab.tmp`, '.dewpoint-mine.tmp'];
    for (const name of [gone, ...others]) await writeFile(join(workspace, 'sub', name), '');
    expect((await undoChanges(journal)).refused).toEqual([]);
    expect((await readdir(join(workspace, 'sub'))).sort()).toEqual([...others, 'a.txt'].sort());
    await journal.close();
  });
});
