import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame } from '../fakes/chat-server.ts';
import { type CountedHost, startCountedHost } from '../fakes/counted-host.ts';
import type { Launched, Place } from './launch.ts';
import { launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/**
 * The built program in the runtime that it has there, which may announce fewer connections than Node does. Catches: a
 * receipt that says that nothing left, because nobody heard of a connection with TLS.
 */
let endDisplay: () => void;
let place: Place;
let host: CountedHost;
let launched: Launched;

const chunk = (delta: object, end: string | null): string =>
  frame({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: end }],
  });

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  host = await startCountedHost(
    (request, response) => {
      request.resume().on('end', () => {
        if (request.method === 'GET') return response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
        response.setHeader('content-type', 'text/event-stream');
        return response.end(
          `${chunk({ role: 'assistant', content: 'Said over TLS.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`,
        );
      });
    },
    { isSecure: true },
  );
  place = preparePlace([]);
  const certificates = join(place.home, 'host.pem');
  writeFileSync(certificates, host.certificate);
  const far = { kind: 'openai-compatible', baseUrl: `https://localhost:${host.port}/v1`, where: 'local' };
  const settings = { local: 'far/m', connection: { certificates }, providers: { far } };
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify(settings));
  launched = await launch(place.home);
});

afterAll(async () => {
  await launched?.app.close();
  await host?.close();
  place?.remove();
  endDisplay?.();
});

interface Noted {
  readonly port: number | null;
  readonly out: number;
  readonly in: number;
  readonly why: { readonly sessionId?: string };
}

function noted(): readonly Noted[] {
  const folder = join(place.home, 'sent');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .filter((line) => line !== '')
    .map((line): Noted => JSON.parse(line))
    .filter(({ port }) => port === host.port);
}

describe('the built program', () => {
  it('counts each byte of a model call with TLS, as the host does', async () => {
    const { page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill('Say something over TLS.');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Said over TLS.').first().waitFor();
    await launched.app.close();
    await expect.poll(() => host.wires.every(({ isClosed }) => isClosed)).toBe(true);
    // Other questions to the host, such as for its models, may still be on their way when the program ends.
    const ofCall = noted().filter(({ why }) => why.sessionId !== undefined);
    expect(ofCall).toHaveLength(1);
    expect(ofCall[0]?.out).toBeGreaterThan(1000);
    expect(host.wires.map((wire) => [wire.out, wire.in])).toContainEqual([ofCall[0]?.out, ofCall[0]?.in]);
  });
});
