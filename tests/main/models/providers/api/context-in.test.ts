import { expect, it } from 'vitest';
import { contextIn } from '../../../../../src/main/models/providers/api/http-errors.ts';

// Catches: the count of the prompt taken for the size of the window, and a size that a server names and nobody learns.
it.each([
  ["This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.", 4096],
  ['the request exceeds the available context size (8192 tokens), try increasing it', 8192],
  ['request (9000 tokens) exceeds the available context size (4096 tokens)', 4096],
  ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
  ['The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
  [
    'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    4096,
  ],
  ['context window of 32,768 tokens', 32_768],
  ['n_ctx = 2048', 2048],
  ['input exceeds the context window of this model', null],
  ['', null],
])('the reader of context sizes finds one in %j', (message, tokens) => {
  expect(contextIn(message)).toBe(tokens);
});
