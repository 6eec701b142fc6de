import type { SuggestMachine, SuggestedModel } from '@shared/models/model-suggestion.ts';

/** Below this, an agent is too slow to wait for. Public reports call 2 to 3 tokens a second a crawl. */
export const leastPerSecond = 4;

export interface SpeedQuestion {
  readonly place: SuggestedModel['place'];
  readonly fileBytes: number;
  readonly parametersB: number | null;
  readonly activeB: number | null;
  /** The share of the weights on the card, from 0 to 1. */
  readonly onDevice: number;
  /** For a mixture of experts, the share of its experts that one token reads. Null: no experts, or unknown. */
  readonly expertsRead?: number | null;
  readonly machine: SuggestMachine;
}

/**
 * The time for each token on a card beyond reading the weights, in seconds: each computation must be handed to the
 * card. It is about 0.05 ms a layer on an H100 (1.6 ms for a 7B, 2.4 for a 35B-A3B, 3.8 for a 27B). A fixed value is
 * used, because the layers of a model are unknown before its file is here. Without it, a 35B-A3B was expected to be
 * three and a half times as fast as it was.
 */
const cardSeconds = 0.002;

/**
 * The memory bandwidth in bytes a second, from a model that read `bytes` for each token. Null: the model is too
 * small to tell.
 */
export function bandwidthOf(bytes: number, perSecond: number, isOnCard: boolean): number | null {
  const seconds = 1 / perSecond;
  if (!isOnCard) return bytes / seconds;
  return seconds < 3 * cardSeconds ? null : bytes / (seconds - cardSeconds);
}

/** Tokens a second that a model in one memory writes if each token reads `bytes`. */
export function writtenPerSecond(bytes: number, bandwidth: number, isOnCard: boolean): number {
  return 1 / (bytes / bandwidth + (isOnCard ? cardSeconds : 0));
}

/**
 * The expected writing and reading speed of a model, in tokens a second. Each token reads the active weights once,
 * so memory bandwidth limits writing: for a 35B-A3B at 4 bits, 1.99 GB a token were measured, and the formula gives
 * 1.87. Reading a prompt is computing, so it scales with the active parameters, based on what was measured on this
 * machine.
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
 * The bytes that a token reads from each memory. The card holds what all tokens share, and as many experts as fit. A
 * token reads only some of the experts. With P parameters, of which A are read, and a share r of the experts:
 * experts = (P - A) / (1 - r).
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
