import type { BenchRow } from './lib/rows.ts';
import { killEngine } from './lib/sandbox-engine.ts';
import { floodOutput } from './lib/sandbox-flood.ts';
import { fuzzNames } from './lib/sandbox-names.ts';
import { racePaths } from './lib/sandbox-races.ts';
import { loseEngine, tryEgress } from './lib/sandbox-reach.ts';
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

/** The parts by the amount that decides about each, in the order in which they run; egress has none. */
const parts: Readonly<
  Record<keyof typeof usual | 'egress', (amounts: Amounts) => Promise<BenchRow | readonly BenchRow[]>>
> = {
  rounds: ({ rounds }) => timeOperations(rounds),
  starts: ({ starts }) => timeFirstCommand(starts),
  trees: ({ trees }) => killTrees(trees),
  gigabytes: ({ gigabytes }) => floodOutput(gigabytes),
  races: ({ races }) => racePaths(races),
  egress: () => tryEgress(),
  names: ({ names }) => fuzzNames(names),
  losses: ({ losses }) => loseEngine(losses),
  kills: ({ kills }) => killEngine(kills),
};

/** The container of a session against the engine's own `exec`, and what it holds under attack. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { amounts, only } = parseArguments(args);
  const rows: BenchRow[] = [];
  for (const [name, work] of Object.entries(parts)) {
    if (only !== null && name !== only) continue;
    rows.push(...[await work(amounts)].flat());
  }
  return rows;
}

function parseArguments(args: readonly string[]): { readonly amounts: Amounts; readonly only: string | null } {
  const amounts: Record<keyof typeof usual, number> = { ...usual };
  let only: string | null = null;
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const key = name.replace(/^--/, '');
    const value = rest.shift() ?? '';
    if (key === 'only' && value in parts) only = value;
    else if (isAmount(key) && /^[1-9]\d*$/.test(value)) amounts[key] = Number(value);
    else throw new UsageError(usage);
  }
  return { amounts, only };
}

const usage = `"sandbox" takes ${Object.keys(usual)
  .map((one) => `--${one} N`)
  .join(', ')}, and --only with one of ${Object.keys(parts).join(', ')}.`;

function isAmount(name: string): name is keyof typeof usual {
  return name in usual;
}
