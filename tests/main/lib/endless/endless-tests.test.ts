import { expect, test } from 'vitest';
import { endlessTests, endlessText } from '../../../../src/main/lib/endless/endless-tests.ts';

test('a test that does not end is read once, with its place in the code', () => {
  const line =
    '[dewpoint: test_a.py::test_b does not end. It was stopped after 12 s. It stands in a.py, line 3, in f.]';
  expect(endlessText(endlessTests(`1 failed\n${line}\n${line}`))).toBe(
    'test_a.py::test_b does not end. It was stopped after 12 s. It stands in a.py, line 3, in f.',
  );
});

test("a test that does not end outside Python has the place from Python's own stack", () => {
  const output = [
    'Fatal Python error: Aborted',
    '',
    'Current thread 0x00007f (most recent call first):',
    '  File "/workspace/lib/a.py", line 2 in total',
    '  File "/workspace/test_a.py", line 4 in test_total',
    '  File "/usr/lib/python3.11/site-packages/_pytest/python.py", line 187 in pytest_pyfunc_call',
    '',
    '[dewpoint: the test run does not end. It was stopped after 11 s.]',
  ].join('\n');
  const where = 'It stands in lib/a.py, line 2, in total, in code that is not Python.';
  expect(endlessTests(output)).toEqual([{ name: 'test_a.py::test_total', seconds: 11, where }]);
});

test('a program that prints such a line inside another is not believed', () => {
  expect(endlessTests('x [dewpoint: a does not end. It was stopped after 1 s.]')).toEqual([]);
});
