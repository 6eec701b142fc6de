import { writeFile } from 'node:fs/promises';
import { ggufText, uint32 } from '../../bench/lib/gguf-bytes.ts';
import { array, float, modelBytes, pair, text, uint } from './model-bytes.ts';

export const embedderWidth = 32;
const marks = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
/** As converters write the vocabulary: tokens at the beginning of a word have a mark, others have none. */
const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,?!').flatMap((letter) => [`▁${letter}`, letter]);
const vocabulary = [...marks, ...letters];
/** Enough for texts of 127 tokens. */
export const embedderContext = 128;

/**
 * A BERT model with random weights, about 50 KB. Its vectors mean nothing, but every correct computation gives the same
 * ones. `scores`: it ranks, as cross-encoders do.
 */
export async function writeRandomEmbedder(path: string, use: 'vectors' | 'scores'): Promise<void> {
  const keys: readonly Buffer[] = [
    pair('general.architecture', text('bert')),
    pair('general.name', text(`Made ${use}`)),
    ...Object.entries({
      block_count: 2,
      context_length: embedderContext,
      embedding_length: embedderWidth,
      feed_forward_length: 2 * embedderWidth,
      'attention.head_count': 2,
      pooling_type: use === 'scores' ? 4 : 1,
    }).map(([name, value]) => pair(`bert.${name}`, uint(value))),
    pair('bert.attention.layer_norm_epsilon', float(1e-12)),
    pair('bert.attention.causal', Buffer.concat([uint32(7), Buffer.from([0])])),
    pair('tokenizer.ggml.model', text('bert')),
    pair('tokenizer.ggml.pre', text('default')),
    pair('tokenizer.ggml.token_type_count', uint(2)),
    pair('tokenizer.ggml.tokens', array(8, vocabulary.map(ggufText))),
    pair(
      'tokenizer.ggml.token_type',
      array(
        5,
        vocabulary.map((_, index) => uint32(index < marks.length ? 3 : 1)),
      ),
    ),
    ...Object.entries({ padding: 0, unknown: 1, bos: 2, cls: 2, eos: 3, seperator: 3, mask: 4 }).map(([name, id]) =>
      pair(`tokenizer.ggml.${name}_token_id`, uint(id)),
    ),
  ];
  await writeFile(path, modelBytes(keys, tensorsOf(use)));
}

function tensorsOf(use: 'vectors' | 'scores') {
  const width = embedderWidth;
  const both = (name: string, shape: readonly number[]) => [
    { name: `${name}.weight`, shape },
    { name: `${name}.bias`, shape: shape.slice(-1) },
  ];
  const layer = (index: number) => [
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].flatMap((name) => both(`blk.${index}.${name}`, [width, width])),
    ...['attn_output_norm', 'layer_output_norm'].flatMap((name) => both(`blk.${index}.${name}`, [width])),
    ...both(`blk.${index}.ffn_up`, [width, 2 * width]),
    ...both(`blk.${index}.ffn_down`, [2 * width, width]),
  ];
  return [
    { name: 'token_embd.weight', shape: [width, vocabulary.length] },
    { name: 'token_types.weight', shape: [width, 2] },
    { name: 'position_embd.weight', shape: [width, embedderContext] },
    ...both('token_embd_norm', [width]),
    ...[0, 1].flatMap(layer),
    ...(use === 'scores' ? [...both('cls', [width, width]), ...both('cls.output', [width, 1])] : []),
  ];
}
