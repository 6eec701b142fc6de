import { basename } from 'node:path';
import type { SuggestMachine } from '@shared/models/model-suggestion.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { expectedSpeed } from './expected-speed.ts';
import { lossOf } from './offered-models.ts';
import type { OfferedFile, OfferedModel } from './offered-models.ts';
import { expertsReadOf, fitOf, goodTokens, leastTokens } from './suggest-models.ts';
import type { Fit, SuggestSources } from './suggest-models.ts';

export interface QuantizationQuestion {
  readonly model: OfferedModel;
  readonly machine: SuggestMachine;
  readonly sources: Pick<SuggestSources, 'known'>;
  /** Tokens a second that files wrote when they were probed here, by file name. */
  readonly measured: ReadonlyMap<string, number>;
}

/** One sentence: which file of a model suits a machine, how fast it would be and what it loses. Pure. */
export function adviseQuantization(question: QuantizationQuestion): string {
  const fit = fittingFile(question);
  if (fit === null) return `None of the catalog's files of ${question.model.label} fits this machine.`;
  const { file, tokens, place } = fit;
  const where = place === 'card-and-ram' ? 'with a part in main memory' : place === 'ram' ? 'on the processor' : '';
  const room = [`about ${tokens} tokens of context`, where].filter((part) => part !== '').join(' ');
  const small = bitsOf(file) < 4 ? ', with fewer than 4 bits only because nothing larger fits' : '';
  const size = `${file.bytes === null ? 'about ' : ''}${sizeText(file.aboutBytes ?? 0)}`;
  return `${file.quantization} suits this machine (${size}, ${room}${small}): ${speedOf(fit, question)}; ${lossOf(file)}.`;
}

/**
 * On a card, the largest file with room for a good context, because more bits cost little speed there. On a
 * processor, the smallest file with at least 4 bits.
 */
function fittingFile({ model, machine, sources }: QuantizationQuestion): Fit | null {
  const files = model.files
    .filter(({ aboutBytes }) => aboutBytes !== null)
    .sort((left, right) => (right.aboutBytes ?? 0) - (left.aboutBytes ?? 0));
  const hasCard = machine.devices.length > 0;
  const good = files.filter((file) => bitsOf(file) >= 4);
  const ordered = hasCard ? files : [...good.toReversed(), ...files.filter((file) => !good.includes(file))];
  const places = model.kind === 'moe' && hasCard ? (['whole', 'split'] as const) : (['whole'] as const);
  for (const place of places) {
    const fits = ordered
      .map((file) => fitOf({ place }, model, file, { machine, sources }))
      .filter((fit) => fit !== null && fit.tokens >= leastTokens);
    const best = fits.find((fit) => (fit?.tokens ?? 0) >= Math.min(goodTokens, model.contextTokens ?? goodTokens));
    const found = best ?? fits.at(-1) ?? null;
    if (found !== null) return found;
  }
  return null;
}

function speedOf({ file, place, onDevice }: Fit, { model, machine, measured, sources }: QuantizationQuestion): string {
  const own = measured.get(basename(file.file));
  if (own !== undefined) return `${rounded(own)} tokens per second, measured here`;
  const { parametersB, activeB } = model;
  const fileBytes = file.aboutBytes ?? 0;
  const expertsRead = expertsReadOf(model, sources.known);
  const question = { place, fileBytes, parametersB, activeB, onDevice, expertsRead, machine };
  const { decodePerSecond, speedNote } = expectedSpeed(question);
  if (decodePerSecond === null) return `its speed is unknown, because ${speedNote ?? 'nothing was measured here'}`;
  return `about ${rounded(decodePerSecond)} tokens per second by memory bandwidth`;
}

const rounded = (count: number): string => (count < 10 ? count.toFixed(1) : String(Math.round(count)));

/** The bits of a weight, from the name of the quantization. Without a number, 4, which is right for MXFP4. */
function bitsOf({ quantization }: OfferedFile): number {
  const bits = /(?:Q|FP)(\d)/u.exec(quantization)?.[1];
  return bits === undefined ? 4 : Number(bits);
}
