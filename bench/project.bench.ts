import type { BenchRow } from './lib/rows.ts';
import { UsageError } from './lib/usage-error.ts';

/** The exports of a file `lib/project/NAME.rows.ts`. */
interface Part {
  measure(signal: AbortSignal): Promise<readonly BenchRow[]>;
}

const parts = import.meta.glob<Part>('./lib/project/*.rows.ts');
const nameOf = (path: string): string => path.slice('./lib/project/'.length, -'.rows.ts'.length);

/** What the program knows of a project. `args`: names of parts; none means all. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const known = Object.keys(parts).map(nameOf).sort();
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown !== undefined) throw new UsageError(`There is no part "${unknown}". There are: ${known.join(', ')}.`);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const rows: BenchRow[] = [];
  try {
    for (const [path, load] of Object.entries(parts)) {
      if (args.length > 0 && !args.includes(nameOf(path))) continue;
      rows.push(...(await (await load()).measure(stop.signal)));
    }
  } finally {
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
  }
  return rows;
}
