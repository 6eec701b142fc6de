import { describe, expect, it } from 'vitest';
import { applyEdit } from '../../../../src/main/tools/edits/match-edit.ts';
import { withoutLineNumbers } from '../../../../src/main/tools/edits/strip-line-numbers.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';

describe('line numbers in a quoted text', () => {
  it('are removed when every line has one and they count up', () => {
    expect(withoutLineNumbers('1: a = 1\n2: \n3:   b = 2\n')).toBe('a = 1\n\n  b = 2\n');
    expect(withoutLineNumbers('9: a\n10: b')).toBe('a\nb');
  });

  it.each([['1: a\n3: b\n4: c'], ['1: a\nb\n3: c'], ['a\nb\nc'], ['']])('are not removed from %j', (text) => {
    expect(withoutLineNumbers(text)).toBeNull();
  });
});

describe('an edit that quotes line numbers', () => {
  const file = 'def add(a, b):\n    return a - b\n';

  it('is made without them, and says so', () => {
    const edited = applyEdit(file, '2:     return a - b', '2:     return a + b');
    expect(edited).toMatchObject({ type: 'applied', line: 2, how: ['line-numbers'] });
    expect(edited.type === 'applied' && edited.text).toBe('def add(a, b):\n    return a + b\n');
  });

  it('is refused when the text does not match without them either', () => {
    expect(applyEdit(file, '2:     return b', '2:     return a')).toMatchObject({ reason: 'not-found' });
  });

  it('keeps numbers that are part of the file', () => {
    expect(applyEdit('1: one\n2: two\n', '2: two', '2: zwei')).toMatchObject({ text: '1: one\n2: zwei\n', how: [] });
  });
});

describe('a written file', () => {
  const copied = '1: a = 1\n2: b = 2\n3: c = 4\n';
  const write = async (path: string, before: readonly ReturnType<typeof call>[]): Promise<string> => {
    const replies = [
      ...before,
      call('write_file', { path, content: copied }),
      call('task_complete', { summary: 'ok' }),
    ];
    const file = new TextEncoder().encode('a = 1\nb = 2\nc = 3\n');
    const kit = createAgentKit({ replies, sandbox: { files: { 'a.py': file }, exec: () => ({}) } });
    await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
    const said = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'write_file')?.output ?? '';
    return `${said}\n${Buffer.from(kit.sandbox.contents.get(path)?.bytes ?? []).toString()}`;
  };

  it('loses the line numbers that it was read with', async () => {
    expect(await write('a.py', [call('read_file', { path: 'a.py' })])).toBe(
      'Wrote a.py (3 lines; the line numbers were left out).\na = 1\nb = 2\nc = 4\n',
    );
  });

  it('keeps its own numbers when it is new', async () => {
    expect(await write('b.txt', [])).toBe(`Wrote b.txt (3 lines).\n${copied}`);
  });
});
