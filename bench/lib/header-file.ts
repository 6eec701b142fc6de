/** A GGUF header with a vocabulary and merges of that many entries, as tokenizers of real models have them; no weights. */
export function headerWithVocabulary(words: number): Buffer {
  const entries = Buffer.concat(Array.from({ length: words }, (_, index) => text(`word${index}`)));
  const merges = Buffer.concat(Array.from({ length: words }, (_, index) => text(`wo rd${index}`)));
  const scores = Buffer.alloc(words * 4);
  return Buffer.concat([
    Buffer.from('GGUF'),
    uint32(3),
    uint64(0),
    uint64(4),
    text('general.architecture'),
    uint32(8),
    text('llama'),
    ...arrayOf('tokenizer.ggml.tokens', 8, words, entries),
    ...arrayOf('tokenizer.ggml.scores', 6, words, scores),
    ...arrayOf('tokenizer.ggml.merges', 8, words, merges),
    Buffer.alloc(64),
  ]);
}

function arrayOf(key: string, type: number, count: number, entries: Buffer): readonly Buffer[] {
  return [text(key), uint32(9), uint32(type), uint64(count), entries];
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function uint64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function text(value: string): Buffer {
  return Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);
}
