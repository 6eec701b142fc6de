import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import { codeOf, valueOf } from '../contracts/sandbox-contract.ts';
import { begin, isWithoutEngine, none, output, startSandbox, type DockerUnderTest } from '../docker/docker-kit.ts';
import { EngineWay } from '../fakes/engine-way.ts';
import { hearDiagnostics } from '../fakes/hear-diagnostics.ts';

describe.skipIf(isWithoutEngine || process.platform !== 'linux')('an engine that goes away', () => {
  let folder: string;
  let way: EngineWay;
  let under: DockerUnderTest;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dewpoint-way-'));
    way = new EngineWay(join(folder, 'engine.sock'));
    await way.open();
    const engine = await findEngine(
      { env: { DOCKER_HOST: `unix://${way.path}` }, homeDirectory: folder, platform: 'linux', waitMs: 60_000 },
      none,
    );
    under = await startSandbox({ engine: valueOf<Engine>(engine), settings: { engineWaitSeconds: 0 } });
  });
  afterEach(async () => {
    await under.close();
    await way.cut();
    await rm(folder, { recursive: true });
  });

  it('in the middle of a command loses the outcome, and reports no exit code', async () => {
    const { ended } = await begin(under.sandbox);
    await way.cut();
    expect(valueOf(await ended)).toMatchObject({ outcome: 'lost', exitCode: null, stdout: 'begun\n' });
    const meanwhile = await under.sandbox.exec({ command: 'true', timeoutMs: 60_000 }, none);
    expect(codeOf(meanwhile)).toBe('sandbox-lost');
    await way.open();
    expect(await output(under.sandbox, 'echo back')).toBe('back\n');
    expect(under.losses.map((loss) => loss.recreated)).toEqual([false, false, true]);
  });

  it('has its leftovers removed as soon as it is back', async () => {
    const { ended } = await begin(under.sandbox);
    await way.cut();
    expect(valueOf(await ended).outcome).toBe('lost');
    await way.open();
    await expect.poll(async () => (await under.leftovers()).containers).toEqual([]);
    expect(await output(under.sandbox, 'echo back')).toBe('back\n');
  });

  it('can freeze without delaying a deadline, and works again afterwards', async () => {
    const { ended } = await begin(under.sandbox, { timeoutMs: 4_000 });
    way.freeze();
    expect(valueOf(await ended).outcome).toBe('timed-out');
    await way.cut();
    await way.open();
    expect(await output(under.sandbox, 'echo back')).toBe('back\n');
    expect((await under.leftovers()).containers).toHaveLength(1);
  });

  it('does not stop a sandbox from closing, which says what is left behind', async () => {
    await way.cut();
    const told = hearDiagnostics();
    await under.sandbox.dispose();
    expect(told).toEqual([
      expect.stringMatching(/container could not be removed/),
      expect.stringMatching(/volume could not be removed/),
    ]);
    await way.open();
    const { docker } = valueOf(
      await findEngine({ env: {}, homeDirectory: folder, platform: 'linux', waitMs: 60_000 }, none),
    );
    const left = await under.leftovers();
    for (const id of left.containers) await docker.getContainer(id).remove({ force: true });
    for (const name of left.volumes) await docker.getVolume(name).remove();
  });
});
