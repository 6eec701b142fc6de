import { describe, expect, it } from 'vitest';
import type { HardwareProbe } from '../../../../src/main/models/machine/hardware.ts';
import { createPowerMeter } from '../../../../src/main/models/machine/power-meter.ts';

interface Machine {
  readonly energy?: readonly number[];
  readonly watts?: readonly number[];
}

/** Returns the next meter reading at every look, and repeats the last one. */
function machine({ energy = [], watts = [] }: Machine): {
  readonly probe: HardwareProbe;
  readonly looks: () => number;
} {
  const energies = [...energy];
  const draws = [...watts];
  let looks = 0;
  const next = (values: number[]): string => String(values.length > 1 ? values.shift() : values[0]);
  const probe: HardwareProbe = {
    platform: 'linux',
    run: async () => {
      looks += 1;
      return draws.length === 0 ? null : `${next(draws)}\n`;
    },
    read: async (path) => {
      if (energies.length === 0) return null;
      return path.endsWith('/energy_uj') ? next(energies) : '10000000';
    },
    list: async () => (energies.length === 0 ? [] : ['intel-rapl:0', 'intel-rapl:0:0']),
    link: async () => null,
    memory: () => ({ totalBytes: 1, freeBytes: 1 }),
  };
  return { probe, looks: () => looks };
}

const noSettings = { watts: null, usdPerKwh: null };

describe('the meter of local calls', () => {
  it('reads the counters of the processor, also after a reset', async () => {
    const { probe } = machine({ energy: [9_000_000, 2_600_000] });
    const meter = createPowerMeter({ settings: () => ({ watts: 50, usdPerKwh: 0.5 }), now: () => 0, probe });
    expect(await meter.start().stop(1000)).toEqual({ wattHours: 3.6 / 3600, source: 'rapl', usd: 0.0005 * 0.001 });
  });

  it('adds up what the driver of a card reports', async () => {
    const { probe } = machine({ watts: [100, 300] });
    let at = 0;
    const now = (): number => {
      at += 2000;
      return at;
    };
    const metered = await createPowerMeter({ settings: () => noSettings, now, probe })
      .start()
      .stop(2000);
    expect(metered).toEqual({ wattHours: 400 / 3600, source: 'nvidia-smi', usd: null });
  });

  it('uses the watts of the settings without a meter, and nothing without either', async () => {
    const { probe, looks } = machine({});
    const said = createPowerMeter({ settings: () => ({ watts: 60, usdPerKwh: null }), now: () => 0, probe });
    expect(await said.start().stop(60_000)).toEqual({ wattHours: 1, source: 'settings', usd: null });
    await said.start().stop(1);
    expect(looks()).toBe(1);
    expect(
      await createPowerMeter({ settings: () => noSettings, now: () => 0, probe })
        .start()
        .stop(1),
    ).toBeNull();
  });
});
