import { describe, expect, it } from 'vitest';
import { describeExec, orderedOutput } from '../../../src/main/tools/commands/describe-exec-result.ts';
import { createAgentKit, ofType, turnOptions } from '../../fakes/agent-kit.ts';

const lines = Array.from({ length: 343 }, (_, index) => `line ${index + 1}`);
const files = {
  'src/long.py': `${lines.join('\n')}\n`,
  'src/a.py': 'import os\n\ndef Load(x):\n    return x\n\ndef save(x):\n    return load(x)\n',
  'src/deep/b.py': 'x = 1\n',
  'web/c.ts': 'const x = 1;\n',
  'web/wide.js': `${'漢字'.repeat(2_000)}wideOne${'仮名'.repeat(2_000)}`,
  'web/min.js': `${'a=1;'.repeat(2_000)}function needleHere(x){}${'b=2;'.repeat(2_000)}needleThere()`,
};

/** The result of one call in a loop that runs it. */
async function use(
  name: string,
  input: unknown,
  change?: { readonly read: string },
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const before = change === undefined ? [] : [{ calls: [{ name: 'read_file', input: { path: change.read } }] }];
  const kit = createAgentKit({
    replies: [...before, { calls: [{ name, input }] }],
    sandbox: { files: { ...files, ...more } },
  });
  await kit.runner.send('Do the work.', turnOptions);
  const end = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === name);
  const text = Object.keys(files).map((path) => `${path}=${kit.sandbox.text(path) ?? ''}`);
  return change === undefined ? (end?.output ?? '') : `${end?.output ?? ''}\n${text.join('\n')}`;
}

describe('the read_file tool', () => {
  // Bug: the indentation shifted from line 9 to line 10.
  it('shows line numbers of equal width, and which part of how many lines it shows', async () => {
    const part = await use('read_file', { path: 'src/long.py', from: 8, to: 11 });
    expect(part).toBe('[Showing lines 8-11 of 343]\n 8: line 8\n 9: line 9\n10: line 10\n11: line 11');
    expect(await use('read_file', { path: 'src/deep/b.py' })).toBe('1: x = 1');
    expect(await use('read_file', { path: 'src/a.py', from: 3, to: 2 })).toContain('comes before');
  });
});

describe('a long file', () => {
  // Catches: a part from the middle that is left out, and an end without the way to go on.
  it('is shown from its start as far as there is room, with the line to continue at', async () => {
    const wide = Array.from({ length: 3_000 }, (_, at) => `row ${at + 1} ${'x'.repeat(60)}`).join('\n');
    const shown = await use('read_file', { path: 'wide.txt' }, undefined, { 'wide.txt': wide });
    const [head = '', ...rest] = shown.split('\n');
    const [, to = '', all] = /^\[Showing lines 1-(\d+) of (\d+); use from=\d+ to read on\]$/u.exec(head) ?? [];
    expect([all, head]).toEqual(['3000', `[Showing lines 1-${to} of 3000; use from=${Number(to) + 1} to read on]`]);
    expect(rest).toHaveLength(Number(to));
    expect(rest.at(-1)).toMatch(new RegExp(`^ *${to}: row ${to} x{60}$`, 'u'));
    const lines = await use('read_file', { path: 'short.txt' }, undefined, { 'short.txt': 'a\n'.repeat(3_000) });
    expect(lines).toContain('[Showing lines 1-2000 of 3000; use from=2001 to read on]');
  });
});

describe('a cut output', () => {
  it('names the call that shows it all, which reads and searches it like a file', async () => {
    const printed = Array.from({ length: 9_000 }, (_, at) => `line ${at + 1}`).join('\n');
    const look = (name: string, path: string, more: object) => ({ calls: [{ name, input: { path, ...more } }] });
    let path = '';
    const kit = createAgentKit({
      replies: [
        { calls: [{ name: 'run_command', input: { command: 'seq 9000' } }] },
        ({ messages }) => {
          path =
            /read_file with path \\"(result:[^"\\]+)\\" shows all of it/u.exec(JSON.stringify(messages))?.[1] ?? '';
          return look('read_file', path, { from: 4_000, to: 4_001 });
        },
        () => look('search', path, { pattern: 'line 4567' }),
      ],
      sandbox: { files, exec: () => ({ stdout: printed, durationMs: 3_210 }) },
    });
    await kit.runner.send('Do the work.', turnOptions);
    const [command, read, found] = ofType(kit.journal.events, 'tool-ended').slice(1);
    expect(command?.output).toMatch(/^exit code 0 in 3\.2 s\n/u);
    expect(read?.output).toBe('[Showing lines 4000-4001 of 9000]\n4000: line 4000\n4001: line 4001');
    expect(found?.output).toContain('line 4567');
  });
});

describe('the search tool', () => {
  // Bug: a search with 20 lines around each match gave 500 lines and more, whose middle was then cut away.
  it('shows what fits, then matches without the lines around them, and counts the rest by file', async () => {
    const wide = Array.from(
      { length: 400 },
      (_, at) => `${at % 10 === 0 ? 'needle' : 'other'} ${at} ${'x'.repeat(80)}`,
    );
    const more = { 'm/one.txt': wide.join('\n'), 'm/three.txt': wide.join('\n'), 'm/two.txt': wide.join('\n') };
    const input = { pattern: 'needle', path: 'm', context: 20, limit: 500 };
    const found = await use('search', input, undefined, more);
    expect(found.length).toBeLessThan(16_500);
    expect(found).toMatch(/^120 matches in 3 files:\nm\/one\.txt\n {2}1: needle 0 x+\n {2}2- other 1 /u);
    const [around = '', plain = ''] = found.split('Without the lines around them:\n');
    expect(plain).not.toMatch(/^ +\d+- /mu);
    const shown = [around, plain].map((part) => part.match(/^ +\d+: /gmu)?.length ?? 0);
    const left = Number(/^Not shown: (\d+) more, in .*m\/two\.txt \(\d+\)\. Narrow/mu.exec(plain)?.[1]);
    expect(shown.every((count) => count > 5)).toBe(true);
    expect(left).toBeGreaterThan(0);
    const numbers = found.match(/^ +\d+: needle \d+/gmu)?.length ?? 0;
    expect(numbers + left).toBeGreaterThanOrEqual(120);
    expect(await use('search', { ...input, context: 0, pattern: 'needle 0' }, undefined, more)).not.toContain(
      'Not shown',
    );
  });

  // Bug: in a minified file, the beginning of its only line was shown, wherever the match was.
  it('shows each match in a long line with the text around it', async () => {
    const found = await use('search', { pattern: 'needle\\w*' });
    expect(found).toMatch(/web\/min\.js\n {2}1: … [a=1;]{80,}function needleHere\(x\)\{\}[b=2;]+ …/u);
    expect(found).toMatch(/\n {2}1: … [b=2;]+needleThere\(\) …/u);
    expect(found.length).toBeLessThan(1_000);
    const around = await use('search', { pattern: 'needleThere(', context: 1 });
    expect(around).toMatch(/web\/min\.js\n {2}1: … [b=2;]+needleThere\(\) …/u);
  });

  // Bug: a pattern that takes the whole line showed its beginning, and letters of several bytes came with words of the
  // search program ("[... 0 more matches]").
  it("shows a match of a pattern for the whole line, cut to the line's length", async () => {
    for (const pattern of ['.*needleThere.*', '^.+needleThere.*$'])
      expect(await use('search', { pattern })).toMatch(/\nweb\/min\.js\n {2}1: … [b=2;]+needleThere\(\) …$/u);
    expect(await use('search', { pattern: 'wideOne' })).toMatch(
      /\nweb\/wide\.js\n {2}1: … [漢字]{100}wideOne[仮名]{100} …$/u,
    );
  });

  it('shows lines around a match, and merges overlapping ones', async () => {
    expect(await use('search', { pattern: 'return', path: 'src/a.py', context: 1 })).toBe(
      [
        '2 matches in 1 file:',
        'src/a.py',
        '  3- def Load(x):',
        '  4:     return x',
        '  5- ',
        '  6- def save(x):',
        '  7:     return load(x)',
        '  8- ',
      ].join('\n'),
    );
  });

  it('can ignore case or list only files, and says where it was cut', async () => {
    expect(await use('search', { pattern: 'LOAD', ignoreCase: true, filesOnly: true })).toBe(
      '2 matches in 1 file:\nsrc/a.py (2)',
    );
    const cut = await use('search', { pattern: 'line', limit: 2 });
    expect(cut).toBe(
      'The first 2 matches, in 1 file; narrow the search or raise "limit":\nsrc/long.py\n  1: line 1\n  2: line 2',
    );
    expect(await use('search', { pattern: 'load(x' })).toMatch(
      /^1 match in 1 file:\n\(searched for as plain text.*\n/u,
    );
  });
});

describe('the list_files tool', () => {
  it('finds files by a glob, at any depth and below a folder', async () => {
    expect(await use('list_files', { glob: '*.py' })).toBe('src/a.py\nsrc/deep/b.py\nsrc/long.py');
    expect(await use('list_files', { glob: 'src/**/b.*' })).toBe('src/deep/b.py');
    expect(await use('list_files', { glob: '{src,web}/*.{py,ts}' })).toBe('src/a.py\nsrc/long.py\nweb/c.ts');
    expect(await use('list_files', { glob: '*.rb' })).toBe('No file fits *.rb.');
  });
});

describe('the edit_file tool', () => {
  const read = { read: 'src/a.py' };

  it('replaces every match when told to, and creates a file from empty old text', async () => {
    const all = await use('edit_file', { path: 'src/a.py', old: '(x)', new: '(value)', replaceAll: true }, read);
    expect(all).toContain('at line 3 and 2 more places');
    expect(all).toContain('return load(value)');
    expect(await use('edit_file', { path: 'src/new.py', old: '', new: 'z = 1\n' })).toBe('Created src/new.py.');
    expect(await use('edit_file', { path: 'src/new.py', old: 'z', new: 'y' })).toContain('There is no src/new.py');
  });
});

describe('a patch in the format of GPT models', () => {
  const read = { read: 'src/a.py' };
  const patch = (...lines: readonly string[]): object => ({
    patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
  });

  // Bug: it was refused, and the model wrote it again.
  it('changes, adds, deletes and moves files', async () => {
    const all = await use(
      'apply_patch',
      patch(
        '*** Update File: src/a.py',
        '@@',
        '-import os',
        '+import re',
        '@@ def save(x):',
        '-    return load(x)',
        '+    return Load(x)',
        '*** Add File: src/new.py',
        '+z = 1',
        '+',
        '*** Delete File: src/deep/b.py',
      ),
      read,
      { 'src/new.py': 'old' },
    );
    expect(all).toContain('src/new.py exists and you have not read it');
    const made = await use(
      'apply_patch',
      patch(
        '*** Update File: src/a.py',
        '*** Move to: src/c.py',
        '@@',
        '-import os',
        '+import re',
        ' ',
        ' def Load(x):',
        '@@ def save(x):',
        '-    return load(x)',
        '+    return Load(x)',
        '*** Delete File: src/deep/b.py',
      ),
      read,
    );
    expect(made).toMatch(/^Deleted src\/a\.py\.\nPatched src\/c\.py\.\nDeleted src\/deep\/b\.py\./u);
    expect(made).toContain('src/a.py=\n');
    expect(made).toContain('src/deep/b.py=\n');
  });

  it('changes nothing when one of its places is not found', async () => {
    const none = await use(
      'apply_patch',
      patch('*** Update File: src/a.py', '@@', '-import os', '@@', '-no such line'),
      read,
    );
    expect(none).toContain('The patch does not fit src/a.py');
    expect(none).toContain(`src/a.py=${files['src/a.py']}`);
    expect(await use('apply_patch', patch('x = 1'))).toContain('Line 2 of the patch belongs to no file: x = 1');
  });
});

// Bug: an error was shown below all of the output, far from the line after which it came.
it('the output of a command shows its streams in order, or apart if the order is unknown', () => {
  const result = {
    outcome: 'exited',
    exitCode: 0,
    stdout: 'one\nthree\n',
    stderr: 'two\n',
    stdoutBytes: 10,
    stderrBytes: 4,
    durationMs: 1,
  } as const;
  const ordered = orderedOutput();
  ordered.add('stdout', Buffer.from('one\n'));
  ordered.add('stderr', Buffer.from('two\n'));
  ordered.add('stdout', Buffer.from('three\n'));
  expect(describeExec(result, '', ordered.text()).output).toBe('exit code 0\none\ntwo\nthree');
  ordered.add('stdout', new Uint8Array(100_000));
  expect(describeExec(result, '', ordered.text()).output).toBe('exit code 0\none\nthree\nstderr:\ntwo');
});
