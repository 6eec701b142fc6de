import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineWay } from '../../tests/fakes/engine-way.ts';
import type { BenchRow } from './rows.ts';
import { none, openBed } from './sandbox-bed.ts';
import { largest } from './statistics.ts';

/** Tries every known way out of a container without a network (`tests/fixtures/egress.py`). */
export async function tryEgress(): Promise<BenchRow> {
  const bed = await openBed();
  try {
    await copyFile('tests/fixtures/egress.py', join(bed.workspace, 'egress.py'));
    const { stdout } = await bed.exec('python3 egress.py', 170_000);
    const tries = stdout.trim().split('\n');
    const out = tries.filter((line) => !line.endsWith('\tkept in'));
    const isEnough = tries.length >= 60;
    const note = `${tries.length} ways tried${out.length === 0 ? '' : `: ${out.join(', ')}`}`;
    return {
      figure: 'ways out of a container without a network',
      value: isEnough ? out.length : null,
      unit: '',
      target: { atMost: 0 },
      note,
    };
  } finally {
    await bed.close();
  }
}

/**
 * Cuts or freezes the connection to the engine in the middle of a command, then restores it. The engine itself is left
 * alone.
 */
export async function loseEngine(rounds: number): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-way-'));
  const way = new EngineWay(join(folder, 'engine.sock'));
  await way.open();
  const bed = await openBed({ dockerHost: `unix://${way.path}` });
  const back: number[] = [];
  let right = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const isCut = round % 2 === 0;
      const running = bed.sandbox.exec({ command: 'echo begun; sleep 60', timeoutMs: isCut ? 60_000 : 1_500 }, none);
      await wait(600);
      if (isCut) await way.cut();
      else way.freeze();
      const ended = await running;
      const outcome = ended.ok ? ended.value.outcome : ended.error.code;
      right += outcome === (isCut ? 'lost' : 'timed-out') ? 1 : 0;
      if (!isCut) await way.cut();
      await way.open();
      const started = performance.now();
      await bed.exec('true');
      back.push((performance.now() - started) / 1000);
    }
  } finally {
    await bed.close();
    await way.cut();
    await rm(folder, { recursive: true, force: true });
  }
  const note = `${rounds} times the way to the engine was cut or froze; the engine itself ran on`;
  return [
    {
      figure: 'engine gone during a command: labelled as it was',
      value: (right / rounds) * 100,
      unit: '%',
      target: { atLeast: 100 },
      note,
    },
    {
      figure: 'engine back: to the end of the next command, longest',
      value: largest(back),
      unit: 's',
      target: { atMost: 5 },
      note,
    },
  ];
}
