import { ggufText, uint32, uint64 } from './gguf-bytes.ts';

/** A GGUF header without weights, with this many vocabulary entries and merges, as tokenizers of real models have. */
export function headerWithVocabulary(words: number): Buffer {
  const entries = Buffer.concat(Array.from({ length: words }, (_, index) => ggufText(`word${index}`)));
  const merges = Buffer.concat(Array.from({ length: words }, (_, index) => ggufText(`wo rd${index}`)));
  const scores = Buffer.alloc(words * 4);
  return Buffer.concat([
    Buffer.from('GGUF'),
    uint32(3),
    uint64(0),
    uint64(4),
    ggufText('general.architecture'),
    uint32(8),
    ggufText('llama'),
    ...arrayOf('tokenizer.ggml.tokens', 8, words, entries),
    ...arrayOf('tokenizer.ggml.scores', 6, words, scores),
    ...arrayOf('tokenizer.ggml.merges', 8, words, merges),
    Buffer.alloc(64),
  ]);
}

function arrayOf(key: string, type: number, count: number, entries: Buffer): readonly Buffer[] {
  return [ggufText(key), uint32(9), uint32(type), uint64(count), entries];
}
