import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { KeptCard } from '@shared/models/probe-card.ts';
import { suggestMachineSchema } from '@shared/models/model-suggestion.ts';
import { parseCatalog } from '../../../../src/main/models/files/model-catalog.ts';
import { bandwidthOf, writtenPerSecond } from '../../../../src/main/models/suggest/expected-speed.ts';
import { parseOffered } from '../../../../src/main/models/suggest/offered-models.ts';
import { measuredHere } from '../../../../src/main/models/suggest/suggest-for-machine.ts';
import { suggestModels } from '../../../../src/main/models/suggest/suggest-models.ts';
import { wishes } from '../../../../src/main/models/suggest/suggestion-policy.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(`resources/${name}`, 'utf8'));
const catalog = parseOffered(read('catalog.json'));
const { known } = parseCatalog(read('models.json'));
const sources = { catalog, known, ready: [] };
const gib = 2 ** 30;

const card: KeptCard = {
  model: 'm',
  contextTokens: 4096,
  calls: [],
  callStyle: null,
  toolBudget: null,
  edit: null,
  tasks: { recipe: { passed: 1, of: 1 }, loop: null },
  strategies: ['recipe'],
  speeds: [],
  needle: null,
  promptForm: 'short',
  temperature: 0,
  notes: [],
  at: 0,
  seconds: 60,
  sessionId: 's',
};

interface Row {
  readonly machine: string;
  readonly card?: number;
  readonly name?: string;
  /** The memory that Metal lets graphics use. */
  readonly unified?: number;
  readonly ram: number;
  /** Any of these is accepted. */
  readonly coding: readonly string[];
  readonly chat: readonly string[];
  readonly quick?: string;
}

const both35b = ['qwen3.6-35b-a3b UD-Q3_K_XL', 'qwen3.6-35b-a3b UD-Q4_K_M'];

/**
 * Written by hand from a comparison of public sources of November 2026, sorted by memory, with and without main memory
 * for experts: sizes and hashes from LocalAI's gallery (github.com/mudler/LocalAI, commit 82c191af) and Jan's catalog
 * (github.com/janhq/model-catalog), scores from github.com/jakemanger/whatmodel, 35B-A3B on small cards from
 * smeltcore.com and frankcasanova.net, the Metal budgets from owners' logs (11.84 of 16 GB, 107.5 of 128 GB).
 */
const table: readonly Row[] = [
  {
    machine: 'card of 8 GB',
    card: 8,
    ram: 16,
    coding: ['qwen3.5-9b Q4_K_M'],
    chat: ['gemma-4-e4b QAT Q4_0'],
    quick: 'qwen3.5-4b Q4_K_M',
  },
  {
    machine: 'card of 8 GB, 32 GB of RAM',
    card: 8,
    ram: 32,
    coding: ['qwen3.6-35b-a3b UD-Q4_K_M'],
    chat: ['gemma-4-e4b QAT Q4_0'],
  },
  {
    machine: 'card of 12 GB',
    card: 12,
    ram: 16,
    coding: ['qwen3.5-9b Q6_K'],
    chat: ['gemma-4-12b QAT Q4_0'],
    quick: 'qwen3.5-9b Q4_K_M',
  },
  {
    machine: 'card of 12 GB, 32 GB of RAM',
    card: 12,
    ram: 32,
    coding: ['qwen3.6-35b-a3b UD-Q4_K_M'],
    chat: ['gemma-4-12b QAT Q4_0'],
  },
  {
    machine: 'card of 16 GB',
    card: 16,
    ram: 16,
    coding: ['gpt-oss-20b MXFP4'],
    chat: ['gemma-4-12b QAT Q4_0'],
    quick: 'qwen3.5-9b Q8_0',
  },
  {
    machine: 'card of 16 GB, 32 GB of RAM',
    card: 16,
    ram: 32,
    coding: ['qwen3.6-35b-a3b UD-Q4_K_M'],
    chat: ['gemma-4-12b QAT Q4_0'],
  },
  {
    machine: 'card of 24 GB',
    card: 24,
    ram: 32,
    coding: ['qwen3.8-27b UD-Q4_K_XL'],
    chat: ['gemma-4-31b QAT Q4_0', 'gemma-4-31b Q4_K_M'],
  },
  {
    machine: 'card of 32 GB',
    card: 32,
    ram: 64,
    coding: ['qwen3.8-27b UD-Q5_K_XL'],
    chat: ['gemma-4-31b Q4_K_M', 'gemma-4-31b Q6_K'],
  },
  { machine: 'card of 48 GB', card: 48, ram: 64, coding: ['qwen3.8-27b Q8_0'], chat: ['gemma-4-31b Q8_0'] },
  {
    machine: 'Mac of 16 GB',
    unified: 11.84e9,
    ram: 16,
    coding: ['qwen3.5-9b Q4_K_M', 'qwen3.5-9b Q6_K'],
    chat: ['gemma-4-e4b QAT Q4_0', 'gemma-4-12b QAT Q4_0'],
  },
  {
    machine: 'Mac of 24 GB',
    unified: 17.8e9,
    ram: 24,
    coding: ['gpt-oss-20b MXFP4'],
    chat: ['gemma-4-26b-a4b QAT Q4_0'],
    quick: 'qwen3.5-9b Q8_0',
  },
  {
    machine: 'Mac of 32 GB',
    unified: 23.7e9,
    ram: 32,
    coding: ['qwen3.6-35b-a3b UD-Q3_K_XL', 'qwen3.8-27b UD-Q4_K_XL'],
    chat: ['gemma-4-26b-a4b QAT Q4_0'],
    quick: 'qwen3.5-9b Q8_0',
  },
  {
    machine: 'Mac of 64 GB',
    unified: 48e9,
    ram: 64,
    coding: ['qwen3.6-35b-a3b UD-Q6_K'],
    chat: ['gemma-4-31b Q8_0', 'gemma-4-31b Q6_K'],
  },
  {
    machine: 'unified memory of 128 GB',
    unified: 107.5e9,
    ram: 128,
    coding: ['qwen3-coder-next UD-Q4_K_XL', 'qwen3.8-27b Q8_0'],
    chat: ['gemma-4-31b Q8_0'],
  },
  {
    machine: 'AMD card of 24 GB',
    card: 24,
    name: 'AMD Radeon RX 7900 XTX',
    ram: 32,
    coding: ['qwen3.8-27b Q4_K_M'],
    chat: ['gemma-4-31b QAT Q4_0', 'gemma-4-31b Q4_K_M'],
  },
  { machine: 'no card, 16 GB', ram: 16, coding: ['qwen3.5-4b Q4_K_M'], chat: ['gemma-4-e2b QAT UD-Q4_K_XL'] },
  { machine: 'no card, 32 GB', ram: 32, coding: both35b, chat: ['gemma-4-26b-a4b QAT Q4_0'] },
  {
    machine: 'no card, 64 GB',
    ram: 64,
    coding: ['qwen3.6-35b-a3b UD-Q5_K_M', 'qwen3.6-35b-a3b UD-Q6_K'],
    chat: ['gemma-4-26b-a4b QAT Q4_0'],
  },
];

const machineOf = ({ card, name = 'NVIDIA card', unified, ram }: Row) =>
  suggestMachineSchema.parse({
    devices: [
      ...(card === undefined ? [] : [{ name, totalBytes: card * gib }]),
      ...(unified === undefined ? [] : [{ name: 'Apple graphics', totalBytes: unified, isUnified: true }]),
    ],
    host: { totalBytes: ram * gib },
  });

/**
 * Catches: a model that does not fit, one that is worse than what sources advise, and a file that was never checked.
 */
describe('the list of suggested models', () => {
  it.each(table)('is that of the table for $machine', (row) => {
    const { models } = suggestModels(machineOf(row), sources);
    const named = (role: string): string | undefined =>
      models.filter((one) => one.role === role).map(({ id, quantization }) => `${id} ${quantization}`)[0];
    expect(row.coding).toContain(named('coding'));
    expect(row.chat).toContain(named('chat'));
    if (row.quick !== undefined) expect(named('quick')).toBe(row.quick);
    for (const model of models) expect(model.contextTokens, model.id).toBeGreaterThanOrEqual(16_384);
  });

  it('has no model that does not fit', () => {
    const nothing = suggestMachineSchema.parse({ devices: [], host: { totalBytes: 2 * gib } });
    expect(suggestModels(nothing, sources).models).toEqual([]);
  });

  it('gives a speed only if the bandwidth was measured', () => {
    const machine = machineOf({ machine: '', card: 24, ram: 32, coding: [], chat: [] });
    const [unknown] = suggestModels(machine, sources).models;
    expect([unknown?.decodePerSecond, unknown?.prefillPerSecond]).toEqual([null, null]);
    expect(unknown?.speedNote).toContain('nothing was measured here');
    const measuredPrefill = { perSecond: 2780, activeB: 1 };
    const deviceBandwidth = bandwidthOf(17.56e9, 50, true);
    const [known27b] = suggestModels({ ...machine, deviceBandwidth, measuredPrefill }, sources).models;
    // A dense model reads 17.56 GB for each token.
    expect(known27b?.decodePerSecond).toBeCloseTo(50, 0);
    expect(known27b?.prefillPerSecond).toBeCloseTo(100, 0);
  });

  // This file was measured to read 1.99 GB for each token. Two channels of DDR4-2400 reached 10.8 to 11.0 tokens a
  // second.
  it('estimates experts in main memory within 20 % of a measurement', () => {
    const machine = { ...machineOf({ machine: '', ram: 32, coding: [], chat: [] }), hostBandwidth: 10.9 * 1.99e9 };
    const [model] = suggestModels(machine, sources).models;
    const per4bit = (model?.decodePerSecond ?? 0) * ((model?.sizeBytes ?? 0) / 22_134_528_992);
    expect(Math.abs(per4bit / 10.9 - 1)).toBeLessThan(0.2);
  });

  // Measured on an H100 (the card test): 106.3 tokens a second with 14.85 GB, and 358 with a 35B-A3B that reads 1.25 GB
  // for each.
  it('estimates few active weights on a fast card within 20 % of a measurement', () => {
    const bandwidth = bandwidthOf(14.85e9, 106.3, true) ?? 0;
    expect(Math.abs(writtenPerSecond(1.25e9, bandwidth, true) / 358 - 1)).toBeLessThan(0.2);
  });

  it('includes a model of Ollama', () => {
    const machine = machineOf({ machine: '', card: 24, ram: 32, coding: [], chat: [] });
    const [coding] = suggestModels(machine, { ...sources, ready: ['ollama/qwen3.8:27b'] }).models;
    expect(coding?.readyAs).toBe('ollama/qwen3.8:27b');
  });

  it('begins with models that others measured', () => {
    const machine = machineOf({ machine: '', ram: 32, coding: [], chat: [] });
    const [coding] = suggestModels(machine, sources).models;
    expect(coding?.scores[0]).toEqual({ bench: 'SWE-bench Verified', value: '64.4', by: 'outside' });
  });
});

describe('the catalog of models', () => {
  it('has every file of the policy, with a size', () => {
    const asked = Object.values(wishes).flatMap((roles) => Object.values(roles).flat());
    for (const { id, quantizations } of asked)
      for (const quantization of quantizations) {
        const file = catalog.models
          .find((model) => model.id === id)
          ?.files.find((one) => one.quantization === quantization);
        expect(file?.aboutBytes, `${id} ${quantization}`).toBeGreaterThan(0);
      }
  });

  it('says what is missing for each file that was not seen whole', () => {
    for (const { id, files } of catalog.models)
      for (const { quantization, bytes, sha256, unknown } of files) {
        if (bytes === null) expect(unknown, `${id} ${quantization}`).toContain('size was not seen');
        if (sha256 === null) expect(unknown, `${id} ${quantization}`).toContain('hash was not seen');
      }
  });

  it('refuses null without a reason', () => {
    const [first] = catalog.models;
    const broken = { ...catalog, models: [{ ...first, unknown: {} }] };
    expect(() => parseOffered(broken)).toThrow('without a reason');
  });

  it('has only headers that the memory planner can read', () => {
    const names = known.map(({ name }) => name);
    expect(catalog.models.flatMap(({ header }) => (header === null || names.includes(header) ? [] : [header]))).toEqual(
      [],
    );
  });
});

/** Catches: a bandwidth derived from a model that reads only a part of its file, which would be far too high. */
describe('the bandwidth measured on this machine', () => {
  const entry = (label: string, sizeBytes: number, decodePerSecond: number): ModelEntry => ({
    id: `llama-cpp/${label}`,
    label,
    where: 'local',
    state: 'ready',
    sizeBytes,
    license: null,
    info: null,
    note: null,
    card: { ...card, speeds: [{ promptTokens: 100, prefillPerSecond: 50, decodePerSecond }] },
  });

  it('is that of the largest dense model, in its memory', () => {
    const entries = [entry('small', 1e9, 20), entry('dense', 2e9, 11), entry('moe-35B-A3B', 20e9, 12)];
    expect(measuredHere(entries, false)).toMatchObject({ deviceBandwidth: null, hostBandwidth: 22e9 });
    // Two of the 91 ms are overhead of the card.
    expect(measuredHere(entries, true)).toMatchObject({ deviceBandwidth: 2e9 / (1 / 11 - 0.002), hostBandwidth: null });
    expect(measuredHere([entry('small', 1e8, 900)], true)).toMatchObject({ deviceBandwidth: null });
  });

  it('includes main memory if a model was probed without the card', () => {
    const host = entry('host', 3e9, 10);
    const entries = [{ ...host, card: { ...card, ...host.card, backend: 'cpu' } }, entry('dense', 2e9, 11)];
    expect(measuredHere(entries, true)).toMatchObject({
      deviceBandwidth: 2e9 / (1 / 11 - 0.002),
      hostBandwidth: 30e9,
    });
  });

  it('gives the speed of experts in main memory by what a token reads of each memory', () => {
    const machine = machineOf({ machine: '', card: 12, ram: 32, coding: [], chat: [] });
    const both = { ...machine, deviceBandwidth: 450e9, hostBandwidth: 40e9 };
    const [coding] = suggestModels(both, sources).models;
    expect(coding).toMatchObject({ id: 'qwen3.6-35b-a3b', place: 'card-and-ram' });
    // 32 of its 35 billion parameters are experts, of which a token reads 8 of 256: 1.6 GB of the card, 0.4 GB of main memory.
    expect(coding?.decodePerSecond).toBeGreaterThan(50);
    expect(coding?.decodePerSecond).toBeLessThan(80);
    expect(coding?.notes.join(' ')).toContain('providers.llama-server');
    const [unmeasured] = suggestModels({ ...machine, deviceBandwidth: 450e9 }, sources).models;
    expect(unmeasured).toMatchObject({ decodePerSecond: null });
    expect(unmeasured?.speedNote).toContain('main memory was not measured');
    const ready = ['llama-server/Qwen3.6-35B-A3B-UD-Q4_K_M', 'llama-cpp/Qwen3.6-35B-A3B-UD-Q4_K_M'];
    expect(suggestModels(both, { ...sources, ready }).models[0]?.readyAs).toBe(ready[0]);
  });

  // Bug: on a slow processor, the model with the name "small and quick" was the slowest of three, and stood above others.
  it('ranks models: those that would be too slow here come last, the quickest of them first', () => {
    const slow = { ...machineOf({ machine: '', ram: 64, coding: [], chat: [] }), hostBandwidth: 8e9 };
    const unmeasured = suggestModels({ ...slow, hostBandwidth: null }, sources).models;
    const ranked = suggestModels(slow, sources).models;
    const speeds = ranked.map(({ decodePerSecond }) => decodePerSecond ?? 0);
    expect(ranked).toHaveLength(3);
    expect(ranked.map(({ id }) => id).toSorted()).toEqual(unmeasured.map(({ id }) => id).toSorted());
    const tooSlow = speeds.filter((speed) => speed < 4);
    expect(tooSlow.length).toBeGreaterThan(0);
    expect(speeds.slice(speeds.length - tooSlow.length)).toEqual(tooSlow.toSorted((left, right) => right - left));
    expect(unmeasured.map(({ role }) => role)).toEqual(['coding', 'chat', 'quick']);
  });

  it('is unknown without a probe', () => {
    expect(measuredHere([], false)).toEqual({ deviceBandwidth: null, hostBandwidth: null, measuredPrefill: null });
  });
});
