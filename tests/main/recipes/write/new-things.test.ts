import { afterEach, describe, expect, test } from 'vitest';
import edit from '../../../../src/main/recipes/edit.recipe.ts';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { kindOfNewFile } from '../../../../src/main/recipes/write/new-file-name.ts';
import { newFileIn, newFileText, wholeParagraphs } from '../../../../src/main/recipes/write/new-file.ts';
import { testsIn, withoutTests } from '../../../../src/main/recipes/write/new-tests.ts';
import { asksForNewTests } from '../../../../src/shared/text/task-kind.ts';
import write from '../../../../src/main/recipes/write.recipe.ts';
import { makeHarness, type RecipeHarness } from '../fakes/recipe-context.ts';

const harnesses: RecipeHarness[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.dispose();
});

const files = { 'cart.py': 'def total(items):\n    return sum(items)\n', 'README.md': '# Cart\n\nAdds up.\n' };

async function harnessOf(task: string, answers: readonly string[]): Promise<RecipeHarness> {
  let asked = 0;
  const answer = (): string | null => answers[(asked += 1) - 1] ?? null;
  const harness = await makeHarness({ files, task, command: null, answer });
  harnesses.push(harness);
  return harness;
}

describe('a file to create', () => {
  test.each([
    ['Create a file hello.py that prints hello', 'hello.py'],
    ['add a script named `tools/clean.sh`', 'tools/clean.sh'],
    ['Please write a Dockerfile for this app.', 'Dockerfile'],
    ['make a new module src/money/round.ts with one function', 'src/money/round.ts'],
  ])('is named in %j', (task, path) => {
    expect(newFileIn(task)).toBe(path);
  });

  test.each(['Fix total in cart.py', 'Add a flag', 'Write ../out.py', 'Why is cart.py slow?'])(
    'is not named in %j',
    (task) => {
      expect(newFileIn(task)).toBeNull();
    },
  );

  test('is written, and asked for again when it does not parse', async () => {
    const harness = await harnessOf('Create a file hello.py that prints hello', [
      '```python\nprint("hello\n```',
      '```python\nprint("hello")\n```',
    ]);
    expect(write.fits(harness.context)?.score).toBeGreaterThan(edit.fits(harness.context)?.score ?? 0);
    expect(await write.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('hello.py')).toBe('print("hello")\n');
  });

  test('is extended when it exists', async () => {
    const harness = await harnessOf('Add a README.md line about prices', [
      '# Cart\n\nAdds up.\n\nPrices are in cents.',
    ]);
    expect(await write.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('README.md')).toBe('# Cart\n\nAdds up.\n\nPrices are in cents.\n');
    const lost = await harnessOf('Add a README.md line about prices', ['Prices\n\nThey are in cents.']);
    expect(await write.run(lost.context)).toMatchObject({ type: 'gave-up' });
    expect(await lost.text('README.md')).toBe(files['README.md']);
  });

  test('is refused when the answer has another kind', async () => {
    const syntax = await loadSyntax();
    expect(newFileText(syntax, 'a.json', '```json\n{"a": }\n```')).toBeNull();
    expect(newFileText(syntax, 'a.md', '```markdown\n# A\n\n```js\nx\n```\n```')).toBe('# A\n\n```js\nx\n```\n');
  });
});

describe('a file to create without a name', () => {
  const empty = { fileCount: 0, sourceFiles: [] };
  const some = { fileCount: 2, sourceFiles: ['src/a.ts'] };

  test.each([
    ['Write a Python script that prints the first 20 Fibonacci numbers', empty, 'py'],
    ['Make a small web page with a button', some, 'html'],
    ['Baue eine Webseite mit einem Knopf', empty, 'html'],
    ['I want a command line tool that counts words', some, 'ts'],
    ['A list of what I need for camping', empty, 'md'],
    ['Make the page wider', some, null],
    ['Add a button to the page', some, null],
    ['Write a test for the script', some, null],
  ])('in %j gets the right kind', (task, facts, kind) => {
    const rest = { languages: [], testFiles: [], test: null, instructionFiles: [], git: false, truncated: false };
    expect(kindOfNewFile({ task, facts: { ...rest, ...facts } })).toBe(kind);
  });

  test('gets a free name, is run once, and is written again after a crash', async () => {
    const harness = await makeHarness({
      files: { 'squares.py': 'x = 1\n' },
      task: 'Write a Python script that prints three squares',
      command: null,
      answer: ({ purpose, temperature }) => {
        if (purpose === 'choose') return '`squares.py`';
        return temperature === 0
          ? '```python\nprint(square(3))\n```'
          : '```python\nprint([n * n for n in range(1, 4)])\n```';
      },
    });
    harnesses.push(harness);
    const outcome = await write.run(harness.context);
    expect(outcome.type === 'done' ? outcome.text : '').toContain('Run once in a copy, it printed:\n\n```\n[1, 4, 9]');
    expect(await harness.text('squares-2.py')).toBe('print([n * n for n in range(1, 4)])\n');
    expect(await harness.text('squares.py')).toBe('x = 1\n');
  });
});

describe('a new section of a document', () => {
  test('is put at its end, and the rest stays', async () => {
    const harness = await harnessOf('Add a usage section to the README', ['##  Usage\n\n```python\ntotal([1])\n```']);
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('README.md')).toBe('# Cart\n\nAdds up.\n\n## Usage\n\n```python\ntotal([1])\n```\n');
    expect(harness.questions[0]?.user).toContain('def total(items)');
  });

  test('is cut after its last whole paragraph', () => {
    expect(wholeParagraphs('## A\n\nOne.\n\n```js\nx', false)).toBe('## A\n\nOne.');
    expect(wholeParagraphs('## A\n\n```js\nx\n\ny', false)).toBe('## A');
  });
});

describe('a request for new tests', () => {
  test.each([
    ['Write a test for total', true],
    ['add some missing unit tests', true],
    ['Make the tests pass', false],
    ['Fix the failing test', false],
  ])('is seen in %j: %s', (task, is) => {
    expect(asksForNewTests(task)).toBe(is);
  });

  test('gets the whole tests of a cut answer, which can be removed one by one', async () => {
    const syntax = await loadSyntax();
    const answer =
      '```python\nfrom cart import total\n\n\ndef test_none():\n    assert total([]) == 0\n\n\ndef test_one():\n    assert total([1]) == 1\n\n\ndef test_cut():\n    assert total([1,';
    const found = testsIn(syntax, 'python', answer);
    expect(found?.tests.map(({ name }) => name)).toEqual(['test_none', 'test_one']);
    const left = withoutTests(found?.text ?? '', found?.tests.slice(0, 1) ?? []);
    expect(left).toBe('from cart import total\n\n\ndef test_one():\n    assert total([1]) == 1\n');
  });
});
