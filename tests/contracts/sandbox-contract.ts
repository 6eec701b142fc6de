import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../src/shared/errors.ts';
import type { Sandbox, SandboxFiles } from '../../src/main/sandbox/sandbox.ts';

/** A sandbox under test, and direct access to its workspace, as a user on the same machine has. */
export interface SandboxUnderTest {
  readonly sandbox: Sandbox;
  put(path: string, content: string, mode?: number): Promise<void>;
  text(path: string): Promise<string | null>;
  /** Missing if every folder can be read. */
  setFolderMode?(path: string, mode: number): Promise<void>;
  close(): Promise<void>;
}

export interface ContractPart {
  readonly writes: boolean;
  readonly commands: boolean;
}

const oddNames = [
  'with space.txt',
  'it\'s "quoted".txt',
  '日本語/ファイル.txt',
  'Ünïcode-ß.txt',
  'ends with dot.',
  '-rf',
  'line\nbreak.txt',
  '$(touch oops) `id` ; & | * ? [a].txt',
  'emoji-🦊.txt',
  'עברית.txt',
  'tab\tin it.txt',
  'trailing-newline\n',
  'C:\\x',
  'a\\b.txt',
  'x:y',
  'CON',
  'nul.txt',
  'ends with blank ',
  'PROGRA~1',
  // Dewpoint's own writes briefly use such temporary names. A command can use them, too, and must not hide anything
  // that way.
  '.dewpoint-write-0123456789abcdef',
  '.dewpoint-write-0123456789abcdee/.dewpoint-write-loot',
] as const;

const none = new AbortController().signal;

/** What every sandbox promises. `make` returns a new one with an empty workspace. */
export function describeSandbox(name: string, part: ContractPart, make: () => Promise<SandboxUnderTest>): void {
  describe(name, () => {
    let under: SandboxUnderTest;
    beforeAll(async () => {
      under = await make();
      await fill(under);
    });
    afterAll(() => under.close());

    describeReading(() => under);
    describeListing(() => under);
    describeSearching(() => under);
    if (part.writes) describeWriting(() => under);
    if (part.commands) describeCommands(() => under);
    if (!part.writes) {
      it('refuses to write, delete and run, and changes nothing', async () => {
        const { sandbox } = under;
        const replies = [
          await sandbox.files.write('new.txt', bytes('x'), undefined, none),
          await sandbox.files.delete('plain.txt', undefined, none),
          await sandbox.files.setMode('plain.txt', 0o600, none),
          await sandbox.exec({ command: 'true', timeoutMs: 1000 }, none),
          await sandbox.open({ command: 'true', onOutput: () => undefined }, none),
        ];
        expect(replies.map(codeOf)).toEqual(Array(5).fill('refused'));
        expect([await under.text('new.txt'), await under.text('plain.txt')]).toEqual([null, 'one\ntwo\nthree\n']);
      });
    }
  });
}

async function fill(under: SandboxUnderTest): Promise<void> {
  await under.put('plain.txt', 'one\ntwo\nthree\n');
  await under.put('run.sh', '#!/bin/sh\n', 0o755);
  await under.put('empty.txt', '');
  await under.put('src/a.py', 'def alpha():\n    return "x+y"\n');
  await under.put('src/deep/b.py', 'ALPHA = 1\n');
  await under.put('src/deep/notes.md', 'alpha\n');
  await under.put('.gitignore', '*.log\n/build/\n');
  await under.put('src/.gitignore', '!kept.log\nsecret.txt\n');
  await under.put('noise.log', 'alpha\n');
  await under.put('src/kept.log', 'alpha kept\n');
  await under.put('src/secret.txt', 'alpha\n');
  await under.put('build/out.js', 'alpha\n');
  await under.put('.git/HEAD', 'alpha\n');
  await under.put('node_modules/m/index.js', 'alpha\n');
  await under.put('pkg/__pycache__/a.pyc', 'alpha\n');
  for (const odd of oddNames) await under.put(`odd/${odd}`, `needle in ${odd}`);
}

function describeReading(get: () => SandboxUnderTest): void {
  it('reads bytes with their hash and mode', async () => {
    const { sandbox } = get();
    const content = bytes('#!/bin/sh\n');
    expect(await sandbox.files.read('run.sh', {}, none)).toEqual({
      ok: true,
      value: { bytes: content, sha256: hash(content), mode: 0o755 },
    });
    expect(valueOf(await sandbox.files.read('empty.txt', {}, none)).bytes).toHaveLength(0);
  });

  it('reads many files at once, and skips those that it cannot read', async () => {
    const { sandbox } = get();
    const odd = oddNames.map((name) => `odd/${name}`);
    const read = valueOf(await sandbox.files.readMany(['run.sh', 'empty.txt', 'plain.txt', ...odd], {}, none));
    expect([...read.keys()].sort()).toEqual(['run.sh', 'empty.txt', 'plain.txt', ...odd].sort());
    const content = bytes('#!/bin/sh\n');
    expect(read.get('run.sh')).toEqual({ bytes: content, sha256: hash(content), mode: 0o755 });
    expect(read.get('empty.txt')?.bytes).toHaveLength(0);
    for (const name of oddNames) expect(read.get(`odd/${name}`)?.bytes).toEqual(bytes(`needle in ${name}`));
    const some = await sandbox.files.readMany(
      ['nothing.txt', 'src', '../x', 'plain.txt', 'run.sh'],
      { maxBytes: 10 },
      none,
    );
    expect([...valueOf(some).keys()]).toEqual(['run.sh']);
    expect(valueOf(await sandbox.files.readMany([], {}, none)).size).toBe(0);
    expect(codeOf(await sandbox.files.readMany(['plain.txt'], {}, AbortSignal.abort()))).toBe('cancelled');
  });

  it('accepts every spelling of a path inside, and refuses a path outside', async () => {
    const { sandbox } = get();
    for (const path of ['./src//a.py', 'src/../src/a.py', `${sandbox.workspacePath}/src/a.py`]) {
      expect(valueOf(await sandbox.files.read(path, {}, none)).bytes).toEqual(
        bytes('def alpha():\n    return "x+y"\n'),
      );
    }
    const codes = [];
    for (const path of ['../x', '/etc/passwd', 'src/../../x', 'a\0b'])
      codes.push(codeOf(await sandbox.files.read(path, {}, none)));
    expect(codes).toEqual(['refused', 'refused', 'refused', 'bad-input']);
  });

  it('explains why a file cannot be read', async () => {
    const { sandbox } = get();
    expect(codeOf(await sandbox.files.read('nothing.txt', {}, none))).toBe('not-found');
    expect(codeOf(await sandbox.files.read('src', {}, none))).toBe('bad-input');
    expect(codeOf(await sandbox.files.read('plain.txt', { maxBytes: 5 }, none))).toBe('too-large');
    expect(codeOf(await sandbox.files.read('plain.txt', { maxBytes: 14 }, none))).toBe('ok');
  });

  it('reads and describes files with any name', async () => {
    const { sandbox } = get();
    for (const odd of oddNames) {
      const content = bytes(`needle in ${odd}`);
      expect(valueOf(await sandbox.files.read(`odd/${odd}`, {}, none)).bytes).toEqual(content);
      expect(valueOf(await sandbox.files.stat(`odd/${odd}`, none))).toMatchObject({
        kind: 'file',
        sizeBytes: content.length,
      });
    }
  });

  it('describes files and folders', async () => {
    const { sandbox } = get();
    expect(valueOf(await sandbox.files.stat('run.sh', none))).toMatchObject({
      kind: 'file',
      sizeBytes: 10,
      mode: 0o755,
    });
    expect(valueOf(await sandbox.files.stat('src', none)).kind).toBe('folder');
    expect(codeOf(await sandbox.files.stat('nothing', none))).toBe('not-found');
  });

  it('reads nothing once it was cancelled', async () => {
    const { sandbox } = get();
    const aborted = AbortSignal.abort();
    expect(codeOf(await sandbox.files.read('plain.txt', {}, aborted))).toBe('cancelled');
  });
}

function describeListing(get: () => SandboxUnderTest): void {
  it('lists files in order, without ignored ones and those of tools', async () => {
    const { sandbox } = get();
    const { entries, truncated } = valueOf(await sandbox.files.list('.', {}, none));
    expect(truncated).toBe(false);
    expect(
      entries.filter((entry) => !entry.path.startsWith('odd')).map((entry) => `${entry.kind} ${entry.path}`),
    ).toEqual(
      [
        'file .gitignore',
        'file empty.txt',
        'folder pkg',
        'file plain.txt',
        'file run.sh',
        'folder src',
        'file src/.gitignore',
        'file src/a.py',
        'folder src/deep',
        'file src/deep/b.py',
        'file src/deep/notes.md',
        'file src/kept.log',
      ].toSorted((left, right) => (left.slice(left.indexOf(' ')) < right.slice(right.indexOf(' ')) ? -1 : 1)),
    );
  });

  it('lists files with odd names', async () => {
    const listing = valueOf(await get().sandbox.files.list('odd', {}, none));
    const files = listing.entries.filter((entry) => entry.kind === 'file').map((entry) => entry.path);
    expect(new Set(files)).toEqual(new Set(oddNames.map((odd) => `odd/${odd}`)));
  });

  it('lists one folder, up to a depth or a number, or everything', async () => {
    const { sandbox } = get();
    const paths = async (...[path, options]: Parameters<SandboxFiles['list']>): Promise<string[]> =>
      valueOf(await sandbox.files.list(path, options, none)).entries.map((entry) => entry.path);
    expect(await paths('src', { depth: 1 }, none)).toEqual(['src/.gitignore', 'src/a.py', 'src/deep', 'src/kept.log']);
    expect(await paths('src/deep', {}, none)).toEqual(['src/deep/b.py', 'src/deep/notes.md']);
    const limited = valueOf(await sandbox.files.list('src', { limit: 2 }, none));
    expect([limited.entries.length, limited.truncated]).toEqual([2, true]);
    expect(await paths('.', { all: true }, none)).toEqual(
      expect.arrayContaining(['.git/HEAD', 'build/out.js', 'node_modules/m/index.js', 'noise.log']),
    );
    expect(codeOf(await sandbox.files.list('nothing', {}, none))).toBe('not-found');
    expect(codeOf(await sandbox.files.list('plain.txt', {}, none))).toBe('bad-input');
  });

  it('scans all tracked files, also ignored ones, and sees a change of one byte', async () => {
    const under = get();
    await under.put('noise.log', 'alpha\n');
    const { files: before, unseen } = valueOf(await under.sandbox.files.scan(none));
    expect(unseen).toEqual([]);
    expect([...before.keys()].filter((path) => !path.startsWith('odd/')).toSorted()).toEqual(
      [
        '.gitignore',
        'build/out.js',
        'empty.txt',
        'noise.log',
        'plain.txt',
        'run.sh',
        'src/.gitignore',
        'src/a.py',
        'src/deep/b.py',
        'src/deep/notes.md',
        'src/kept.log',
        'src/secret.txt',
      ].toSorted(),
    );
    expect(oddNames.filter((odd) => !before.has(`odd/${odd}`))).toEqual([]);
    expect(before.get('run.sh')).toMatchObject({ sizeBytes: 10, mode: 0o755 });
    await under.put('noise.log', 'alphA\n');
    const { files: after } = valueOf(await under.sandbox.files.scan(none));
    const changed = [...after].filter(([path, file]) => before.get(path)?.fingerprint !== file.fingerprint);
    expect(changed.map(([path]) => path)).toEqual(['noise.log']);
    await under.put('noise.log', 'alpha\n');
  });

  it('marks a list that is cut at its depth, and scans to the bottom', async () => {
    const under = get();
    const bottom = `odd deep/${'d/'.repeat(70)}bottom.txt`;
    await under.put(bottom, 'x');
    const listing = valueOf(await under.sandbox.files.list('odd deep', { all: true, depth: 64 }, none));
    expect([listing.truncated, listing.entries.some(({ path }) => path === bottom)]).toEqual([true, false]);
    expect(valueOf(await under.sandbox.files.list('odd deep', { depth: 3 }, none)).truncated).toBe(false);
    const { files, unseen } = valueOf(await under.sandbox.files.scan(none));
    expect([files.has(bottom), unseen]).toEqual([true, []]);
  });

  it('reports folders that it cannot open', async () => {
    const under = get();
    if (under.setFolderMode === undefined) return;
    await under.put('odd closed/hidden/loot.txt', 'x');
    await under.put('odd closed/nameless/loot.txt', 'x');
    await under.setFolderMode('odd closed/hidden', 0o000);
    await under.setFolderMode('odd closed/nameless', 0o444);
    try {
      const wanted = ['odd closed/hidden', 'odd closed/nameless'];
      for (const all of [true, false])
        expect(valueOf(await under.sandbox.files.list('.', { all }, none)).unseen).toEqual(wanted);
      expect(codeOf(await under.sandbox.files.list('odd closed/hidden', {}, none))).toBe('refused');
      expect(valueOf(await under.sandbox.files.list('odd closed/nameless', {}, none)).unseen).toEqual(wanted.slice(1));
      const { files, unseen } = valueOf(await under.sandbox.files.scan(none));
      expect([unseen, files.has('odd closed/hidden/loot.txt')]).toEqual([wanted, false]);
    } finally {
      for (const name of ['hidden', 'nameless']) await under.setFolderMode(`odd closed/${name}`, 0o755);
    }
  });
}

function describeSearching(get: () => SandboxUnderTest): void {
  const found = async (query: Parameters<SandboxFiles['search']>[0]): Promise<string[]> =>
    valueOf(await get().sandbox.files.search(query, none)).matches.map(
      (match) => `${match.path}:${match.line}:${match.text}`,
    );

  it('searches by expression and by text, in the order of paths', async () => {
    expect(await found({ pattern: 'al.ha' })).toEqual([
      'src/a.py:1:def alpha():',
      'src/deep/notes.md:1:alpha',
      'src/kept.log:1:alpha kept',
    ]);
    expect(await found({ pattern: 'x+y', literal: true })).toEqual(['src/a.py:2:    return "x+y"']);
    expect(await found({ pattern: 'x+y' })).toEqual([]);
    expect(await found({ pattern: '^alpha', ignoreCase: true, glob: '*.py' })).toEqual(['src/deep/b.py:1:ALPHA = 1']);
    expect(await found({ pattern: 'alpha', path: 'src/deep' })).toEqual(['src/deep/notes.md:1:alpha']);
    expect(await found({ pattern: '-e', literal: true })).toEqual([]);
    expect(await found({ pattern: 'l.', path: 'src/deep/notes.md', matchesOnly: true })).toEqual([
      'src/deep/notes.md:1:lp',
    ]);
  });

  it('searches files with any name', async () => {
    const matches = valueOf(await get().sandbox.files.search({ pattern: 'needle', path: 'odd' }, none)).matches;
    expect(new Set(matches.map((match) => match.path))).toEqual(new Set(oddNames.map((odd) => `odd/${odd}`)));
  });

  it('reports a cut search, a missing place and an invalid pattern', async () => {
    const { sandbox } = get();
    const limited = valueOf(await sandbox.files.search({ pattern: 'alpha', limit: 1 }, none));
    expect([limited.matches.length, limited.truncated]).toEqual([1, true]);
    expect(codeOf(await sandbox.files.search({ pattern: 'a', path: 'nothing' }, none))).toBe('not-found');
    expect(codeOf(await sandbox.files.search({ pattern: 'a(' }, none))).toBe('bad-input');
  });
}

function describeWriting(get: () => SandboxUnderTest): void {
  it('writes a new file with its folders and any name', async () => {
    const under = get();
    const { sandbox } = under;
    for (const odd of oddNames) {
      expect(codeOf(await sandbox.files.write(`made/${odd}`, bytes(`text of ${odd}`), null, none))).toBe('ok');
      expect(await under.text(`made/${odd}`)).toBe(`text of ${odd}`);
    }
    expect(await under.text('oops')).toBeNull();
    const { entries } = valueOf(await sandbox.files.list('made', { all: true }, none));
    expect(entries.filter((entry) => entry.kind === 'file')).toHaveLength(oddNames.length);
  });

  it('writes an empty file and a large binary one', async () => {
    const { sandbox } = get();
    const binary = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7 + (index >> 8)) % 256);
    for (const content of [new Uint8Array(), binary]) {
      expect(codeOf(await sandbox.files.write('binary.bin', content, undefined, none))).toBe('ok');
      expect(valueOf(await sandbox.files.read('binary.bin', {}, none)).sha256).toBe(hash(content));
    }
  });

  it('keeps the mode of a file', async () => {
    const under = get();
    await under.put('mode.sh', 'old', 0o751);
    expect(codeOf(await under.sandbox.files.write('mode.sh', bytes('new'), hash(bytes('old')), none))).toBe('ok');
    expect(valueOf(await under.sandbox.files.stat('mode.sh', none)).mode).toBe(0o751);
  });

  it('sets the mode of a file, also of a locked one, and of nothing else', async () => {
    const under = get();
    await under.put('locked mode.sh', 'x', 0o000);
    expect(codeOf(await under.sandbox.files.setMode('locked mode.sh', 0o640, none))).toBe('ok');
    expect(valueOf(await under.sandbox.files.stat('locked mode.sh', none)).mode).toBe(0o640);
    expect(await under.text('locked mode.sh')).toBe('x');
    const codes = [];
    for (const path of ['nothing.txt', 'src', '../out.txt']) {
      codes.push(codeOf(await under.sandbox.files.setMode(path, 0o777, none)));
    }
    expect(codes).toEqual(['not-found', 'bad-input', 'refused']);
  });

  it('gives the real path of a file', async () => {
    const { sandbox } = get();
    const paths = ['src/a.py', './src//new/x.py', ...oddNames.map((odd) => `odd/${odd}`)];
    const real = await Promise.all(paths.map(async (path) => valueOf(await sandbox.files.realPath(path, none))));
    expect(real).toEqual(['src/a.py', 'src/new/x.py', ...paths.slice(2)]);
  });

  it('refuses to overwrite or delete a file that has changed', async () => {
    const under = get();
    await under.put('mine.txt', 'edited by a person');
    const stale = hash(bytes('as the model read it'));
    const codes = [
      codeOf(await under.sandbox.files.write('mine.txt', bytes('x'), stale, none)),
      codeOf(await under.sandbox.files.write('mine.txt', bytes('x'), null, none)),
      codeOf(await under.sandbox.files.delete('mine.txt', stale, none)),
      codeOf(await under.sandbox.files.write('gone.txt', bytes('x'), stale, none)),
    ];
    expect(codes).toEqual(['stale-file', 'stale-file', 'stale-file', 'stale-file']);
    expect([await under.text('mine.txt'), await under.text('gone.txt')]).toEqual(['edited by a person', null]);
  });

  it('deletes a file and nothing else', async () => {
    const under = get();
    await under.put('bin/one', '1');
    await under.put('bin/two', '2');
    expect(codeOf(await under.sandbox.files.delete('bin/one', hash(bytes('1')), none))).toBe('ok');
    expect(codeOf(await under.sandbox.files.delete('bin/one', undefined, none))).toBe('not-found');
    expect(codeOf(await under.sandbox.files.delete('bin', undefined, none))).toBe('bad-input');
    expect([await under.text('bin/one'), await under.text('bin/two')]).toEqual([null, '2']);
  });

  it('refuses to write to a folder, below a file or outside', async () => {
    const under = get();
    const codes = [];
    for (const path of ['src', '.', 'plain.txt/below', '../out.txt', '/tmp/out.txt']) {
      codes.push(codeOf(await under.sandbox.files.write(path, bytes('x'), undefined, none)));
    }
    expect(codes).toEqual(['bad-input', 'bad-input', 'bad-input', 'refused', 'refused']);
    expect(await under.text('plain.txt')).toBe('one\ntwo\nthree\n');
  });
}

/** The commands that a fake shell must know for this part of the contract. */
export const contractCommands = {
  both: 'echo out; echo err >&2; exit 3',
  hang: 'sleep 30',
  long: "head -c 100000 /dev/zero | tr '\\0' x",
} as const;

function describeCommands(get: () => SandboxUnderTest): void {
  it('runs a command and returns both streams and its exit code', async () => {
    const chunks: string[] = [];
    const result = valueOf(
      await get().sandbox.exec(
        {
          command: contractCommands.both,
          timeoutMs: 30_000,
          onOutput: (chunk) => chunks.push(`${chunk.stream} ${Buffer.from(chunk.bytes).toString()}`),
        },
        none,
      ),
    );
    expect(result).toMatchObject({
      outcome: 'exited',
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      stdoutBytes: 4,
      stderrBytes: 4,
    });
    expect(chunks.toSorted()).toEqual(['stderr err\n', 'stdout out\n']);
  });

  it('ends a command at its deadline and when it is cancelled', async () => {
    const { sandbox } = get();
    const late = valueOf(await sandbox.exec({ command: contractCommands.hang, timeoutMs: 200 }, none));
    expect(late).toMatchObject({ outcome: 'timed-out', exitCode: null });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const cancelled = valueOf(
      await sandbox.exec({ command: contractCommands.hang, timeoutMs: 20_000 }, controller.signal),
    );
    expect(cancelled).toMatchObject({ outcome: 'cancelled', exitCode: null });
  });

  it('comes to rest after a command, also when the turn is cancelled', async () => {
    const { sandbox } = get();
    valueOf(await sandbox.exec({ command: contractCommands.both, timeoutMs: 30_000 }, none));
    await expect(sandbox.settle(AbortSignal.abort())).resolves.toBeUndefined();
    await expect(sandbox.settle(none)).resolves.toBeUndefined();
  });

  it('keeps the start and end of a long output, and says what is missing', async () => {
    const result = valueOf(
      await get().sandbox.exec({ command: contractCommands.long, timeoutMs: 30_000, keepBytes: 1000 }, none),
    );
    expect(result.stdoutBytes).toBe(100_000);
    expect(result.stdout).toBe(`${'x'.repeat(500)}\n[… 99000 bytes left out …]\n${'x'.repeat(500)}`);
  });
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function hash(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export function codeOf(reply: Reply<unknown>): string {
  return reply.ok ? 'ok' : reply.error.code;
}

export function valueOf<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
  return reply.value;
}
