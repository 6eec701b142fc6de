import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { CloneProgress } from '@shared/git/clone-progress.ts';
import { createGitCommands } from '../../../src/main/git/commands.ts';
import { createGitProcess } from '../../../src/main/git/process/run-apart.ts';
import { gitHosting, hostingToken, type GitHosting } from '../../fakes/git-hosting.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { createMemoryJournal } from '../../fakes/memory-journal.ts';
import { gitEnvironment, realRepository, workedSessions } from '../../fakes/real-repository.ts';
import { testPrograms } from '../../fakes/test-programs.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** A place for a clone, and a host that has a repository `ada/app`. */
async function scene(fill: (repo: ReturnType<typeof realRepository>) => void, isApart = false) {
  const host = await gitHosting();
  open.push(host);
  const repo = realRepository();
  fill(repo);
  repo.git('push', '-q', '--all', host.folder);
  repo.git('push', '-q', '--tags', host.folder);
  return { host, repo, ...(await placeFor(host, isApart)) };
}

async function placeFor(host: Pick<GitHosting, 'host' | 'origin'>, isApart = false) {
  const above = mkdtempSync(join(tmpdir(), 'dewpoint-clone-'));
  const folder = join(above, 'app');
  const runGit = createGitProcess({
    programs: testPrograms(),
    nodePath: process.execPath,
    processPath: resolve('tests/fakes/git-child.mjs'),
  });
  const parts = workedSessions(createMemoryJournal());
  const git = createGitCommands(isApart ? { ...parts, runGit } : parts);
  const keepToken = async (): Promise<void> =>
    git.setToken({ input: { host: host.host, value: hostingToken }, signal: new AbortController().signal });
  const clone = async (
    more: { readonly url?: string; readonly branch?: string; readonly depth?: number; readonly folder?: string } = {},
    {
      signal = new AbortController().signal,
      onStep,
    }: { signal?: AbortSignal; onStep?: (one: CloneProgress) => void } = {},
  ) => {
    const input = { url: `${host.origin}/ada/app.git`, folder, branch: null, depth: null, ...more };
    for await (const progress of await git.clone({ input, signal })) {
      onStep?.(progress);
      if (progress.type === 'ended') return progress.clone;
    }
    throw new Error('The clone ended without a result.');
  };
  return { above, folder, keepToken, clone };
}

const gitIn =
  (folder: string) =>
  (...words: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: gitEnvironment }).trim();

/** A tree as bytes, which git itself would refuse to make. */
function tree(...entries: readonly (readonly [mode: string, name: string | Buffer, oid: string])[]): Buffer {
  return Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, 'hex'),
    ]),
  );
}

/** Puts an object into a repository as it is. Returns its id. */
function putObject(folder: string, type: string, bytes: Uint8Array): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
  const oid = createHash('sha1').update(whole).digest('hex');
  mkdirSync(join(folder, 'objects', oid.slice(0, 2)), { recursive: true });
  const place = join(folder, 'objects', oid.slice(0, 2), oid.slice(2));
  if (!existsSync(place)) writeFileSync(place, deflateSync(whole));
  return oid;
}

const putCommit = (folder: string, treeId: string): string =>
  putObject(
    folder,
    'commit',
    Buffer.from(`tree ${treeId}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nhostile\n`),
  );

/** A host with a repository of hostile objects. `make` returns the id of the tree. */
async function hostileScene(make: (put: (type: string, bytes: Uint8Array) => string) => string) {
  const host = await gitHosting();
  open.push(host);
  const treeId = make((type, bytes) => putObject(host.folder, type, bytes));
  writeFileSync(join(host.folder, 'refs/heads/main'), `${putCommit(host.folder, treeId)}\n`);
  const place = await placeFor(host);
  await place.keepToken();
  return place;
}

describe.skipIf(isWithoutGit)('a clone', () => {
  it('is what git itself takes for a clean checkout, with its branch, its remote and its history', async () => {
    const { repo, folder, keepToken, clone, host, above } = await scene((made) => {
      made.write('a.txt', 'one\n');
      made.commit('one');
      made.git('tag', 'v1');
      made.write('deep/in/here.txt', 'two\n');
      made.write('run.sh', '#!/bin/sh\n');
      made.write('names with ü', 'x');
      made.write('empty', '');
      execFileSync('chmod', ['+x', join(made.folder, 'run.sh')]);
      execFileSync('ln', ['-s', 'a.txt', join(made.folder, 'link')]);
      made.commit('two');
      made.git('branch', 'topic/one');
    });
    await keepToken();
    const steps = new Set<string>();
    const made = await clone({}, { onStep: (one) => void (one.type === 'progress' && steps.add(one.step)) });
    expect(made).toMatchObject({
      folder,
      host: host.host,
      branch: 'main',
      commit: repo.git('rev-parse', 'HEAD'),
      files: 6,
    });
    const git = gitIn(folder);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s')).toBe('two\none');
    expect(git('branch', '-vv')).toContain('[origin/main]');
    expect(git('remote', 'get-url', 'origin')).toBe(`${host.origin}/ada/app.git`);
    expect(git('rev-parse', 'origin/topic/one', 'v1')).toBe(repo.git('rev-parse', 'topic/one', 'v1'));
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(readlinkSync(join(folder, 'link'))).toBe('a.txt');
    expect(lstatSync(join(folder, 'run.sh')).mode & 0o100).toBe(0o100);
    expect([...steps]).toContain('write');
    expect(readdirSync(above)).toEqual(['app']);
  });

  it('brings one branch and its last commit, if so much was asked for', async () => {
    const { repo, folder, keepToken, clone } = await scene((made) => {
      for (const text of ['one', 'two']) {
        made.write('a.txt', text);
        made.commit(text);
      }
      made.git('branch', 'topic/one');
    });
    await keepToken();
    expect(await clone({ branch: 'topic/one', depth: 1 })).toMatchObject({
      branch: 'topic/one',
      commit: repo.git('rev-parse', 'HEAD'),
      notes: ['Older commits are only at the host.'],
    });
    const git = gitIn(folder);
    expect(git('log', '--format=%s')).toBe('two');
    expect(git('status', '--porcelain')).toBe('');
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/topic/one');
  });

  it('takes an empty repository, and says that it is', async () => {
    const host = await gitHosting();
    open.push(host);
    const { folder, keepToken, clone } = await placeFor(host);
    await keepToken();
    expect(await clone()).toMatchObject({ commit: null, notes: ['The repository has no commits yet.'] });
    expect(gitIn(folder)('status', '--porcelain')).toBe('');
  });

  it('names submodules, pointers of Git LFS and links that lead outside', async () => {
    const { folder, keepToken, clone } = await scene((made) => {
      made.write('big.bin', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
      execFileSync('ln', ['-s', '../../etc', join(made.folder, 'out')]);
      made.git('add', '-A');
      made.git('update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},lib/inner`);
      made.git('commit', '-q', '-m', 'one');
    });
    await keepToken();
    const { notes } = await clone();
    expect(notes).toEqual([
      '1 file is in Git LFS, and only a pointer is here. To bring the content: git lfs pull',
      '1 submodule is not brought. To bring them: git submodule update --init',
      'Links that lead outside of the folder: out.',
    ]);
    expect(readdirSync(join(folder, 'lib/inner'))).toEqual([]);
    expect(gitIn(folder)('status', '--porcelain')).toBe('');
  });

  it('runs nothing of a repository: no hook, no filter', async () => {
    const { folder, keepToken, clone, above } = await scene((made) => {
      made.write('.gitattributes', '* filter=evil\n');
      made.write('hooks/post-checkout', `#!/bin/sh\ntouch ${join(tmpdir(), 'never')}\n`);
      made.write('a', 'as it is\n');
      made.commit('one');
    });
    await keepToken();
    await clone();
    expect(existsSync(join(folder, '.git/hooks'))).toBe(false);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('as it is\n');
    expect(readdirSync(above)).toEqual(['app']);
  });

  it('works in a process of its own, too', async () => {
    const { folder, keepToken, clone } = await scene((made) => {
      made.write('a', 'x'.repeat(5_000_000) + Math.random());
      made.write('b', Buffer.from(Array.from({ length: 4_000_000 }, (_, at) => (at * 7919 * (at >> 8)) & 255)));
      made.commit('one');
    }, true);
    await keepToken();
    expect(await clone()).toMatchObject({ files: 2 });
    expect(gitIn(folder)('status', '--porcelain')).toBe('');
  });

  it('takes an empty folder, and refuses one that has something in it', async () => {
    const { folder, keepToken, clone } = await scene((made) => {
      made.write('a', 'x');
      made.commit('one');
    });
    await keepToken();
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), 'mine');
    await expect(clone()).rejects.toMatchObject({ code: 'conflict' });
    expect(readdirSync(folder)).toEqual(['mine']);
    mkdirSync(`${folder}-2`);
    await clone({ folder: `${folder}-2` });
    expect(readFileSync(join(`${folder}-2`, 'a'), 'utf8')).toBe('x');
  });

  it('says without a token that the host does not show the repository, and sends a token only if one is kept', async () => {
    const { host, above, clone } = await scene((made) => {
      made.write('a', 'x');
      made.commit('one');
    });
    await expect(clone()).rejects.toMatchObject({
      code: 'missing-key',
      hint: `Check the address. If it is yours, save a token: dewpoint projects git token ${host.host}`,
    });
    expect(host.seen.every(({ hasToken }) => !hasToken)).toBe(true);
    expect(readdirSync(above)).toEqual([]);
  });

  it('leaves nothing when it is stopped in the middle, nor what a killed one left before', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('0'.repeat(100));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    open.push({ close: () => (server.closeAllConnections(), server.close()) });
    const address = server.address();
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const { above, clone } = await placeFor({ host, origin: `http://${host}` }, true);
    mkdirSync(join(above, '.dewpoint-clone-999999999-0123456789ab/.git'), { recursive: true });
    const stop = new AbortController();
    const ended = clone({}, { signal: stop.signal });
    await new Promise<void>((done) => server.once('request', () => done()));
    expect(readdirSync(above)).toHaveLength(1);
    stop.abort();
    await expect(ended).rejects.toThrow();
    expect(readdirSync(above)).toEqual([]);
  });

  it('goes to no other address than the typed one', async () => {
    let elsewhere = 0;
    const other = createServer((_request, response) => void ((elsewhere += 1), response.end()));
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    open.push(other);
    const port = (at: ReturnType<typeof other.address>): number => (typeof at === 'object' ? (at?.port ?? 0) : 0);
    const server = createServer((_request, response) =>
      response.writeHead(301, { location: `http://127.0.0.1:${port(other.address())}/x` }).end(),
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    open.push(server);
    const host = `127.0.0.1:${port(server.address())}`;
    const { above, clone } = await placeFor({ host, origin: `http://${host}` });
    await expect(clone()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('another address'),
    });
    expect(elsewhere).toBe(0);
    expect(readdirSync(above)).toEqual([]);
  });

  it.each([
    ['git@example.org:ada/app.git', 'https://example.org/ada/app.git'],
    ['ssh://git@example.org/ada/app.git', 'https://example.org/ada/app.git'],
    ['git://example.org/ada/app', 'https://HOST'],
    ['file:///tmp/x', 'Open the folder'],
    ['/tmp/x', 'Open the folder'],
    ['../x', 'Open the folder'],
    ['C:\\x', 'Open the folder'],
    ['ext::sh -c touch% /tmp/never', 'https://HOST'],
    ['ext::https://example.org/ada/app', 'https://HOST'],
    ['http://example.org/ada/app', 'Use https://'],
    ['https://ada:secret@example.org/ada/app', 'dewpoint projects git token example.org'],
    ['https://example.org/', 'https://HOST'],
    ['https://example.org/ada/app?x=1', 'https://HOST'],
    ['--upload-pack=touch', 'https://HOST'],
    ['example.org/ada/app', 'https://HOST'],
  ])('refuses %s with what to do instead', async (url, hint) => {
    const { above, clone } = await placeFor({ host: 'example.org', origin: 'https://example.org' });
    await expect(clone({ url })).rejects.toMatchObject({ code: 'bad-input', hint: expect.stringContaining(hint) });
    expect(readdirSync(above)).toEqual([]);
  });
});

describe.skipIf(isWithoutGit)('a clone of a hostile repository', () => {
  const evil = Buffer.from('evil\n');
  const names: readonly (string | Buffer)[] = [
    '..',
    '.',
    '../out',
    '/abs',
    '.git',
    '.GIT',
    '.Git ',
    '.git.',
    '.git . .',
    '.g\u200cit',
    '.gi\u2064t',
    'git~1',
    'GIT~2',
    '.git::$INDEX_ALLOCATION',
    'a\\b',
    '..\\out',
    Buffer.from([0x61, 0xff]),
    'x'.repeat(300),
    '',
  ];
  it.each(names.map((name) => [JSON.stringify(name.toString().slice(0, 40)), name] as const))(
    'writes nothing for a file or folder named %s',
    async (_shown, name) => {
      for (const isFolder of [false, true]) {
        const { above, clone } = await hostileScene((put) => {
          const blob = put('blob', evil);
          if (!isFolder) return put('tree', tree(['100644', name, blob]));
          return put('tree', tree(['40000', name, put('tree', tree(['100644', 'config', blob]))]));
        });
        await expect(clone()).rejects.toMatchObject({ name: 'AppError' });
        expect(readdirSync(above)).toEqual([]);
      }
    },
  );

  it('writes no file through a link of the same name', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'dewpoint-outside-'));
    const { above, clone } = await hostileScene((put) => {
      const inner = put('tree', tree(['100644', 'file', put('blob', evil)]));
      return put('tree', tree(['120000', 'a', put('blob', Buffer.from(outside))], ['40000', 'a', inner]));
    });
    await expect(clone()).rejects.toMatchObject({ message: expect.stringContaining('twice') });
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(above)).toEqual([]);
  });

  it.each(['.gitmodules', '.gitattributes', '.GITIGNORE'])('refuses %s that is a link', async (name) => {
    const { above, clone } = await hostileScene((put) =>
      put('tree', tree(['120000', name, put('blob', Buffer.from('/etc/passwd'))])),
    );
    await expect(clone()).rejects.toMatchObject({ code: 'refused' });
    expect(readdirSync(above)).toEqual([]);
  });

  it('ends at a folder that holds itself many times over', async () => {
    const { above, clone } = await hostileScene((put) => {
      let inner = put('tree', tree(['100644', 'f', put('blob', evil)]));
      for (let depth = 0; depth < 10; depth += 1)
        inner = put('tree', tree(...Array.from({ length: 10 }, (_, at) => ['40000', `d${at}`, inner] as const)));
      return inner;
    });
    await expect(clone()).rejects.toMatchObject({ code: 'too-large' });
    expect(readdirSync(above)).toEqual([]);
  });

  it('says that an object is missing or of another kind', async () => {
    const missing = await hostileScene((put) => put('tree', tree(['40000', 'a', put('blob', evil)])));
    await expect(missing.clone()).rejects.toMatchObject({ name: 'AppError' });
    expect(readdirSync(missing.above)).toEqual([]);
  });
});
