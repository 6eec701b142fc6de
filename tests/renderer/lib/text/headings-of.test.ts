import { expect, it } from 'vitest';
import { headingsOf } from '../../../../src/renderer/lib/text/headings-of.ts';

/** Catches: a comment of a shell script as a heading, and a heading that leads to another's place. */
it('finds the headings of each part, and none in code', () => {
  const parts = [
    '# One\n\ntext\n\n```sh\n# no heading\n```\n\n## Two `x`',
    null,
    '#hash\n~~~\n# no\n~~~\n### **Three** ###',
  ];
  expect(headingsOf(parts)).toEqual([
    { level: 1, text: 'One', part: 0, place: 0 },
    { level: 2, text: 'Two x', part: 0, place: 1 },
    { level: 3, text: 'Three', part: 2, place: 0 },
  ]);
});
