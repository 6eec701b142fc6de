import type { SuggestMachine, SuggestedModel } from '@shared/models/model-suggestion.ts';

export interface SpeedQuestion {
  readonly place: SuggestedModel['place'];
  readonly fileBytes: number;
  readonly parametersB: number | null;
  readonly activeB: number | null;
  /** The part of the weights that lies on the card, from 0 to 1. */
  readonly onDevice: number;
  readonly machine: SuggestMachine;
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
        : 'the memory bandwidth of this machine was not measured; benchmark a model that is here';
  return { decodePerSecond, prefillPerSecond, speedNote };
}

function decode({ place, fileBytes, parametersB, activeB, onDevice, machine }: SpeedQuestion): number | null {
  if (parametersB === null || activeB === null) return null;
  const activeBytes = fileBytes * Math.min(1, activeB / parametersB);
  const { deviceBandwidth, hostBandwidth } = machine;
  if (place === 'ram') return hostBandwidth === null ? null : hostBandwidth / activeBytes;
  if (place !== 'card-and-ram') return deviceBandwidth === null ? null : deviceBandwidth / activeBytes;
  if (deviceBandwidth === null || hostBandwidth === null) return null;
  return 1 / ((activeBytes * onDevice) / deviceBandwidth + (activeBytes * (1 - onDevice)) / hostBandwidth);
}
