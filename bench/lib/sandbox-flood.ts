import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BenchRow } from './rows.ts';
import { openBed, valueOf, none } from './sandbox-bed.ts';

/** Less than the amount that ends a command for printing too much. */
const mostOfOne = 1_000_000_000;

/**
 * Sends gigabytes of output through the sandbox. Reports how much this process grows, and how many bytes were
 * miscounted.
 */
export async function floodOutput(gigabytes: number): Promise<readonly BenchRow[]> {
  const bed = await openBed();
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const resident = (): number => process.memoryUsage().rss;
  const print = async (bytes: number): Promise<number> => {
    let seen = 0;
    const command = `head -c ${bytes} /dev/zero`;
    const done = await bed.sandbox.exec(
      { command, timeoutMs: 900_000, onOutput: (chunk) => void (seen += chunk.bytes.length) },
      none,
    );
    return Math.abs(valueOf(done).stdoutBytes - bytes) + Math.abs(seen - bytes);
  };
  try {
    // Memory that is allocated once is not growth.
    await print(mostOfOne / 4);
    if (typeof collect === 'function') collect();
    const before = resident();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, resident())), 50);
    let wrong = 0;
    const started = performance.now();
    for (let left = gigabytes * 1e9; left > 0; left -= mostOfOne) wrong += await print(Math.min(left, mostOfOne));
    clearInterval(timer);
    const seconds = (performance.now() - started) / 1000;
    const note = `${gigabytes} GB in commands of 1 GB each, ${Math.round((gigabytes * 1000) / seconds)} MB a second`;
    return [
      {
        figure: 'much output: growth of the process, peak',
        value: (peak - before) / 1e6,
        unit: 'MB',
        target: { atMost: 32 },
        note,
      },
      { figure: 'much output: bytes not counted', value: wrong, unit: '', target: { atMost: 0 }, note },
    ];
  } finally {
    await bed.close();
  }
}
