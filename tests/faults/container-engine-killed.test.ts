import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '@shared/errors.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { labelNames } from '../../src/main/sandbox/docker/container/container-create-body.ts';
import type { ExecResult } from '../../src/main/sandbox/sandbox.ts';
import { codeOf, valueOf } from '../contracts/sandbox-contract.ts';
import {
  isWithoutEngine,
  none,
  output,
  startSandbox,
  type DockerTestOptions,
  type DockerUnderTest,
} from '../docker/docker-kit.ts';
import { PrivateEngine, type PrivateEngineKind, smallImage, smallImageCommand } from '../fakes/private-engine.ts';

const isHere = !isWithoutEngine && (await PrivateEngine.isPossible());

let engine: PrivateEngine;

async function startEngine(kind: PrivateEngineKind): Promise<void> {
  const [started, maker] = await Promise.all([PrivateEngine.start(kind), startSandbox()]);
  if (started === null) throw new Error('These tests need root, dockerd, unshare and nsenter.');
  engine = started;
  await output(maker.sandbox, smallImageCommand);
  await engine.bringImage(join(maker.workspace, 'small.tar'));
  await maker.close();
}

const start = async (options: DockerTestOptions = {}): Promise<DockerUnderTest> =>
  startSandbox({ engine: await engine.find(), ...options, settings: { image: smallImage, ...options.settings } });

/** A command that keeps writing into the project. Resolves after it has begun. */
async function begin(under: DockerUnderTest, timeoutMs: number): Promise<{ ended: Promise<Reply<ExecResult>> }> {
  const command = 'while :; do echo tick >> ticks; sleep 0.02; done';
  const ended = under.sandbox.exec({ command, timeoutMs }, none);
  await expect.poll(() => under.text('ticks')).not.toBeNull();
  return { ended };
}

async function expectWorks(under: DockerUnderTest): Promise<void> {
  expect(await output(under.sandbox, 'echo back')).toBe('back\n');
  // Nothing of the old command still writes.
  const before = await under.text('ticks');
  await output(under.sandbox, 'sleep 0.3');
  expect(await under.text('ticks')).toBe(before);
}

/** Long enough that the engine freezes before a command on a busy machine has begun and reached its deadline. */
const frozenMs = 4_000;

describe.skipIf(!isHere)('an engine that fails during a command', () => {
  beforeAll(() => startEngine('plain'));
  afterAll(() => engine.close());

  it.each([
    ['killed', 'KILL'],
    ['stopped', 'TERM'],
  ] as const)('loses the outcome when it is %s, and runs the next command', async (_how, signal) => {
    const under = await start({ settings: { engineWaitSeconds: 0 } });
    try {
      const { ended } = await begin(under, 60_000);
      await engine.signal(signal);
      expect(valueOf(await ended)).toMatchObject({ outcome: 'lost', exitCode: null });
      expect(codeOf(await under.sandbox.exec({ command: 'true', timeoutMs: 60_000 }, none))).toBe('sandbox-lost');
      await engine.startAgain();
      await expectWorks(under);
      expect(under.losses.map((loss) => loss.recreated)).toEqual([false, false, true]);
    } finally {
      await under.close();
    }
  });

  it('makes the next command wait until it is back after a kill', async () => {
    const under = await start();
    try {
      const { ended } = await begin(under, 60_000);
      await engine.signal('KILL');
      await ended;
      const next = under.sandbox.exec({ command: 'echo back', timeoutMs: 30_000 }, none);
      await expect.poll(() => under.losses.map((loss) => loss.recreated)).toEqual([false]);
      await engine.startAgain();
      expect(valueOf(await next)).toMatchObject({ outcome: 'exited', stdout: 'back\n' });
      expect(under.losses.map((loss) => loss.recreated)).toEqual([false, true]);
    } finally {
      await under.close();
    }
  });

  it('keeps the deadline of the command when frozen, and work goes on when it is back', async () => {
    const under = await start();
    try {
      const { ended } = await begin(under, frozenMs);
      await engine.signal('STOP');
      expect(valueOf(await ended)).toMatchObject({ outcome: 'timed-out', exitCode: null });
      await engine.signal('CONT');
      await expectWorks(under);
    } finally {
      await under.close();
    }
  });

  it('lets each of two homes remove only its own containers', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    try {
      const [first] = await Promise.all([begin(one, 60_000), begin(other, 60_000)]);
      await engine.signal('KILL');
      expect(valueOf(await first.ended).outcome).toBe('lost');
      await engine.startAgain();
      await expectWorks(one);
      await expectWorks(other);
      const { docker } = await engine.find();
      const kept = async (): Promise<readonly string[]> =>
        (await docker.listContainers()).map(({ Labels }) => Labels[labelNames.home] ?? '').sort();
      await expect.poll(kept).toEqual([one, other].map(({ home }) => homeIdOf(home)).sort());
      await one.sandbox.dispose();
      expect(await kept()).toEqual([homeIdOf(other.home)]);
      expect(await output(other.sandbox, 'echo still')).toBe('still\n');
    } finally {
      await one.close();
      await other.close();
    }
  });
});

describe.skipIf(!isHere)('an engine whose containers go on without it', () => {
  beforeAll(() => startEngine('live-restore'));
  afterAll(() => engine.close());

  it.each([
    ['killed', 'KILL'],
    ['stopped', 'TERM'],
  ] as const)('loses the outcome when it is %s, and ends what was left when it is back', async (_how, signal) => {
    const under = await start();
    try {
      const { ended } = await begin(under, 60_000);
      await engine.signal(signal);
      expect(valueOf(await ended)).toMatchObject({ outcome: 'lost', exitCode: null });
      const before = await under.text('ticks');
      await expect.poll(() => under.text('ticks')).not.toBe(before);
      await engine.startAgain();
      await expectWorks(under);
      expect(under.losses.map((loss) => loss.recreated)).toEqual([true]);
    } finally {
      await under.close();
    }
  });
});
