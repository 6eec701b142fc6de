import { describe, expect, it } from 'vitest';
import { notFoundHint } from '../../../src/main/models/not-found-hint.ts';
import type { Provider } from '../../../src/main/models/providers/define.ts';

const silent: Provider = {
  id: 'mine',
  list: async () => [],
  resolve: async () => null,
  countTokens: async () => null,
  dispose: async () => undefined,
  stream: () => {
    throw new Error('nobody calls it here');
  },
};
const nobody = async (): Promise<never> => {
  throw new Error('nobody calls it here');
};
const store = { pull: nobody, remove: nobody, repair: nobody, addAdapter: nobody };
const providers = new Map<string, Provider>([
  ['ollama', { ...silent, store }],
  ['mine', silent],
]);
const hint = (id: string): string =>
  notFoundHint(id, ['qwen2.5-coder-1.5b-instruct', 'smollm2-135m-instruct'], {
    ids: () => [...providers.keys()],
    get: (name) => providers.get(name) ?? null,
  });

// Catches: advice to download a name that nobody has, or a name of Dewpoint mistaken for one of a hub.
describe('the hint for a model that was not found', () => {
  it.each([
    ['qwen2.5-coder-1.5b-instruct', 'Did you mean llama-cpp/qwen2.5-coder-1.5b-instruct?'],
    ['llama-cpp/qwen2.5-coder-1.5b-instrct', 'Did you mean llama-cpp/qwen2.5-coder-1.5b-instruct?'],
    ['nonsense', 'A model is named PROVIDER/MODEL.'],
    ['ollama/llama3', 'Get it with `dewpoint models pull ollama/llama3`.'],
    ['hf:owner/repo', 'Get it with `dewpoint models pull hf:owner/repo`.'],
    ['hf:owner', 'A model of a hub is named hf:OWNER/REPO.'],
    ['antropic/claude', 'Did you mean anthropic/claude?'],
    ['foobar/x', 'No provider foobar is set up.'],
  ])('%s', (id, way) => {
    expect(hint(id)).toBe(`${way} Run \`dewpoint models list\` to see your models.`);
  });

  it('names only the list when no other model exists', () => {
    expect(hint('llama-cpp/nonsense')).toBe('Run `dewpoint models list` to see your models.');
    expect(hint('mine/x')).toBe('Run `dewpoint models list` to see your models.');
  });
});
