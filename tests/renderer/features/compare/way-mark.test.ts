import { describe, expect, it } from 'vitest';
import { wayText } from '../../../../src/renderer/features/compare/way-mark.tsx';

describe('a way of a comparison', () => {
  // Bug: the form named "Qwen Coder 0.5B", and the results "local:llama-cpp/qwen2.5-coder-0.5b-instruct".
  it('is shown with its models by their names, and with all else as it is typed', () => {
    const nameOf = (model: string): string => (model.includes('qwen') ? 'Qwen' : model);
    const shown = ['local', 'local:ollama/qwen:7b,strategy=loop', 'hybrid,local=ollama/qwen,cloud=sky/big'];
    expect(shown.map((way) => wayText(way, nameOf))).toEqual([
      'local',
      'local: Qwen,strategy=loop',
      'hybrid,local=Qwen,cloud=sky/big',
    ]);
  });
});
