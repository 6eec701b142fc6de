import { describe, expect, it } from 'vitest';
import { readNotebook, withOutputs } from '../../../../src/main/tools/edits/notebook-outputs.ts';

const printed = { name: 'stdout', output_type: 'stream', text: ['ü "1"\n'] };
const notebook = {
  cells: [
    { cell_type: 'markdown', id: 'a', metadata: {}, source: ['# A\n', 'b'] },
    { cell_type: 'code', execution_count: null, id: 'b', metadata: {}, outputs: [], source: ['1'] },
    {
      cell_type: 'code',
      execution_count: 9,
      id: 'c',
      metadata: { tags: ['raises-exception'] },
      outputs: [{ ...printed, text: ['old\n'] }],
      source: 'x = 1\nx',
    },
  ],
  metadata: { kernelspec: { language: 'python', name: 'python3' } },
  nbformat: 4,
  nbformat_minor: 5,
};
const ran = [{ number: 3, count: 2, outputs: [printed] }];
/** The notebook with those outputs, made by hand. */
const after = {
  ...notebook,
  cells: notebook.cells.map((cell, index) =>
    index === 2 ? { ...cell, execution_count: 2, outputs: [printed] } : cell,
  ),
};

describe('a notebook that is run', () => {
  it('has its cells in order, and says which kernel it needs', () => {
    expect(readNotebook(JSON.stringify(notebook))).toEqual({
      kernel: 'python3',
      language: 'python',
      isPython: true,
      cells: [
        { number: 1, isCode: false, mayFail: false, source: '# A\nb' },
        { number: 2, isCode: true, mayFail: false, source: '1' },
        { number: 3, isCode: true, mayFail: true, source: 'x = 1\nx' },
      ],
    });
    const julia = { cells: [], metadata: { kernelspec: { name: 'julia-1.10', language: 'julia' } } };
    expect(readNotebook(JSON.stringify(julia))).toMatchObject({ isPython: false, kernel: 'julia-1.10' });
    for (const other of ['', '[]', '{"cells": 1}', '{"cells": [{}]}', '{"worksheets": []}'])
      expect(readNotebook(other), other).toBeNull();
  });

  it.each([
    ['as Jupyter writes it', (value: unknown) => `${JSON.stringify(value, null, 1)}\n`],
    ['with tabs', (value: unknown) => JSON.stringify(value, null, '\t')],
    ['without lines', (value: unknown) => JSON.stringify(value)],
  ])('gets new outputs and no other byte changes: %s', (_form, write) => {
    // The letter keeps the file from counting as one of escapes.
    const own = (value: unknown): string => write(value).replace('# A', '# Ä');
    expect(withOutputs(own(notebook), ran)).toBe(own(after));
    expect(withOutputs(own(notebook), [])).toBe(own(notebook));
  });

  it('keeps letters as escapes where the file has them so, and gets the fields that a cell lacks', () => {
    expect(withOutputs(JSON.stringify(notebook), ran)).toContain('"\\u00fc \\"1\\"\\n"');
    const bare = JSON.stringify({ cells: [{ cell_type: 'code', source: '1' }] }, null, 2);
    const filled: unknown = JSON.parse(withOutputs(bare, [{ number: 1, count: 1, outputs: [printed] }]));
    expect(filled).toEqual({ cells: [{ cell_type: 'code', source: '1', execution_count: 1, outputs: [printed] }] });
  });
});
