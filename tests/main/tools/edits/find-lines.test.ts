import { describe, expect, it } from 'vitest';
import { placesOfLines } from '../../../../src/main/tools/edits/find-lines.ts';
import { applyChunks } from '../../../../src/main/tools/edits/marked-patch.ts';
import { applyEdit } from '../../../../src/main/tools/edits/match-edit.ts';

describe('lines among others', () => {
  it.each([
    ['aabaab', 'aab'],
    ['aaaa', 'aa'],
    ['abcabcabd', 'abcabd'],
    ['abababac', 'ababac'],
    ['ab', 'abc'],
    ['', 'a'],
    ['abc', 'abc'],
  ])('are found in %s wherever %s stands, also where places overlap', (all, wanted) => {
    const every = Array.from({ length: all.length }, (_, at) => at).filter((at) => all.startsWith(wanted, at));
    expect(placesOfLines(all.split(''), wanted.split(''))).toEqual(every);
  });

  // Catches: an edit and a patch of a model that held the core for hours, at each line of a long file of equal lines.
  it('are looked for once in a long file whose lines are all alike', () => {
    const file = 'a\n'.repeat(200_000);
    const wanted = [...Array.from({ length: 20_000 }, () => 'a'), 'b'];
    expect(applyEdit(file, wanted.join('\n'), 'x')).toMatchObject({ type: 'refused', reason: 'not-found' });
    expect(applyChunks(file, [{ under: [], before: wanted, after: ['x'] }])).toMatchObject({ ok: false });
    const message = 'The old text stands in 200000 places (lines 1, 2, 3, 4, 5, 6, 7, 8). Give more';
    expect(applyEdit(file, 'a', 'x')).toMatchObject({ type: 'refused', message: expect.stringContaining(message) });
    expect(applyEdit(file, 'a', 'x', true)).toMatchObject({ type: 'applied', places: 200_000 });
  });
});
