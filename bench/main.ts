import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeSetting, formatSetting, type Setting } from './lib/machine.ts';
import { parseBenchOptions } from './lib/options.ts';
import { type BenchRow, hasMissed, isMet } from './lib/rows.ts';
import { formatRows } from './lib/table.ts';
import { UsageError } from './lib/usage-error.ts';

/** The exports of a file `NAME.bench.ts`. Only some benchmarks take arguments. */
interface Benchmark {
  run(args: readonly string[], setting: Setting): Promise<readonly BenchRow[]>;
}

const files = import.meta.glob<Benchmark>('./*.bench.ts');
const known = Object.keys(files)
  .map((path) => path.slice('./'.length, -'.bench.ts'.length))
  .sort();

/** These need models, or data that does not come with the repository. */
const byHand: ReadonlySet<string> = new Set(['tasks', 'pair', 'routing', 'skills']);

process.exitCode = await main(process.argv.slice(2));

/** 0: every target reached · 1: one was missed, or a benchmark broke · 2: wrong usage. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parseBenchOptions(argv, [...known, 'all']);
    const setting = await describeSetting(process.cwd());
    const rows = await runAll(options.name === 'all' ? known.filter((name) => !byHand.has(name)) : [options.name], {
      args: options.args,
      setting,
    });
    console.log(`\n${formatSetting(setting)}\n\n${formatRows(rows)}`);
    if (options.json !== null) await writeJson(options.json, setting, rows);
    return hasMissed(rows) && !options.noFail ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
}

/** A benchmark that breaks becomes a missed figure, so that the others are still measured. */
async function runAll(
  names: readonly string[],
  { args, setting }: { readonly args: readonly string[]; readonly setting: Setting },
): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const name of names) {
    try {
      const load = files[`./${name}.bench.ts`];
      if (load === undefined) throw new UsageError(`There is no benchmark "${name}".`);
      if (names.length > 1) console.error(`${name} …`);
      rows.push(...(await (await load()).run(args, setting)));
    } catch (error) {
      if (error instanceof UsageError && names.length === 1) throw error;
      console.error(error);
      const note = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      rows.push({ figure: name, value: null, unit: '', target: { atLeast: 0 }, note });
    }
  }
  return rows;
}

async function writeJson(path: string, setting: Setting, rows: readonly BenchRow[]): Promise<void> {
  const figures = rows.map((row) => ({ ...row, ok: isMet(row) }));
  await writeFile(resolve(path), `${JSON.stringify({ ...setting, rows: figures }, null, 2)}\n`);
}
