import { readFileSync } from 'node:fs';
import { suggestMachineSchema } from '@shared/models/model-suggestion.ts';
import { parseCatalog } from '../../src/main/models/files/model-catalog.ts';
import { parseOffered } from '../../src/main/models/suggest/offered-models.ts';
import { suggestModels } from '../../src/main/models/suggest/suggest-models.ts';

/**
 * What the real rules and the real catalog suggest for a machine with one card. Sizes in GiB, bandwidth in bytes a
 * second.
 */
export function suggestionsFor(card: {
  readonly name: string;
  readonly gib: number;
  readonly hostGib: number;
  readonly bandwidth: number;
}): ReturnType<typeof suggestModels> {
  const read = (name: string): unknown => JSON.parse(readFileSync(`resources/${name}`, 'utf8'));
  const machine = suggestMachineSchema.parse({
    devices: [{ name: card.name, totalBytes: card.gib * 2 ** 30 }],
    host: { totalBytes: card.hostGib * 2 ** 30 },
    deviceBandwidth: card.bandwidth,
  });
  const catalog = parseOffered(read('catalog.json'));
  return suggestModels(machine, { catalog, known: parseCatalog(read('models.json')).known, ready: [] });
}
