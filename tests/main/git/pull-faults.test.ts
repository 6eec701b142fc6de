import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGitCommands } from '../../../src/main/git/commands.ts';
import { createGitProcess } from '../../../src/main/git/process/run-apart.ts';
import { fastForward } from '../../../src/main/git/remote/fast-forward.ts';
import { placeFiles } from '../../../src/main/git/remote/place-files.ts';
import type { PlannedChange } from '../../../src/main/git/remote/plan-files.ts';
import { fileCalls } from '../../../src/main/lib/files/file-calls.ts';
import { withRepository } from '../../../src/main/git/repository.ts';
import { gitHosting, hostingToken } from '../../fakes/git-hosting.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { createMemoryJournal } from '../../fakes/memory-journal.ts';
import { realRepository, workedSessions } from '../../fakes/real-repository.ts';
import { testPrograms } from '../../fakes/test-programs.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const signal = new AbortController().signal;

/** A clone whose remote is at `origin`, a pull of it, and the repository that it was made of. */
async function scene(fill: (repo: ReturnType<typeof realRepository>) => void) {
  const host = await gitHosting();
  open.push(host);
  const other = realRepository();
  fill(other);
  const first = other.commit('one');
  other.git('push', '-q', host.folder, 'main');
  const mine = realRepository(mkdtempSync(join(tmpdir(), 'dewpoint-pull-')));
  mine.git('remote', 'add', 'origin', host.folder);
  mine.git('fetch', '-q', 'origin');
  mine.git('checkout', '-q', '-B', 'main', 'origin/main');
  const leadsTo = (origin: string): string => mine.git('remote', 'set-url', 'origin', `${origin}/ada/app.git`);
  leadsTo(host.origin);
  const parts = workedSessions(createMemoryJournal());
  await parts.keepToken('', hostingToken);
  const { pull: start } = createGitCommands(parts);
  const pull = async () => {
    for await (const progress of await start({ input: { projectPath: mine.folder, remote: null }, signal }))
      if (progress.type === 'ended') return progress.pull;
    throw new Error('The pull ended without a result.');
  };
  const push = (message: string): string => {
    const id = other.commit(message);
    other.git('push', '-q', host.folder, 'main');
    return id;
  };
  return { host, other, mine, first, pull, push, leadsTo };
}

const many = 120;
const manyFiles = (repo: ReturnType<typeof realRepository>, text: string): void => {
  for (let at = 0; at < many; at += 1) repo.write(`d${at % 7}/f${at}.txt`, `${text} ${at}\n`.repeat(50));
};

describe.skipIf(isWithoutGit)('a pull that is killed while it writes', () => {
  it('leaves each file old or new, and the next one ends it', { timeout: 120_000 }, async () => {
    const { other, mine, first, pull, push } = await scene((repo) => manyFiles(repo, 'old'));
    manyFiles(other, 'new');
    const to = push('two');
    mine.git('fetch', '-q', other.folder, 'main');
    const run = createGitProcess({
      programs: testPrograms(),
      nodePath: process.execPath,
      processPath: resolve('tests/fakes/git-child.mjs'),
    });
    const job = {
      type: 'forward',
      projectPath: mine.folder,
      branch: 'main',
      from: first,
      to,
      remote: 'origin',
    } as const;
    let killed = 0;
    for (const progressed of [0, 1, 2]) {
      const stop = new AbortController();
      const seen: number[] = [];
      const ended = run(job, {
        schema: z.unknown(),
        signal: stop.signal,
        onProgress: ({ done }) => void (seen.push(done) > progressed && stop.abort()),
      });
      // The first is killed as soon as a new file lies in its place.
      const watch = setInterval(() => {
        if (progressed === 0 && readFileSync(join(mine.folder, 'd0/f0.txt'), 'utf8').startsWith('new')) stop.abort();
      }, 1);
      await ended.then(
        () => undefined,
        () => (killed += 1),
      );
      clearInterval(watch);
      for (let at = 0; at < many; at += 1)
        expect(readFileSync(join(mine.folder, `d${at % 7}/f${at}.txt`), 'utf8')).toMatch(/^(?:old|new) /u);
    }
    expect(killed).toBeGreaterThan(0);
    await pull();
    expect([mine.git('rev-parse', 'HEAD'), mine.git('status', '--porcelain')]).toEqual([to, '']);
    expect(readdirSync(join(mine.folder, '.git')).filter((name) => /dewpoint|lock/u.test(name))).toEqual([]);
  });
});

describe.skipIf(isWithoutGit)('what a killed pull left', () => {
  /** A checkout that is up to date, and a folder of a pull in it whose process is gone. */
  async function left(files: Readonly<Record<string, string>>, owner: object = { pid: 999_999_999 }) {
    const made = await scene((repo) => {
      repo.write('a.txt', 'one\n');
      repo.write('deep/b.txt', 'two\n');
    });
    const stage = join(made.mine.folder, '.git/dewpoint-pull-999999999-0123456789ab');
    mkdirSync(stage);
    const all = { 'owner.json': JSON.stringify(owner), ...files };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(stage, name), text);
    const oid = (path: string): string => made.mine.git('rev-parse', `HEAD:${path}`);
    const list = (...rows: readonly unknown[]): void => writeFileSync(join(stage, 'paths.json'), JSON.stringify(rows));
    const read = (path: string): string => readFileSync(join(made.mine.folder, path), 'utf8');
    return { ...made, stage, oid, list, read };
  }

  it('is removed when it was killed before its list was whole', async () => {
    const { stage, pull } = await left({ 'new-0': 'x', 'paths.json': '[[0,"a.t' });
    expect((await pull()).notes).toEqual([]);
    expect(existsSync(stage)).toBe(false);
  });

  it('stops no pull where a file took the place of a folder', async () => {
    const { mine, stage, oid, list, pull, read } = await left({ 'old-0': 'two\n' });
    list([0, 'deep/b.txt', oid('deep/b.txt'), null]);
    rmSync(join(mine.folder, 'deep'), { recursive: true });
    mine.write('deep', 'now a file');
    expect((await pull()).notes).toEqual([]);
    expect([read('deep'), existsSync(stage)]).toEqual(['now a file', false]);
  });

  it('goes back where the person wrote to a file that was being taken back', async () => {
    const { mine, stage, oid, list, pull, read } = await left({ 'taken-0': 'mine\n', 'old-0': 'one\n' });
    list([0, 'a.txt', oid('a.txt'), 'f'.repeat(40)]);
    rmSync(join(mine.folder, 'a.txt'));
    await pull();
    expect([read('a.txt'), existsSync(stage)]).toEqual(['mine\n', false]);
  });

  it('stays, with a sentence, if it is nowhere else and its place is taken', async () => {
    const { stage, list, pull, read } = await left({ 'old-0': 'mine\n' });
    list([0, 'a.txt', 'f'.repeat(40), null]);
    expect((await pull()).notes).toEqual([expect.stringContaining('kept a file in .git/dewpoint-pull-')]);
    expect([read('a.txt'), readFileSync(join(stage, 'old-0'), 'utf8')]).toEqual(['one\n', 'mine\n']);
  });

  it('is not taken for that of another process with the same id', async () => {
    const owner = { pid: process.pid, startedAt: '1', boot: 'an earlier start of the machine' };
    const { mine, stage, oid, list, pull, read } = await left({ 'old-0': 'one\n' }, owner);
    list([0, 'a.txt', oid('a.txt'), null]);
    rmSync(join(mine.folder, 'a.txt'));
    writeFileSync(join(mine.folder, '.git/index.lock'), `dewpoint-pull ${JSON.stringify(owner)}\n`);
    await pull();
    expect([read('a.txt'), existsSync(stage)]).toEqual(['one\n', false]);
    expect(existsSync(join(mine.folder, '.git/index.lock'))).toBe(false);
  });
});

/** A copy of a project as it is in the middle of a pull, with what a process leaves there that is no more. */
function asIfKilled(folder: string): () => void {
  const copy = mkdtempSync(join(tmpdir(), 'dewpoint-killed-'));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  const git = join(copy, '.git');
  const dead = '999999999';
  for (const name of readdirSync(git))
    if (name.startsWith('dewpoint-pull-')) renameSync(join(git, name), join(git, name.replace(/\d+/u, dead)));
  const stage = readdirSync(git).find((name) => name.startsWith('dewpoint-pull-')) ?? '';
  const owner = JSON.stringify({ pid: Number(dead), startedAt: null, boot: null });
  writeFileSync(join(git, stage, 'owner.json'), owner);
  writeFileSync(join(git, 'index.lock'), `dewpoint-pull ${owner}\n`);
  return () => {
    rmSync(folder, { recursive: true });
    renameSync(copy, folder);
  };
}

describe.skipIf(isWithoutGit)('a pull that was killed before the remote got another commit', () => {
  const count = 210;
  const all = (folder: string) => Array.from({ length: count }, (_, at) => `${folder}/f${at}.txt`);

  /** Catches: files that the killed pull wrote, and that the next one takes for changes of the person. */
  it.each([
    ['in the middle of its files', 400],
    ['after its files', 3 * count + 4],
  ])('is taken back by the next one, which brings the newer: %s', async (_, at) => {
    const { other, mine, first, pull, push } = await scene((repo) => {
      for (const path of [...all('kept'), ...all('gone'), 'turns']) repo.write(path, `old ${path}\n`);
      repo.write('tree/a.txt', 'old\n');
    });
    for (const path of all('kept')) other.write(path, `new ${path}\n`);
    for (const path of [...all('gone'), 'turns', 'tree']) rmSync(join(other.folder, path), { recursive: true });
    for (const path of [...all('fresh'), 'turns/into/a.txt', 'tree']) other.write(path, `new ${path}\n`);
    const to = push('two');
    mine.git('fetch', '-q', other.folder, 'main');
    const counts: number[] = [];
    let asKilled = (): void => undefined;
    await withRepository(mine.folder, { signal, canWrite: true }, (repository) =>
      fastForward(
        repository,
        { branch: 'main', from: first, to, remote: 'origin' },
        {
          signal,
          onProgress: ({ done }) => void (counts.push(done) && done === at && (asKilled = asIfKilled(mine.folder))),
        },
      ),
    );
    expect(counts).toContain(at);
    asKilled();
    expect(mine.git('rev-parse', 'HEAD')).toBe(first);
    mine.write('kept/f0.txt', 'mine\n');
    mine.write('mine.txt', 'mine\n');
    other.git('rm', '-q', '-r', 'fresh', 'tree');
    for (const path of all('kept').slice(1, 9)) other.write(path, `newer ${path}\n`);
    other.write('kept/f0.txt', 'old kept/f0.txt\n');
    const newer = push('three');
    await pull();
    expect([mine.git('rev-parse', 'HEAD'), mine.git('status', '--porcelain').split('\n')]).toEqual([
      newer,
      [expect.stringMatching(/M kept\/f0\.txt$/u), '?? mine.txt'],
    ]);
    expect(readFileSync(join(mine.folder, 'kept/f0.txt'), 'utf8')).toBe('mine\n');
    expect(readdirSync(join(mine.folder, '.git')).filter((name) => /dewpoint|lock/u.test(name))).toEqual([]);
  });
});

describe.skipIf(isWithoutGit)('a file that the person writes during a pull', () => {
  /** The change of `a.txt` from one to two, as it was planned before. */
  async function planned() {
    const { other, mine, first, pull, push } = await scene((repo) => repo.write('a.txt', 'one\n'));
    other.write('a.txt', 'two\n');
    const to = push('two');
    mine.git('fetch', '-q', other.folder, 'main');
    const oid = (ref: string): string => mine.git('rev-parse', `${ref}:a.txt`);
    const file = (ref: string) => ({ path: 'a.txt', oid: oid(ref), kind: 'file' }) as const;
    const change: PlannedChange = { path: 'a.txt', before: file(first), after: file(to), found: 'before' };
    const place = (moveBranch: () => Promise<void>) =>
      withRepository(mine.folder, { signal }, (repository) =>
        placeFiles(repository, [change], {
          index: readFileSync(join(mine.folder, '.git/index')),
          calls: fileCalls(repository.places.calls),
          hasLinks: true,
          commits: { from: first, to },
          onWritten: () => undefined,
          moveBranch,
        }),
      );
    return { mine, place, other, pull, push };
  }

  it('goes back with the index when the pull is killed before the branch moves', async () => {
    const { mine, place, other, pull, push } = await planned();
    let asKilled = (): void => undefined;
    await place(async () => void (asKilled = asIfKilled(mine.folder)));
    asKilled();
    expect(mine.git('diff', '--cached', '--name-only')).toBe('a.txt');
    other.write('a.txt', 'three\n');
    const newer = push('three');
    await pull();
    expect([mine.git('rev-parse', 'HEAD'), mine.git('status', '--porcelain')]).toEqual([newer, '']);
  });

  it('stays, and everything else goes back, if it was written before its turn came', async () => {
    const { mine, place } = await planned();
    mine.write('a.txt', 'mine\n');
    await expect(place(async () => undefined)).rejects.toMatchObject({
      code: 'conflict',
      message: 'a.txt changed during the pull. Your files are as they were.',
    });
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('mine\n');
  });

  it('stays when the pull fails after its turn, and the old content is kept beside it', async () => {
    const { mine, place } = await planned();
    await expect(
      place(async () => {
        mine.write('a.txt', 'mine\n');
        throw new Error('no');
      }),
    ).rejects.toMatchObject({ message: expect.stringContaining('could not be put back') });
    expect(readFileSync(join(mine.folder, 'a.txt'), 'utf8')).toBe('mine\n');
    const kept = readdirSync(join(mine.folder, '.git')).find((name) => name.startsWith('dewpoint-pull-')) ?? '';
    expect(readFileSync(join(mine.folder, '.git', kept, 'old-0'), 'utf8')).toBe('one\n');
  });
});

describe.skipIf(isWithoutGit)('a disk that is full while commits are written', () => {
  /** Catches: a person who is told to look for damage in a repository that has none. */
  it('is named as that', async () => {
    const { mine } = await scene((repo) => repo.write('a.txt', 'one\n'));
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const write = withRepository(mine.folder, { signal, canWrite: true }, () => Promise.reject(full));
    await expect(write).rejects.toMatchObject({
      code: 'disk-full',
      message: 'The disk is full. Your files are as they were.',
    });
  });
});

describe.skipIf(isWithoutGit)('a pull from a hostile host', () => {
  /** Hands on all that the host says, and changes its packs. */
  async function between(origin: string, change: (pack: Buffer) => Buffer): Promise<string> {
    const server = createServer((request, response) => {
      void (async () => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(Buffer.from(piece));
        const answer = await fetch(`${origin}${request.url ?? ''}`, {
          method: request.method ?? 'GET',
          headers: {
            authorization: request.headers.authorization ?? '',
            'content-type': request.headers['content-type'] ?? '',
          },
          ...(request.method === 'POST' ? { body: Buffer.concat(pieces) } : {}),
        });
        const bytes = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(request.method === 'POST' ? change(bytes) : bytes);
      })();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    open.push({ close: () => (server.closeAllConnections(), server.close()) });
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length - 40)],
    [
      'has a changed byte',
      (bytes) => {
        const at = bytes.indexOf('PACK') + 20;
        bytes[at] = (bytes[at] ?? 0) ^ 0xff;
        return bytes;
      },
    ],
    [
      'claims more objects than it has',
      (bytes) => {
        bytes.writeUInt32BE(99, bytes.indexOf('PACK') + 8);
        return bytes;
      },
    ],
    ['is missing', () => Buffer.from('0008NAK\n0000')],
    ['is no pack', () => Buffer.from('<html>')],
  ])('writes nothing when the pack %s', async (_, change) => {
    const { host, other, mine, first, pull, push, leadsTo } = await scene((repo) => repo.write('a.txt', 'one\n'));
    other.write('a.txt', 'two\n');
    push('two');
    leadsTo(await between(host.origin, change));
    const packs = readdirSync(join(mine.folder, '.git/objects/pack'));
    await expect(pull()).rejects.toMatchObject({ name: 'AppError' });
    expect(mine.git('rev-parse', 'HEAD', 'origin/main').split('\n')).toEqual([first, first]);
    expect(readdirSync(join(mine.folder, '.git/objects/pack'))).toEqual(packs);
    expect(mine.git('status', '--porcelain')).toBe('');
    expect(mine.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it.each(['..', '.git', '.GIT', 'git~1', '.git.', 'a\\b'])('touches no file when a commit has %s', async (name) => {
    const { host, mine, first, pull } = await scene((repo) => repo.write('a.txt', 'one\n'));
    const put = (type: string, bytes: Uint8Array): string => {
      const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
      const oid = createHash('sha1').update(whole).digest('hex');
      mkdirSync(join(host.folder, 'objects', oid.slice(0, 2)), { recursive: true });
      const place = join(host.folder, 'objects', oid.slice(0, 2), oid.slice(2));
      if (!existsSync(place)) writeFileSync(place, deflateSync(whole));
      return oid;
    };
    const treeOf = (mode: string, entry: string, oid: string): string =>
      put('tree', Buffer.concat([Buffer.from(`${mode} ${entry}\0`), Buffer.from(oid, 'hex')]));
    const inner = treeOf('100644', 'config', put('blob', Buffer.from('evil\n')));
    const by = 'A <a@b> 1 +0000';
    const text = `tree ${treeOf('40000', name, inner)}\nparent ${first}\nauthor ${by}\ncommitter ${by}\n\nx\n`;
    writeFileSync(join(host.folder, 'refs/heads/main'), `${put('commit', Buffer.from(text))}\n`);
    const config = readFileSync(join(mine.folder, '.git/config'), 'utf8');
    await expect(pull()).rejects.toMatchObject({ code: 'refused' });
    expect([mine.git('rev-parse', 'HEAD'), mine.git('status', '--porcelain')]).toEqual([first, '']);
    expect(readFileSync(join(mine.folder, '.git/config'), 'utf8')).toBe(config);
  });
});
