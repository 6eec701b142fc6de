import { describe, expect, it } from 'vitest';
import type { NewFile, ToolContext } from '../../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { editNotebook } from '../../../../src/main/tools/edits/edit-notebook.ts';

const notebook = {
  cells: [
    { cell_type: 'markdown', id: 'a1', metadata: {}, source: ['# Plan\n', 'Sum "all" \\ rows'] },
    {
      cell_type: 'code',
      execution_count: 3,
      id: 'b2',
      metadata: {},
      outputs: [{ output_type: 'stream', name: 'stdout', text: ['total = 1\n'] }],
      source: ['total = 1\n', 'print(total)'],
    },
    { cell_type: 'code', execution_count: null, id: 'c3', metadata: {}, outputs: [], source: ['x = 1\n', 'x = 1'] },
    { cell_type: 'code', execution_count: null, id: 'd4', metadata: {}, outputs: [], source: 'y = 2' },
  ],
  metadata: { kernelspec: { name: 'python3' } },
  nbformat: 4,
  nbformat_minor: 5,
};
const file = `${JSON.stringify(notebook, null, 1)}\n`;
const edit = (old: string, fresh: string, text = file) => editNotebook(text, { old, new: fresh, everywhere: false });

/** The file with some of its text replaced by hand: nothing else may differ. */
const expected = (old: string, fresh: string): string => file.replace(old, () => fresh);

describe('an edit of a notebook', () => {
  it('changes the source of one cell and no other byte', () => {
    expect(edit('total = 1', 'total = 2')).toMatchObject({
      type: 'applied',
      cell: 2,
      line: 1,
      text: expected('"total = 1\\n",\n    "print', '"total = 2\\n",\n    "print'),
    });
    expect(edit('Sum "all" \\ rows', 'Sum «some»')).toMatchObject({
      text: expected('"Sum \\"all\\" \\\\ rows"', '"Sum \\u00absome\\u00bb"'),
    });
    expect(edit('y = 2', 'y = 3\nz = 4')).toMatchObject({ cell: 4, text: expected('"y = 2"', '"y = 3\\nz = 4"') });
  });

  it('takes lines with the mark and the line numbers of read_file', () => {
    const shown = '[Cell 2 of 4: code]\ntotal = 1\nprint(total)';
    const text = expected('"print(total)"', '"print(total + 1)"');
    expect(edit(shown, '[Cell 2 of 4: code]\ntotal = 1\nprint(total + 1)')).toMatchObject({ cell: 2, text });
    expect(edit('12: total = 1\n13: print(total)', '12: total = 1\n13: print(total + 1)')).toMatchObject({ text });
  });

  it('adds a cell after another where the new text has its mark', () => {
    const added = edit('y = 2', 'y = 2\n\n[Cell: markdown]\n# Next\n[Cell: code]\nprint(y)\n');
    expect(added).toMatchObject({ type: 'applied', cell: 4, added: 2 });
    const text = added?.type === 'applied' ? added.text : '';
    const cells: unknown = JSON.parse(text).cells;
    expect(cells).toMatchObject([
      ...notebook.cells,
      { cell_type: 'markdown', metadata: {}, source: ['# Next'] },
      { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['print(y)'] },
    ]);
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 1)}\n`);
  });

  it('is refused where the text is in no cell, in several, or twice in one', () => {
    expect(edit('nowhere', 'x')).toMatchObject({ type: 'refused', reason: 'not-found' });
    expect(edit('x = 1', 'x = 2')).toMatchObject({ type: 'refused', reason: 'ambiguous' });
    const twice = JSON.stringify({ cells: [notebook.cells[1], notebook.cells[1]] });
    expect(edit('print(total)', 'pass', twice)).toMatchObject({ type: 'refused', reason: 'ambiguous' });
    expect(edit('kernelspec', 'x')).toMatchObject({ type: 'refused', reason: 'not-found' });
    expect(edit('y = 2', 'y = 2')).toMatchObject({ type: 'refused', reason: 'same' });
  });

  it('keeps letters as they are where the file has them so', () => {
    const own = JSON.stringify({ cells: [{ cell_type: 'code', source: ['s = "é"\n'] }] });
    expect(edit('s = "é"', 's = "ü😀"', own)).toMatchObject({ text: own.replace('é', 'ü😀') });
    const ascii = own.replace('é', '\\u00e9');
    expect(edit('é', '😀', ascii)).toMatchObject({ text: ascii.replace('\\u00e9', '\\ud83d\\ude00') });
  });

  it('is one of plain text where the file is no notebook', () => {
    expect(edit('a', 'b', '{"a": 1}')).toBeNull();
    expect(edit('a', 'b', 'a')).toBeNull();
  });
});

describe('the edit_file tool on a notebook', () => {
  it('hands one change of the file on, and names the cell', async () => {
    const changed: NewFile[] = [];
    const tool = builtInTools(discoverTools(), { now: () => 0 }).find(({ name }) => name === 'edit_file');
    const context = {
      sandbox: createMemorySandbox({ files: { 'a.ipynb': Buffer.from(file) } }),
      signal: new AbortController().signal,
      files: {
        lastRead: () => undefined,
        noteRead: () => undefined,
        change: async (files: readonly NewFile[]) => {
          changed.push(...files);
          return null;
        },
      },
    } as unknown as ToolContext;
    const result = await tool?.run({ path: 'a.ipynb', old: 'print(total)', new: 'print(total)\ntotal' }, context);
    expect(result?.output).toBe('Edited a.ipynb in cell 2, at line 2.');
    const text = expected('"print(total)"', '"print(total)\\n",\n    "total"');
    expect(changed.map(({ path, bytes }) => [path, Buffer.from(bytes ?? []).toString()])).toEqual([['a.ipynb', text]]);
  });
});
