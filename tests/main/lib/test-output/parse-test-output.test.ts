import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTestOutput } from '../../../../src/main/lib/test-output/parse-test-output.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}.txt`, import.meta.url), 'utf8');
const read = (name: string) => parseTestOutput(fixture(name), ['/workspace']);

describe('the reader of pytest output', () => {
  test('reads failures, got and want, frames and passing tests', () => {
    const report = read('pytest-short');
    expect([...report.passed]).toEqual([
      'test_ut.py::CalcTest::test_ok',
      'tests/test_calc.py::test_add[0-0-0]',
      'tests/test_calc.py::TestDiv::test_ok',
    ]);
    expect(report.failures.map((failure) => failure.id)).toHaveLength(9);
    expect(report.failures.find((failure) => failure.id === 'tests/test_calc.py::TestDiv::test_zero')).toEqual({
      id: 'tests/test_calc.py::TestDiv::test_zero',
      path: 'tests/test_calc.py',
      line: 15,
      errorName: 'ZeroDivisionError',
      message: 'ZeroDivisionError: division by zero',
      frames: [
        { path: 'tests/test_calc.py', line: 15, name: 'test_zero' },
        { path: 'calc.py', line: 6, name: 'div' },
        { path: 'calc.py', line: 10, name: 'helper' },
      ],
    });
  });

  test('reads a test file that could not be imported as one failure', () => {
    const [failure, ...rest] = read('pytest-collection-error').failures;
    expect(rest).toEqual([]);
    expect(failure).toMatchObject({
      id: 'tests/test_new.py',
      errorName: 'ImportError',
      message: "ImportError: cannot import name 'mul' from 'calc' (/workspace/calc.py)",
    });
  });
});

describe('the reader of unittest output', () => {
  test('counts the parts of a test with subtests once', () => {
    expect(read('unittest').failures.map((failure) => failure.id)).toEqual([
      'test_ut.CalcTest.test_zero',
      'test_ut.CalcTest.test_add',
      'test_ut.CalcTest.test_sub',
    ]);
  });

  test('reads passing tests from the verbose form', () => {
    expect([...read('unittest-verbose').passed]).toEqual(['test_ut.CalcTest.test_ok']);
  });
});

describe('the reader of node:test output', () => {
  test('reads the same failures from TAP and from the spec form', () => {
    expect(read('node-spec').failures).toEqual(read('node-tap').failures);
  });

  test('keeps the quotes of the values that it compares', () => {
    const block =
      "not ok 1 - words\n  ---\n  error: |-\n    Expected values to be strictly equal:\n    \n    'circle' !== 'star'\n  ...\n# tests 1\n";
    const quoted = "not ok 1 - words\n  ---\n  error: 'It is gone.'\n  ...\n# tests 1\n";
    const messageOf = (output: string) => parseTestOutput(`TAP version 13\n${output}`, []).failures[0]?.message;
    expect(messageOf(block)).toBe("Expected values to be strictly equal:\n'circle' !== 'star'");
    expect(messageOf(quoted)).toBe('It is gone.');
  });

  test('names nested tests by their suites and leaves suites out', () => {
    const report = read('node-tap');
    expect([...report.passed]).toEqual(['adds zero', 'group > ok']);
    expect(report.failures.map((failure) => failure.id)).toEqual([
      'adds two numbers',
      'group > deep',
      'group > boom: throws',
      'rejects',
      'new.test.js',
      'not a function',
    ]);
  });

  test('tells why a test file could not be loaded', () => {
    const failure = read('node-tap').failures.find((one) => one.id === 'new.test.js');
    expect(failure?.message).toContain("does not provide an export named 'mul'");
  });

  test('orders frames outermost first and keeps only the project', () => {
    const failure = read('node-tap').failures.find((one) => one.id === 'group > boom: throws');
    expect(failure?.frames).toEqual([
      { path: 'calc.test.js', line: 14, name: 'TestContext.<anonymous>' },
      { path: 'calc.js', line: 5, name: 'boom' },
    ]);
  });
});

test('the reader of test output makes one failure with frames of an unknown crash', () => {
  const output =
    'Traceback (most recent call last):\n  File "/workspace/run.py", line 3, in <module>\n    go()\n  File "/workspace/app/go.py", line 9, in go\n    raise KeyError("x")\nKeyError: \'x\'\n';
  expect(parseTestOutput(output, ['/workspace']).failures).toEqual([
    {
      id: 'command',
      path: null,
      line: null,
      errorName: 'KeyError',
      message: "KeyError: 'x'",
      frames: [
        { path: 'run.py', line: 3, name: '<module>' },
        { path: 'app/go.py', line: 9, name: 'go' },
      ],
    },
  ]);
});

test('the reader of test output says that it did not understand output without a test', () => {
  expect(parseTestOutput('make: *** No rule to make target\n', ['/workspace'])).toEqual({
    passed: new Set(),
    failures: [],
    parsed: false,
    counts: null,
  });
});

describe('the reader of a test name that two files have', () => {
  // Catches: a monorepo whose failing test is hidden by one of the same name that passes elsewhere.
  test('says that it fails if one of them does', () => {
    const failed = "not ok 1 - adds\n  ---\n  type: 'test'\n  location: '/workspace/a.test.js:1:1'\n  ...\n";
    const tap = `TAP version 13\n# Subtest: adds\n${failed}# Subtest: adds\nok 2 - adds\n1..2\n# tests 2\n# pass 1\n# fail 1\n`;
    const { failures, passed } = parseTestOutput(tap, ['/workspace']);
    expect(failures.map(({ id, path }) => [id, path])).toEqual([['adds', 'a.test.js']]);
    expect([...passed]).toEqual([]);
  });
});
