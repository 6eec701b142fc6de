import { afterEach, expect, test, vi } from 'vitest';
import { loadSyntax } from '../../src/main/recipes/code/code-syntax.ts';
import { createJudge } from '../../src/main/recipes/fix/judge/judge-candidate.ts';
import { readResults, variedTests, type ResultsByPlace } from '../../src/main/recipes/fix/outcome/varied-tests.ts';
import { makeHarness, type RecipeHarness } from '../main/recipes/fakes/recipe-context.ts';

// Real interpreters, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });

let harness: RecipeHarness | null = null;
afterEach(() => harness?.dispose());

/** The values observed for each of several texts of one file. */
async function seenOf(
  files: Readonly<Record<string, string>>,
  command: string,
  path: string,
  texts: readonly string[],
) {
  harness = await makeHarness({ files, task: 'Fix it.', command });
  const judge = await createJudge(harness.context, command);
  const paths = Object.keys(files).filter((one) => one.includes('test'));
  const tests = paths.map((one) => ({ path: one, text: files[one] ?? '' }));
  const varied = variedTests(await loadSyntax(), tests);
  if (judge === null || varied === null) throw new Error('nothing can be seen');
  const variants = texts.map((text) => [{ path, text }, ...varied.files]);
  const seen = (await judge.observe(variants, varied.command)).map((one) => readResults(one ?? ''));
  const left = await harness.context.world.run({
    command: `find ${judge.paths.trial} -name '.dewpoint*'`,
    label: '',
    timeoutMs: 20_000,
  });
  return { seen, left: left.stdout };
}

/** The values of each at the places that all reached. A busy machine may reach fewer. */
function shared(seen: readonly ResultsByPlace[]): readonly string[] {
  const places = [...(seen[0]?.keys() ?? [])].filter((place) => seen.every((one) => one.has(place)));
  expect(places.length).toBeGreaterThan(5);
  return seen.map((one) => places.map((place) => one.get(place)).join(' '));
}

const script = (body: string) => `export const clamp = (value) => ${body};\n`;
const python = (body: string) => `def clamp(value):\n    return ${body}\n`;

test.each([
  [
    'modules',
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { clamp } from './a.js';\n",
    script,
  ],
  [
    'CommonJS',
    "const assert = require('node:assert');\nconst { test } = require('node:test');\nconst { clamp } = require('./a.js');\n",
    (body: string) => `exports.clamp = (value) => ${body};\n`,
  ],
])('two functions that pass the same tests are told apart by other values, in %s', async (_, head, make) => {
  const files = {
    'package.json': head.startsWith('import') ? '{ "type": "module" }\n' : '{}\n',
    'a.js': make('value'),
    'a.test.js': `${head}test('is at most ten', () => {\n  assert.equal(clamp(12), 10);\n  assert.equal(clamp(3), 3);\n});\n`,
  };
  const texts = ['Math.min(value, 10)', 'value > 10 ? 10 : value', 'value === 12 ? 10 : value', 'value.no.such'].map(
    make,
  );
  const { seen, left } = await seenOf(files, 'node --test', 'a.js', texts);
  const [one, same, other, failing] = shared(seen);
  expect(same).toBe(one);
  expect(other).not.toBe(one);
  expect(failing).toMatch(/^!/);
  expect(left).toBe('');
});

test('the same in Python, with functions, classes, raised errors, fixtures and tables of cases', async () => {
  const files = {
    'a.py': python('value'),
    'test_a.py': [
      'import unittest\nimport pytest\nfrom a import clamp\n',
      'def test_at_most_ten():\n    assert clamp(12) == 10\n    assert [clamp(one) for one in [1, 2]] == [1, 2]\n',
      'def test_texts():\n    with pytest.raises(TypeError):\n        clamp("x")\n',
      '@pytest.fixture\ndef three():\n    yield 3\n',
      'def test_given(three, tmp_path):\n    assert clamp(three) == 3 and tmp_path.is_dir()\n',
      '@pytest.mark.parametrize("value, most", [(11, 10), (2, 2)])\ndef test_rows(value, most):\n    assert clamp(value) == most\n',
      'class Small(unittest.TestCase):\n    def test_small(self):\n        self.assertEqual(clamp(3), 3)\n',
    ].join('\n\n'),
  };
  const texts = ['min(value, 10)', '10 if value > 10 else value', '10 if value == 12 else value'].map(python);
  const { seen, left } = await seenOf(files, 'python3 -m pytest -q', 'a.py', texts);
  const [one, same, other] = shared(seen);
  // With the test's own values, no text ends in an error.
  const asItIs = [...(seen[0] ?? [])].filter(([place]) => / 0 \d+$/.test(place));
  expect(asItIs.map(([, digest]) => digest.startsWith('!'))).toEqual(Array.from({ length: 6 }, () => false));
  expect(same).toBe(one);
  expect(other).not.toBe(one);
  expect(left).toBe('');
});

test('tests that remove files or start programs are left alone', async () => {
  const syntax = await loadSyntax();
  const path = 'test_a.py';
  expect(variedTests(syntax, [{ path, text: 'import shutil\n\ndef test_a():\n    shutil.rmtree("x")\n' }])).toBeNull();
  expect(variedTests(syntax, [{ path: 'a.test.js', text: "import { test } from 'vitest';\n" }])).toBeNull();
});
