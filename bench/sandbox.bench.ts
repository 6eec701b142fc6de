import { messageOf } from '@shared/errors.ts';
import { timeRepositoryLook } from './lib/hostile-look.ts';
import type { BenchRow } from './lib/rows.ts';
import { floodOutput } from './lib/sandbox-flood.ts';
import { prepareProjects } from './lib/sandbox-projects.ts';
import { timeFirstCommand, timeOperations } from './lib/sandbox-times.ts';
import { UsageError } from './lib/usage-error.ts';

/** The amounts for a run of a few minutes. `--NAME N` changes one. */
const usual = {
  rounds: 200,
  starts: 8,
  gigabytes: 1,
  files: 20_000,
  projects: 2,
} as const;

type Amounts = Readonly<Record<keyof typeof usual, number>>;

/** The amounts of `--full`: as much as the figures are promised for. Takes about an hour. */
const full: Amounts = {
  ...usual,
  gigabytes: 10,
  projects: 12,
};

/** The parts in the order they run, by the name of their amount. */
const parts: Readonly<Record<keyof typeof usual, (amounts: Amounts) => Promise<BenchRow | readonly BenchRow[]>>> = {
  rounds: ({ rounds }) => timeOperations(rounds),
  starts: ({ starts }) => timeFirstCommand(starts),
  gigabytes: ({ gigabytes }) => floodOutput(gigabytes),
  files: ({ rounds, files }) => timeRepositoryLook(rounds, files),
  projects: ({ projects }) => prepareProjects(projects),
};

/** Compares the container of a session with the engine's own `exec`, and runs real projects in it. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { amounts, only } = parseArguments(args);
  const rows: BenchRow[] = [];
  for (const [name, work] of Object.entries(parts)) {
    if (only !== null && name !== only) continue;
    console.error(`sandbox: ${name} …`);
    rows.push(...(await rowsOf(name, () => work(amounts))));
  }
  return rows;
}

/** A part that breaks becomes a missed figure; the others are still measured. */
async function rowsOf(name: string, work: () => Promise<BenchRow | readonly BenchRow[]>): Promise<readonly BenchRow[]> {
  try {
    return [await work()].flat();
  } catch (error) {
    console.error(error);
    return [{ figure: name, value: null, unit: '', target: { atLeast: 0 }, note: messageOf(error).slice(0, 200) }];
  }
}

function parseArguments(args: readonly string[]): { readonly amounts: Amounts; readonly only: string | null } {
  const rest = args.filter((arg) => arg !== '--full');
  const amounts: Record<keyof typeof usual, number> = { ...(rest.length < args.length ? full : usual) };
  let only: string | null = null;
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
  .join(
    ', ',
  )}, --full for the sizes of the published figures, and --only with one of ${Object.keys(parts).join(', ')}.`;

function isAmount(name: string): name is keyof typeof usual {
  return name in usual;
}
