import { hostileTrees } from '../../tests/docker/hostile-trees.ts';
import type { BenchRow } from './rows.ts';
import { none, openBed, type BenchBed } from './sandbox-bed.ts';
import { percentile } from './statistics.ts';

const timeoutMs = 300;
/** Between the deadline, at which a command is asked to end, and the hard one, at which it is killed. */
const graceMs = 1_000;
const bomb = ['a fork bomb', 'bomb() { bomb | bomb & }; bomb; sleep 600'] as const;

/** Commands that want to outlive their run, one after the other, each to its deadline; then the engine is asked what still lives. */
export async function killTrees(count: number): Promise<readonly BenchRow[]> {
  const bed = await openBed({ settings: { pids: 192 } });
  try {
    let survivors = 0;
    const late: number[] = [];
    const kinds = [...hostileTrees, bomb];
    for (let index = 0; index < count; index += 1) {
      const [, command = ''] = kinds[index % kinds.length] ?? [];
      const started = performance.now();
      const ended = await bed.sandbox.exec({ command, timeoutMs }, none);
      late.push(performance.now() - started - timeoutMs - graceMs);
      survivors += ended.ok ? await livingIn(bed) : 1;
    }
    const inTime = late.filter((ms) => ms <= 500).length;
    const note = `${count} trees of ${kinds.length} kinds`;
    return [
      { figure: 'hostile process trees: survivors', value: survivors, unit: '', target: { atMost: 0 }, note },
      {
        figure: 'hostile process trees: dead within 500 ms of the hard deadline',
        value: (inTime / count) * 100,
        unit: '%',
        target: { atLeast: 100 },
        note: `${note}, p99 ${Math.round(percentile(late, 0.99) ?? 0)} ms after it (below 0: before it)`,
      },
    ];
  } finally {
    await bed.close();
  }
}

/** Processes besides the first one of each container, as the engine sees them from outside. */
async function livingIn(bed: BenchBed): Promise<number> {
  let living = 0;
  for (const id of await bed.containers()) {
    const { State } = await bed.engine.docker.getContainer(id).inspect();
    if (!State.Running) continue;
    const { Processes } = await bed.engine.docker.getContainer(id).top();
    living += Math.max(0, (Processes ?? []).length - 1);
  }
  return living;
}
