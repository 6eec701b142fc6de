import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytes, codeOf, valueOf } from '../contracts/sandbox-contract.ts';
import {
  begin,
  isWithoutEngine,
  none,
  output,
  requireEngine,
  startSandbox,
  type DockerUnderTest,
} from '../docker/docker-kit.ts';
import { smallImageCommand } from '../fakes/private-engine.ts';
import { mountDisk, type Mounted } from './mounts.ts';

describe.skipIf(isWithoutEngine)('a container', () => {
  let under: DockerUnderTest;
  beforeEach(async () => {
    under = await startSandbox();
  });
  afterEach(() => under.close());

  const container = async () => requireEngine().docker.getContainer(await under.containerId());

  it.each([
    ['killed', async () => (await container()).kill()],
    ['stopped', async () => (await container()).stop({ t: 0 })],
    ['removed', async () => (await container()).remove({ force: true })],
  ])(
    'that is %s in the middle of a command loses the outcome, and the next command has a new one',
    async (_how, harm) => {
      await output(under.sandbox, 'echo kept > /scratch/kept; echo kept > kept.txt');
      const { ended } = await begin(under.sandbox);
      await harm();
      expect(valueOf(await ended)).toMatchObject({ outcome: 'lost', exitCode: null, stdout: 'begun\n' });
      expect(await output(under.sandbox, 'cat /scratch/kept kept.txt')).toBe('kept\nkept\n');
      expect(under.losses).toEqual([{ reason: expect.stringMatching(/container|No such exec/), recreated: true }]);
      expect((await under.leftovers()).containers).toHaveLength(1);
    },
  );

  it('killed between two commands loses nothing, and the next one runs', async () => {
    await (await container()).kill();
    expect(await output(under.sandbox, 'echo runs')).toBe('runs\n');
    expect(under.losses).toHaveLength(1);
  });

  it('killed during writes leaves every file whole or unwritten', async () => {
    const writes = Array.from({ length: 8 }, (_, index) =>
      under.sandbox.files.write(`f${index}.txt`, bytes('x'.repeat(50_000)), null, none),
    );
    await wait(30);
    await (await container()).kill();
    for (const [index, reply] of (await Promise.all(writes)).entries()) {
      const text = await under.text(`f${index}.txt`);
      if (reply.ok) expect(text).toHaveLength(50_000);
      else expect([null, 50_000]).toContain(text?.length ?? null);
    }
    expect(codeOf(await under.sandbox.files.write('after.txt', bytes('x'), null, none))).toBe('ok');
  });

  it('killed at any moment of a start loses its command, and one container is left', async () => {
    const killAll = async (): Promise<unknown> =>
      Promise.allSettled(
        (await under.leftovers()).containers.map((id) => requireEngine().docker.getContainer(id).kill()),
      );
    for (let round = 0; round < 12; round += 1) {
      let isOver = false;
      const running = under.sandbox
        .exec({ command: 'sleep 60', timeoutMs: 60_000 }, none)
        .finally(() => void (isOver = true));
      await wait(round * 60);
      await killAll();
      // A container that did not exist at the kill still runs its command, so it is killed, too.
      while (!isOver) {
        await wait(100);
        if (!isOver) await killAll();
      }
      const reply = await running;
      expect(reply.ok ? reply.value.outcome : reply.error.code, JSON.stringify(reply)).toMatch(/^(lost|sandbox-lost)$/);
    }
    expect(await output(under.sandbox, 'echo runs')).toBe('runs\n');
    expect((await under.leftovers()).containers).toHaveLength(1);
  });

  it('that is paused ends the command at its deadline, and a new container takes over', async () => {
    const { ended } = await begin(under.sandbox, { timeoutMs: 4_000 });
    await (await container()).pause();
    expect(valueOf(await ended).outcome).toBe('timed-out');
    expect(await output(under.sandbox, 'echo runs')).toBe('runs\n');
  });
});

describe.skipIf(isWithoutEngine)('an image deleted during a run', () => {
  it('is not needed by what runs, and is reported when its container is gone, too', async () => {
    const { docker } = requireEngine();
    const maker = await startSandbox();
    const tar = join(maker.home, 'saved.tar');
    const name = `dewpoint-test:${randomUUID()}`;
    try {
      await output(maker.sandbox, smallImageCommand);
      const importing = { repo: name, changes: ['LABEL dewpoint.runner=2'] };
      for await (const piece of await docker.importImage(join(maker.workspace, 'small.tar'), importing)) void piece;
      const { Id } = await docker.getImage(name).inspect();
      await writeFile(tar, await docker.getImage(name).get());
      const under = await startSandbox({ settings: { image: name } });
      try {
        await output(under.sandbox, 'echo kept > /scratch/kept');
        const running = under.sandbox.exec({ command: 'touch begun; sleep 60', timeoutMs: 60_000 }, none);
        await expect.poll(() => under.text('begun')).not.toBeNull();
        await docker.getImage(name).remove({ force: true });
        expect(await output(under.sandbox, 'cat /scratch/kept')).toBe('kept\n');
        await docker.getContainer(await under.containerId()).remove({ force: true });
        expect(valueOf(await running)).toMatchObject({ outcome: 'lost', exitCode: null });
        await docker.getImage(Id).remove({ force: true });
        expect(await under.sandbox.exec({ command: 'true', timeoutMs: 60_000 }, none)).toMatchObject({
          ok: false,
          error: { code: 'sandbox-lost', message: expect.stringContaining('image was removed') },
        });
        for await (const piece of await docker.loadImage(tar)) void piece;
        expect(await output(under.sandbox, 'cat /scratch/kept')).toBe('kept\n');
        expect(under.losses.map(({ recreated }) => recreated)).toEqual([false, true]);
      } finally {
        await under.close();
        await docker.getImage(name).remove({ force: true });
      }
    } finally {
      await maker.close();
    }
  });
});

describe.skipIf(isWithoutEngine)('a workspace', () => {
  let under: DockerUnderTest;
  beforeEach(async () => {
    under = await startSandbox();
  });
  afterEach(() => under.close());

  it('renamed during the run gets no more changes, and neither does a new folder of that name', async () => {
    await under.put('a.txt', 'mine');
    await rename(under.workspace, `${under.workspace}-moved`);
    expect(codeOf(await under.sandbox.exec({ command: 'echo x > b.txt', timeoutMs: 60_000 }, none))).toBe('conflict');
    await mkdir(under.workspace);
    await writeFile(`${under.workspace}/a.txt`, 'another');
    expect(codeOf(await under.sandbox.files.write('a.txt', bytes('x'), undefined, none))).toBe('conflict');
    expect(await under.text('a.txt')).toBe('another');
    await rm(under.workspace, { recursive: true });
    await rename(`${under.workspace}-moved`, under.workspace);
    expect(await output(under.sandbox, 'cat a.txt')).toBe('mine');
  });

  it('replaced by a link during the run changes nothing where the link leads', async () => {
    const elsewhere = `${under.workspace}-elsewhere`;
    await mkdir(elsewhere);
    await rename(under.workspace, `${under.workspace}-moved`);
    await symlink(elsewhere, under.workspace);
    expect(codeOf(await under.sandbox.exec({ command: 'echo x > b.txt', timeoutMs: 60_000 }, none))).toBe('conflict');
    expect(codeOf(await under.sandbox.files.write('a.txt', bytes('x'), undefined, none))).toBe('conflict');
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(under.workspace);
    await rename(`${under.workspace}-moved`, under.workspace);
    expect(await output(under.sandbox, 'echo back')).toBe('back\n');
  });

  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'unmounted during the run writes nothing to the folder beneath',
    async (context) => {
      const disks: Mounted[] = [];
      const mounted = await startSandbox({
        prepare: async (workspace) => {
          const disk = await mountDisk(workspace, '16m');
          if (disk !== null) disks.push(disk);
        },
      });
      try {
        if (disks.length === 0) context.skip('no disk can be mounted here');
        expect(await output(mounted.sandbox, 'echo on > disk.txt; cat disk.txt')).toBe('on\n');
        await disks[0]?.[Symbol.asyncDispose]();
        expect(codeOf(await mounted.sandbox.exec({ command: 'echo x > b.txt', timeoutMs: 60_000 }, none))).toBe(
          'conflict',
        );
        expect(codeOf(await mounted.sandbox.files.write('a.txt', bytes('x'), undefined, none))).toBe('conflict');
        expect(await readdir(mounted.workspace)).toEqual([]);
      } finally {
        await mounted.close();
      }
    },
  );

  it('deleted during the run is reported by commands', async () => {
    await rm(under.workspace, { recursive: true });
    const reply = await under.sandbox.exec({ command: 'true', timeoutMs: 60_000 }, none);
    expect(reply).toMatchObject({ ok: false, error: { code: 'conflict', message: expect.stringContaining('moved') } });
  });
});
