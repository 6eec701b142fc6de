import type { PowerSettings, Strain, StrainFacts } from '@shared/models/machine-strain.ts';
import { causesText, strainOf } from '@shared/models/machine-strain.ts';
import { strainCauses, type StrainCause } from '@shared/models/strain-lists.ts';
import { readOtherCardUse } from './card-use.ts';
import type { HardwareProbe } from './hardware.ts';

/** Whether models should go easy on this machine. */
export interface StrainWatch {
  /** Reads the state of the machine now. Never rejects. */
  readonly now: () => Promise<Strain>;
  /** Facts that the app got from the system. They override what is read here, and expire after some minutes. */
  readonly note: (facts: StrainFacts) => void;
}

export interface StrainWatchOptions {
  readonly probe: Pick<HardwareProbe, 'platform' | 'read' | 'list' | 'run'>;
  readonly settings: () => PowerSettings;
  readonly now: () => number;
}

/** After this time, an app that is gone no longer counts. */
const notedForMs = 180_000;
/** The share of the last ten seconds in which some program waited for memory, in percent. */
const pressurePercent = 20;
/** Reading a card starts a program, so it is not done more often. */
const cardEveryMs = 20_000;

const actWords = {
  usual: '',
  slower: 'it computes with half of the threads',
  smaller: 'it computes with half of the threads',
  cloud: 'it computes with half of the threads',
  unload: 'its memory is given back soon after an answer',
} as const;

/** The text for a step of a local model. Null: there is no strain to act on. */
export function strainText({ act, causes }: Strain): string | null {
  return act === 'usual' ? null : `${actWords[act]}, because ${causesText(causes)}`;
}

export function createStrainWatch({ probe, settings, now }: StrainWatchOptions): StrainWatch {
  let noted: { readonly facts: StrainFacts; readonly at: number } | null = null;
  let card: { readonly used: Promise<boolean | null>; readonly at: number } | null = null;
  const cardUse = (): Promise<boolean | null> => {
    if (card === null || now() - card.at >= cardEveryMs) card = { used: readOtherCardUse(probe), at: now() };
    return card.used;
  };
  return {
    note: (facts) => {
      noted = { facts, at: now() };
    },
    now: async () => {
      const power = settings();
      if (strainCauses.every((cause) => power[cause] === 'usual')) return { act: 'usual', causes: [] };
      const said = noted !== null && now() - noted.at < notedForMs ? noted.facts : null;
      const read = { ...(await readStrain(probe)), card: power.card === 'usual' ? null : await cardUse() };
      const fact = (cause: StrainCause): boolean | null => said?.[cause] ?? read[cause];
      const facts = { battery: fact('battery'), heat: fact('heat'), memory: fact('memory'), card: fact('card') };
      return strainOf(facts, power);
    },
  };
}

/** Reads battery and memory, which only Linux has as files. Heat, and other systems, are known only from the app. */
export async function readStrain({
  platform,
  read,
  list,
}: Pick<HardwareProbe, 'platform' | 'read' | 'list'>): Promise<Omit<StrainFacts, 'card'>> {
  if (platform !== 'linux') return { battery: null, heat: null, memory: null };
  const folder = '/sys/class/power_supply';
  const supplies = await Promise.all(
    (await list(folder)).map(async (name) => ({
      type: (await read(`${folder}/${name}/type`))?.trim(),
      status: (await read(`${folder}/${name}/status`))?.trim(),
      scope: (await read(`${folder}/${name}/scope`))?.trim(),
    })),
  );
  // A mouse has a battery, too.
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  const battery = batteries.length === 0 ? null : batteries.some(({ status }) => status === 'Discharging');
  return { battery, heat: null, memory: isPressed(await read('/proc/pressure/memory')) };
}

/** `some avg10=0.00 avg60=…` */
function isPressed(text: string | null): boolean | null {
  const share = /^some avg10=([\d.]{1,10})/u.exec(text ?? '')?.[1];
  return share === undefined ? null : Number(share) >= pressurePercent;
}
