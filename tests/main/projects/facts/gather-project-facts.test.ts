import { describe, expect, it } from 'vitest';
import { gatherFacts } from '../../../../src/main/projects/facts/gather-project-facts.ts';
import type { ProjectFacts } from '../../../../src/main/projects/facts/project-facts.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const factsOf = (files: Readonly<Record<string, string>>): Promise<ProjectFacts> =>
  gatherFacts(createMemorySandbox({ files }).files, new AbortController().signal);

describe('the reader of project facts', () => {
  it('separates sources from tests, and finds the instructions, nearest first', async () => {
    const facts = await factsOf({
      'src/a.ts': 'x',
      'src/a.test.ts': 'y',
      'lib/b.py': 'long python text',
      'tests/test_b.py': 'def test_b(): pass',
      'docs/AGENTS.md': 'there',
      'CLAUDE.md': 'here too',
      'AGENTS.md': 'here',
    });
    expect(facts).toMatchObject({
      fileCount: 7,
      sourceFiles: ['lib/b.py', 'src/a.ts'],
      testFiles: ['src/a.test.ts', 'tests/test_b.py'],
      instructionFiles: ['AGENTS.md', 'CLAUDE.md'],
      folderInstructions: ['docs/AGENTS.md'],
      truncated: false,
    });
    expect(facts.languages[0]).toMatchObject({ language: 'python', files: 2 });
  });

  it('names the files that are neither source nor test where they are few', async () => {
    expect((await factsOf({ 'notes.txt': 'x', 'a.py': 'y' })).otherFiles).toEqual(['notes.txt']);
    const pages = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`${at}.txt`, 'x']));
    expect(await factsOf(pages)).not.toHaveProperty('otherFiles');
  });

  it.each([
    ['pytest functions', { 'a.py': '', 'test_a.py': 'def test_a():\n    pass\n' }, 'python3 -m pytest -q', 'pytest'],
    [
      'a pytest section',
      { 'pyproject.toml': '[tool.pytest.ini_options]', 'tests/test_a.py': 'import unittest' },
      'python3 -m pytest -q',
      'pytest',
    ],
    [
      'no table of pytest in a text',
      { 'pyproject.toml': 'a = """\n[tool.pytest]\n"""', 'tests/test_a.py': 'import unittest' },
      'python3 -m unittest discover -s tests',
      'unittest',
    ],
    [
      'unittest in a package',
      { 'tests/test_a.py': 'import unittest\nclass A(unittest.TestCase): ...', 'tests/__init__.py': '' },
      'python3 -m unittest discover -s tests -t .',
      'unittest',
    ],
    [
      // Bug: unittest takes no folder without __init__.py below another one.
      'unittest in a folder that is no package, with another repository below',
      { 'tests/test_a.py': 'import unittest', 'sub/tests/test_b.py': 'import unittest' },
      'python3 -m unittest discover -s tests',
      'unittest',
    ],
    ['a plain node script', { 'package.json': '{"scripts": {"test": "node --test"}}' }, 'node --test', 'node-test'],
    [
      'another npm script',
      { 'package.json': '{"scripts": {"test": "vitest run && echo ok"}}' },
      'npm test --silent',
      'npm',
    ],
    [
      'a folder, which newer versions of node take for a module',
      { 'package.json': '{"scripts": {"test": "node --test ./test/ --test-timeout=9"}}', 'test/a.js': '' },
      'node --test "test/**/*.{js,cjs,mjs,ts,cts,mts}" --test-timeout=9',
      'node-test',
    ],
    ['tests of node without a script', { 'a.js': '', 'test/a.test.js': '' }, 'node --test', 'node-test'],
  ])('finds the test command by %s', async (_how, files, command, runner) => {
    expect((await factsOf(files)).test).toMatchObject({ command, runner });
  });

  it.each([
    ['no tests', { 'a.py': '' }],
    [
      'the placeholder of npm init',
      { 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' },
    ],
    ['a broken package.json', { 'package.json': '{"scripts":' }],
    ['an empty folder', {}],
  ])('finds no test command with %s', async (_how, files) => {
    expect((await factsOf(files)).test).toBeNull();
  });

  it.each([
    ['a script', { 'package.json': '{"scripts": {"lint": "eslint --fix ."}}', '.flake8': '' }, 'npm'],
    ['a table of ruff', { 'pyproject.toml': '[project]\nname = "a"\n[tool.ruff.lint]\n' }, 'ruff'],
    ['a section of flake8', { 'setup.cfg': '[metadata]\n[flake8]\n' }, 'flake8'],
    ['nothing', { 'package.json': '{"scripts": {}}', 'pyproject.toml': '[project]\n', 'setup.cfg': '' }, undefined],
  ])('finds the linter of a project by %s', async (_how, files, runner) => {
    expect((await factsOf(files)).lint?.runner).toBe(runner);
  });

  it('accepts names in other scripts, with spaces, quotes and newlines', async () => {
    const names = ['данные/файл.py', 'it\'s "odd".py', 'a b/c d.py', 'new\nline.py', '数据.js'];
    const facts = await factsOf(Object.fromEntries(names.map((name) => [name, 'x'])));
    expect([...facts.sourceFiles].sort()).toEqual([...names].sort());
  });
});
