import { AppError } from '@shared/errors.ts';
import type { ParsedGguf, Tensor } from './parse-gguf.ts';

type Read = Pick<ParsedGguf, 'keys' | 'tensors'>;

/** What an adapter's header says. */
export interface AdapterFacts {
  readonly bytes: number;
  /** The model that it was trained for, by its own name for it. Null: it does not say. */
  readonly madeFor: string | null;
}

const half = /\.lora_([ab])$/;

/**
 * Checks that a LoRA adapter fits a model, by the engine's own rules: the architectures are equal, and each pair in
 * the adapter has a weight in the model with matching sizes. Throws `bad-input` with what does not fit.
 */
export function checkAdapter(adapter: Read, base: Read): AdapterFacts {
  const { keys } = adapter;
  checkAdapterHeader(keys, base.keys['general.architecture']);
  // The engine ignores these, too.
  const tensors = adapter.tensors.filter(({ name }) => !name.endsWith('_norm.weight'));
  if (tensors.length === 0) throw misfit('The adapter has no weights.');
  const weights = new Map(base.tensors.map((tensor) => [tensor.name, tensor]));
  const halves = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  for (const tensor of tensors) {
    const name = tensor.name.replace(half, '');
    if (!half.test(tensor.name)) throw misfit(`The adapter has a weight that is no LoRA: ${tensor.name}.`);
    const [a, b] = [halves.get(`${name}.lora_a`), halves.get(`${name}.lora_b`)];
    if (a === undefined || b === undefined) throw misfit(`The adapter has only half of ${name}.`);
    const weight = weights.get(name);
    if (weight === undefined) throw misfit(`The model has no weight ${name}, which the adapter changes.`);
    if (!isPairFor(weight, a, b)) throw misfit(`The adapter was made for another size of ${name}.`);
  }
  return { bytes: tensors.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0), madeFor: madeForOf(keys) };
}

/** The part of the check that needs no weights of the model. Throws as `checkAdapter` does. */
export function checkAdapterHeader(keys: Read['keys'], wanted: unknown): void {
  if (keys['general.type'] !== 'adapter' || keys['adapter.type'] !== 'lora')
    throw misfit('This file is not a LoRA adapter.', 'Convert the adapter to GGUF, or import a model instead.');
  if ('adapter.alora.invocation_tokens' in keys)
    throw misfit('This adapter works only behind certain words, which the engine does not support.');
  const own = keys['general.architecture'];
  if (own !== wanted) throw misfit(`The adapter is for models of the kind ${String(own)}, not ${String(wanted)}.`);
}

/** The word table is used by lookup, so the first half of its pair is transposed. */
function isPairFor({ name, shape }: Tensor, a: Tensor, b: Tensor): boolean {
  if (a.shape[name === 'token_embd.weight' ? 0 : 1] !== b.shape[0]) return false;
  if (name === 'token_embd.weight') return b.shape[1] === shape[0] && a.shape[1] === shape[1];
  return a.shape[0] === shape[0] && b.shape[1] === shape[1];
}

function madeForOf(keys: Read['keys']): string | null {
  const name = keys['general.base_model.0.name'];
  return typeof name === 'string' && name !== '' ? name : null;
}

function misfit(message: string, hint = 'Choose the model that the adapter was trained on.'): AppError {
  return new AppError('bad-input', message, { hint });
}
