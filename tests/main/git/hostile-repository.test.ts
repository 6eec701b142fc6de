import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import { createGitCommands } from '../../../src/main/git/commands.ts';
import { reportSchema } from '../../../src/main/git/process/git-answer.ts';
import { createGitProcess } from '../../../src/main/git/process/run-apart.ts';
import { gitHosting, hostingToken } from '../../fakes/git-hosting.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { createMemoryJournal } from '../../fakes/memory-journal.ts';
import { noteChange, realRepository, workedSessions } from '../../fakes/real-repository.ts';
import { testPrograms } from '../../fakes/test-programs.ts';

const commitId = 'c'.repeat(40);
const treeId = 'd'.repeat(40);
const log = { type: 'log', limit: 5 } as const;

interface Limits {
  readonly timeoutMs?: number;
  readonly mostMemoryBytes?: number;
}

const gitProcess = (limits: Limits = {}) =>
  createGitProcess({
    programs: testPrograms(),
    nodePath: process.execPath,
    processPath: resolve('tests/fakes/git-child.mjs'),
    ...limits,
  });

const reader = (limits: Limits = {}) => {
  const run = gitProcess(limits);
  return ({ projectPath, ask }: { readonly projectPath: string; readonly ask: GitQuestion }, signal: AbortSignal) =>
    run({ type: 'ask', projectPath, isBelow: false, ask }, { schema: reportSchema, signal });
};

/** The handlers, with a session that changed a file of a repository. */
async function sessionIn(projectPath: string, limits: Limits = {}) {
  const journal = createMemoryJournal();
  await journal.append({
    type: 'session-created',
    logVersion: 4,
    sessionId: 'session-1',
    appVersion: '1',
    projectPath,
    workspace: { mode: 'in-place', path: projectPath },
    parentId: null,
    groupId: null,
    title: 'Fix the date',
  });
  await noteChange(journal, 'a', ['one\n', 'two\n']);
  return createGitCommands({ ...workedSessions(journal), runGit: gitProcess(limits) });
}

const wish = { sessionId: 'session-1', branch: null, remote: null, base: null, title: null, message: null };
type Git = Awaited<ReturnType<typeof sessionIn>>;
const { signal } = new AbortController();
const approval = 'a'.repeat(64);
/** All that opens a repository for a session. */
const works: readonly (readonly [string, (git: Git) => Promise<unknown>])[] = [
  ['planCommit', async (git) => git.planCommit({ input: wish, signal })],
  ['commit', async (git) => git.commit({ input: { ...wish, approval }, signal })],
  ['planRequest', async (git) => git.planRequest({ input: { ...wish, branch: 'main' }, signal })],
  ['request', async (git) => git.request({ input: { ...wish, branch: 'main', approval }, signal })],
];

interface Packed {
  readonly id: string;
  readonly raw: Buffer;
}

const sha1 = (bytes: Uint8Array): Buffer => createHash('sha1').update(bytes).digest();

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The head of a packed object: its kind and its length. */
function packedHead(kind: number, length: number): Buffer {
  const bytes: number[] = [];
  let next = (kind << 4) | (length & 15);
  for (let left = Math.floor(length / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push(next | 0x80);
    next = left & 0x7f;
  }
  return Buffer.from([...bytes, next]);
}

const packed = (kind: number, content: Uint8Array): Buffer =>
  Buffer.concat([packedHead(kind, content.length), deflateSync(content)]);
/** A change of the object at the same place, which is itself. */
const ofItself = Buffer.concat([packedHead(6, 10), Buffer.from([0]), deflateSync(Buffer.alloc(10))]);
const who = 'A <a@b> 1700000000 +0000';
const commit = packed(1, Buffer.from(`tree ${treeId}\nauthor ${who}\ncommitter ${who}\n\nmessage\n`));

/** A repository of these objects, with names that no content has. */
function madeRepository(objects: readonly Packed[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-hostile-git-'));
  const at = (...names: readonly string[]): string => join(folder, '.git', ...names);
  for (const name of ['objects/pack', 'refs/heads']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('HEAD'), 'ref: refs/heads/main\n');
  const user = '[user]\n\tname = Ada\n\temail = ada@example.org\n';
  writeFileSync(at('config'), `[core]\n\trepositoryformatversion = 0\n${user}`);
  writeFileSync(at('refs/heads/main'), `${commitId}\n`);
  const start = Buffer.concat([Buffer.from('PACK'), number32(2), number32(objects.length)]);
  const pack = Buffer.concat([start, ...objects.map(({ raw }) => raw)]);
  let offset = start.length;
  const offsets = objects.map(({ raw }) => (offset += raw.length) - raw.length);
  const fan = Array.from({ length: 256 }, (_, byte) =>
    number32(objects.filter(({ id }) => Number.parseInt(id.slice(0, 2), 16) <= byte).length),
  );
  const index = Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
    ...fan,
    ...objects.map(({ id }) => Buffer.from(id, 'hex')),
    ...objects.map(() => number32(0)),
    ...offsets.map(number32),
    sha1(pack),
  ]);
  writeFileSync(at('objects/pack/pack-1.pack'), Buffer.concat([pack, sha1(pack)]));
  writeFileSync(at('objects/pack/pack-1.idx'), Buffer.concat([index, sha1(index)]));
  return folder;
}

/** The longest time in which this process did nothing else. */
async function longestPause(work: Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const watch = setInterval(look, 10);
  await work;
  look();
  clearInterval(watch);
  return longest;
}

/** Catches: a repository that blocks the process that all sessions run in, for which no timer helps. */
describe('a repository that a stranger made', () => {
  it('ends with a sentence where an object is made of itself, and others go on meanwhile', async () => {
    const projectPath = madeRepository([{ id: commitId, raw: ofItself }]);
    const asked = reader({ timeoutMs: 3_000 })({ projectPath, ask: log }, new AbortController().signal);
    const paused = longestPause(asked.catch(() => null));
    await expect(asked).rejects.toMatchObject({ hint: expect.stringContaining('sandbox') });
    // A core that the repository keeps busy never goes on.
    expect(await paused).toBeLessThan(10_000);
  });

  it('ends with a sentence where an object unpacks to gigabytes', async () => {
    const projectPath = madeRepository([
      { id: commitId, raw: commit },
      { id: treeId, raw: packed(2, Buffer.alloc(400_000_000)) },
    ]);
    const ask: GitQuestion = { type: 'status' };
    const asked = reader({ mostMemoryBytes: 250_000_000 })({ projectPath, ask }, new AbortController().signal);
    await expect(asked).rejects.toMatchObject({ code: 'too-large' });
  });

  it.each(works)('does not keep %s busy, and says so', async (_, work) => {
    const projectPath = madeRepository([{ id: commitId, raw: ofItself }]);
    const done = work(await sessionIn(projectPath, { timeoutMs: 3_000 }));
    const paused = longestPause(done.catch(() => null));
    await expect(done).rejects.toMatchObject({ hint: expect.stringContaining('sandbox') });
    // A core that the repository keeps busy never goes on.
    expect(await paused).toBeLessThan(10_000);
  });

  it('is not read where a pack has 4 GB', async () => {
    const projectPath = madeRepository([{ id: commitId, raw: commit }]);
    truncateSync(join(projectPath, '.git/objects/pack/pack-1.pack'), 4_294_967_296);
    const git = await sessionIn(projectPath);
    await expect(git.planCommit({ input: wish, signal })).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('4295 MB'),
    });
  });

  it('is given up at once on abort', async () => {
    const projectPath = madeRepository([{ id: commitId, raw: ofItself }]);
    const stop = new AbortController();
    const asked = reader()({ projectPath, ask: log }, stop.signal);
    setTimeout(() => stop.abort(), 100);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe.skipIf(isWithoutGit)('a repository in a process of its own', () => {
  it('gets a commit and is pushed by calls that the process asks for', async () => {
    const host = await gitHosting();
    try {
      const repo = realRepository();
      repo.write('a', 'one\n');
      repo.commit('one');
      repo.git('config', 'user.name', 'Ada');
      repo.git('config', 'user.email', 'ada@example.org');
      repo.git('remote', 'add', 'origin', `${host.origin}/ada/app.git`);
      const git = await sessionIn(repo.folder);
      const plan = await git.planCommit({ input: wish, signal });
      const made = await git.commit({ input: { ...wish, approval: plan.approval }, signal });
      expect(repo.git('show', `${made.branch}:a`)).toBe('two');
      await git.setToken({ input: { host: host.host, value: hostingToken }, signal });
      const input = { ...wish, base: 'main' };
      const shown = await git.planRequest({ input, signal });
      await git.request({ input: { ...input, approval: shown.approval }, signal });
      expect(host.requests).toMatchObject([{ branch: made.branch, isDraft: true }]);
    } finally {
      await host.close();
    }
  }, 120_000);

  it('is answered with a report, or with what can be done', async () => {
    const repo = realRepository();
    repo.write('a', 'one\n');
    const id = repo.commit('one');
    repo.write('a', 'two\n');
    const read = reader();
    const ask = (question: GitQuestion) =>
      read({ projectPath: repo.folder, ask: question }, new AbortController().signal);
    expect(await ask({ type: 'status' })).toMatchObject({ entries: [{ path: 'a', kind: 'modified' }] });
    expect(await ask(log)).toMatchObject({ commits: [{ id, message: 'one\n' }], hasMore: false });
    await expect(ask({ type: 'show', ref: 'nothing' })).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('branches'),
    });
  });
});
