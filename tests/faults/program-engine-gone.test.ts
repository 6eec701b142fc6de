import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine, output, startSandbox } from '../docker/docker-kit.ts';
import { PrivateEngine, smallImage, smallImageCommand } from '../fakes/private-engine.ts';
import { change, command, complete, createProgram, ofType, sessionOf, type Answer } from './program.ts';

const isHere = !isWithoutEngine && (await PrivateEngine.isPossible('live-restore'));

describe.skipIf(!isHere)('the program without its engine, whose containers go on', () => {
  let engine: PrivateEngine;
  beforeAll(async () => {
    const [started, maker] = await Promise.all([PrivateEngine.start('live-restore'), startSandbox()]);
    if (started === null) throw new Error('These tests need root, dockerd, unshare and nsenter.');
    engine = started;
    await output(maker.sandbox, smallImageCommand);
    await engine.bringImage(join(maker.workspace, 'small.tar'));
    await maker.close();
  });
  afterAll(() => engine.close());

  it('reports an unknown outcome and changed files, ends the command when the engine is back, and goes on', async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n' });
    const replies = [command('while :; do echo tick >> ticks; sleep 0.05; done'), change(), complete()];
    await program.settings({
      local: 'script/script',
      providers: { script: { kind: 'scripted', replies } },
      sandbox: { image: smallImage },
    });
    const env = { DOCKER_HOST: engine.host };
    const running = program.startTask(undefined, [], { env });
    await expect.poll(() => program.text('ticks'), { timeout: 60_000 }).not.toBeNull();
    await engine.signal('KILL');
    await running.until('sandbox-lost', ({ recreated }) => !recreated);
    await engine.startAgain();
    const lost = await running.until('tool-ended', ({ tool }) => tool === 'run_command');
    expect(lost).toMatchObject({ status: 'unknown', exitCode: null });
    expect(lost.output).toMatch(/nobody knows how this ended[\s\S]*Different from before it: ticks\./);
    const { code, events } = await running.ended;
    expect(code).toBe(0);
    const losses = events.flatMap((event) => (event.type === 'sandbox-lost' ? [event.recreated] : []));
    expect(losses).toEqual([false, true]);
    const changed = events.flatMap((event) => (event.type === 'file-changed' ? [event.path] : []));
    expect(changed).toEqual(['ticks', 'made.txt']);
    // The container that kept running without its engine is gone, too.
    const { docker } = await engine.find();
    expect(await docker.listContainers({ all: true })).toEqual([]);
  }, 120_000);

  it('ends the turn with its own reason, and goes on with "continue" when the engine is back', async () => {
    await using program = await createProgram({ 'notes.txt': 'one\n' });
    const script = (...replies: readonly Answer[]): Promise<void> =>
      program.settings({
        local: 'script/script',
        providers: { script: { kind: 'scripted', replies } },
        sandbox: { image: smallImage, engineWaitSeconds: 1 },
      });
    await script(command(': > begun; sleep 60'), command('true'), command('true'), change(), complete());
    const env = { DOCKER_HOST: engine.host };
    const running = program.startTask(undefined, [], { env });
    await expect.poll(() => program.text('begun')).not.toBeNull();
    await engine.signal('KILL');
    const { code, events } = await running.ended;
    expect(ofType(events, 'turn-ended')).toMatchObject([
      { reason: 'sandbox-lost', failure: { code: 'sandbox-lost', hint: expect.stringContaining('"continue"') } },
    ]);
    // The model was not called again, and its pending call does not count as finished.
    expect(ofType(events, 'model-call-started')).toHaveLength(1);
    expect(ofType(events, 'tool-ended').at(-1)).toMatchObject({ tool: 'run_command', status: 'unknown' });
    expect(code).toBe(5);

    await engine.startAgain();
    await script(change(), complete());
    const again = await program.start(['run', '--session', sessionOf(events), '--json', '--', 'continue'], { env })
      .ended;
    expect(again.code, again.stderr).toBe(0);
    expect(ofType(again.events, 'turn-ended').at(-1)?.reason).toBe('done');
    expect(await program.text('made.txt')).toBe('made\n');
    const { docker } = await engine.find();
    expect(await docker.listContainers({ all: true })).toEqual([]);
  }, 120_000);
});
