import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PrivateEngine, smallImage, smallImageCommand } from '../../tests/fakes/private-engine.ts';
import type { BenchRow } from './rows.ts';
import { none, openBed } from './sandbox-bed.ts';
import { largest } from './statistics.ts';

const harms = ['killed', 'stopped', 'frozen', 'frozen and killed'] as const;

/**
 * Kills, stops or freezes an engine of its own in the middle of a command that writes into the project, then restarts
 * it. The engine is a `dockerd` with separate processes, mounts and network.
 */
export async function killEngine(rounds: number): Promise<readonly BenchRow[]> {
  const engine = await PrivateEngine.start();
  if (engine === null) return rowsOf(null, [], 'needs root, Linux, dockerd, unshare and nsenter');
  const back: number[] = [];
  let right = 0;
  try {
    await bringImage(engine);
    const bed = await openBed({ dockerHost: engine.host, settings: { image: smallImage } });
    try {
      for (let round = 0; round < rounds; round += 1) {
        const harm = harms[round % harms.length] ?? 'killed';
        const file = `ticks-${round}`;
        const command = `while :; do echo tick >> ${file}; sleep 0.02; done`;
        const isFrozen = harm.startsWith('frozen');
        const running = bed.sandbox.exec({ command, timeoutMs: isFrozen ? 2_000 : 60_000 }, none);
        while (!(await isThere(join(bed.workspace, file)))) await wait(10);
        await engine.signal(isFrozen ? 'STOP' : harm === 'killed' ? 'KILL' : 'TERM');
        const ended = await running;
        const outcome = ended.ok ? ended.value.outcome : ended.error.code;
        right += outcome === (isFrozen ? 'timed-out' : 'lost') ? 1 : 0;
        if (harm === 'frozen') await engine.signal('CONT');
        if (harm === 'frozen and killed') await engine.signal('KILL');
        if (harm !== 'frozen') await engine.startAgain();
        const started = performance.now();
        await bed.exec('true');
        back.push((performance.now() - started) / 1000);
      }
    } finally {
      await bed.close();
    }
  } finally {
    await engine.close();
  }
  const note = `${rounds} times: ${harms.join(', ')}, in turn; counted from when the engine answers again`;
  return rowsOf((right / rounds) * 100, back, note);
}

async function bringImage(engine: PrivateEngine): Promise<void> {
  const maker = await openBed();
  try {
    await maker.exec(smallImageCommand);
    await engine.bringImage(join(maker.workspace, 'small.tar'));
  } finally {
    await maker.close();
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function rowsOf(right: number | null, back: readonly number[], note: string): readonly BenchRow[] {
  return [
    {
      figure: 'engine killed, stopped or frozen during a command: labelled as it was',
      value: right,
      unit: '%',
      target: { atLeast: 100 },
      note,
    },
    {
      figure: 'the same engine back: to the end of the next command, longest',
      value: right === null ? null : largest(back),
      unit: 's',
      target: { atMost: 5 },
      note,
    },
  ];
}
