import type { Energy } from '@shared/events/call-report.ts';
import type { HardwareProbe } from './hardware.ts';
import { neverAborts, sleep } from '../../lib/async/abort.ts';

/** Measures what the machine draws while a local model works. Never rejects. Null: unknown. */
export interface PowerMeter {
  /** Call `stop` once, with the milliseconds in which the model worked. */
  start(): { stop(busyMs: number): Promise<Energy | null> };
}

export interface PowerMeterOptions {
  readonly settings: () => { readonly watts: number | null; readonly usdPerKwh: number | null };
  readonly now: () => number;
  readonly probe: HardwareProbe;
}

const raplFolder = '/sys/class/powercap';
const sampleMs = 1_000;
const joulesPerWattHour = 3_600;

/**
 * Reads the processor's counters (RAPL, if the system lets users read them) and the card driver's value once a
 * second. Both include everything that runs, as a meter at the plug would. Without them, the watts in the settings
 * are used.
 */
export function createPowerMeter({ settings, now, probe }: PowerMeterOptions): PowerMeter {
  // A machine without a card is asked only once.
  const known = { hasCard: true };
  return {
    start: () => {
      const before = readRapl(probe);
      const card = sampleCard(probe, now, known);
      return {
        stop: async (busyMs) => {
          const [first, last, cardJoules] = await Promise.all([before, readRapl(probe), card.stop()]);
          const { watts, usdPerKwh } = settings();
          const cpuJoules = raplJoules(first, last);
          const source = sourceOf(cpuJoules, cardJoules);
          const measured = ((cpuJoules ?? 0) + (cardJoules ?? 0)) / joulesPerWattHour;
          if (source === null && watts === null) return null;
          const wattHours = source === null ? ((watts ?? 0) * busyMs) / 3_600_000 : measured;
          const usd = usdPerKwh === null ? null : (wattHours / 1000) * usdPerKwh;
          return { wattHours, source: source ?? 'settings', usd };
        },
      };
    },
  };
}

function sourceOf(cpu: number | null, card: number | null): Exclude<Energy['source'], 'settings'> | null {
  if (cpu !== null && card !== null) return 'rapl + nvidia-smi';
  if (card !== null) return 'nvidia-smi';
  return cpu === null ? null : 'rapl';
}

interface Counter {
  readonly microjoules: number;
  /** The counter starts again at 0 after this value. */
  readonly range: number;
}

/** Reads whole processors only, because they include their parts. */
async function readRapl(probe: HardwareProbe): Promise<ReadonlyMap<string, Counter>> {
  const counters = new Map<string, Counter>();
  if (probe.platform !== 'linux') return counters;
  for (const name of await probe.list(raplFolder)) {
    if (!/^intel-rapl:\d+$/.test(name)) continue;
    const [energy, range] = await Promise.all([
      probe.read(`${raplFolder}/${name}/energy_uj`),
      probe.read(`${raplFolder}/${name}/max_energy_range_uj`),
    ]);
    if (energy !== null && range !== null) counters.set(name, { microjoules: Number(energy), range: Number(range) });
  }
  return counters;
}

function raplJoules(before: ReadonlyMap<string, Counter>, after: ReadonlyMap<string, Counter>): number | null {
  let sum: number | null = null;
  for (const [name, { microjoules, range }] of after) {
    const first = before.get(name);
    if (first === undefined) continue;
    const used = microjoules - first.microjoules;
    sum = (sum ?? 0) + (used < 0 ? used + range : used) / 1e6;
  }
  return sum;
}

const drawArguments = ['--query-gpu=power.draw', '--format=csv,noheader,nounits'] as const;

/** Adds up the energy of all cards, from sample to sample. */
function sampleCard(
  probe: HardwareProbe,
  now: () => number,
  known: { hasCard: boolean },
): { stop(): Promise<number | null> } {
  const stopping = new AbortController();
  let joules: number | null = null;
  let last: { readonly at: number; readonly watts: number } | null = null;
  const sample = async (): Promise<boolean> => {
    const watts = wattsIn(await probe.run('nvidia-smi', drawArguments, neverAborts));
    known.hasCard = known.hasCard && (watts !== null || last !== null);
    if (watts === null) return false;
    const at = now();
    if (last !== null) joules = (joules ?? 0) + ((watts + last.watts) / 2) * ((at - last.at) / 1000);
    last = { at, watts };
    return true;
  };
  const running = (async () => {
    let isLast = false;
    while (known.hasCard && (await sample()) && !isLast) {
      // After the stop there is one last sample.
      await sleep(sampleMs, stopping.signal).catch(() => undefined);
      isLast = stopping.signal.aborted;
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
      return joules;
    },
  };
}

/** The watts of all cards together. Null: no card reports them. */
function wattsIn(output: string | null): number | null {
  const values = (output ?? '').split('\n').map((line) => Number.parseFloat(line));
  const known = values.filter((watts) => Number.isFinite(watts));
  return known.length === 0 ? null : known.reduce((sum, watts) => sum + watts, 0);
}
