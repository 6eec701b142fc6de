import type { Attack } from './pattern-attacks.ts';

/** How much more a byte costs in a long text than in a short one. */
export interface Growth {
  /** 1: no more. Of the greatest size that was tried against 10 KB. */
  readonly growth: number;
  readonly sizeBytes: number;
  readonly ms: number;
  readonly attack: Attack;
}

const short = 10_000;
const sizes = [100_000, 1_000_000] as const;
/** Below this a clock and a busy machine say more than the pattern. */
const countsFromMs = 20;

/** What is called with texts of all sizes. */
export type Run = (text: string) => unknown;

/** The first attack that costs too much, else the worst of them; null where nothing took long enough to count. */
export function measureGrowth(run: Run, attacks: readonly Attack[]): Growth | null {
  const climbed: { readonly attack: Attack; readonly ms: number }[] = [];
  for (const attack of attacks) {
    const { ms, tooSteep } = climb(run, attack);
    if (tooSteep !== null) return tooSteep;
    climbed.push({ attack, ms });
  }
  const worst = climbed.sort((a, b) => b.ms - a.ms).slice(0, 2);
  const found = worst.flatMap(({ attack }) => growthOf(run, attack) ?? []);
  return found.sort((a, b) => b.growth - a.growth)[0] ?? null;
}

/** From a few bytes up to 10 KB. Ends where it takes too long: some patterns double their time with each byte. */
function climb(run: Run, attack: Attack): { readonly ms: number; readonly tooSteep: Growth | null } {
  for (let sizeBytes = 16; ; sizeBytes = Math.min(short, Math.ceil(sizeBytes * (sizeBytes < 500 ? 1.3 : 2)))) {
    const text = textOf(attack, sizeBytes);
    let ms = timeOf(run, text);
    if (ms > countsFromMs) {
      ms = Math.min(ms, leastOf(run, text, 2));
      const small = leastOf(run, textOf(attack, Math.ceil(sizeBytes / 4)), 3);
      // Four times the size at more than ten times the time: squared would be sixteen.
      if (ms > countsFromMs && ms > small * 10)
        return { ms, tooSteep: { growth: (ms / small / 4) ** (1 / Math.log10(4)), sizeBytes, ms, attack } };
    }
    if (sizeBytes >= short) return { ms, tooSteep: null };
  }
}

function growthOf(run: Run, attack: Attack): Growth | null {
  let found: Growth | null = null;
  for (const sizeBytes of sizes) {
    const text = textOf(attack, sizeBytes);
    let ms = timeOf(run, text);
    if (ms <= countsFromMs) continue;
    let small = leastOf(run, textOf(attack, short), 5);
    const growth = (): number => ms / sizeBytes / (small / short);
    // A busy machine makes one run slow, not all of them.
    for (let round = 0; round < mostRounds && growth() > mostGrowth && ms * round < 2000; round++) {
      ms = Math.min(ms, timeOf(run, text));
      // By the slowest of some runs that are the quickest of some: the first ones of a size are luck.
      small = Math.max(small, leastOf(run, textOf(attack, short), 3));
    }
    found = { growth: growth(), sizeBytes, ms, attack };
    if (found.growth > mostGrowth) return found;
  }
  return found;
}

const mostRounds = 12;

/** What is still taken for the same cost. */
export const mostGrowth = 3;

export function textOf({ head, pump, tail }: Attack, sizeBytes: number): string {
  const times = Math.max(1, Math.round((sizeBytes - head.length - tail.length) / pump.length));
  return head + pump.repeat(times) + tail;
}

function leastOf(run: Run, text: string, rounds: number): number {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) least = Math.min(least, timeOf(run, text));
  return least;
}

function timeOf(run: Run, text: string): number {
  const from = performance.now();
  run(text);
  return performance.now() - from;
}
