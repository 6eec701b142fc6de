import { describe, expect, it } from 'vitest';
import { choiceName, hubName } from '../../../../src/renderer/lib/models/hub-name.ts';

describe('the name of a model on a hub', () => {
  it('is accepted as people type or paste it, with a size, a file or a page address', () => {
    const names = {
      'owner/Repo-GGUF': 'hf:owner/Repo-GGUF',
      ' hf:owner/Repo-GGUF/ ': 'hf:owner/Repo-GGUF',
      'owner/Repo-GGUF:Q4_K_M': 'hf:owner/Repo-GGUF:Q4_K_M',
      'owner/Repo-GGUF/sub/m-Q4_K_M.gguf': 'hf:owner/Repo-GGUF/sub/m-Q4_K_M.gguf',
      'https://huggingface.co/owner/Repo-GGUF': 'hf:owner/Repo-GGUF',
      'hf.co/owner/Repo-GGUF:Q8_0': 'hf:owner/Repo-GGUF:Q8_0',
      'https://huggingface.co/owner/Repo-GGUF/tree/main': 'hf:owner/Repo-GGUF',
      'https://huggingface.co/owner/Repo-GGUF/discussions/3#note': 'hf:owner/Repo-GGUF',
      'https://huggingface.co/owner/Repo-GGUF/blob/main/m-Q8_0.gguf?download=true': 'hf:owner/Repo-GGUF/m-Q8_0.gguf',
    };
    expect(Object.fromEntries(Object.keys(names).map((typed) => [typed, hubName(typed)]))).toEqual(names);
  });

  it('is refused in any other form', () => {
    const typed = [
      '',
      'qwen',
      'a model',
      'owner/',
      'owner/repo/other',
      'https://example.org/owner/repo',
      '/etc/passwd',
    ];
    expect(typed.map((text) => hubName(text))).toEqual(typed.map(() => null));
  });

  it('is left out of the label of its variants', () => {
    expect(['hf:o/r:Q4_K_M', 'hf:o/r/sub/m.gguf'].map((id) => choiceName(id))).toEqual(['Q4_K_M', 'sub/m.gguf']);
  });
});
