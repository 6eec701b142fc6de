import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { suggestMachineSchema } from '@shared/models/model-suggestion.ts';
import { parseCatalog } from '../../../../src/main/models/files/model-catalog.ts';
import { parseOffered } from '../../../../src/main/models/suggest/offered-models.ts';
import { adviseQuantization } from '../../../../src/main/models/suggest/quantization-advice.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(`resources/${name}`, 'utf8'));
const catalog = parseOffered(read('catalog.json'));
const sources = parseCatalog(read('models.json'));
const gib = 2 ** 30;

function advice(
  id: string,
  cardGib: number,
  ramGib: number,
  {
    measured = new Map<string, number>(),
    ...more
  }: { measured?: ReadonlyMap<string, number>; deviceBandwidth?: number } = {},
) {
  const model = catalog.models.find((one) => one.id === id);
  if (model === undefined) throw new Error(`no model ${id}`);
  const devices = cardGib === 0 ? [] : [{ name: 'RTX', totalBytes: cardGib * gib, isUnified: false }];
  const machine = suggestMachineSchema.parse({ devices, host: { totalBytes: ramGib * gib }, ...more });
  return adviseQuantization({ model, machine, sources, measured });
}

it('the advice on quantizations takes the largest file for a card, and the smallest good one for a processor', () => {
  expect(advice('qwen3.6-27b', 48, 64)).toMatch(/^Q8_0 suits/);
  expect(advice('qwen3.6-27b', 24, 32)).toMatch(/^(?:UD-)?Q4_K_/);
  expect(advice('qwen3.6-27b', 0, 64)).toMatch(/^Q4_K_M suits .* on the processor/);
  expect(advice('qwen3.6-35b-a3b', 12, 32)).toContain('with a part in main memory');
  expect(advice('qwen3.6-27b', 8, 8)).toBe("None of the catalog's files of Qwen3.6 27B fits this machine.");
});

it('the advice on quantizations gives a measured or an estimated speed, or says that it is unknown', () => {
  const own = new Map([['Qwen3.5-9B-Q8_0.gguf', 41.4]]);
  const bandwidth = { deviceBandwidth: 4e11 };
  expect(advice('qwen3.5-9b', 24, 32, { ...bandwidth, measured: own })).toContain(
    '41 tokens per second, measured here',
  );
  expect(advice('qwen3.5-9b', 24, 32, bandwidth)).toContain('39 tokens per second by memory bandwidth');
  expect(advice('qwen3.5-9b', 24, 32)).toContain('its speed is unknown, because nothing was measured here');
});

it('the advice on quantizations names a loss only with its source, in one sentence', () => {
  expect(advice('qwen3.6-27b', 48, 64)).toMatch(/it hardly differs from the full model \(https:\S+\)\.$/);
  expect(advice('qwen3.5-9b', 24, 32)).toMatch(/what it loses against the full model is not known\.$/);
  for (const { id } of catalog.models)
    for (const cardGib of [0, 8, 24, 80]) expect(advice(id, cardGib, 32)).toMatch(/^[^\n]+[^.]\.$/);
});
