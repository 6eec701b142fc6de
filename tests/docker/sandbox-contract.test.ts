import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImage } from '../../src/main/sandbox/images/sandbox-image.ts';
import { describeSandbox, valueOf } from '../contracts/sandbox-contract.ts';
import { imageSource, isWithoutEngine, none, output, requireEngine, startSandbox } from './docker-kit.ts';

describe.skipIf(isWithoutEngine)('the contract over a real engine', () => {
  describeSandbox('a container', { writes: true, commands: true }, () => startSandbox());
});

const bareImage = 'dewpoint-test-bare:latest';
const lentImage = 'dewpoint-test-bare:lent';

// A user's own image may lack the runner, ripgrep, GNU find, Bash and a scratch folder that everybody can write to.
const takeAway = `rm /usr/bin/rg /bin/bash; mv /usr/bin/find /usr/bin/find.real; chmod 0755 /scratch
printf '%s\\n' '#!/bin/sh' 'for a; do [ "$a" = -printf ] && exit 1; done' 'exec /usr/bin/find.real "$@"' > /usr/bin/find
chmod 755 /usr/bin/find`;

describe.skipIf(isWithoutEngine)('a container of a bare image', () => {
  beforeAll(async () => {
    const { docker } = requireEngine();
    const image = valueOf(await findImage(requireEngine(), { ...imageSource, wanted: null }, none));
    const container = await docker.createContainer({
      Image: image.id,
      Cmd: ['/bin/sh', '-c', takeAway],
      HostConfig: { NetworkMode: 'none' },
    });
    await container.start();
    await container.wait();
    // With this label, an image refuses the runner, and every process is an exec of the engine. Without a runner and a
    // label, the image is lent one.
    await container.commit({ repo: 'dewpoint-test-bare', tag: 'latest', changes: 'LABEL dewpoint.runner=none' });
    await container.commit({ repo: 'dewpoint-test-bare', tag: 'lent', changes: 'LABEL dewpoint.runner=' });
    await container.remove({ force: true });
  });
  afterAll(async () => {
    for (const name of [bareImage, lentImage]) await requireEngine().docker.getImage(name).remove({ force: true });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'has a scratch folder of its own although the image has none for this user',
    async () => {
      const under = await startSandbox({ settings: { image: bareImage }, owner: { uid: 4321, gid: 4321 } });
      try {
        expect(under.sandbox.scratchPath).toBe('/scratch/work');
        expect(await output(under.sandbox, 'cd /scratch/work && touch x && stat -c %u:%g . x')).toBe(
          '4321:4321\n4321:4321\n',
        );
      } finally {
        await under.close();
      }
    },
  );

  it('runs the right process 1, with and without a lent runner', async () => {
    for (const [image, first] of [
      [bareImage, '/bin/sh /run/dewpoint/reaper'],
      [lentImage, '/run/dewpoint-runner'],
    ] as const) {
      const under = await startSandbox({ settings: { image } });
      try {
        expect(await output(under.sandbox, 'tr "\\0" " " < /proc/1/cmdline')).toBe(`${first} `);
        expect(under.sandbox.description.warnings.some((text) => text.includes('without the runner'))).toBe(
          image === bareImage,
        );
        // Only the running container is left in the engine, nothing else of the lent runner.
        expect((await under.leftovers()).containers).toHaveLength(1);
      } finally {
        await under.close();
      }
    }
  });

  describeSandbox('a bare container with a runner that was lent', { writes: true, commands: true }, () =>
    startSandbox({ settings: { image: lentImage } }),
  );

  describeSandbox('a bare container', { writes: true, commands: true }, () =>
    startSandbox({ settings: { image: bareImage } }),
  );
});
