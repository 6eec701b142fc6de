import { describe, expect, it } from 'vitest';
import applyPatch from '../../../../src/main/tools/apply-patch.tool.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';

const files = {
  'lf.py': 'one\ntwo\nthree\n',
  'crlf.py': 'one\r\ntwo\r\nthree\r\n',
  'bare.py': 'one\ntwo',
  'twice.py': 'def a():\n    return 1\n\ndef b():\n    return 1\n',
};

async function patched(patch: string): Promise<{ output: string; text: (path: string) => string | null | undefined }> {
  const kit = createAgentKit({
    replies: [call('apply_patch', { patch }), call('task_complete', { summary: 'ok' })],
    sandbox: { files, exec: () => ({}) },
  });
  await kit.runner.send('Set the values right.', { ...turnOptions, strategy: 'loop', maxSteps: 3 });
  const output = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'apply_patch')?.output ?? '';
  return { output, text: (path) => kit.sandbox.text(path) };
}

const marked = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const diff = (path: string, ...lines: readonly string[]): string =>
  [`--- a/${path}`, `+++ b/${path}`, ...lines, ''].join('\n');

describe('the label of a patch', () => {
  it.each([
    [diff('src/a.py', '@@ -1 +1 @@', '-1', '+2'), 'patch src/a.py'],
    [diff('a/b.py', '@@ -1 +1 @@', '-1', '+2').replace('+++ b/a/b.py', '+++ /dev/null'), 'patch a/b.py'],
    ['--- /dev/null\n+++ b/new.py\t2026-01-01\n@@ -0,0 +1 @@\n+1\n', 'patch new.py'],
    [marked('*** Update File: my notes.md', '-a', '+b', '*** Delete File: b/c.py'), 'patch my notes.md, b/c.py'],
    ['nothing', 'patch (no files)'],
  ])('names the files as they are called: %j', (patch, label) => {
    expect(applyPatch.label({ patch })).toBe(label);
  });
});

describe('a patch', () => {
  it.each([
    [
      'a marked one, of CRLF',
      marked('*** Update File: crlf.py', ' one', '-two', '+2'),
      'crlf.py',
      'one\r\n2\r\nthree\r\n',
    ],
    [
      'a diff, of CRLF',
      diff('crlf.py', '@@ -1,3 +1,3 @@', ' one', '-two', '+2', ' three'),
      'crlf.py',
      'one\r\n2\r\nthree\r\n',
    ],
    ['a marked one, of no last newline', marked('*** Update File: bare.py', ' one', '-two', '+2'), 'bare.py', 'one\n2'],
    [
      'a diff, of no last newline',
      diff(
        'bare.py',
        '@@ -1,2 +1,2 @@',
        ' one',
        '-two',
        '\\ No newline at end of file',
        '+2',
        '\\ No newline at end of file',
      ),
      'bare.py',
      'one\n2',
    ],
    ['a marked new file', marked('*** Add File: new/x.py', '+a', '+b'), 'new/x.py', 'a\nb\n'],
    ['a new file of a diff', ['--- /dev/null', '+++ b/new.py', '@@ -0,0 +1 @@', '+a', ''].join('\n'), 'new.py', 'a\n'],
    [
      'a marked move',
      marked('*** Update File: lf.py', '*** Move to: moved.py', '-two', '+2'),
      'moved.py',
      'one\n2\nthree\n',
    ],
    [
      'a marked move without a change',
      marked('*** Update File: lf.py', '*** Move to: moved.py'),
      'moved.py',
      files['lf.py'],
    ],
    [
      'a rename of a diff',
      [
        'diff --git a/lf.py b/moved.py',
        'rename from lf.py',
        'rename to moved.py',
        '--- a/lf.py',
        '+++ b/moved.py',
        '@@ -1,3 +1,3 @@',
        ' one',
        '-two',
        '+2',
        ' three',
        '',
      ].join('\n'),
      'moved.py',
      'one\n2\nthree\n',
    ],
    [
      'a rename alone',
      ['diff --git a/lf.py b/moved.py', 'similarity index 100%', 'rename from lf.py', 'rename to moved.py', ''].join(
        '\n',
      ),
      'moved.py',
      files['lf.py'],
    ],
    [
      'a marked one with the numbers of a diff',
      marked('*** Update File: lf.py', '@@ -1,3 +1,3 @@', ' one', '-two', '+2'),
      'lf.py',
      'one\n2\nthree\n',
    ],
    [
      'a marked one with the head of its function',
      marked('*** Update File: twice.py', '@@ def b():', '-    return 1', '+    return 2'),
      'twice.py',
      'def a():\n    return 1\n\ndef b():\n    return 2\n',
    ],
    [
      'a diff with a line number that is a little off',
      diff('lf.py', '@@ -3,2 +3,2 @@', '-two', '+2', ' three'),
      'lf.py',
      'one\n2\nthree\n',
    ],
  ])('is applied: %s', async (_what, patch, path, after) => {
    const { output, text } = await patched(patch);
    expect([output.split('\n').at(-1), text(path)]).toEqual([expect.stringMatching(/^(?:Patched|Deleted) /u), after]);
    if (path === 'moved.py') expect(text('lf.py') ?? null).toBeNull();
  });

  it.each([
    [
      'lines that stand in two places',
      marked('*** Update File: twice.py', '-    return 1', '+    return 2'),
      /2 places.*line.* 2, 5/u,
    ],
    [
      'a head that does not stand there',
      marked('*** Update File: twice.py', '@@ def c():', '-    return 1', '+    return 2'),
      /def c\(\)/u,
    ],
    ['a line without its sign', marked('*** Update File: lf.py', ' one', 'two', '-three', '+3'), /two/u],
    ['lines that are not there', marked('*** Update File: lf.py', '-four', '+4'), /does not fit lf\.py/u],
    ['a file that is not there', marked('*** Update File: none.py', '-four', '+4'), /none\.py/u],
    [
      'a second file that does not fit',
      marked('*** Update File: lf.py', '-two', '+2', '*** Update File: bare.py', '-four', '+4'),
      /does not fit bare\.py/u,
    ],
    ['a path out of the project', marked('*** Add File: ../x.py', '+a'), /no path inside/u],
    ['nothing', marked(), /changes nothing/u],
    ['words', 'Set two to 2.', /no hunks|not a unified diff/u],
  ])('changes nothing and says why: %s', async (_what, patch, said) => {
    const { output, text } = await patched(patch);
    expect(output).toMatch(said);
    expect(Object.keys(files).map(text)).toEqual(Object.values(files));
  });
});
