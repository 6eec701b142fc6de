import type { BenchRow } from './lib/rows.ts';
import { killEngine } from './lib/sandbox-engine.ts';
import { floodOutput } from './lib/sandbox-flood.ts';
import { fuzzNames } from './lib/sandbox-names.ts';
import { loseEngine, racePaths, tryEgress } from './lib/sandbox-reach.ts';
import { timeFirstCommand, timeOperations } from './lib/sandbox-times.ts';
import { killTrees } from './lib/sandbox-trees.ts';
import { UsageError } from './lib/usage-error.ts';

/** How much of each is done; `--NAME N` changes it. */
const usual = {
  rounds: 200,
  starts: 8,
  trees: 330,
  gigabytes: 2,
  races: 2_000,
  losses: 4,
  kills: 8,
  names: 100_000,
} as const;

type Amounts = Readonly<Record<keyof typeof usual, number>>;

/** The container of a session against the engine's own `exec`, and what it holds under attack. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const amounts = parseAmounts(args);
  return [
    ...(await timeOperations(amounts.rounds)),
    await timeFirstCommand(amounts.starts),
    ...(await killTrees(amounts.trees)),
    ...(await floodOutput(amounts.gigabytes)),
    await racePaths(amounts.races),
    await tryEgress(),
    await fuzzNames(amounts.names),
    ...(await loseEngine(amounts.losses)),
    ...(await killEngine(amounts.kills)),
  ];
}

function parseAmounts(args: readonly string[]): Amounts {
  const amounts: Record<keyof typeof usual, number> = { ...usual };
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const key = name.replace(/^--/, '');
    const value = Number(rest.shift());
    if (!isAmount(key) || !Number.isInteger(value) || value < 1)
      throw new UsageError(
        `"sandbox" takes ${Object.keys(usual)
          .map((one) => `--${one} N`)
          .join(', ')}.`,
      );
    amounts[key] = value;
  }
  return amounts;
}

function isAmount(name: string): name is keyof typeof usual {
  return name in usual;
}
