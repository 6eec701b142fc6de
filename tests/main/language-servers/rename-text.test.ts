import { describe, expect, it } from 'vitest';
import { findName } from '../../../src/main/language-servers/find-name.ts';
import { renamedText } from '../../../src/main/language-servers/rename-text.ts';
import { pathOf, uriOf } from '../../../src/main/language-servers/workspace-uri.ts';

const at = (line: number, from: number, to: number, newText: string) => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
});
const names = { name: 'total', newName: 'totals' };

describe('the text after a rename', () => {
  it('has the new name, also where a language needs both', () => {
    const text = "const bill = { total };\r\nbill['total'];\n";
    const edits = [at(1, 5, 12, "'totals'"), at(0, 15, 20, 'total: totals')];
    expect(renamedText(text, edits, names)).toBe("const bill = { total: totals };\r\nbill['totals'];\n");
  });

  it.each([
    ['outside of the text', [at(9, 0, 5, 'totals')]],
    ['past the end of a line', [at(0, 0, 900, 'totals')]],
    ['over each other', [at(0, 0, 5, 'totals'), at(0, 3, 5, 'totals')]],
    ['of something else', [at(0, 6, 9, 'totals')]],
    ['with a line more', [at(0, 0, 5, 'totals\nimport os')]],
    ['with a call', [at(0, 0, 5, 'totals()')]],
    ['backwards', [at(0, 5, 0, 'totals')]],
  ])('is none for edits %s', (_what, edits) => {
    expect(renamedText('total one\n', edits, names)).toBeNull();
  });
});

describe('a text that is nearly a rename', () => {
  // Catches: a pattern that tries every way to divide it, which takes years.
  it.each([
    ['as', 'as '.repeat(70)],
    ["'", "'".repeat(200)],
  ])('of %s is refused at once', (name, text) => {
    const started = performance.now();
    const newName = 'x'.repeat(200);
    expect(renamedText(`${text}!`, [at(0, 0, text.length + 1, newName)], { name, newName })).toBeNull();
    expect(renamedText(name, [at(0, 0, name.length, `${text}!`)], { name, newName })).toBeNull();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('the place of a name', () => {
  const text = '# total\nsubtotal = 1\n\ndef total():\n    return 𝒳, total\n';

  it('is its definition, or the line that is nearest to the one that was named', () => {
    expect(findName(text, 'total', null)).toEqual({ line: 3, character: 4 });
    expect(findName(text, 'total', 5)).toEqual({ line: 4, character: 15 });
    expect(findName(text, 'total', 2)).toEqual({ line: 0, character: 2 });
  });

  it('is said with the lines that have it when the line is wrong', () => {
    expect(findName(text, 'total', 90)).toBe('total does not stand in line 90. It stands in line 1, 4, 5.');
    expect(findName(text, 'sum', null)).toBe('The name sum does not stand in the file.');
    expect(findName(text, 'tot.l', null)).toBe('The name tot.l does not stand in the file.');
  });
});

describe('the address of a file', () => {
  it('leads back to the path, whatever letters it has', () => {
    for (const path of ['a b/ü#?.py', 'x%20y.ts', '日本.py'])
      expect(pathOf('/workspace', uriOf('/workspace', path))).toBe(path);
  });

  it.each([
    'file:///etc/passwd',
    'file:///workspace/../etc/passwd',
    'file:///workspace/%2e%2e/etc/passwd',
    'file:///workspace',
    'file:///workspace2/a.py',
    'file://host/workspace/a.py',
    'file:///workspace/a%00.py',
    'file:///workspace/%E0%A4%A',
    'https://example.org/workspace/a.py',
    7,
  ])('leads nowhere if it is no file of the workspace (%s)', (uri) => {
    expect(pathOf('/workspace', uri)).toBeNull();
  });
});
