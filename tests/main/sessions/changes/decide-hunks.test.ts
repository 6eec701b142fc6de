import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import type { HunkState } from '@shared/events/tool-events.ts';
import type { WorkspaceMode } from '@shared/events/session-events.ts';
import { changeVersion } from '@shared/session/file-change-state.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';
import { seeded } from '../../../../bench/lib/seeded.ts';
import { blobsOf } from '../../../../src/main/sessions/blobs/event-blobs.ts';
import { hunkPlaces } from '../../../../src/main/sessions/changes/hunk-places.ts';
import { showChanges, takeChanges, undoChanges } from '../../../../src/main/sessions/changes/undo-and-take.ts';
import type { LiveJournal } from '../../../../src/main/sessions/journal/live-journal.ts';
import { type Home, makeHome } from '../session-fixtures.ts';

const name = 'a.txt';

/** An encoding, and letters that it has. */
interface Letters {
  readonly label: string;
  readonly letters: string;
  readonly mark?: string;
}
const usual: Letters = { label: 'utf8', letters: 'ä€ ' };

/** A file in parts: fixed parts, and between them places with two versions. */
interface Parts {
  readonly fixed: readonly string[];
  readonly places: readonly { readonly before: string; readonly after: string }[];
}

function fileOf({ fixed, places }: Parts, isAfter: (place: number) => boolean): string {
  return fixed.map((text, at) => text + ((isAfter(at) ? places[at]?.after : places[at]?.before) ?? '')).join('');
}

/** Each line occurs once, so that there is only one way to compare the two versions. */
function randomParts(random: () => number, { letters, mark = '' }: Letters): Parts {
  let count = 0;
  const lines = (most: number, least: number): string =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, () => {
      count += 1;
      return `line ${count} ${letters.repeat(Math.floor(random() * 3))}${random() < 0.3 ? '\r\n' : '\n'}`;
    }).join('');
  const places = Array.from({ length: 2 + Math.floor(random() * 5) }, () => {
    const [before, after] = [lines(3, 0), lines(3, 0)];
    return before + after === '' ? { before, after: lines(3, 1) } : { before, after };
  });
  const fixed = [mark + (random() < 0.3 ? '' : lines(12, 8)), ...places.slice(1).map(() => lines(12, 8)), lines(9, 7)];
  const isOpenEnded = random() < 0.4;
  return isOpenEnded ? { fixed: [...fixed.slice(0, -1), `${fixed.at(-1) ?? ''}no end`], places } : { fixed, places };
}

async function sessionWith(
  home: Home,
  mode: WorkspaceMode,
  [before, after]: readonly [string, string],
  { label }: Letters = usual,
) {
  const bytesOf = (content: string): Buffer => iconv.encode(content, label, { addBOM: false });
  const workspace = join(home.path, 'workspace');
  const project = mode === 'copy' ? join(home.path, 'project') : workspace;
  for (const folder of new Set([workspace, project])) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), bytesOf(before), { mode: 0o644 });
  }
  const journal = await home.store.create({ title: 'x', projectPath: project, workspace: { mode, path: workspace } });
  const change = async (to: string): Promise<void> => {
    const from = await readFile(join(workspace, name));
    await writeFile(join(workspace, name), bytesOf(to));
    const image = async (bytes: Uint8Array) =>
      ({ kept: true, blob: await journal.putBlob(bytes), mode: 0o644 }) as const;
    const images = { before: await image(from), after: await image(bytesOf(to)) };
    const who = { by: 'model', toolCallId: 'tool-1', added: 1, removed: 1, undoes: [] } as const;
    await journal.append({ type: 'file-changed', path: name, ...images, ...who, undoes: [] });
  };
  await change(after);
  const text = async (folder: string): Promise<string> =>
    iconv.decode(await readFile(join(folder, name)), label, { stripBOM: false });
  return { journal, workspace, project, change, text };
}

const versionOf = (journal: LiveJournal): string => {
  const [change] = journal.state().changes;
  if (change === undefined) throw new Error('There is no change.');
  return changeVersion(change);
};

const undoHunk = (journal: LiveJournal, ...places: number[]) =>
  undoChanges(journal, [name], { places, version: versionOf(journal) });
const takeHunk = (journal: LiveJournal, ...places: number[]) =>
  takeChanges(journal, [name], { places, version: versionOf(journal) });
const statesOf = async (journal: LiveJournal) => (await showChanges(journal))[0]?.hunks;

/** The state folded again from the log alone. */
async function refolded(journal: LiveJournal) {
  let state = emptySession;
  for await (const event of journal.read()) state = reduceSession(state, event);
  return state;
}

async function tryDecisions(home: Home, mode: WorkspaceMode, seed: number, letters = usual): Promise<void> {
  const random = seeded(seed);
  const parts = randomParts(random, letters);
  const all = fileOf(parts, () => true);
  const { journal, workspace, project, text } = await sessionWith(
    home,
    mode,
    [fileOf(parts, () => false), all],
    letters,
  );
  let states: readonly HunkState[] = parts.places.map(() => 'open');
  let isTakeUndone = false;
  /** What the user added to files by hand, at their end. It stays whatever is decided. */
  const byHand = new Map<string, string>();
  const said = (folder: string): string =>
    folder === workspace
      ? fileOf(parts, (place) => states[place] !== 'undone')
      : fileOf(parts, (place) => states[place] === 'taken');
  const fileIn = (folder: string): string => said(folder) + (byHand.get(folder) ?? '');
  /**
   * The states after a decision. By hand, only a file of a copy refuses it, and a take of the whole file, whose hunks
   * nobody decided on.
   */
  const decide = async (
    next: readonly HunkState[],
    act: () => Promise<{ refused: readonly unknown[] }>,
    isRest = false,
  ): Promise<void> => {
    const before = states;
    const moves = next.some((state, place) => (state === 'undone') !== (before[place] === 'undone'));
    const takes = next.some((state, place) => (state === 'taken') !== (before[place] === 'taken'));
    const folder = moves ? workspace : mode === 'copy' && takes ? project : null;
    const isWholeTake = isRest && journal.state().changes[0]?.hunks === undefined;
    const isHindered =
      folder !== null && byHand.has(folder) && mode === 'copy' && (folder === workspace || isWholeTake);
    const { refused } = await act();
    expect(refused, `seed ${seed}`).toEqual(isHindered ? [{ path: name, why: 'it was changed since' }] : []);
    if (!isHindered) {
      states = next;
      isTakeUndone =
        folder === project &&
        mode === 'copy' &&
        !next.some((state, place) => state === 'taken' && before[place] !== 'taken');
    }
  };
  for (let round = 0; round < 25; round += 1) {
    const place = Math.floor(random() * states.length);
    const now = states[place] ?? 'open';
    const put = (state: HunkState): readonly HunkState[] => states.map((old, at) => (at === place ? state : old));
    const rest = (state: HunkState): readonly HunkState[] => states.map((old) => (old === 'open' ? state : old));
    const dice = random();
    if (dice < 0.4) {
      const back = now === 'undone' || (now === 'taken' && mode === 'copy') ? 'open' : 'undone';
      await decide(put(back), () => undoHunk(journal, place));
    } else if (dice < 0.6 && now === 'open') await decide(put('taken'), () => takeHunk(journal, place));
    else if (dice < 0.7 && states.includes('open') && !isTakeUndone && !byHand.has(workspace)) {
      const before = states;
      await decide(rest('undone'), () => undoChanges(journal));
      // An undo of the undo restores exactly the earlier state.
      if (states !== before) await decide(before, () => undoChanges(journal));
      if (random() < 0.5) await decide(rest('undone'), () => undoChanges(journal));
    } else if (dice < 0.75 && states.includes('open')) await decide(rest('taken'), () => takeChanges(journal), true);
    else if (dice < 0.9) {
      const folder = random() < 0.5 ? workspace : project;
      if (!byHand.delete(folder)) byHand.set(folder, `of a person ${round}`);
      await writeFile(join(folder, name), iconv.encode(fileIn(folder), letters.label, { addBOM: false }));
    }
    expect(await statesOf(journal), `seed ${seed}, round ${round}`).toEqual(states);
    for (const folder of new Set([workspace, project]))
      expect(await text(folder), `seed ${seed}, round ${round}`).toBe(fileIn(folder));
  }
  expect((await refolded(journal)).changes).toEqual(journal.state().changes);
  await journal.close();
}

it('the place of a hunk begins after the line that the diff names if a side is empty', () => {
  expect(hunkPlaces('@@ -0,0 +1,2 @@\n+@@ -1 +1 @@\n+b\n@@ -4 +7,3 @@\n')).toEqual([
    { from: [0, 0], to: [0, 2] },
    { from: [3, 4], to: [6, 9] },
  ]);
});

describe('decisions on single hunks', () => {
  // Catches: a lost line ending, an undo of the rest that covers more or less, and a base that does not follow a take.
  it.each(['in-place', 'copy'] as const)(
    'leave the file that their list shows, also with edits by hand between (%s)',
    async (mode) => {
      for (let seed = 1; seed <= 10; seed += 1) {
        await using home = await makeHome();
        await tryDecisions(home, mode, seed);
      }
    },
  );

  // Catches: a file that is "binary" because it is not UTF-8, and one that gets another encoding by a decision.
  it.each([
    { label: 'utf-16le', letters: '中文 ', mark: '\uFEFF' },
    { label: 'utf-16be', letters: 'ĊĊ ', mark: '\uFEFF' },
    { label: 'gbk', letters: '这是我们的 ' },
    { label: 'shift_jis', letters: 'ソ表です ' },
    { label: 'windows-1252', letters: 'Größe ' },
    { label: 'koi8-r', letters: 'Привет ' },
  ])('keep the bytes of a file in $label', async (letters) => {
    for (let seed = 1; seed <= 3; seed += 1) {
      await using home = await makeHome();
      await tryDecisions(home, seed % 2 === 0 ? 'copy' : 'in-place', seed, letters);
    }
  });

  it('are not offered when the encoding changed, and the note says so', async () => {
    await using home = await makeHome();
    const old = '这是一个中文的文件。\n';
    const { journal } = await sessionWith(home, 'in-place', [old, `${old}更多\n`], { label: 'gbk', letters: '' });
    const image = async (bytes: Uint8Array) =>
      ({ kept: true, blob: await journal.putBlob(bytes), mode: 0o644 }) as const;
    const [before, after] = [await image(iconv.encode(old, 'gbk')), await image(Buffer.from(`${old}更多\n`))];
    const who = { by: 'model', toolCallId: 'tool-1', added: 1, removed: 1, undoes: [] } as const;
    await journal.append({ type: 'file-changed', path: 'other.txt', before, after, ...who, undoes: [] });
    const [one, other] = await showChanges(journal);
    expect(one).toMatchObject({ note: null, added: 1, removed: 0, hunks: ['open'] });
    expect(other).toMatchObject({ note: 'GBK to UTF-8', added: 1, removed: 0 });
    expect(other?.diff).toContain('+更多\n');
    expect(other?.hunks).toBeUndefined();
    await journal.close();
  });

  const before = lines(1, 30);
  const after = before
    .replace('line 3\n', 'line three\n')
    .replace('line 15\n', '')
    .replace('line 27\n', 'line 27\nmore\n');

  it('start anew with the next change of the agent', async () => {
    await using home = await makeHome();
    const { journal, workspace, change, text } = await sessionWith(home, 'in-place', [before, after]);
    expect((await undoHunk(journal, 0)).done).toEqual([name]);
    expect((await takeHunk(journal, 1)).done).toEqual([name]);
    expect(await statesOf(journal)).toEqual(['undone', 'taken', 'open']);
    await change((await text(workspace)).replace('line 20\n', 'line twenty\n'));
    expect(await statesOf(journal)).toEqual(['open', 'open']);
    await undoChanges(journal);
    expect(await text(workspace)).toBe(before.replace('line 15\n', ''));
    await journal.close();
  });

  it('are refused for an outdated list or a hunk that does not exist', async () => {
    await using home = await makeHome();
    const { journal, workspace, text } = await sessionWith(home, 'in-place', [before, after]);
    const version = versionOf(journal);
    await undoHunk(journal, 0);
    const why = async (act: ReturnType<typeof undoHunk>): Promise<string | undefined> => (await act).refused[0]?.why;
    expect(await why(undoChanges(journal, [name], { places: [1], version }))).toBe(
      'it has other changes by now; look at them again',
    );
    expect(await why(undoHunk(journal, 3))).toBe('it has no hunk 4');
    expect(await why(undoHunk(journal, 0, 1))).toBe(
      'these hunks are not in the same state; decide on them one after the other',
    );
    expect(await why(takeHunk(journal, 0))).toBe('there is nothing to take of it');
    await expect(undoChanges(journal, ['a'], { places: [0], version })).rejects.toMatchObject({ code: 'bad-input' });
    expect(await text(workspace)).toBe(after.replace('line three\n', 'line 3\n'));
    await journal.close();
  });

  it('complete a file when no hunk is open, and an undone one can still come back', async () => {
    await using home = await makeHome();
    const { journal, workspace, project, text } = await sessionWith(home, 'copy', [before, after]);
    await undoHunk(journal, 1);
    expect(await takeHunk(journal, 0, 2)).toEqual({ done: [name], refused: [] });
    const [shown] = await showChanges(journal);
    expect(shown).toMatchObject({ state: 'taken', added: 2, removed: 1, hunks: ['taken', 'undone', 'taken'] });
    expect(await undoHunk(journal, 1)).toEqual({ done: [name], broughtBack: [name], refused: [] });
    expect([await text(workspace), await text(project)]).toEqual([
      after,
      after.replace('line 14\n', 'line 14\nline 15\n'),
    ]);
    expect((await takeChanges(journal)).done).toEqual([name]);
    expect(await text(project)).toBe(after);
    const taken = [];
    for await (const event of journal.read()) if (event.type === 'changes-taken') taken.push(event.paths);
    expect(taken).toEqual([[name], [name]]);
    await journal.close();
  });

  it('are not offered when there are too many hunks', async () => {
    await using home = await makeHome();
    const long = lines(1, 2500);
    const { journal } = await sessionWith(home, 'in-place', [long, long.replaceAll('0\n', 'O\n')]);
    expect(await statesOf(journal)).toBeUndefined();
    expect((await undoHunk(journal, 0)).refused[0]?.why).toBe('its changes can only be decided on together');
    await journal.close();
  });

  it('keep the blobs that they name through a cleanup', async () => {
    await using home = await makeHome();
    const { journal } = await sessionWith(home, 'in-place', [before, after]);
    await undoHunk(journal, 0);
    await takeHunk(journal, 1);
    const named = new Set<string>();
    for await (const event of journal.read()) for (const { sha256 } of blobsOf(event)) named.add(sha256);
    const { base } = journal.state().changes[0]?.hunks ?? {};
    expect(base?.kept === true && named.has(base.blob.sha256)).toBe(true);
    await journal.close();
  });
});

function lines(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => `line ${first + index}\n`).join('');
}
