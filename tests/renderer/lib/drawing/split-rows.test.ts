import { expect, it } from 'vitest';
import { diffRows } from '../../../../src/renderer/lib/drawing/diff-rows.ts';
import { splitRows } from '../../../../src/renderer/lib/drawing/split-rows.ts';

/** Catches: a line beside one that it does not replace, and a line that is lost or shown twice. */
it('a diff in two columns has each removed line beside the one that replaced it', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n one\n-two\n-three\n+2\n four\n+new\n-old\n five\n';
  const texts = splitRows(diffRows(diff)).map(({ left, right }) => [left?.text ?? null, right?.text ?? null]);
  expect(texts).toEqual([
    ['', ''],
    ['one', 'one'],
    ['two', '2'],
    ['three', null],
    ['four', 'four'],
    [null, 'new'],
    ['old', null],
    ['five', 'five'],
  ]);
});
