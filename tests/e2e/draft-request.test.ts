import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { gitHosting, hostingToken } from '../fakes/git-hosting.ts';
import { gitEnvironment, realRepository } from '../fakes/real-repository.ts';
import { startRing } from '../keyring/ring.ts';
import { complete, createProgram, tool } from '../faults/program.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

/** The built program, a real container, a real git server, and a host that answers as Gitea does. */
describe('the way of a task into a repository', () => {
  it('goes from task to draft, to the comments on it, to the changed draft, and the checkout follows', async () => {
    const host = await gitHosting('gitea');
    open.push(host);
    const ring = await startRing();
    open.push({ close: ring.stop });
    const bus = ring.env['DBUS_SESSION_BUS_ADDRESS'];
    const env = bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus };
    await using program = await createProgram({ 'date.txt': 'local\n' });
    const repo = realRepository(program.project);
    repo.git('config', 'user.name', 'Ada');
    repo.git('config', 'user.email', 'ada@example.org');
    repo.commit('one');
    repo.git('push', '-q', host.folder, 'main');
    repo.git('remote', 'add', 'origin', `${host.origin}/ada/app.git`);
    repo.git('fetch', '-q', host.folder, 'main:refs/remotes/origin/main');
    repo.git('branch', '-q', '-u', 'origin/main', 'main');
    const call = async (...args: readonly string[]): Promise<string> => {
      const ended = await program.run(args, { env });
      expect({ args, code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 0 });
      return ended.stdout;
    };
    const there = (ref: string): string =>
      execFileSync('git', ['-C', host.folder, 'show', ref], { encoding: 'utf8', env: gitEnvironment });

    const write = (content: string) => [tool('write_file', { path: 'date.txt', content }), complete()];
    await program.script([tool('read_file', { path: 'date.txt' }), ...write('UTC\n')]);
    const token = await program.run(['projects', 'git', 'token', host.host], { stdin: `${hostingToken}\n`, env });
    expect({ code: token.code, stderr: token.stderr }).toMatchObject({ code: 0 });
    await call('run', '--project', program.project, '--workspace', 'copy', 'Write the date in UTC');
    await call('sessions', 'commit', 'last', '--branch', 'dewpoint/utc', '--yes');
    const url = `${host.origin}/ada/app/pulls/1`;
    expect(await call('sessions', 'request', 'last', '--branch', 'dewpoint/utc', '--yes')).toContain(url);
    expect(host.requests).toMatchObject([{ branch: 'dewpoint/utc', base: 'main', isDraft: true }]);
    expect(there('dewpoint/utc:date.txt')).toBe('UTC\n');
    expect(repo.git('status', '--porcelain')).toBe('');

    host.comments.push({ author: 'rev', path: 'date.txt', line: 1, text: 'Say Zulu.' });
    await program.script([tool('read_file', { path: 'date.txt' }), ...write('Zulu\n')]);
    expect(await call('sessions', 'review', 'last', '--branch', 'dewpoint/utc', '--yes')).toContain('Say Zulu.');
    await call('sessions', 'commit', 'last', '--branch', 'dewpoint/utc', '--yes');
    await call('sessions', 'request', 'last', '--branch', 'dewpoint/utc', '--yes');
    expect(host.requests).toHaveLength(1);
    expect(there('dewpoint/utc:date.txt')).toBe('Zulu\n');

    // The host merges it, and the person goes on from there.
    execFileSync('git', ['-C', host.folder, 'update-ref', 'refs/heads/main', 'dewpoint/utc'], { env: gitEnvironment });
    expect(await call('projects', 'pull', program.project)).toContain('1 file changed');
    expect([await program.text('date.txt'), repo.git('status', '--porcelain')]).toEqual(['Zulu\n', '']);
    repo.write('own.txt', 'mine');
    repo.commit('mine');
    expect(await call('projects', 'push', program.project, '--yes')).toContain('Pushed main');
    expect(there('main:own.txt')).toBe('mine');
  });
});
