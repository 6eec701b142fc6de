import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine, requireEngine } from '../docker/docker-kit.ts';
import { command, change, complete, createProgram, ofType, type Program, type Running, tool } from './program.ts';

/** Ignores all requests to end, and leaves a detached child that does the same. */
const stubborn = [
  "trap '' TERM INT HUP",
  'setsid sh -c \'trap "" TERM INT HUP; while :; do date >> child.txt; sleep 0.1; done\' &',
  'echo begun > begun.txt',
  'while :; do date >> parent.txt; sleep 0.1; done',
].join('\n');

async function startStubborn(program: Program): Promise<Running> {
  await program.script([command(stubborn), complete()]);
  const running = program.startTask();
  await running.until('tool-started', (event) => event.tool === 'run_command');
  await expect.poll(() => program.text('child.txt')).not.toBeNull();
  return running;
}

/** Whether something still writes to the project. */
async function isAlive(program: Program): Promise<boolean> {
  const both = async (): Promise<string> => `${await program.text('child.txt')}|${await program.text('parent.txt')}`;
  const before = await both();
  await wait(1000);
  return (await both()) !== before;
}

describe.skipIf(isWithoutEngine)('Ctrl-C in a command that does not end', () => {
  it('ends with 130, leaves nothing running, and keeps in the log what was done', async () => {
    await using program = await createProgram();
    const running = await startStubborn(program);
    running.child.kill('SIGINT');
    const end = await Promise.race([running.ended, wait(60_000, null)]);
    expect(end).toMatchObject({ code: 130 });
    expect(end?.stderr).toContain('stopping');
    expect(await isAlive(program)).toBe(false);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
    const events = end?.events ?? [];
    expect(ofType(events, 'turn-ended').map(({ reason }) => reason)).toEqual(['cancelled']);
    expect(ofType(events, 'tool-ended').at(-1)).toMatchObject({ tool: 'run_command', status: 'cancelled' });
    expect(ofType(events, 'file-changed').map(({ path }) => path)).toContain('begun.txt');
    expect((await program.run(['changes', 'last', 'undo'])).code).toBe(0);
    expect(await program.text('begun.txt')).toBeNull();
  }, 120_000);

  it('ends at once when pressed twice, and the next start leaves no container', async () => {
    await using program = await createProgram();
    const running = await startStubborn(program);
    // The container is paused, so that the clean end cannot come first.
    const [id = ''] = (await program.leftovers()).containers;
    await requireEngine().docker.getContainer(id).pause();
    running.child.kill('SIGINT');
    // Two pending signals of the same kind count as one, so the test waits until the first was handled.
    await expect.poll(() => running.said()).toContain('stopping');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, signal: null });
    await requireEngine()
      .docker.getContainer(id)
      .unpause()
      .catch(() => undefined);
    await program.script([change(), complete()]);
    const next = await program.startTask().ended;
    expect({ code: next.code, stderr: next.stderr }).toMatchObject({ code: 0 });
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
    expect(await isAlive(program)).toBe(false);
  }, 120_000);

  it('ends with 130 while the model answers and before anything has begun', async () => {
    await using program = await createProgram();
    await program.script([{ delayMs: 60_000, text: 'too late' }]);
    const answering = program.startTask();
    await answering.until('model-call-started');
    answering.child.kill('SIGINT');
    const end = await answering.ended;
    expect(end.code).toBe(130);
    expect(ofType(end.events, 'turn-ended').map(({ reason }) => reason)).toEqual(['cancelled']);
    const early = program.startTask();
    await wait(250);
    early.child.kill('SIGINT');
    const { code, signal } = await early.ended;
    // Before the program listens, the signal itself ends it.
    expect(code === 130 || signal === 'SIGINT').toBe(true);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  }, 120_000);
});

describe.skipIf(isWithoutEngine)('a reader that goes away', () => {
  it('stops the work when it read the results, but not when it read the messages', async () => {
    await using program = await createProgram();
    await program.script([change(), complete()]);
    const unseen = program.startTask();
    unseen.child.stderr?.destroy();
    expect((await unseen.ended).code).toBe(0);
    expect(await program.text('made.txt')).toBe('made\n');
    // Enough output that more is always to come when the reader leaves.
    await program.script(Array.from({ length: 100 }, (_, index) => tool('search', { pattern: `p${index}` }, 500)));
    const unread = program.startTask(undefined, ['--max-steps', '100']);
    await unread.until('model-call-started');
    unread.child.stdout?.destroy();
    expect((await unread.ended).code).toBe(130);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  }, 120_000);
});
