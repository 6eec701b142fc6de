import { describe, expect, it } from 'vitest';
import type { SuggestedModel } from '@shared/models/model-suggestion.ts';
import { describeSuggestions } from '../../../../../../src/main/hosts/cli/commands/models/suggest-models.command.ts';

const model: SuggestedModel = {
  role: 'coding',
  id: 'big',
  label: 'Big 27B',
  quantization: 'Q4_K_M',
  source: 'hf:owner/Big-GGUF/Big-Q4_K_M.gguf',
  model: 'llama-cpp/Big-Q4_K_M',
  readyAs: null,
  ollama: null,
  sizeBytes: 17e9,
  isSizeExact: false,
  license: 'Apache-2.0',
  place: 'card',
  contextTokens: 65_536,
  isContextPlanned: false,
  decodePerSecond: null,
  prefillPerSecond: 120.4,
  speedNote: 'the bandwidth was not measured',
  why: 'The strongest.',
  scores: [{ bench: 'SWE-bench Verified', value: '64.4', by: 'outside' }],
  limits: [],
  notes: ['Text only.'],
};
const machine = {
  devices: [{ name: 'RTX 4090', totalBytes: 24e9, isUnified: false }],
  host: { totalBytes: 32e9 },
  deviceBandwidth: null,
  hostBandwidth: null,
  measuredPrefill: null,
};

/** Catches: an estimate that reads like a measurement, and a suggestion that does not say how to get it. */
describe('the suggestions of models in the terminal', () => {
  it('say what is an estimate, what is unknown and who measured', () => {
    const text = describeSuggestions({ machine, date: '2026-11-25', models: [model], readers: [] });
    for (const part of [
      'For RTX 4090 (24.0 GB), 32.0 GB of main memory.',
      'Coding: Big 27B (Q4_K_M)',
      'about 17.0 GB, license Apache-2.0',
      '65536 tokens (estimate)',
      'unknown: the bandwidth was not measured',
      'about 120 tokens per second',
      'SWE-bench Verified 64.4 (independent)',
      'dewpoint models pull hf:owner/Big-GGUF/Big-Q4_K_M.gguf',
    ])
      expect(text).toContain(part);
  });

  it('name a suggested model that is already here, and say when none fits', () => {
    const here = describeSuggestions({
      machine,
      date: '2026-11-25',
      models: [{ ...model, readyAs: 'ollama/big' }],
      readers: [],
    });
    expect(here).toContain('--local ollama/big');
    expect(here).not.toContain('models pull');
    expect(describeSuggestions({ machine, date: '2026-11-25', models: [], readers: [] })).toContain(
      'Nothing in the catalog fits',
    );
  });
});
