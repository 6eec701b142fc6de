import type { SuggestMachine, SuggestedModel } from '@shared/models/model-suggestion.ts';

export interface SpeedQuestion {
  readonly place: SuggestedModel['place'];
  readonly fileBytes: number;
  readonly parametersB: number | null;
  readonly activeB: number | null;
  /** The part of the weights that lies on the card, from 0 to 1. */
  readonly onDevice: number;
  /** Of its experts, the share that it reads for a token; null: it has none, or nobody says. */
  readonly expertsRead?: number | null;
  readonly machine: SuggestMachine;
}

/**
 * What a card takes for a token beside reading the weights, in seconds: one computation after the other is handed to it.
 * About 0.05 ms a layer on an H100 (1.6 ms for a 7B, 2.4 for a 35B-A3B, 3.8 for a 27B), and nobody says a model's layers
 * before its file is here. Without it a 35B-A3B was expected to be three and a half times as fast as it was.
 */
const cardSeconds = 0.002;

/** Bytes a second that the memory gives, by a model that read `bytes` for each token; null: it is too small to tell. */
export function bandwidthOf(bytes: number, perSecond: number, isOnCard: boolean): number | null {
  const seconds = 1 / perSecond;
  if (!isOnCard) return bytes / seconds;
  return seconds < 3 * cardSeconds ? null : bytes / (seconds - cardSeconds);
}

/** Tokens a second that a model in one memory writes, where each reads `bytes` of it. */
export function writtenPerSecond(bytes: number, bandwidth: number, isOnCard: boolean): number {
  return 1 / (bytes / bandwidth + (isOnCard ? cardSeconds : 0));
}

/**
 * Tokens a second that a model can be expected to write and to read. Every token reads the active weights once, so
 * memory bandwidth is the ceiling of writing: for a 35B-A3B at 4 bits, 1.99 GB a token were measured, and the formula says
 * 1.87. Reading a prompt is computing, so it goes with the active parameters, from what was measured here.
 */
export function expectedSpeed(
  question: SpeedQuestion,
): Pick<SuggestedModel, 'decodePerSecond' | 'prefillPerSecond' | 'speedNote'> {
  const { machine, activeB } = question;
  const measured = machine.measuredPrefill;
  const decodePerSecond = decode(question);
  const prefillPerSecond =
    measured === null || activeB === null || question.place === 'card-and-ram'
      ? null
      : (measured.perSecond * measured.activeB) / activeB;
  const speedNote =
    decodePerSecond !== null
      ? null
      : activeB === null
        ? 'its active parameters are unknown'
        : question.place === 'card-and-ram' && machine.deviceBandwidth !== null
          ? 'main memory was not measured (run `dewpoint settings set providers.llama-cpp \'{"kind": "llama-cpp", "gpu": "off"}\'`, then `dewpoint models probe` with a model that is here)'
          : 'nothing was measured here (run `dewpoint models probe` with a model that is here; with a card, one of 7B or more)';
  return { decodePerSecond, prefillPerSecond, speedNote };
}

function decode(question: SpeedQuestion): number | null {
  const { place, fileBytes, parametersB, activeB, machine } = question;
  if (parametersB === null || activeB === null) return null;
  const activeBytes = fileBytes * Math.min(1, activeB / parametersB);
  const { deviceBandwidth, hostBandwidth } = machine;
  if (place === 'ram') return hostBandwidth === null ? null : writtenPerSecond(activeBytes, hostBandwidth, false);
  if (place !== 'card-and-ram')
    return deviceBandwidth === null ? null : writtenPerSecond(activeBytes, deviceBandwidth, true);
  if (deviceBandwidth === null || hostBandwidth === null) return null;
  const { card, ram } = readPerToken(question);
  return 1 / (1 / writtenPerSecond(card, deviceBandwidth, true) + ram / hostBandwidth);
}

/**
 * Bytes that a token reads of each memory. What all tokens share lies on the card, and experts where there is room: of
 * them it reads only some. P parameters, of which A are read, with a share r of the experts: experts = (P - A) / (1 - r).
 */
function readPerToken({ fileBytes, parametersB, activeB, onDevice, expertsRead }: SpeedQuestion): {
  readonly card: number;
  readonly ram: number;
} {
  const all = parametersB ?? 1;
  const read = Math.min(activeB ?? all, all);
  const share = expertsRead ?? 1;
  if (share >= 1 || read >= all) {
    const bytes = (fileBytes * read) / all;
    return { card: bytes * onDevice, ram: bytes * (1 - onDevice) };
  }
  const experts = Math.min((all - read) / (1 - share), read / share);
  const inRam = Math.min(experts, all * (1 - onDevice)) * share;
  return { card: (fileBytes * (read - inRam)) / all, ram: (fileBytes * inRam) / all };
}
