import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BroughtImage } from '../../src/shared/sandbox/sandbox-images.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { createProjectImages } from '../../src/main/sandbox/images/project-images.ts';
import { describeSandbox } from '../contracts/sandbox-contract.ts';
import { smallImageCommand } from '../fakes/private-engine.ts';
import { otherUser } from '../fakes/other-user.ts';
import { isPodmanHere, startPodman, type PodmanKind, type PrivatePodman } from '../fakes/private-podman.ts';
import { describeOwners } from './describe-owners.ts';
import { isWithoutEngine, none, output, startSandbox, type DockerTestOptions } from './docker-kit.ts';

// The setup in CI installs it, so a missing Podman is a failure there, not a skip.
const isHere = async (kind: PodmanKind): Promise<boolean> =>
  !isWithoutEngine && (process.env['CI'] !== undefined || (await isPodmanHere(kind)));

/** `person`: the owner of the project. Null: the user who runs the tests. */
const kinds = [
  { kind: 'rootful', person: null },
  { kind: 'rootless', person: { uid: otherUser.uid, gid: otherUser.gid } },
] as const;
const possible = await Promise.all(kinds.map(async (one) => ({ ...one, isHere: await isHere(one.kind) })));

for (const { kind, person, isHere: isPossible } of possible)
  describe.skipIf(!isPossible)(`Podman's socket (${kind})`, () => {
    let podman: PrivatePodman;
    let image: BroughtImage;
    const bring = (file: string): Promise<BroughtImage> => {
      const images = createProjectImages({
        homePath: dirname(file),
        env: { DOCKER_HOST: podman.host },
        settings: () => settingsSchema.parse({}).sandbox,
        saveProjects: async () => undefined,
      });
      // Each attempt finds the engine again, but not for long. A busy machine may be too slow once.
      const once = (): Promise<BroughtImage> => images.bring({ type: 'import', file }, () => undefined, none);
      return vi.waitFor(once, { timeout: 60_000, interval: 1_000 });
    };
    beforeAll(async () => {
      podman = await startPodman(kind);
      const maker = await startSandbox();
      try {
        await output(maker.sandbox, smallImageCommand);
        image = await bring(join(maker.workspace, 'small.tar'));
      } finally {
        await maker.close();
      }
    });
    afterAll(() => podman.close());

    const start = (options: DockerTestOptions = {}) =>
      startSandbox({
        engine: podman.engine,
        settings: { image: image.name },
        ...(person === null ? {} : { owner: person }),
        ...options,
      });

    it('imports a file system as an image under a fixed name, and its saved copy as the same image', async () => {
      expect(image.name).toMatch(/^dewpoint-import:[0-9a-f]{12}$/);
      const folder = await mkdtemp(join(tmpdir(), 'dewpoint-podman-saved-'));
      try {
        const saved = join(folder, 'saved.tar');
        await writeFile(saved, await podman.engine.docker.getImage(image.name).get());
        expect(await bring(saved)).toMatchObject({ id: image.id, name: expect.stringContaining(image.name) });
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('starts a container without privileges, without a network and with a read-only system', async () => {
      expect([podman.engine.kind, podman.engine.version]).toEqual(['podman', expect.stringMatching(/^\d+\.\d+/)]);
      const under = await start();
      try {
        expect(under.sandbox.description.tier).toBe('container');
        const command = `grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status
grep -c : /proc/net/dev
for place in /usr /etc /proc/sys/kernel; do touch $place/x 2>/dev/null && echo "$place can be written"; done
[ -f /proc/kcore ] && echo 'memory of the machine'; echo end`;
        expect((await output(under.sandbox, command)).split('\n').map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
          'CapEff: 0000000000000000',
          'NoNewPrivs: 1',
          'Seccomp: 2',
          '1',
          'end',
          '',
        ]);
      } finally {
        await under.close();
      }
    });

    if (person !== null) describeOwners({ person, runsAs: `${person.uid}:${person.gid}`, rootWrites: false }, start);

    describeSandbox(`a container of Podman (${kind})`, { writes: true, commands: true }, () => start());
  });
