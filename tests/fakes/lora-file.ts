import { float32, ggufHeader, ggufText, uint32, uint64 } from '../../bench/lib/gguf-bytes.ts';

export interface LoraParts {
  readonly architecture?: string;
  /** The weights that the adapter changes, with their dimensions in the model. */
  readonly weights: readonly { readonly name: string; readonly shape: readonly number[] }[];
  readonly rank?: number;
  /** Multiplies all dimensions. Any value but 1 makes an adapter of another model. */
  readonly factor?: number;
  readonly keys?: readonly (readonly [key: string, value: string])[];
}

/** A whole LoRA adapter as a GGUF file. Its numbers look random, but are the same each time. */
export function loraFile({ architecture = 'llama', weights, rank = 4, factor = 1, keys = [] }: LoraParts): Buffer {
  const texts = [
    ['general.architecture', architecture],
    ['general.type', 'adapter'],
    ['adapter.type', 'lora'],
    ...keys,
  ].map(([key = '', value = '']) => Buffer.concat([ggufText(key), uint32(8), ggufText(value)]));
  const alpha = Buffer.concat([ggufText('adapter.lora.alpha'), uint32(6), float32(rank * 2)]);
  const tensors = weights.flatMap(({ name, shape: [from = 0, to = 0] }) => [
    { name: `${name}.lora_a`, shape: [from * factor, rank] },
    { name: `${name}.lora_b`, shape: [rank, to * factor] },
  ]);
  let offset = 0;
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  for (const { name, shape } of tensors) {
    const count = shape.reduce((product, length) => product * length, 1);
    infos.push(Buffer.concat([ggufText(name), uint32(2), ...shape.map(uint64), uint32(0), uint64(offset)]));
    data.push(numbers(count, offset));
    offset += count * 4;
  }
  return Buffer.concat([ggufHeader([...texts, alpha], infos), ...data]);
}

/** Numbers from -0.3 to 0.3: large enough to change the model's output. */
function numbers(count: number, from: number): Buffer {
  const values = Float32Array.from({ length: count }, (_, index) => (((index + from) * 7919) % 2003) / 3_338 - 0.3);
  return Buffer.from(values.buffer);
}
