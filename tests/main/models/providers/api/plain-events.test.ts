import { expect, it } from 'vitest';
import { createEventFetch } from '../../../../../src/main/models/providers/api/plain-events.ts';
import { rootCause } from '../../../../../src/main/lib/net/root-cause.ts';

const call = { method: 'POST', body: '{}' };
const answering = (body: string | null, status = 200): typeof fetch =>
  createEventFetch(async () => new Response(body, { status, headers: { 'content-type': 'text/event-stream' } }));
const events = async (body: string): Promise<string> => (await answering(body)('http://h', call)).text();
const stopped = (body: string): Promise<string> =>
  answering(body)('http://h', call).then(
    () => 'It answered.',
    (error: unknown) => (error instanceof Error ? rootCause(error).message : ''),
  );
const failed = 'event: error\ndata: {"type":"error","error":{"message":"It died."}}\n\n';

// Catches: an error that the package of one service does not know, so that the answer seems to be cut off.
it.each([
  'event: error\ndata: It died.\n\n',
  'data: {"error":"It died."}\n\n',
  'data: {"error":{"message":"It died."}}\n\n',
  'data: {"detail":"It died."}\n\n',
])('an error in a stream gets the form that every package knows: %j', async (body) => {
  expect(await events(body)).toBe(failed);
});

it.each([
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"It died."}}\n\n',
  'event: message_start\ndata: {"type":"message_start","message":{"role":"assistant"}}\n\n',
  'data: {"candidates":[]}\n\n',
  'data: {"choices":[],"error":null}\n\ndata: [DONE]\n\n',
  'data: {"choices":[{"delta":{"content":"} {"}}]}\n\n',
])('a known event of a stream stays unchanged: %j', async (body) => {
  expect(await events(body)).toBe(body);
});

it('a list of pieces is read as a stream, and a whole foreign answer is refused', async () => {
  expect(await events('[{"candidates":[1]},\n{"candidates":[2]}]')).toBe(
    'data: {"candidates":[1]}\n\ndata: {"candidates":[2]}\n\ndata: [DONE]\n\n',
  );
  expect(await stopped('{"type":"message","content":[]}')).toContain('its whole answer at once');
});

it('an answer is only changed for a call, not for a list of models', async () => {
  expect(await (await answering('{"data":[]}')('http://h')).text()).toBe('{"data":[]}');
});

it('a refusal keeps its form, and gets one if it has none', async () => {
  const refused = async (body: string): Promise<string> => (await answering(body, 429)('http://h', call)).text();
  expect(await refused('[{"error":{"status":"RESOURCE_EXHAUSTED"}}]')).toContain('RESOURCE_EXHAUSTED');
  expect(await refused('{"detail":"Slow down."}')).toBe('{"error":{"message":"Slow down."}}');
  expect(await refused('')).toContain('did not say why');
});
