import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimHome, socketPathOf } from '../../../src/main/api/home.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-home-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const lock = (): string => join(home, 'owner.json');

describe('claimHome', () => {
  it('makes the first process the owner and tells the next who it is', async () => {
    const first = await claimHome(home);
    expect(first.type).toBe('owner');
    expect(await claimHome(home)).toMatchObject({ type: 'owned', pid: process.pid });
  });

  it('says of a home that cannot be used why, and that another can be named', async () => {
    await writeFile(join(home, 'file'), '');
    await expect(claimHome(join(home, 'file'))).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('cannot be used: a file is in its place'),
      hint: expect.stringContaining('DEWPOINT_HOME'),
    });
  });

  it('gives the home free again', async () => {
    const first = await claimHome(home);
    if (first.type === 'owner') await first.release();
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('takes over from an owner that died', async () => {
    await writeFile(lock(), JSON.stringify({ pid: 999_999_999, startedAt: '1', token: 'x' }));
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('takes over from a process whose number now belongs to another program', async () => {
    await writeFile(lock(), JSON.stringify({ pid: process.pid, startedAt: 'another start', token: 'x' }));
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('takes over a claim that nobody can read', async () => {
    await writeFile(lock(), 'half a reco');
    expect((await claimHome(home)).type).toBe('owner');
  });

  it('does not release what another process has claimed meanwhile', async () => {
    const first = await claimHome(home);
    await writeFile(lock(), JSON.stringify({ pid: process.pid, startedAt: '', token: 'another' }));
    if (first.type === 'owner') await first.release();
    expect(await readFile(lock(), 'utf8')).toContain('another');
  });

  it('lets exactly one of many concurrent claims over a dead owner win', async () => {
    await writeFile(lock(), JSON.stringify({ pid: 999_999_999, startedAt: '1', token: 'x' }));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimHome(home)));
    expect(claims.filter((claim) => claim.type === 'owner')).toHaveLength(1);
  });

  it('notices that the owner was killed', async () => {
    const child = fork('-e', ["process.send('up'); setInterval(() => {}, 1000)"], {
      execArgv: [],
      stdio: 'ignore',
      execPath: process.execPath,
      serialization: 'json',
    });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    await writeFile(lock(), JSON.stringify({ pid: child.pid, startedAt: '', token: 'x' }));
    expect((await claimHome(home)).type).toBe('owner');
  });
});

describe('socketPathOf', () => {
  it('stays short enough for a Unix socket however deep the home lies', () => {
    expect(Buffer.byteLength(socketPathOf(`/${'deep/'.repeat(60)}home`))).toBeLessThanOrEqual(107);
  });

  it('differs between homes', () => {
    expect(socketPathOf(`/${'deep/'.repeat(60)}a`)).not.toBe(socketPathOf(`/${'deep/'.repeat(60)}b`));
  });
});
