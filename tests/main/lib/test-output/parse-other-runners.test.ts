import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTestOutput } from '../../../../src/main/lib/test-output/parse-test-output.ts';
import { splitReports, untilReport } from '../../../../src/main/lib/test-output/machine-report.ts';
import { withReport } from '../../../../src/main/lib/test-output/reporting-command.ts';
import type { TestCounts } from '../../../../src/main/lib/test-output/test-report.ts';

/** What the real runners printed for a command of `withReport`. */
const fixture = (name: string): string => readFileSync(new URL(`./fixtures/${name}.txt`, import.meta.url), 'utf8');
const read = (name: string) => parseTestOutput(fixture(name), ['/workspace']);
const counts = (passed: number, failed: number, errors: number, skipped: number): TestCounts => ({
  passed,
  failed,
  errors,
  skipped,
});

describe('the reader of test output', () => {
  test.each([
    ['go', counts(2, 2, 1, 1), 'example.com/calc/calc > TestAdd/two', 'calc/calc_test.go', 9, 'Add(1, 1) = 0, want 2'],
    ['cargo', counts(3, 2, 0, 1), 'tests/api.rs > takes_first', 'tests/api.rs', 3, 'index out of bounds'],
    [
      'maven',
      counts(1, 1, 1, 1),
      'demo.CalcTest > adds',
      'src/test/java/demo/CalcTest.java',
      8,
      'one & one ==> expected: <2>',
    ],
    [
      'gradle',
      counts(1, 1, 0, 0),
      'demo.CalcTest > adds',
      'src/test/java/demo/CalcTest.java',
      7,
      'one & one expected:<2>',
    ],
    ['ctest', counts(1, 1, 0, 0), 'add', 'test_add.c', 9, "Assertion `add(1, 1) == 2' failed."],
    ['rspec', counts(1, 2, 0, 1), 'Calc.add adds', 'spec/calc_spec.rb', 5, 'expected: 2'],
    ['minitest', counts(1, 1, 1, 1), 'CalcTest#test_adds', 'test/test_calc.rb', 6, 'Actual: 0'],
    [
      'phpunit',
      counts(2, 2, 1, 1),
      'CalcTest > testAdds',
      'tests/CalcTest.php',
      7,
      'Failed asserting that 0 is identical to 2.',
    ],
  ])('reads counts and the place and text of a failure of %s', (name, wanted, ...[id, path, line, message]) => {
    const report = read(name);
    expect(report).toMatchObject({ parsed: true, counts: wanted });
    expect(report.failures.find((failure) => failure.id === id)).toMatchObject({
      path,
      line,
      message: expect.stringContaining(message),
    });
    expect(report.passed.size).toBe(wanted.passed);
  });

  test.each([
    ['go', 'bad/bad.go', 3, 'undefined: undefinedName'],
    ['cargo-compile', 'bad-rust/src/lib.rs', 7, 'cannot find value `c` in this scope'],
    ['maven-compile', 'src/main/java/demo/Calc.java', 4, 'cannot find symbol'],
    ['gcc-compile', 'test_add.c', 3, '‘c’ undeclared (first use in this function)'],
    ['rspec-load', 'spec/bad_spec.rb', 1, "syntax error, unexpected end-of-input, expecting ')'"],
    ['phpunit-load', 'tests/BadTest.php', 1, 'Uncaught ParseError: syntax error, unexpected token "{"'],
  ])('reads an error of the compiler of %s as a failure with its place', (name, path, line, message) => {
    expect(read(name).failures).toContainEqual({
      id: path,
      path,
      line,
      errorName: 'CompileError',
      message,
      frames: [{ path, line, name: null }],
    });
  });

  test('reads the stack of a panic, outermost first', () => {
    const panic = read('go').failures.find(({ errorName }) => errorName === 'panic');
    expect(panic).toMatchObject({
      message: 'runtime error: integer divide by zero',
      frames: [
        { path: 'calc/calc_test.go', line: 24, name: 'TestPanic' },
        { path: 'calc/calc.go', line: 4, name: 'Div' },
      ],
    });
  });

  test('names the passing tests of Go, with their subtests', () => {
    expect([...read('go-green').passed]).toContain('example.com/calc/calc > TestAdd/two');
    expect(read('go-green')).toMatchObject({ failures: [], counts: counts(4, 0, 0, 1) });
  });

  test('reads results of dotnet as its documents describe them', () => {
    const trx = `\n\u001edewpoint-report trx\n<TestRun><Results>
      <UnitTestResult testName="Calc.Tests.Adds" outcome="Failed"><Output><ErrorInfo>
        <Message>Assert.Equal() Failure: Values differ</Message>
        <StackTrace>   at Calc.Tests.Adds() in /workspace/tests/Tests.cs:line 12</StackTrace>
      </ErrorInfo></Output></UnitTestResult>
      <UnitTestResult testName="Calc.Tests.Zero" outcome="Passed" />
      <UnitTestResult testName="Calc.Tests.Later" outcome="NotExecuted" />
      </Results></TestRun>`;
    expect(parseTestOutput(trx, ['/workspace'])).toMatchObject({
      passed: new Set(['Calc.Tests.Zero']),
      failures: [{ id: 'Calc.Tests.Adds', path: 'tests/Tests.cs', line: 12 }],
      counts: counts(1, 1, 0, 1),
    });
  });

  test.each([
    [
      'Maven',
      '[ERROR]   CalcTest.adds:8 wrong\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n',
      counts(1, 1, 1, 1),
    ],
    ['PHPUnit', 'OK (5 tests, 6 assertions)\n', counts(5, 0, 0, 0)],
    ['CTest', '50% tests passed, 1 tests failed out of 2\n', counts(1, 1, 0, 0)],
    [
      'Automake',
      '# TOTAL: 3\n# PASS:  2\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0\n',
      counts(2, 1, 0, 0),
    ],
  ])('reads the counts that %s prints for people, where a command hides the runner', (_name, output, wanted) => {
    expect(parseTestOutput(output, [])).toMatchObject({ parsed: true, counts: wanted });
  });

  test.each([
    ["thread 'adds' panicked at 'it's 1, ' not 2', src/lib.rs:20:9", "it's 1, ' not 2"],
    ["thread 'adds' (7) panicked at src/lib.rs:20:9:\nit panicked at 3", 'it panicked at 3'],
  ])('reads the panic `%s` of each version of Rust', (panic, message) => {
    const output = `running 1 test\ntest adds ... FAILED\n\nfailures:\n\n---- adds stdout ----\n${panic}\n\nfailures:\n    adds\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n`;
    expect(parseTestOutput(output, []).failures).toMatchObject([{ path: 'src/lib.rs', line: 20, message }]);
  });

  test('takes no file of a report that a hostile test printed for more than text', () => {
    const entities = '<!DOCTYPE a [<!ENTITY b "&c;&c;"><!ENTITY c "&d;&d;">]><testcase name="&b;&#xFFFFFFF;"/>';
    const report = parseTestOutput(`\u001edewpoint-report junit\n${entities}\n\u001edewpoint-report end\n`, []);
    expect([...report.passed]).toEqual(['&b;&#xFFFFFFF;']);
  });
});

describe('the form of a test command for programs', () => {
  test.each([
    ['go test ./...', 'go_test go test -json ./...'],
    ['cd api && CGO_ENABLED=0 go test ./...', 'cd api && CGO_ENABLED=0 go_test go test -json ./...'],
    ['ctest --test-dir build', 'ctest --output-junit "$R" --test-dir build'],
    ['bundle exec rspec', 'bundle exec rspec --format progress --format json --out "$R"'],
    ['vendor/bin/phpunit', 'vendor/bin/phpunit --log-junit "$R"'],
    [
      '$(test -x vendor/bin/phpunit && echo vendor/bin/)phpunit tests',
      '$(test -x vendor/bin/phpunit && echo vendor/bin/)phpunit --log-junit "$R" tests',
    ],
    [
      '$(bundle check > /dev/null 2>&1 && echo bundle exec) rspec',
      '$(bundle check > /dev/null 2>&1 && echo bundle exec) rspec --format progress --format json --out "$R"',
    ],
    ['mvn -B -o test', 'mvn -B -o test'],
    ['dotnet test', 'dotnet test --logger "trx;LogFileName=$R"'],
  ])('of `%s` reports for programs', (command, run) => {
    expect(withReport(command)).toContain(`( ${run}\n)`);
  });

  test('of many words is the command itself, at once', () => {
    const command = '/gradlew '.repeat(20_000) + ':'.repeat(20_000);
    const started = performance.now();
    expect(withReport(command)).toBe(command);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test.each(['python3 -m pytest -q', 'npm test', 'make check', 'env A=1 go test ./...', 'go test -v -json ./...'])(
    'of `%s` is the command itself',
    (command) => {
      expect(withReport(command)).toBe(command);
    },
  );
});

describe('the output of a hostile run', () => {
  // Catches: a pattern that looks through all lines that follow, from each line anew.
  test.each([
    ['100% tests passed, 0 tests failed out of 1', '\t\n'],
    ['Passed!  - Failed:     0, Passed:     1, Skipped:     0, Total:     1', ' Failed a [\n'],
  ])('of many lines after "%s" is read at once', (head, line) => {
    const started = performance.now();
    expect(parseTestOutput(`${head}\n${line.repeat(100_000)}`, ['/workspace']).parsed).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('the output of a run with a report', () => {
  test('is shown without the report, with what the other stream has', () => {
    const { text, reports } = splitReports(fixture('gcc-compile'));
    expect(text).toMatch(/^\[ 50%\] Building C object[\s\S]*‘c’ undeclared/u);
    expect(text).not.toContain('dewpoint-report');
    expect(reports).toHaveLength(1);
  });

  test('is taken apart at once, however many reports a program prints', () => {
    const output = '\u001edewpoint-report go\n{}\n\u001edewpoint-report end\n'.repeat(80_000);
    const started = performance.now();
    expect(splitReports(output).reports).toHaveLength(80_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('is shown up to the report while it comes, on each stream', () => {
    const shown: string[] = [];
    const show = untilReport((stream, bytes) => shown.push(`${stream} ${Buffer.from(bytes).toString()}`));
    const chunks = [
      ['stdout', 'a\n'],
      ['stdout', 'b\u001edewpoint'],
      ['stderr', 'c'],
      ['stdout', '-report go\n{}'],
    ] as const;
    for (const [stream, text] of chunks) show({ stream, bytes: Buffer.from(text) });
    expect(shown).toEqual(['stdout a\n', 'stdout b', 'stderr c']);
  });
});
