import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { beforeAll, describe, expect, test } from 'vitest';
import { findSpans } from '../../../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { reachOf } from '../../../../src/main/recipes/fix/locate/reach-of-tests.ts';
import { showFailingTests } from '../../../../src/main/recipes/fix/prompts/failing-tests.ts';
import { importsOf } from '../../../../src/main/recipes/facts/import-closure.ts';
import { findMissingNames } from '../../../../src/main/recipes/facts/missing-names.ts';
import type { TestFailure } from '../../../../src/main/lib/test-output/test-report.ts';
import { findInsertions, spliceInsertion } from '../../../../src/main/recipes/fix/locate/insertions.ts';
import { findMissingMembers } from '../../../../src/main/recipes/fix/locate/missing-members.ts';
import { rankSuspects, type Evidence } from '../../../../src/main/recipes/fix/locate/rank-suspects.ts';
import { overfitMarks } from '../../../../src/main/recipes/fix/outcome/overfit-marks.ts';
import { showFile } from '../../../../src/main/recipes/code/show-code.ts';
import { failingOnlyCommand, reportingCommand } from '../../../../src/main/recipes/trial/test-command.ts';
import {
  encodedPatch,
  keepScript,
  linePatch,
  readTrialOutput,
} from '../../../../src/main/recipes/trial/trial-script.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

const failing = (message: string, more: Partial<TestFailure> = {}): TestFailure => ({
  id: 'tests/test_a.py::test_a',
  path: 'tests/test_a.py',
  line: 3,
  errorName: null,
  message,
  frames: [],
  ...more,
});

describe('a missing name', () => {
  test.each([
    [
      "ImportError: cannot import name 'mul' from 'calc' (/w/calc.py)",
      { name: 'mul', kind: 'export', module: '/w/calc.py' },
    ],
    [
      "SyntaxError: The requested module './calc.js' does not provide an export named 'mul'",
      { name: 'mul', module: './calc.js' },
    ],
    ["AttributeError: 'Cart' object has no attribute 'total'", { name: 'total', kind: 'attribute', className: 'Cart' }],
    ['cart.total is not a function', { name: 'total', receiver: 'cart' }],
    [
      "TypeError: Order.__init__() got an unexpected keyword argument 'percent_off'",
      { name: '__init__', kind: 'parameter', className: 'Order' },
    ],
  ])('is read from %j', (message, wanted) => {
    expect(findMissingNames([failing(message)])[0]).toMatchObject(wanted);
  });

  test('is not read from a wrong value', () => {
    expect(findMissingNames([failing('assert 1 == 2')])).toEqual([]);
  });
});

test('new code is put at the end, before a main guard, and into CommonJS exports', () => {
  const python = 'import os\n\n\ndef a():\n    return 1\n\n\nif __name__ == "__main__":\n    a()\n';
  const insertion = { name: 'b', path: 'm.py', language: 'python', into: null, opening: '' } as const;
  expect(spliceInsertion(syntax, python, insertion, '```python\nimport re\n\ndef b():\n    return re\n```')).toEqual({
    ok: true,
    text: 'import os\nimport re\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return re\n\n\nif __name__ == "__main__":\n    a()\n',
  });
  const script = 'function a() {}\n\nmodule.exports = { a };\n';
  const result = spliceInsertion(
    syntax,
    script,
    { ...insertion, path: 'm.js', language: 'javascript' },
    '```js\nfunction b() {\n  return 2;\n}\n```',
  );
  expect(result.ok ? result.text : '').toContain('module.exports = { a, b };');
});

test('a missing method is added to the class that the test creates', () => {
  const text = 'export class Cart {\n  add() {}\n}\n';
  const file = {
    path: 'cart.js',
    language: 'javascript',
    text,
    spans: findSpans(syntax, { path: 'cart.js', language: 'javascript', text }),
  } as const;
  const missing = findMissingNames([failing('cart.total is not a function')]);
  const inHelper = 'const setUp = () => new Cart();\ncart.total()';
  for (const [names, tests] of [
    [['Cart'], 'cart.total()'],
    [['setUp'], inHelper],
  ] as const) {
    const [insertion] = findInsertions(missing, [file], { names: new Set(names), text: tests, task: '', roots: [] });
    expect([insertion?.into?.name, insertion?.opening]).toEqual(['Cart', 'total() {\n']);
  }
});

test('a missing function gets the parameters in the task, or those of its calls', () => {
  const opened = ([path, text]: readonly [string, string], message: string, task: string, tests = '') => {
    const language = languageOf(path) ?? 'python';
    const file = { path, language, text, spans: findSpans(syntax, { path, language, text }) };
    const wanted = { names: new Set(['Summary', 'Playlist']), text: tests, task, roots: [] };
    return findInsertions(findMissingNames([failing(message)]), [file], wanted)[0]?.opening;
  };
  const playlist = 'export class Playlist {\n  add() {}\n}\n';
  const noMove = 'list.move is not a function';
  expect(opened(['m.js', playlist], noMove, 'add move(from, to)', 'list.move(1, 3)')).toBe('move(from, to) {\n');
  expect(opened(['m.js', playlist], noMove, 'add it', 'list.move(1, 3);')).toBe('move(first, second) {\n');
  expect(opened(['m.js', playlist], noMove, 'add it', 'list.move(1);list.move();')).toBe('move(');
  const summary =
    'class Summary:\n    def add(self, value):\n        pass\n\n\ndef week(days):\n    for day in days:\n        total.merge(day)\n';
  // Only the module calls it, and not the test. It is a method, not a property.
  const noMerge = "AttributeError: 'Summary' object has no attribute 'merge'";
  expect(opened(['m.py', summary], noMerge, 'add Summary.merge', 'week([])')).toBe('def merge(self, day):\n');
  expect(opened(['m.py', summary], noMerge, 'add merge(self, other)', '')).toBe('def merge(self, other):\n');
  expect(opened(['m.py', 'def a():\n    pass\n'], "NameError: name 'b' is not defined", 'b', 'b(1, 2) == 3')).toBe(
    'def b(first, second):\n',
  );
});

describe('the ranking of suspects', () => {
  const text = 'def a(x):\n    return b(x)\n\n\ndef b(x):\n    return x / 0\n\n\ndef c(x):\n    return x\n';
  const files = () => [
    {
      path: 'm.py',
      language: 'python',
      text,
      spans: findSpans(syntax, { path: 'm.py', language: 'python', text }),
    } as const,
  ];
  const evidence: Evidence = {
    failures: [],
    coverage: null,
    testNames: new Set(),
    task: '',
    distance: new Map(),
    missing: [],
    reach: null,
  };
  const names = (more: Partial<Evidence>) =>
    rankSuspects(files(), { ...evidence, ...more }).map((one) => one.span.name);

  test('puts what only failing tests execute first, and unexecuted code last', () => {
    const lines = new Map([
      [
        'm.py',
        new Map([
          [2, 0.5],
          [6, 1],
        ]),
      ],
    ]);
    expect(names({ coverage: { lines }, testNames: new Set(['a', 'c']) })).toEqual(['b', 'a', 'c']);
  });

  test('puts the callee of a wrong argument first, though no test runs it', () => {
    const shop =
      'class Order:\n    items: list\n\n    def total(self):\n        return price(self.items)\n\n\ndef price(items):\n    return len(items)\n';
    const file = { path: 'm.py', language: 'python', text: shop } as const;
    const spans = findSpans(syntax, file);
    const said = ['TypeError: Order.__init__() got an unexpected keyword argument', "'percent_off'"].join(' ');
    const firstFor = (message: string) => {
      const missing = findMissingMembers(findMissingNames([failing(message)]), 'order.renewals == order.total()');
      const [first] = rankSuspects([{ ...file, spans }], { ...evidence, missing, testNames: new Set(['price']) });
      return [first?.span.name, first?.isMissing];
    };
    expect(firstFor(said)).toEqual(['Order', true]);
    expect(firstFor(said.replace('Order.__init__', 'Order.total'))).toEqual(['Order.total', true]);
    // A name that is read from an object is a field of its class. A name that is called is new code.
    expect(firstFor("AttributeError: 'Order' object has no attribute 'renewals'")).toEqual(['Order', true]);
    expect(firstFor("AttributeError: 'Order' object has no attribute 'total'")).toEqual(['price', false]);
  });

  test('puts what the task names first', () => {
    expect(names({ testNames: new Set(['c']), task: 'c is wrong' })).toEqual(['c']);
  });

  test('follows the names from the test to the function behind, when no run says what is executed', () => {
    const tests = [{ path: 'test_m.py', text: 'def test_a():\n    assert a(1) == 2', names: new Set(['test_a', 'a']) }];
    const reach = reachOf({ files: files(), helpers: [], tests, task: '' });
    expect(names({ reach, testNames: new Set(['a']) })).toEqual(['a', 'b', 'c']);
    // Without it, only what the test names itself is a suspect.
    expect(names({ testNames: new Set(['a']) })).toEqual(['a']);
  });
});

describe('the failing tests in a file', () => {
  const shown = (path: string, text: string, id: string) =>
    showFailingTests(syntax, { path, text }, [{ ...failing(''), id, path }], 400).first;

  test('are found inside another test, and by a name with a period', () => {
    const text =
      "test('parse()', (t) => {\n  t.test('reads a.b', (st) => {\n    st.equal(parse('a.b'), 1);\n  });\n  t.test('b', (st) => {\n    st.end();\n  });\n});\n";
    expect(shown('test/parse.js', text, 'test/parse.js::reads a.b')).toMatch(/^t\.test\('reads a\.b'/);
    expect(shown('test/parse.js', text, 'test/parse.js::parse()')).toMatch(/^test\('parse\(\)'/);
  });
});

test('imports are followed to the files of the project', () => {
  const files = new Set(['pkg/a.py', 'pkg/b.py', 'pkg/__init__.py', 'src/x.js', 'src/y/index.js', 'lib.py']);
  expect(
    importsOf('tests/test_a.py', 'import os\nfrom pkg.a import run\nfrom pkg import b\nimport lib\n', files),
  ).toEqual(['pkg/a.py', 'pkg/__init__.py', 'pkg/b.py', 'lib.py']);
  expect(
    importsOf(
      'test/x.test.js',
      "import { x } from '../src/x.js';\nconst y = require('../src/y');\nimport fs from 'node:fs';",
      files,
    ),
  ).toEqual(['src/x.js', 'src/y/index.js']);
  expect(
    importsOf(
      'src/page.test.tsx',
      "import { Cart } from './cart';\nimport { Row } from './row.js';\nimport '../lib/list';\nimport './old.jsx';",
      new Set(['src/cart.tsx', 'src/row.tsx', 'lib/list/index.tsx', 'src/old.tsx']),
    ),
  ).toEqual(['src/cart.tsx', 'src/row.tsx', 'lib/list/index.tsx', 'src/old.tsx']);
});

test('a change that fits only the test is marked', () => {
  const before = 'def f(x):\n    return x\n';
  const marks = (after: string) =>
    overfitMarks(before, after, 'assert f("hello there") == "Good day to you"\nassert f(1234) == 5678').length;
  expect(marks('def f(x):\n    return x + 1\n')).toBe(0);
  expect(marks('def f(x):\n    return "Good day to you"\n')).toBeGreaterThan(0);
  expect(marks('def f(x):\n    if x == 1234:\n        return 5\n    return x\n')).toBeGreaterThan(0);
  expect(marks('def f(x):\n    try:\n        return x\n    except Exception:\n        pass\n')).toBeGreaterThan(0);
});

test('a rewrite that drops an error it raised or handled is marked', () => {
  const before = 'def f(x):\n    try:\n        return int(x)\n    except ValueError:\n        raise Bad(x)\n';
  const kept = before.replace('int(x)', 'int(x.strip())');
  expect(overfitMarks(before, kept, '')).toEqual([]);
  expect(overfitMarks(before, 'def f(x):\n    return int(x.strip())\n', '')).toHaveLength(1);
});

test('a test run contains only the failing tests if the runner allows it', () => {
  const failures = [failing('x')];
  expect(failingOnlyCommand('python3 -m pytest -q', failures)).toEqual({ pytest: ['-q', 'tests/test_a.py::test_a'] });
  expect(failingOnlyCommand('node --test', [failing('x', { path: 'a b.test.js' })])).toBe("node 'a b.test.js'");
  expect(failingOnlyCommand('make check', failures)).toBeNull();
  expect(reportingCommand('python3 -m unittest tests.test_a')).toBe('python3 -m unittest -v tests.test_a');
});

// Bug: before `discover`, unittest takes -v for a name, and then knows no -s.
test('a discovery of unittest reports and selects in its own form', () => {
  const discovery = 'python3 -m unittest discover -s tests';
  expect(reportingCommand(discovery)).toBe('python3 -m unittest discover -v -s tests');
  expect(reportingCommand('python3 -m unittest discover -v -s tests')).toBe('python3 -m unittest discover -v -s tests');
  expect(reportingCommand('python3 -m unittest')).toBe('python3 -m unittest -v');
  expect(failingOnlyCommand(discovery, [failing('x', { id: 'test_a.A.test_b' })])).toBe(
    "python3 -m unittest discover -v -s tests -k 'test_a.A.test_b'",
  );
  expect(failingOnlyCommand(`${discovery} -t .`, [failing('x', { id: 'tests.test_a.A.test_b' })])).toBe(
    "python3 -m unittest -v 'tests.test_a.A.test_b'",
  );
});

test('a trial script carries only the changed lines, and its output can be read', () => {
  expect(linePatch('a\nb\nc\n', { path: 'x', text: 'a\nB\nB2\nc\n' })).toEqual({
    path: 'x',
    headLines: 1,
    tailFrom: 3,
    middle: ['B', 'B2'],
  });
  expect(readTrialOutput('@@dewpoint 0 0 1 120\nfailed\n\n@@dewpoint 1 check 0 5\n\n@@dewpoint end\n')).toEqual([
    { candidate: 0, phase: 0, exitCode: 1, durationMs: 120, output: 'failed' },
    { candidate: 1, phase: 'check', exitCode: 0, durationMs: 5, output: '' },
  ]);
});

test('a trial script keeps the encoding of a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trial-'));
  try {
    const old = '# 价格\nx = 1\ny = 2\n';
    const fresh = '# 价格\nx = "价"\ny = 2\n';
    for (const [label, mark] of [
      ['gbk', ''],
      ['utf-16le', '\uFEFF'],
    ] as const) {
      const bytesOf = (text: string): Buffer => iconv.encode(text, label, { addBOM: false });
      const paths = { trial: join(folder, label), workFolder: join(folder, `${label}-work`) };
      await mkdir(join(paths.workFolder, 'base'), { recursive: true });
      await mkdir(paths.trial);
      await writeFile(join(paths.trial, 'x'), bytesOf(mark + old));
      const file = { path: 'x', text: mark + fresh };
      const patch = encodedPatch(linePatch(mark + old, file), file, (_path, text) => bytesOf(text));
      execFileSync('bash', ['-c', keepScript([patch], paths)]);
      expect(await readFile(join(paths.trial, 'x'))).toEqual(bytesOf(mark + fresh));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a long file is shown as an outline around the wanted part', () => {
  const body = Array.from({ length: 30 }, (_, index) => `    step_${index}()`).join('\n');
  const text = `def a():\n${body}\n\n\ndef b():\n    return 1\n`;
  const spans = findSpans(syntax, { path: 'm.py', language: 'python', text });
  const shown = showFile(
    text,
    spans,
    spans.filter((span) => span.name === 'b'),
    60,
  );
  expect(shown).toBe('def a():\n    # ...\n\n\ndef b():\n    return 1');
});
