import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchRow } from '../rows.ts';
import { playHistory, quickFolder } from './restore-history.ts';

const histories = 10_000;
const toldEvery = 500;

/** Random histories of edits by agent and person, with restores, undos and crashes. Each number is a seed. */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(await quickFolder(), 'dewpoint-histories-'));
  const sum = { histories: 0, restores: 0, undos: 0, merges: 0, kept: 0, crashes: 0, lostBytes: 0, problems: 0 };
  try {
    for (let seed = 1; seed <= histories && !signal.aborted; seed += 1) {
      const one = await playHistory(seed, folder);
      for (const problem of one.problems) console.error(problem);
      sum.histories += 1;
      sum.restores += one.restores;
      sum.undos += one.undos;
      sum.merges += one.merges;
      sum.kept += one.kept;
      sum.crashes += one.crashes;
      sum.lostBytes += one.lostBytes;
      sum.problems += one.problems.length;
      if (seed % toldEvery === 0) console.error(`checkpoints: seeds 1 to ${seed}, ${sum.problems} problems`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const did = `${sum.restores} restores, ${sum.crashes} cut off, ${sum.undos} undos and takes, ${sum.merges} files merged, ${sum.kept} kept`;
  const note = `seeds 1 to ${sum.histories}: ${did}`;
  return [
    { figure: 'Checkpoints: bytes of the person lost', value: sum.lostBytes, unit: '', target: { atMost: 0 }, note },
    {
      figure: 'Checkpoints: files not as they were, and wrong previews and logs',
      value: sum.problems,
      unit: '',
      target: { atMost: 0 },
      note: `${sum.histories} of ${histories} histories`,
    },
  ];
}
