import { callMadeServer } from '../tests/fakes/call-made-server.ts';
import { madeServers } from '../tests/fakes/made-servers.ts';
import type { BenchRow } from './lib/rows.ts';
import { measureLongAnswers } from './lib/long-answers.ts';

/** Calls every made server with the real provider over a real socket, and measures what long answers take. */
export async function run(): Promise<readonly BenchRow[]> {
  let right = 0;
  for (const made of madeServers) {
    // One by one, because some rows count time.
    const wrong = await callMadeServer(made);
    if (wrong.length === 0) right += 1;
    else console.error(`${made.name}: ${wrong.join('; ')}`);
  }
  console.error(`${right} of ${madeServers.length}`);
  return [
    {
      figure: 'made servers with the right end and the right sentence',
      value: right,
      unit: `of ${madeServers.length}`,
      target: { atLeast: madeServers.length },
      note: 'slow, cut, odd marks, proxies, wrong addresses, pages, no counts; times by settings',
    },
    ...(await measureLongAnswers()),
  ];
}
