import { messageOf } from '@shared/errors.ts';
import { judgeFindings } from './lib/hostile-findings.ts';
import { measureForeignPatterns } from './lib/hostile-growth.ts';
import { timeRepositoryLook } from './lib/hostile-look.ts';
import { judgeHostileRows } from './lib/hostile-rows.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';

const defaults = { rows: '.', rounds: '200', files: '20000' } as const;
type Values = Readonly<Record<keyof typeof defaults, string>>;

const parts: Readonly<
  Record<'rows' | 'findings' | 'growth' | 'look', (values: Values) => Promise<readonly BenchRow[]>>
> = {
  rows: ({ rows }) => judgeHostileRows(new RegExp(rows)),
  findings: () => judgeFindings(),
  growth: () => measureForeignPatterns(),
  look: ({ rounds, files }) => timeRepositoryLook(Number(rounds), Number(files)),
};

/**
 * Measures whether the files that a session leaves can make your machine run something or leak, and what the check for
 * it costs.
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, defaults);
  const rows: BenchRow[] = [];
  for (const name of only) {
    console.error(`hostile: ${name} …`);
    try {
      rows.push(...(await parts[name](values)));
    } catch (error) {
      console.error(error);
      rows.push({ figure: name, value: null, unit: '', target: { atLeast: 0 }, note: messageOf(error).slice(0, 200) });
    }
  }
  return rows;
}
