import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../src/shared/events/events.ts';
import type { ChangeState } from '../../../src/shared/session/file-change-state.ts';
import { areAllUndone, reduceChange } from '../../../src/shared/session/file-change-state.ts';

type Image = EventOf<'file-changed'>['after'];
/** A change from one version of a file to the next, with the lines that it added and removed. */
type Step = readonly [before: string | null, after: string | null, added: number | null, removed: number | null];

function image(name: string | null): Image {
  if (name === null) return null;
  return { kept: true, blob: { sha256: name.repeat(64), bytes: 1 }, mode: 0o644 };
}

function countsAfter(steps: readonly Step[]): readonly (number | null | undefined)[] {
  const change = steps.reduce<ChangeState | undefined>(
    (known, [before, after, added, removed], at) =>
      reduceChange(known, {
        v: 2,
        seq: at + 1,
        at: 0,
        type: 'file-changed',
        path: 'a.py',
        before: image(before),
        after: image(after),
        added,
        removed,
        by: 'model',
        toolCallId: 'call',
        undoes: [],
      }),
    undefined,
  );
  return [change?.added, change?.removed];
}

describe('a file that was edited twice', () => {
  // Bug: one line that was edited twice counted as two.
  it('has the lines that differ from its beginning, where the log knows them', () => {
    const event: EventOf<'file-changed'> = {
      v: 2,
      seq: 1,
      at: 0,
      type: 'file-changed',
      path: 'a.py',
      before: image('a'),
      after: image('b'),
      added: 1,
      removed: 1,
      by: 'model',
      toolCallId: 'call',
      undoes: [],
    };
    const first = reduceChange(undefined, event);
    const next = { ...event, seq: 2, before: image('b'), after: image('c') };
    expect(reduceChange(first, next)).toMatchObject({ added: 2, removed: 2 });
    const net = { added: 1, removed: 1 };
    expect(reduceChange(first, { ...next, net })).toMatchObject(net);
    // Somebody else changed the file between, so the lines are not the session's alone.
    expect(reduceChange(first, { ...next, before: image('d'), net })).toMatchObject({ added: 2, removed: 2 });
  });
});

describe('changes that the user undid', () => {
  const change: EventOf<'file-changed'> = {
    v: 2,
    seq: 1,
    at: 0,
    type: 'file-changed',
    path: 'a.py',
    before: image('a'),
    after: image('b'),
    added: 1,
    removed: 1,
    by: 'model',
    toolCallId: null,
    undoes: [],
  };
  const undo: typeof change = { ...change, seq: 2, before: image('b'), after: image('a'), by: 'undo', undoes: [1] };
  const redo: typeof change = { ...change, seq: 3, by: 'undo', undoes: [2] };
  const made = reduceChange(undefined, change);
  const gone = reduceChange(made, undo);

  it('are all undone only if every file is as it was before', () => {
    expect(areAllUndone([gone])).toBe(true);
    expect(areAllUndone([gone, { ...made, path: 'b.py' }])).toBe(false);
    expect(areAllUndone([reduceChange(gone, redo)])).toBe(false);
    expect(areAllUndone([made])).toBe(false);
    expect(areAllUndone([])).toBe(false);
  });

  it('are not those that the agent put back itself', () => {
    expect(areAllUndone([reduceChange(made, { ...undo, by: 'model', undoes: [] })])).toBe(false);
  });
});

describe('the lines of a file that changed more than once', () => {
  // Bug: "+8 -1" beside a new file of 7 lines.
  it.each<readonly [string, readonly Step[], readonly [number | null, number | null]]>([
    [
      'are those that a new file has',
      [
        [null, 'a', 7, 0],
        ['a', 'b', 1, 1],
      ],
      [7, 0],
    ],
    [
      'are fewer where a new file was shortened',
      [
        [null, 'a', 7, 0],
        ['a', 'b', 0, 3],
        ['b', 'c', 2, 1],
      ],
      [5, 0],
    ],
    [
      'are none where a new file was deleted',
      [
        [null, 'a', 7, 0],
        ['a', null, 0, 7],
      ],
      [0, 0],
    ],
    [
      'are those that a deleted file had',
      [
        ['a', 'b', 2, 1],
        ['b', null, 0, 9],
      ],
      [0, 8],
    ],
    [
      'are the sum where both sides exist',
      [
        ['a', 'b', 2, 1],
        ['b', 'c', 1, 1],
      ],
      [3, 2],
    ],
    [
      'are unknown where one change is',
      [
        [null, 'a', null, null],
        ['a', 'b', 1, 1],
      ],
      [null, null],
    ],
  ])('%s', (_what, steps, counts) => {
    expect(countsAfter(steps)).toEqual(counts);
  });
});
