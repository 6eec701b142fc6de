import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createGitCommands } from '../../../src/main/git/commands.ts';
import { gitHosting, hostingToken } from '../../fakes/git-hosting.ts';
import { isWithoutGit } from '../../fakes/git-here.ts';
import { createMemoryJournal } from '../../fakes/memory-journal.ts';
import { gitEnvironment, realRepository, workedSessions } from '../../fakes/real-repository.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const signal = new AbortController().signal;

async function scene(hasToken = true) {
  const host = await gitHosting();
  open.push(host);
  const repo = realRepository();
  repo.write('a.txt', 'one\n');
  repo.commit('one');
  repo.git('push', '-q', host.folder, 'main');
  repo.git('remote', 'add', 'origin', host.folder);
  repo.git('fetch', '-q', 'origin');
  repo.git('branch', '-q', '-u', 'origin/main', 'main');
  repo.git('remote', 'set-url', 'origin', `${host.origin}/ada/app.git`);
  const parts = workedSessions(createMemoryJournal());
  if (hasToken) await parts.keepToken('', hostingToken);
  const commands = createGitCommands(parts);
  const at = (more: { readonly branch?: string; readonly remote?: string }) => ({
    projectPath: repo.folder,
    branch: null,
    remote: null,
    ...more,
  });
  const plan = async (more: { readonly branch?: string; readonly remote?: string } = {}) =>
    commands.planPush({ input: at(more), signal });
  const push = async (
    more: { readonly branch?: string; readonly approval?: string; readonly signal?: AbortSignal } = {},
  ) => {
    const approval = more.approval ?? (await plan(more)).approval;
    return commands.push({ input: { ...at(more), approval }, signal: more.signal ?? signal });
  };
  const there = (ref: string): string =>
    execFileSync('git', ['-C', host.folder, 'rev-parse', ref], { encoding: 'utf8', env: gitEnvironment }).trim();
  return { host, repo, plan, push, there };
}

describe.skipIf(isWithoutGit)('a push', () => {
  it('sends exactly the branch that was shown, and notes where the remote is', async () => {
    const { host, repo, plan, push, there } = await scene();
    repo.write('a.txt', 'two\n');
    repo.commit('two');
    repo.write('a.txt', 'three\n');
    const commit = repo.commit('three\n\nwith a body');
    const shown = await plan();
    expect(shown).toMatchObject({
      branch: 'main',
      commit,
      remote: 'origin',
      host: host.host,
      address: `${host.origin}/ada/app`,
      isNew: false,
      count: 2,
      commits: [
        { title: 'three', author: 'Ada' },
        { title: 'two', author: 'Ada' },
      ],
      notes: [],
    });
    expect(host.seen).toEqual([]);
    expect(await push()).toEqual({ branch: 'main', commit, address: `${host.origin}/ada/app` });
    expect([there('main'), repo.git('rev-parse', 'origin/main')]).toEqual([commit, commit]);
    await expect(push()).rejects.toMatchObject({ message: expect.stringContaining('has all commits of main') });
  });

  it('sends a new branch with only the commits that the remote lacks', async () => {
    const { repo, plan, push, there } = await scene();
    repo.git('checkout', '-q', '-b', 'topic');
    repo.write('b.txt', 'x');
    const commit = repo.commit('topic');
    repo.git('checkout', '-q', 'main');
    expect(await plan({ branch: 'topic' })).toMatchObject({ isNew: true, count: 1, commits: [{ title: 'topic' }] });
    await push({ branch: 'topic' });
    expect(there('topic')).toBe(commit);
  });

  it('goes to the address that the remote is set to be pushed to', async () => {
    const { host, repo, plan, push, there } = await scene();
    repo.git('remote', 'set-url', 'origin', 'https://example.org/ada/app.git');
    repo.git('remote', 'set-url', '--push', 'origin', `${host.origin}/ada/app.git`);
    repo.write('a.txt', 'two\n');
    const commit = repo.commit('two');
    expect(await plan()).toMatchObject({ remote: 'origin', host: host.host, address: `${host.origin}/ada/app` });
    await push();
    expect(there('main')).toBe(commit);
  });

  it('counts a merge once, and no commit that the remote has on another branch', async () => {
    const { repo, plan } = await scene();
    repo.git('checkout', '-q', '-b', 'topic');
    repo.write('b.txt', 'x');
    repo.commit('topic');
    repo.git('checkout', '-q', 'main');
    repo.write('c.txt', 'x');
    repo.commit('main two');
    repo.git('update-ref', 'refs/remotes/origin/topic', 'topic');
    repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'topic');
    const { count, commits } = await plan();
    expect([count, commits.map(({ title }) => title)]).toEqual([2, ['merge', 'main two']]);
  });

  it('is done even where the branch cannot be noted, because an older one has the name of its folder', async () => {
    const { repo, push, there } = await scene();
    repo.git('update-ref', 'refs/remotes/origin/old', 'HEAD');
    repo.git('checkout', '-q', '-b', 'old/x');
    repo.write('a.txt', 'two\n');
    const commit = repo.commit('two');
    expect(await push()).toMatchObject({ branch: 'old/x', commit });
    expect(there('old/x')).toBe(commit);
  });

  it('never forces: a remote with other commits keeps them', async () => {
    const { host, repo, push, there } = await scene();
    const before = repo.git('rev-parse', 'HEAD');
    repo.write('a.txt', 'theirs\n');
    const theirs = repo.commit('theirs');
    repo.git('push', '-q', host.folder, 'main');
    repo.git('reset', '-q', '--hard', before);
    repo.git('update-ref', 'refs/remotes/origin/main', before);
    repo.write('a.txt', 'mine\n');
    repo.commit('mine');
    await expect(push()).rejects.toMatchObject({
      code: 'conflict',
      message: `The branch main at ${host.host} has commits that yours lacks. Nothing was pushed.`,
      hint: 'Bring them: dewpoint projects pull, and push again. Or use another branch: --branch NAME',
    });
    expect(there('main')).toBe(theirs);
  });

  it('sends nothing that differs from what was shown, and nothing without a token', async () => {
    const { host, repo, plan, push } = await scene(false);
    repo.write('a.txt', 'two\n');
    repo.commit('two');
    const { approval } = await plan();
    await expect(push()).rejects.toMatchObject({ code: 'missing-key' });
    repo.write('a.txt', 'three\n');
    repo.commit('three');
    await expect(push({ approval })).rejects.toMatchObject({ code: 'conflict' });
    expect(host.seen).toEqual([]);
  });

  /** Catches: a push that was stopped, and nobody knows whether the branch has left. */
  it('says when it is stopped or breaks off whether the host may have the branch, and can be made again', async () => {
    const { host, repo, push, there } = await scene();
    repo.write('a.txt', 'two\n');
    const commit = repo.commit('two');
    const unknown = expect.stringContaining(`Whether ${host.host} took the branch main is not known.`);
    host.pushes = 'drop';
    await expect(push()).rejects.toMatchObject({ message: unknown, hint: expect.stringContaining('Push again') });
    host.pushes = 'hang';
    const stop = new AbortController();
    const called = host.seen.length;
    const pushed = push({ signal: stop.signal });
    // The first call asks what is there, the second one sends.
    await expect.poll(() => host.seen.length).toBeGreaterThanOrEqual(called + 2);
    stop.abort();
    await expect(pushed).rejects.toMatchObject({ code: 'cancelled', message: unknown });
    host.pushes = 'a web page';
    await expect(push()).rejects.toMatchObject({
      message: `${host.host} does not answer like a host of git there.`,
      hint: expect.stringContaining('git remote -v'),
    });
    host.pushes = 'usual';
    const before = repo.git('rev-parse', 'origin/main');
    await push();
    expect(there('main')).toBe(commit);
    // The host had taken it, and this machine did not hear of that.
    repo.git('update-ref', 'refs/remotes/origin/main', before);
    await push();
    expect([there('main'), repo.git('rev-parse', 'origin/main')]).toEqual([commit, commit]);
  });

  it('says what a host says that wants signed commits', async () => {
    const { host, repo, push, there } = await scene();
    const before = there('main');
    const hook = join(host.folder, 'hooks/update');
    writeFileSync(hook, '#!/bin/sh\necho "commits must be signed" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    repo.write('a.txt', 'two\n');
    repo.commit('two');
    await expect(push()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('did not take the branch main'),
      hint: expect.stringContaining('signed commits'),
    });
    expect([there('main'), repo.git('rev-parse', 'origin/main')]).toEqual([before, before]);
  });

  it('finds content of Git LFS below a folder with attributes of its own, behind any number of other files', async () => {
    const { repo, plan } = await scene();
    for (let at = 0; at < 2_100; at += 1) repo.write(`a${at}.txt`, `${at}\n`);
    repo.write('media/.gitattributes', '* filter=lfs\n');
    repo.git('config', 'filter.lfs.clean', 'cat');
    repo.write('media/deep/big', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
    chmodSync(join(repo.folder, 'media/deep/big'), 0o755);
    repo.commit('big');
    await expect(plan()).rejects.toMatchObject({
      message: 'media/deep/big is in Git LFS, and Dewpoint does not send its content. Nothing was sent.',
    });
  });

  it('names a detached head, a branch that is not there, and content of Git LFS', async () => {
    const { repo, plan } = await scene();
    await expect(plan({ branch: 'nowhere' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(plan({ remote: 'other' })).rejects.toMatchObject({ message: 'There is no remote other.' });
    repo.git('checkout', '-q', '--detach');
    await expect(plan()).rejects.toMatchObject({ message: expect.stringContaining('HEAD is detached') });
    repo.git('checkout', '-q', 'main');
    repo.write('.gitattributes', '*.bin filter=lfs\n');
    repo.git('config', 'filter.lfs.clean', 'cat');
    repo.write('big.bin', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n');
    repo.commit('big');
    await expect(plan()).rejects.toMatchObject({ message: expect.stringContaining('big.bin is in Git LFS') });
  });
});
