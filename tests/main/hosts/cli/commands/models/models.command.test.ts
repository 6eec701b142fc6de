import { describe, expect, it } from 'vitest';
import { describeModel } from '../../../../../../src/main/hosts/cli/commands/models/models.command.ts';
import { cardRows } from '../../../../../../src/main/hosts/cli/reports/probe-card-rows.ts';
import type { ModelInfo } from '../../../../../../src/shared/models/model-info.ts';
import { probeCard } from '../../../../../fakes/page-core.ts';
import { loopModel } from '../../../../../fakes/agent-kit.ts';

const lineOf = (info: Partial<ModelInfo>): string | undefined => {
  const { id, label, where } = loopModel;
  const entry = { id, label, where, state: 'ready', sizeBytes: null, license: null, note: null } as const;
  const text = describeModel({ ...entry, info: { ...loopModel, ...info } });
  return text.split('\n').find((line) => line.startsWith('can '));
};

describe('the view of one model', () => {
  it('says what the model can do, and how hard it thinks', () => {
    const capabilities = { ...loopModel.capabilities, images: true, reasoning: true, cache: true };
    expect(lineOf({ capabilities, effort: 'high' })).toBe(
      'can         call tools, read images, think (effort: high), cache prompts',
    );
    expect(lineOf({ capabilities: { ...loopModel.capabilities, tools: false } })).toBe('can         answer in text');
  });

  it('says what a probe would compare, and what the catalog can fetch', () => {
    const { id, label, where } = loopModel;
    const drafting = { ways: ['lookup', 'mtp'], on: 'build 9', known: 'MTP inside the file' };
    const base = { id, label, where, state: 'ready', sizeBytes: null, license: null, note: null } as const;
    const entry = { ...base, info: { ...loopModel, drafting } };
    const drafts = { on: 'build 9', plain: [], ways: [], best: null, sha256: null };
    const before = describeModel(entry);
    expect(before).toContain(`drafts      not compared yet: lookup, mtp (dewpoint models probe ${id})`);
    expect(before).toContain('drafts      the catalog knows: MTP inside the file');
    expect(describeModel({ ...entry, card: { ...probeCard, drafts } })).not.toContain('not compared yet');
  });

  it('says which way to draft is best here, with the measurements', () => {
    const kept = { speeds: [9, 8], drafted: 80, accepted: 60, differs: [], problem: null };
    const ways = [
      { ...kept, way: 'lookup', quicker: 31, differs: ['answer'] },
      { ...kept, way: 'llama-cpp/small', quicker: -18 },
      { ...kept, way: 'mtp', quicker: null, problem: 'llama-server ended.' },
    ];
    const drafts = { on: 'build 9', plain: [7, 8], ways, best: 'lookup', sha256: null };
    expect(cardRows({ ...probeCard, drafts }).filter(([name]) => name === 'drafts')).toEqual([
      ['drafts', 'best by lookup (measured with build 9)'],
      ['drafts', 'by lookup: 31 % faster, 60 of 80 drafted tokens kept; another text in: answer'],
      ['drafts', 'by llama-cpp/small: 18 % slower, 60 of 80 drafted tokens kept'],
      ['drafts', 'by mtp: not measured, llama-server ended.'],
    ]);
    const none = { ...drafts, ways: [], best: null };
    expect(cardRows({ ...probeCard, drafts: none })).toContainEqual([
      'drafts',
      'none is at least 10 % faster here (measured with build 9)',
    ]);
  });
});
