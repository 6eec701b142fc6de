import { hostileTrees } from '../../tests/docker/hostile-trees.ts';
import type { BenchRow } from './rows.ts';
import { none, openBed, type BenchBed } from './sandbox-bed.ts';
import { percentile } from './statistics.ts';

const timeoutMs = 300;
/** The time from the soft deadline, when a command is asked to end, to the hard one, when it is killed. */
const graceMs = 1_000;
const bomb = ['a fork bomb', 'bomb() { bomb | bomb & }; bomb; sleep 600'] as const;

/**
 * Runs commands that try to outlive their run, one after the other, each to its deadline. Then asks the engine which
 * processes still live.
 */
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

/** The processes of each container besides its first one, as the engine sees them from outside. */
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
