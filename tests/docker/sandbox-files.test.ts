import { execFile } from 'node:child_process';
import { link, mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytes, codeOf, hash, valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, output, ownerOf, startSandbox, type DockerUnderTest } from './docker-kit.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

describe.skipIf(isWithoutEngine)('the file access of a container', () => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox();
  });
  afterAll(() => under.close());

  it('reads and writes in the container, never on the host, where a link leads out', async () => {
    const outside = join(under.home, 'secret.txt');
    await writeFile(outside, 'host secret');
    await symlink(outside, join(under.workspace, 'out.txt'));
    await symlink('/etc', join(under.workspace, 'etc'));
    await symlink('real.txt', join(under.workspace, 'inside.txt'));
    await under.put('real.txt', 'old', 0o640);
    expect(codeOf(await under.sandbox.files.read('out.txt', {}, none))).toBe('not-found');
    expect(Buffer.from(valueOf(await under.sandbox.files.read('etc/passwd', {}, none)).bytes).toString()).toContain(
      ':/home/agent:',
    );
    expect(codeOf(await under.sandbox.files.write('out.txt', bytes('x'), undefined, none))).not.toBe('ok');
    expect(codeOf(await under.sandbox.files.write('etc/new.txt', bytes('x'), undefined, none))).toBe('refused');
    expect(codeOf(await under.sandbox.files.write('inside.txt', bytes('new'), hash(bytes('old')), none))).toBe('ok');
    expect(await readFile(outside, 'utf8')).toBe('host secret');
    expect([await under.text('real.txt'), await readlink(join(under.workspace, 'inside.txt'))]).toEqual([
      'new',
      'real.txt',
    ]);
    expect(valueOf(await under.sandbox.files.stat('inside.txt', none)).kind).toBe('link');
    expect(codeOf(await under.sandbox.files.setMode('inside.txt', 0o777, none))).toBe('bad-input');
    expect((await stat(join(under.workspace, 'real.txt'))).mode & 0o777).toBe(0o640);
    expect(codeOf(await under.sandbox.files.delete('inside.txt', hash(bytes('new')), none))).toBe('ok');
    expect(await under.text('real.txt')).toBe('new');
  });

  it('resolves a path through links and missing parts, but never out of the workspace', async () => {
    await under.put('led to/[a] file\n', 'x');
    await symlink('led to', join(under.workspace, 'way'));
    await symlink('../led to/[a] file\n', join(under.workspace, 'way', 'there'));
    await symlink('/etc', join(under.workspace, 'host etc'));
    const real = async (path: string): Promise<unknown> => {
      const reply = await under.sandbox.files.realPath(path, none);
      return reply.ok ? reply.value : reply.error.code;
    };
    expect(await Promise.all(['way/there', 'way/new/deep.txt', 'none/x.txt', 'led to/[a] file\n'].map(real))).toEqual([
      'led to/[a] file\n',
      'led to/new/deep.txt',
      'none/x.txt',
      'led to/[a] file\n',
    ]);
    expect([await real('host etc/passwd'), await real('host etc/none')]).toEqual(['refused', 'refused']);
  });

  it('refuses pipes, devices and huge sparse files without waiting for them', async () => {
    await run('mkfifo', [join(under.workspace, 'pipe')]);
    await run('truncate', ['-s', '10T', join(under.workspace, 'sparse')]).catch(() =>
      run('truncate', ['-s', '1T', join(under.workspace, 'sparse')]),
    );
    await symlink('/dev/zero', join(under.workspace, 'endless'));
    await symlink('loop', join(under.workspace, 'loop'));
    const codes = [];
    for (const path of ['pipe', 'sparse', 'endless', 'loop'])
      codes.push(codeOf(await under.sandbox.files.read(path, {}, none)));
    expect(codes).toEqual(['bad-input', 'too-large', 'bad-input', 'not-found']);
    expect(codeOf(await under.sandbox.files.write('pipe', bytes('x'), undefined, none))).toBe('bad-input');
    expect(codeOf(await under.sandbox.files.search({ pattern: 'x', path: 'pipe' }, none))).toBe('bad-input');
    await run('rm', [join(under.workspace, 'sparse')]);
  });

  it('respects a write-protected file and leaves no temporary file behind', async () => {
    await under.put('locked/locked.txt', 'stay', 0o444);
    expect(codeOf(await under.sandbox.files.write('locked/locked.txt', bytes('x'), undefined, none))).toBe('refused');
    expect(await under.text('locked/locked.txt')).toBe('stay');
    expect(await output(under.sandbox, 'ls -A locked')).toBe('locked.txt\n');
  });

  it('lets a person and the sandbox write the same file without losing or tearing a text', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(200_000));
    await under.put('shared.txt', texts[0] ?? '');
    const reads = Promise.all(Array.from({ length: 40 }, () => readFile(join(under.workspace, 'shared.txt'), 'utf8')));
    for (const text of [...texts, ...texts])
      await under.sandbox.files.write('shared.txt', bytes(text), undefined, none);
    expect((await reads).filter((text) => !texts.includes(text))).toEqual([]);
  });

  it.skipIf(!isRoot)("keeps files with the project's owner, and works as that user", async () => {
    const owned = await startSandbox({
      owner: { uid: 4321, gid: 4321 },
      prepare: async (workspace) => {
        await writeFile(join(workspace, 'a.txt'), 'a');
        await mkdir(join(workspace, 'foreign'));
      },
    });
    try {
      expect(
        await output(
          owned.sandbox,
          'id -u; whoami; echo $HOME; touch ~/x; python3 -c "import getpass; print(getpass.getuser())"',
        ),
      ).toBe('4321\nagent\n/home/agent\nagent\n');
      expect(codeOf(await owned.sandbox.files.write('a.txt', bytes('b'), undefined, none))).toBe('ok');
      expect(codeOf(await owned.sandbox.files.write('new/b.txt', bytes('b'), null, none))).toBe('ok');
      await output(owned.sandbox, 'echo c > c.txt; touch /scratch/x /tmp/x');
      for (const path of ['a.txt', 'new', 'new/b.txt', 'c.txt'])
        expect(await ownerOf(join(owned.workspace, path))).toBe('4321:4321');
      // A file of another user that this user may write: a rename would change its owner.
      await writeFile(join(owned.workspace, 'theirs.txt'), 'old', { mode: 0o666 });
      await run('chmod', ['666', join(owned.workspace, 'theirs.txt')]);
      expect(codeOf(await owned.sandbox.files.write('theirs.txt', bytes('new'), hash(bytes('old')), none))).toBe('ok');
      expect([await owned.text('theirs.txt'), await ownerOf(join(owned.workspace, 'theirs.txt'))]).toEqual([
        'new',
        '0:0',
      ]);
      expect(await output(owned.sandbox, 'ls -A | sort | tr "\\n" " "')).toBe('a.txt c.txt foreign new theirs.txt ');
    } finally {
      await owned.close();
    }
  });

  it('scans and lists 100,000 files', async () => {
    const many = await startSandbox({
      prepare: async (workspace) => {
        await run('python3', ['-c', manyFiles, workspace]);
      },
    });
    try {
      const started = performance.now();
      const scanned = valueOf(await many.sandbox.files.scan(none));
      const scanMs = performance.now() - started;
      const listed = valueOf(await many.sandbox.files.list('.', { limit: 200_000 }, none));
      console.log(
        `scan of 100,000 files: ${Math.round(scanMs)} ms; list: ${Math.round(performance.now() - started - scanMs)} ms`,
      );
      expect([scanned.files.size, listed.entries.length]).toEqual([100_000, 100_100]);
    } finally {
      await many.close();
    }
    // Creating and removing so many files may take longer than the tested operations.
  }, 300_000);

  it('protects the configuration and hooks of git from changes, and git works', async () => {
    const repository = await startSandbox({
      prepare: async (workspace) => {
        await run('git', ['init', '-q', workspace]);
        await writeFile(join(workspace, 'a.txt'), 'a\n');
      },
    });
    try {
      const attack = async (command: string): Promise<number | null> =>
        valueOf(await repository.sandbox.exec({ command, timeoutMs: 60_000 }, none)).exitCode;
      expect(await attack('git config core.fsmonitor ./evil')).not.toBe(0);
      expect(await attack('echo evil > .git/hooks/pre-commit')).not.toBe(0);
      expect(await attack('mv .git .git-old')).not.toBe(0);
      expect(await attack('mv .git/hooks .git/hooks-old')).not.toBe(0);
      expect(await attack('rm -rf .git')).not.toBe(0);
      expect((await stat(join(repository.workspace, '.git/config'))).isFile()).toBe(true);
      expect(codeOf(await repository.sandbox.files.write('.git/config', bytes('x'), undefined, none))).not.toBe('ok');
    } finally {
      await repository.close();
    }
    const working = await startSandbox({
      prepare: async (workspace) => void (await run('git', ['init', '-q', workspace])),
    });
    try {
      await working.put('a.txt', 'a\n');
      const commit =
        'git add -A && git -c user.name=a -c user.email=a@example.org commit -qm first && git log --format=%s';
      expect(await output(working.sandbox, commit)).toBe('first\n');
    } finally {
      await working.close();
    }
  });
});

const manyFiles = `import os, sys
for d in range(100):
    folder = os.path.join(sys.argv[1], f"folder {d}")
    os.mkdir(folder)
    for f in range(1000):
        with open(os.path.join(folder, f"file-{f}.txt"), "w") as out: out.write("x")
`;

describe.skipIf(isWithoutEngine)('file names that are no text', () => {
  it('are left out of listings, and no other file is read or written in their place', async () => {
    const raw = (workspace: string, ...bytes: readonly number[]): Buffer =>
      Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from(bytes)]);
    const under = await startSandbox({
      prepare: async (workspace) => {
        await writeFile(raw(workspace, 0xff), 'needle in one');
        await writeFile(join(workspace, '\uFFFD'), 'needle in its double');
        await writeFile(join(workspace, 'plain.txt'), 'needle in plain');
        await mkdir(raw(workspace, 0xfe));
        await writeFile(raw(workspace, 0xfe, 0x2f, 0x61), 'needle in a');
      },
    });
    try {
      const { sandbox, workspace } = under;
      const listed = valueOf(await sandbox.files.list('.', { depth: 9 }, none)).entries.map(({ path }) => path);
      expect(listed).toEqual(['plain.txt']);
      // Their changes are noticed. The two that look the same count as one.
      const scanned = valueOf(await sandbox.files.scan(none));
      expect([...scanned.files.keys()].toSorted()).toEqual(['plain.txt', '\uFFFD', '\uFFFD/a']);
      expect(scanned.files.get('\uFFFD')?.sizeBytes).toBe('needle in oneneedle in its double'.length);
      const found = valueOf(await sandbox.files.search({ pattern: 'needle' }, none)).matches;
      expect(found.filter(({ path }) => path === 'plain.txt').map(({ text }) => text)).toEqual(['needle in plain']);
      expect(Buffer.from(valueOf(await sandbox.files.read('\uFFFD', {}, none)).bytes).toString()).toBe(
        'needle in its double',
      );
      expect(codeOf(await sandbox.files.write('\uFFFD', bytes('new'), undefined, none))).toBe('ok');
      expect(codeOf(await sandbox.files.delete('\uFFFD', undefined, none))).toBe('ok');
      expect(await readFile(raw(workspace, 0xff), 'utf8')).toBe('needle in one');
      expect(await readFile(raw(workspace, 0xfe, 0x2f, 0x61), 'utf8')).toBe('needle in a');
      expect(sandbox.description.warnings.join(' ')).toContain('not UTF-8 text');
    } finally {
      await under.close();
    }
  });
});

describe.skipIf(isWithoutEngine)('a file of the project that is also a file elsewhere', () => {
  it('is reported, and no command changes the other file once the link is broken', async () => {
    const names = ['left.txt', 'broken.txt', '.env', 'node_modules/p/index.js'];
    const outside = (under: Pick<DockerUnderTest, 'workspace'>, name: string): string =>
      join(under.workspace, '..', `outside-${name.replaceAll('/', '-')}`);
    const under = await startSandbox({
      prepare: async (workspace) => {
        await mkdir(join(workspace, 'node_modules/p'), { recursive: true });
        for (const name of names) {
          await writeFile(outside({ workspace }, name), `outside=canary-${name === '.env' ? 2 : 1}\n`);
          await link(outside({ workspace }, name), join(workspace, name));
        }
      },
    });
    try {
      const { links, description } = under.sandbox;
      expect(description.warnings.join(' ')).toContain('3 files of this project are also files elsewhere');
      expect(links.found()?.text.split('\n')).toEqual([
        'broken.txt',
        'left.txt',
        'node_modules/ (1 file, less than 1 MB)',
        'together less than 1 MB',
      ]);
      await output(under.sandbox, 'echo written >> left.txt');
      expect(await readFile(outside(under, 'left.txt'), 'utf8')).toContain('written');
      expect(await links.break(none)).toEqual({ broken: 3, left: [] });
      await output(
        under.sandbox,
        'for f in broken.txt node_modules/p/index.js; do echo written >> $f; chmod 600 $f; done',
      );
      for (const name of ['broken.txt', 'node_modules/p/index.js']) {
        expect(await readFile(outside(under, name), 'utf8')).toBe('outside=canary-1\n');
        expect((await stat(outside(under, name))).mode & 0o777).toBe(0o644);
        expect(await under.text(name)).toBe('outside=canary-1\nwritten\n');
      }
      expect(await output(under.sandbox, 'cat .env; grep -rl canary . | sort')).toBe(
        './broken.txt\n./left.txt\n./node_modules/p/index.js\n',
      );
      expect(under.sandbox.description.warnings.join(' ')).not.toContain('elsewhere');
    } finally {
      await under.close();
    }
  });
});
