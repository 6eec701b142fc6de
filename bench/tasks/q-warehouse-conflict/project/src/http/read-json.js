import { failure } from '../failure.js';

const LIMIT = 64 * 1024;

/** Reads and parses the body of a request, up to 64 KiB. */
export async function readJson(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > LIMIT) throw failure('too-large', 'the body is too large');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw failure('bad-input', 'the body is not JSON');
  }
}
