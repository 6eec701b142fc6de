import { expect, test } from 'vitest';
import { endlessTests, endlessText } from '../../../../src/main/lib/endless/endless-tests.ts';

test('a test that does not end is read once, with the place where it stands', () => {
  const line =
    '[dewpoint: test_a.py::test_b does not end. It was stopped after 12 s. It stands in a.py, line 3, in f.]';
  expect(endlessText(endlessTests(`1 failed\n${line}\n${line}`))).toBe(
    'test_a.py::test_b does not end. It was stopped after 12 s. It stands in a.py, line 3, in f.',
  );
});

test('the place in a file of Node comes from the stack that Node printed', () => {
  const output = [
    '# KEYBOARD_INTERRUPT: Script execution was interrupted by `SIGINT`',
    '#     at spin (/workspace/lib/a.js:2:28)',
    '#     at /work/test/a.test.js:4:20',
    '# Subtest: a.test.js',
    '[dewpoint: test/a.test.js does not end. It was stopped after 11 s.]',
  ].join('\n');
  expect(endlessTests(output)).toEqual([
    { name: 'test/a.test.js', seconds: 11, where: 'It stands in lib/a.js, line 2, in spin.' },
  ]);
});

test('a program that prints the words of such a line in the middle of another is not believed', () => {
  expect(endlessTests('x [dewpoint: a does not end. It was stopped after 1 s.]')).toEqual([]);
});
