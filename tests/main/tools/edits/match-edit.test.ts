import { describe, expect, it } from 'vitest';
import { applyEdit } from '../../../../src/main/tools/edits/match-edit.ts';

const file = [
  'def add(a, b):',
  "    name = 'x'",
  '    return a - b',
  '',
  'def sub(a, b):',
  '    return a - b',
  '',
].join('\n');

describe('the matching of an edit', () => {
  it('replaces text that occurs exactly once', () => {
    expect(applyEdit('a\nb\nc\n', 'b', 'B')).toEqual({ type: 'applied', text: 'a\nB\nc\n', line: 2, how: [] });
  });

  it('refuses text that occurs several times, and names the lines', () => {
    expect(applyEdit(file, '    return a - b', '    return a + b')).toMatchObject({
      type: 'refused',
      reason: 'ambiguous',
      message: expect.stringContaining('lines 3, 6'),
    });
  });

  it('tolerates other quotes, and keeps those of the file', () => {
    const result = applyEdit(file, '    name = "x"\n    return a - b', '    name = "x"\n    return a + b');
    expect(result).toMatchObject({ type: 'applied', how: ['quotes'] });
    expect(result.type === 'applied' && result.text.split('\n').slice(1, 3)).toEqual([
      "    name = 'x'",
      '    return a + b',
    ]);
  });

  it('tolerates other indentation, and indents the new text like the old', () => {
    const result = applyEdit(file, "name = 'x'\nreturn a - b", "name = 'x'\nif a:\n    return a + b");
    expect(result).toMatchObject({ type: 'applied', how: ['indentation'] });
    expect(result.type === 'applied' && result.text.split('\n').slice(1, 4)).toEqual([
      "    name = 'x'",
      '    if a:',
      '        return a + b',
    ]);
  });

  it('tolerates trailing space', () => {
    expect(applyEdit('a = 1   \nb = 2\n', 'a = 1\nb = 2', 'a = 2\nb = 2')).toEqual({
      type: 'applied',
      text: 'a = 2\nb = 2\n',
      line: 1,
      how: ['trailing-space'],
    });
  });

  it('keeps Windows line endings', () => {
    expect(applyEdit('a\r\nb\r\nc\r\n', 'a\nb', 'a\nB')).toEqual({
      type: 'applied',
      text: 'a\r\nB\r\nc\r\n',
      line: 1,
      how: ['line-endings'],
    });
  });

  it('refuses an inexact match in two places', () => {
    expect(applyEdit('  x = "1"\n\n    x = "1"\n', "x = '1'", "x = '2'")).toMatchObject({
      type: 'refused',
      reason: 'ambiguous',
    });
  });

  it('shows the nearest lines when nothing matches', () => {
    const result = applyEdit(file, 'def add(x, y):\n    return x - y', 'z');
    expect(result).toMatchObject({
      type: 'refused',
      reason: 'not-found',
      message: expect.stringContaining('1: def add(a, b):'),
    });
  });

  it('refuses an edit that would change nothing', () => {
    expect(applyEdit(file, 'def add', 'def add')).toMatchObject({ type: 'refused', reason: 'same' });
  });

  it('refuses empty old text in a file that has content', () => {
    expect(applyEdit(file, '  \n', 'x')).toMatchObject({ type: 'refused', reason: 'empty' });
  });

  it('counts overlapping matches as several', () => {
    expect(applyEdit('aaa', 'aa', 'b')).toMatchObject({ type: 'refused', reason: 'ambiguous' });
  });
});
