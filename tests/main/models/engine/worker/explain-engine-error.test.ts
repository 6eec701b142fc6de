import { describe, expect, it } from 'vitest';
import { nameError } from '../../../../../src/main/models/engine/worker/explain-engine-error.ts';

const wide = (): null => null;
const near = (): string => 'It used 640 MB of the 650 MB that its limits allow.';

describe('an error of the engine', () => {
  it.each([
    ['Failed to load model', 'unable to allocate AMX buffer'],
    ['Failed to load model', 'llama_model_load: error loading model: std::bad_alloc'],
    ['Failed to create context', 'alloc_tensor_range: failed to allocate CPU buffer of size 188743680'],
    ['Array buffer allocation failed', ''],
    ['WebAssembly.Memory(): could not allocate memory', ''],
    ['spawn ENOMEM', ''],
  ])('is want of memory if it or the log says so: %s, %s', (thrown, line) => {
    expect(nameError(new Error(thrown), line === '' ? [] : [line], wide)).toMatchObject({ code: 'out-of-memory' });
  });

  it.each([
    ['NoBinaryFoundError', []],
    ['Failed to load model', ['no backends are loaded. hint: use ggml_backend_load()']],
    ['A dry run could not find out how much memory this model needs.', []],
  ])('is want of memory if hardly any is left: %s', (thrown, log) => {
    expect(nameError(new Error(thrown), log, near)).toMatchObject({
      code: 'out-of-memory',
      message: expect.stringContaining('640 MB of the 650 MB'),
    });
    expect(nameError(new Error(thrown), log, wide).code).toBe('internal');
  });

  it('is about the model if it does not work here, however little memory is left', () => {
    const damaged = ['llama_model_load: error loading model: tensor data is not within the file bounds'];
    expect(nameError(new Error('Failed to load model'), damaged, near).code).toBe('bad-model');
    const novel = ["llama_model_load: error loading model: unknown model architecture: 'hypothetical'"];
    expect(nameError(new Error('Failed to load model'), novel, near)).toMatchObject({
      code: 'bad-model',
      message: expect.stringContaining('hypothetical'),
    });
  });
});
