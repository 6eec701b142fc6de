import { timeLongMonth } from './lib/receipt/long-month.ts';
import { compareReceipts, isEqual } from './lib/receipt/sessions.ts';
import { brokenAnswers, ways } from './lib/receipt/ways.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';

/**
 * Generated sessions send and get by every way out, all at the same time, to hosts of this machine that count at their
 * sockets. The bytes of each receipt are compared with theirs: `--sessions N --seed N`. Then the receipt of a month with as
 * many long sessions is timed.
 */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { values } = parsePartOptions(args, { receipts: true }, { sessions: '500', seed: '1' });
  const outcomes = await compareReceipts(Number(values.sessions), Number(values.seed));
  const wrong = outcomes.filter((one) => !isEqual(one));
  for (const { sessionId, ways: own, said, counted } of wrong)
    console.error(`${sessionId}: said ${JSON.stringify(said)}, counted ${JSON.stringify(counted)}: ${own.join(', ')}`);
  const bytes = outcomes.reduce((sum, { counted }) => sum + counted.out + counted.in, 0);
  const broken = outcomes.filter(({ isGivenUp }) => isGivenUp).length;
  const { seconds, longestPauseMs, events, lines } = await timeLongMonth(Number(values.sessions));
  const size = `${values.sessions} sessions, ${events} events, ${lines} lines of the record`;
  return [
    { figure: 'receipt of a month', value: seconds, unit: 's', target: null, note: size },
    { figure: 'longest pause of the core meanwhile', value: longestPauseMs, unit: 'ms', target: null, note: size },
    {
      figure: 'receipts that equal what the hosts counted',
      value: outcomes.length - wrong.length,
      unit: '',
      target: { atLeast: outcomes.length },
      note: `of ${outcomes.length} sessions, ${Object.keys(ways).length} ways, ${(bytes / 1e6).toFixed(0)} MB; in ${broken} of them with ${brokenAnswers.join()}, what came in may be less than the host wrote`,
    },
  ];
}
