import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSandbox } from '../contracts/sandbox-contract.ts';
import { smallImage, smallImageCommand } from '../fakes/private-engine.ts';
import { isPodmanHere, startPodman, type PrivatePodman } from '../fakes/private-podman.ts';
import { isWithoutEngine, output, startSandbox } from './docker-kit.ts';

const isHere = !isWithoutEngine && (await isPodmanHere());

describe.skipIf(!isHere)('the socket of Podman', () => {
  let podman: PrivatePodman;
  beforeAll(async () => {
    const [started, maker] = await Promise.all([startPodman(), startSandbox()]);
    podman = started;
    await output(maker.sandbox, smallImageCommand);
    await podman.bringImage(join(maker.workspace, 'small.tar'));
    await maker.close();
  });
  afterAll(() => podman.close());

  const start = () => startSandbox({ engine: podman.engine, settings: { image: smallImage } });

  it('holds what is asked of a container: no privilege, no network, nothing of the system to be written', async () => {
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

  describeSandbox('a container of Podman', { writes: true, commands: true }, start);
});
