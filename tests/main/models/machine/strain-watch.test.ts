import { describe, expect, it } from 'vitest';
import type { PowerSettings } from '../../../../src/shared/models/machine-strain.ts';
import { powerSettingsSchema, strainOf } from '../../../../src/shared/models/machine-strain.ts';
import { createStrainWatch, readStrain, strainText } from '../../../../src/main/models/machine/strain-watch.ts';

/**
 * Catches: a model that is slowed down although nobody wanted it, made-up facts where none are known, and an outdated
 * report of an app that has ended.
 */
const folder = '/sys/class/power_supply';
const machine = (files: Readonly<Record<string, string>>, platform: NodeJS.Platform = 'linux') => ({
  platform,
  read: async (path: string) => files[path] ?? null,
  run: async () => null,
  list: async (path: string) =>
    Object.keys(files).flatMap((file) =>
      file.startsWith(path) && file.endsWith('/type') ? (file.split('/')[4] ?? []) : [],
    ),
});
const laptop = (status: string) => ({
  [`${folder}/AC/type`]: 'Mains\n',
  [`${folder}/BAT0/type`]: 'Battery\n',
  [`${folder}/BAT0/status`]: `${status}\n`,
  '/proc/pressure/memory': 'some avg10=0.10 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00\n',
});
const usual = powerSettingsSchema.parse({});
const gentle: PowerSettings = { battery: 'slower', heat: 'slower', memory: 'unload', card: 'usual' };

describe('the strain of the machine', () => {
  it('is read from the files of Linux', async () => {
    expect(await readStrain(machine(laptop('Discharging')))).toEqual({ battery: true, heat: null, memory: false });
    expect(await readStrain(machine(laptop('Charging')))).toMatchObject({ battery: false });
    const pressed = { '/proc/pressure/memory': 'some avg10=41.50 avg60=3.00 avg300=0.00 total=12\n' };
    expect(await readStrain(machine(pressed))).toEqual({ battery: null, heat: null, memory: true });
  });

  it("is unknown without a battery, with a mouse's battery, and on other systems", async () => {
    const mouse = {
      [`${folder}/hid/type`]: 'Battery',
      [`${folder}/hid/scope`]: 'Device',
      [`${folder}/hid/status`]: 'Discharging',
    };
    expect(await readStrain(machine(mouse))).toEqual({ battery: null, heat: null, memory: null });
    expect(await readStrain(machine(laptop('Discharging'), 'darwin'))).toEqual({
      battery: null,
      heat: null,
      memory: null,
    });
  });
});

describe('the reaction to strain', () => {
  it('is the strongest that the settings want, and none for unknown facts', () => {
    const none = { battery: null, heat: null, memory: null, card: null };
    expect(strainOf(none, gentle)).toEqual({ act: 'usual', causes: [] });
    expect(strainOf({ ...none, battery: true }, usual)).toEqual({ act: 'usual', causes: [] });
    expect(strainOf({ ...none, battery: true, heat: true, memory: false }, gentle)).toEqual({
      act: 'slower',
      causes: ['battery', 'heat'],
    });
    expect(strainOf({ ...none, battery: true, heat: true, memory: true }, gentle)).toEqual({
      act: 'unload',
      causes: ['memory'],
    });
  });

  it("follows the app's news while they are fresh, and is told in words", async () => {
    let at = 0;
    const watch = createStrainWatch({ probe: machine(laptop('Charging')), settings: () => gentle, now: () => at });
    expect(strainText(await watch.now())).toBeNull();
    watch.note({ battery: true, heat: null, memory: null, card: null });
    expect(strainText(await watch.now())).toBe(
      'it computes with half of the threads, because the machine runs on battery',
    );
    at = 200_000;
    expect((await watch.now()).act).toBe('usual');
  });

  it('asks the card now and then, and only if a setting needs it', async () => {
    let at = 0;
    const asked: string[] = [];
    const probe = {
      ...machine({}),
      run: async (_program: string, [what = '']: readonly string[]) => {
        asked.push(what);
        return what.includes('compute') ? '' : '8192, 6000\n';
      },
    };
    let power: PowerSettings = gentle;
    const watch = createStrainWatch({ probe, settings: () => power, now: () => at });
    expect([(await watch.now()).act, asked]).toEqual(['usual', []]);
    power = { ...gentle, card: 'cloud' };
    expect(await watch.now()).toEqual({ act: 'cloud', causes: ['card'] });
    await watch.now();
    expect(asked).toHaveLength(2);
    at = 20_000;
    await watch.now();
    expect(asked).toHaveLength(4);
  });
});
