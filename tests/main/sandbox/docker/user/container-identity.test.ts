import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  groupText,
  isOwnerAlive,
  ownerMark,
  passwdText,
  supportFiles,
} from '../../../../../src/main/sandbox/docker/user/container-identity.ts';
import { scriptFiles } from '../../../../../src/main/sandbox/docker/exec/container-scripts.ts';

describe('the owner of a container', () => {
  it('is alive while its process is, and not when another process has its number', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    const mark = await ownerMark(child.pid ?? 0);
    expect(await isOwnerAlive(mark)).toBe(true);
    if (process.platform === 'linux') expect(await isOwnerAlive(`${child.pid}:1`)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isOwnerAlive(mark)).toBe(false);
  });

  it('with a damaged mark is not alive, so that leftovers are removed', async () => {
    for (const mark of ['', ':', 'x:1', '0:', '-1:1']) expect(await isOwnerAlive(mark)).toBe(false);
  });
});

describe('the user files of a container', () => {
  it('have one line for each name, whoever the user is', () => {
    expect(passwdText({ uid: 1000, gid: 100 }, 'Ann')).toBe(
      'root:x:0:0:root:/root:/bin/sh\nagent:x:1000:100:Ann:/home/agent:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n',
    );
    expect(passwdText({ uid: 0, gid: 0 }, 'agent')).toMatch(/^root:x:0:0:agent:\/home\/agent:\/bin\/sh\nnobody/);
    expect(groupText(0)).toBe('root:x:0:\nnogroup:x:65534:\n');
    expect(groupText(20)).toBe('root:x:0:\nagent:x:20:\nnogroup:x:65534:\n');
  });

  it('are written once, repaired when damaged, and never left half-written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-support-'));
    const files = await Promise.all(
      Array.from({ length: 8 }, () => supportFiles(folder, { user: { uid: 1000, gid: 100 }, name: 'Ann' }, '{}')),
    );
    expect(new Set(files.map((each) => JSON.stringify(each))).size).toBe(1);
    const [first] = files;
    await writeFile(first?.passwd ?? '', 'damaged');
    await supportFiles(folder, { user: { uid: 1000, gid: 100 }, name: 'Ann' }, '{}');
    expect(await readFile(first?.passwd ?? '', 'utf8')).toBe(passwdText({ uid: 1000, gid: 100 }, 'Ann'));
    expect((await readdir(folder)).length).toBe(6);
    expect((await readdir(first?.scripts ?? '')).toSorted()).toEqual(Object.keys(scriptFiles).toSorted());
    await rm(folder, { recursive: true });
  });
});
