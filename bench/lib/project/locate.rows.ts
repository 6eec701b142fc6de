import { join } from 'node:path';
import { findDataFolders } from '../../../src/main/lib/files/data-folders.ts';
import type { BenchRow } from '../rows.ts';
import { faultyPackages, type FaultyPackage } from './faulty-packages.ts';
import { orderNames, rankOfFault, readPackage, type OrderName } from './rank-of-fault.ts';

type Ranks = Readonly<Record<OrderName, readonly (number | null)[]>>;

const within = (ranks: readonly (number | null)[], most: number): number =>
  ranks.filter((rank) => rank !== null && rank <= most).length;
const percent = (part: number, all: number): number => (100 * part) / all;

/**
 * How often the faulty function is among the first suspects when a failing test is named and nothing is run. Needs no
 * sandbox and no model, and downloads each package once.
 */
export async function measure(signal: AbortSignal): Promise<readonly BenchRow[]> {
  const cacheFolder = join(findDataFolders(process.env, process.platform).cache, 'bench');
  const rows: BenchRow[] = [];
  for (const split of ['dev', 'held'] as const) {
    const packages = faultyPackages.filter((one) => one.split === split);
    rows.push(...rowsOf(split, packages, await ranksOf(packages, cacheFolder, signal)));
  }
  return rows;
}

async function ranksOf(packages: readonly FaultyPackage[], cacheFolder: string, signal: AbortSignal): Promise<Ranks> {
  const ranks: Record<OrderName, (number | null)[]> = { words: [], tests: [], names: [], map: [] };
  for (const one of packages) {
    console.error(`${one.source.package} …`);
    const project = await readPackage(one, cacheFolder, signal);
    for (const fault of one.faults) {
      signal.throwIfAborted();
      const found = await rankOfFault(project, fault);
      for (const name of orderNames) ranks[name].push(found[name]);
    }
  }
  return ranks;
}

const labels: Readonly<Record<OrderName, string>> = {
  words: 'words of the test alone',
  tests: 'names in the test and its imports',
  names: 'names followed from the test',
  map: 'order of the map',
};

function rowsOf(split: 'dev' | 'held', packages: readonly FaultyPackage[], ranks: Ranks): readonly BenchRow[] {
  const all = ranks.words.length;
  const half = split === 'dev' ? 'development half' : 'held half';
  const rows = orderNames.map((name): BenchRow => {
    const own = ranks[name];
    const counts = [1, 3, 5, 10].map((most) => `first ${most}: ${within(own, most)}`).join(', ');
    return {
      figure: `${half}, ${labels[name]}: faulty function among the first 5`,
      value: percent(within(own, 5), all),
      unit: '%',
      target: null,
      note: `${counts}, of ${all} in ${packages.length} packages`,
    };
  });
  const gain = (name: OrderName): number => percent(within(ranks.names, 5) - within(ranks[name], 5), all);
  const added: BenchRow = {
    figure: `${half}: points that following names adds`,
    value: gain('tests'),
    unit: 'points',
    target: split === 'held' ? { atLeast: 15 } : null,
    note: `over the names in the test and its imports; ${gain('words').toFixed(1)} over words alone`,
  };
  return [...rows, added];
}
