import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { findImage } from '../../src/main/sandbox/images/sandbox-image.ts';
import { createProjectImages } from '../../src/main/sandbox/images/project-images.ts';
import type { AskAboutDisk } from '../../src/main/sandbox/sandbox.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import {
  imageSource,
  isWithoutEngine,
  none,
  output,
  startSandbox,
  type DockerUnderTest,
} from '../docker/docker-kit.ts';
import { PrivateEngine, smallImage, smallImageCommand } from '../fakes/private-engine.ts';

const isHere = !isWithoutEngine && (await PrivateEngine.isPossible());

/**
 * Fills all but 14 MB. Below 13 MB of free space, it writes far slower than the disk is checked, even on a busy
 * machine. It does not fill the disk at once, because only what is taken after the first check counts.
 */
const fillDisk = `free() { df -Pk /scratch | tail -1 | tr -s ' ' | cut -d' ' -f4; }
more() { head -c 1000000 /dev/zero >> /scratch/new || exit 1; sleep $1; }
for i in $(seq $(($(free) / 1024 - 14))); do more 0.06; done
for i in $(seq 30); do if [ $(free) -lt 13000 ]; then more 4; else more 0.1; fi; done
wc -c < /scratch/new`;

describe.skipIf(!isHere)('a command that fills the disk of the engine', { timeout: 240_000 }, () => {
  let engine: PrivateEngine;
  let under: DockerUnderTest;
  const start = async (isSeen: boolean, onDiskLow?: AskAboutDisk): Promise<void> => {
    const [started, maker] = await Promise.all([
      PrivateEngine.start('plain', { size: '240m', isSeen }),
      startSandbox(),
    ]);
    if (started === null) throw new Error('These tests need root, dockerd, unshare and nsenter.');
    engine = started;
    await output(maker.sandbox, smallImageCommand);
    await engine.bringImage(join(maker.workspace, 'small.tar'));
    await maker.close();
    under = await startSandbox({
      engine: await engine.find(),
      settings: { image: smallImage },
      ...(onDiskLow === undefined ? {} : { onDiskLow }),
    });
  };
  afterEach(async () => {
    await under?.close();
    await engine?.close();
  });

  it('is ended before another disk of this machine is full, and told which disk it is', async () => {
    await start(true);
    const filled = valueOf(await under.sandbox.exec({ command: fillDisk, timeoutMs: 200_000 }, none));
    expect([filled.outcome, filled.exitCode, filled.killedFor]).toEqual(['killed', null, 'disk']);
    expect(filled.stderr).toMatch(/ended because the disk of the container engine is nearly full: \d+ MB are left/);
    expect(await output(under.sandbox, 'rm /scratch/new; echo works')).toBe('works\n');
  });

  it("pauses while a person makes room in the engine's own machine, and finishes", async () => {
    const asked: string[] = [];
    await start(false, async (text) => {
      asked.push(text);
      await engine.inside('rm', 'data/old');
      return 'go-on';
    });
    await engine.inside('sh', '-c', 'head -c 60000000 /dev/zero > data/old');
    const ran = valueOf(await under.sandbox.exec({ command: fillDisk, timeoutMs: 200_000 }, none));
    expect([ran.outcome, ran.exitCode, ran.stderr]).toEqual(['exited', 0, '']);
    expect(asked).toEqual([
      expect.stringMatching(/^The disk of the container engine is nearly full.*The command is paused/),
    ]);
    expect(await output(under.sandbox, 'echo works')).toBe('works\n');
  });
});

describe.skipIf(!isHere)('an image for which the disk of the engine has no room', () => {
  it('is not begun, whether it is our own, fetched, built for a project or loaded from a file', async () => {
    const engine = await PrivateEngine.start('plain', { size: '240m', isSeen: true });
    if (engine === null) throw new Error('These tests need root, dockerd, unshare and nsenter.');
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-room-'));
    try {
      const noRoom = {
        code: 'missing-sandbox',
        message: expect.stringMatching(/has 2\d\d MB free.*Nothing was started/),
      };
      expect(await findImage(await engine.find(), { ...imageSource, wanted: null }, none)).toMatchObject({
        ok: false,
        error: noRoom,
      });
      const project = join(folder, 'project');
      await mkdir(project);
      await writeFile(join(project, 'Dockerfile'), 'FROM scratch\nLABEL a=b\n');
      // A sparse file: only its size counts.
      const file = join(folder, 'large.tar');
      await writeFile(file, '');
      await truncate(file, 200e6);
      const images = createProjectImages({
        homePath: join(folder, 'home'),
        env: { DOCKER_HOST: engine.host },
        settings: () => settingsSchema.parse({}).sandbox,
        saveProjects: async () => undefined,
      });
      const own = await images.ofProject(project);
      const approval = own?.approval ?? '';
      for (const wish of [
        { type: 'pull', name: 'debian' },
        { type: 'project', projectPath: project, approval },
        { type: 'import', file },
      ] as const)
        await expect(images.bring(wish, () => undefined, none)).rejects.toMatchObject(noRoom);
    } finally {
      await engine.close();
      await rm(folder, { recursive: true });
    }
  });
});
