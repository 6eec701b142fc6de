import { failure } from '../failure.js';

const MAX_LINES = 50;

/** Returns the order if it is well formed, else throws "bad-input". */
export function checkOrder(input) {
  const lines = input?.lines;
  if (typeof input?.customer !== 'string' || !Array.isArray(lines) || lines.length === 0) {
    throw failure('bad-input', 'an order needs a customer and lines');
  }
  if (lines.length > MAX_LINES) throw failure('bad-input', `at most ${MAX_LINES} lines`);
  for (const { sku, pieces } of lines) {
    if (typeof sku !== 'string' || !Number.isInteger(pieces) || pieces < 1) {
      throw failure('bad-input', 'a line needs a sku and a number of pieces');
    }
  }
  return { customer: input.customer, lines };
}
