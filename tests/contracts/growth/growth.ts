import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Attack } from './pattern-attacks.ts';

/** How much more a byte costs in a long text than in a short one, for the worst attack. */
export interface Growth {
  /** For a text of `sizeBytes` against one of 10 KB; 1 is no growth. */
  readonly growth: number;
  readonly sizeBytes: number;
  /** Processor time for that text. */
  readonly ms: number;
  readonly attack: Attack;
  /**
   * How many times as long a text of four times the size takes: 4 if time grows with the length, 16 if it grows with
   * its square. Measured only where `growth` is more than `mostGrowth`, because memory and caches make the first
   * megabyte slower, too, but not the next ones.
   */
  readonly timesOfFour: number | null;
}

/** The function under test, called with texts of all sizes. */
export type Run = (text: string) => unknown;

/** Growth up to this still counts as the same cost. */
export const mostGrowth = 3;

/** Between 4 and 16. Half of 16 is what the length to the power of one and a half would take. */
const mostTimesOfFour = 7;
/** Above this, a second measurement at sixteen times the size is not needed. */
const surelySquare = 10;

/** Whether a long enough text would block the program. */
export const isTooSteep = ({ growth, timesOfFour }: Growth): boolean =>
  growth > mostGrowth && timesOfFour !== null && timesOfFour > mostTimesOfFour;

const short = 10_000;
const sizes = [100_000, 1_000_000] as const;
/** Below this, the clock's error is larger than the measured time. */
const countsFromMs = 20;
/** For such a short text, this is already very long. */
const steepFromMs = 8;
const slowFromMs = 300;
const mostRounds = 6;
const enoughMs = 40;

/** The sizes at which every attack is tried. The hardest ones are then tried at more. */
export interface GrowthOptions {
  /** Keep this small where a cost may double with each byte. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the first attack that costs too much each time it is tried, else the worst of them. Null if none took long
 * enough to count.
 */
export function measureGrowth(run: Run, attacks: readonly Attack[], options: GrowthOptions): Growth | null {
  let found = measureOnce(run, attacks, options);
  for (let again = 0; again < 2 && found !== null && isTooSteep(found); again += 1) {
    // Otherwise garbage of earlier functions is collected in the middle of a run and counts as its time.
    collectGarbage();
    found = measureOnce(run, [found.attack], options);
  }
  return found;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') Reflect.apply(collect, undefined, []);
}

function measureOnce(run: Run, attacks: readonly Attack[], options: GrowthOptions): Growth | null {
  const climbed: { readonly attack: Attack; readonly ms: number }[] = [];
  for (const attack of attacks) {
    const { ms, tooSteep } = climb(run, attack, options);
    if (tooSteep !== null) return tooSteep;
    climbed.push({ attack, ms });
  }
  const worst = climbed.sort((a, b) => b.ms - a.ms).slice(0, 2);
  let found: Growth | null = null;
  for (const { attack } of worst) {
    const growth = growthOf(run, attack);
    if (growth !== null && (isTooSteep(growth) || growth.growth > (found?.growth ?? 0))) found = growth;
    if (found !== null && isTooSteep(found)) break;
  }
  return found;
}

/** Grows the text in steps, and stops as soon as it clearly takes too long. */
function climb(
  run: Run,
  attack: Attack,
  { from, to }: GrowthOptions,
): { readonly ms: number; readonly tooSteep: Growth | null } {
  for (let sizeBytes = from; ; sizeBytes = Math.min(to, Math.ceil(sizeBytes * (sizeBytes < 500 ? 1.3 : 2)))) {
    const text = textOf(attack, sizeBytes);
    let ms = timeOf(run, text);
    if (ms > steepFromMs) {
      ms = Math.min(ms, leastOf(run, text, 3));
      const tooSteep = ms > steepFromMs ? squareOf(run, attack, { sizeBytes, ms }) : null;
      if (tooSteep !== null) return { ms, tooSteep };
    }
    if (sizeBytes >= to) return { ms, tooSteep: null };
  }
}

/** The growth from a quarter of the size to this size, if it is clearly more than linear. `ms`: the time at this size. */
function squareOf(
  run: Run,
  attack: Attack,
  { sizeBytes, ms }: { readonly sizeBytes: number; readonly ms: number },
): Growth | null {
  const quarter = leastOf(run, textOf(attack, Math.ceil(sizeBytes / 4)), 4);
  // Ten times the time for four times the text is suspicious; square growth takes sixteen. It is measured again by the
  // processor's clock, which does not count other programs.
  const timesOfFour = ms > quarter * 10 ? timesOfQuarter(run, attack, sizeBytes) : 0;
  if (timesOfFour <= 10) return null;
  return { growth: growthOverDecade(timesOfFour, 4), sizeBytes, ms, attack, timesOfFour };
}

/** How much the cost of a byte would grow from 10 to 100 KB, if the whole cost grows by `cost` at `times` the size. */
const growthOverDecade = (cost: number, times: number): number => (cost / times) ** (1 / Math.log10(times));

function growthOf(run: Run, attack: Attack): Growth | null {
  let found: Growth | null = null;
  for (const sizeBytes of sizes) {
    const text = textOf(attack, sizeBytes);
    const few = textOf(attack, short);
    let ms = timeOf(run, text);
    if (ms <= countsFromMs) continue;
    // A larger text would take minutes.
    const tooSteep = ms > slowFromMs ? squareOf(run, attack, { sizeBytes, ms }) : null;
    if (tooSteep !== null) return tooSteep;
    ms = processorMsOf(run, text, 1);
    // Runs often enough for the clock, which counts in steps of some milliseconds.
    const times = Math.min(sizeBytes / short, Math.ceil(enoughMs / leastOf(run, few, 2)));
    let small = processorMsOf(run, few, times) / times;
    const growth = (): number => ms / sizeBytes / (small / short);
    // One slow run is the machine's fault, not the text's. The clock counts in steps, so less than one step is unknown.
    for (let round = 0; round < mostRounds && growth() > mostGrowth && ms * round < 2000; round += 1) {
      ms = Math.min(ms, processorMsOf(run, text, 1));
      small = Math.max(small, processorMsOf(run, few, times) / times);
    }
    if (ms <= countsFromMs) continue;
    const timesOfFour = growth() > mostGrowth ? timesOfFourOf(run, attack, sizeBytes, ms) : null;
    const measured = { growth: growth(), sizeBytes, ms, attack, timesOfFour };
    if (isTooSteep(measured)) return measured;
    if (found === null || measured.growth > found.growth) found = measured;
  }
  return found;
}

function timesOfQuarter(run: Run, attack: Attack, sizeBytes: number): number {
  const whole = meanProcessorMs(run, textOf(attack, sizeBytes));
  return whole / meanProcessorMs(run, textOf(attack, Math.ceil(sizeBytes / 4)));
}

/** The mean of as many runs as the processor's clock needs, because it counts in steps. */
function meanProcessorMs(run: Run, text: string): number {
  for (let times = 1; ; times *= 2) {
    const ms = processorMsOf(run, text, times);
    if (ms >= enoughMs) return ms / times;
  }
}

/** Returns the smaller of two fourfold steps unless the first is a clear sign: memory and caches slow only one step. */
function timesOfFourOf(run: Run, attack: Attack, sizeBytes: number, ms: number): number {
  const four = leastProcessorMs(run, textOf(attack, sizeBytes * 4), ms * mostTimesOfFour);
  const times = four / ms;
  if (times <= mostTimesOfFour || times > surelySquare) return times;
  return Math.min(times, leastProcessorMs(run, textOf(attack, sizeBytes * 16), four * mostTimesOfFour) / four);
}

/** The least of three runs. Stops early once one took no longer than `enough`. */
function leastProcessorMs(run: Run, text: string, enough: number): number {
  let least = Infinity;
  for (let round = 0; round < 3 && least > enough; round += 1) least = Math.min(least, processorMsOf(run, text, 1));
  return least;
}

function textOf({ head, pump, tail }: Attack, sizeBytes: number): string {
  const times = Math.max(1, Math.round((sizeBytes - head.length - tail.length) / pump.length));
  return head + pump.repeat(times) + tail;
}

function leastOf(run: Run, text: string, rounds: number): number {
  let least = Infinity;
  for (let round = 0; round < rounds; round += 1) least = Math.min(least, timeOf(run, text));
  return least;
}

function timeOf(run: Run, text: string): number {
  const from = performance.now();
  run(text);
  return performance.now() - from;
}

/** Processor time where the system reports it: on a shared machine, a long run waits for others. */
function processorMsOf(run: Run, text: string, times: number): number {
  const from = processorNow();
  for (let at = 0; at < times; at += 1) run(text);
  return processorNow() - from;
}

// Windows counts processor time in steps of 16 ms.
const processorNow: () => number =
  process.platform === 'win32' || typeof process.threadCpuUsage !== 'function'
    ? () => performance.now()
    : () => {
        const { user, system } = process.threadCpuUsage();
        return (user + system) / 1000;
      };
