import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { readStream } from '../../src/main/agent/step/read-stream.ts';
import { createNetFetch } from '../../src/main/lib/net/net-fetch.ts';
import openaiCompatible from '../../src/main/models/providers/openai-compatible.provider.ts';
import { createRunningText } from '../../src/main/sessions/journal/live-text.ts';
import { emptyFeed, foldTransient } from '../../src/renderer/lib/session/live-feed.ts';
import { providerDependencies, request } from '../fakes/provider-kit.ts';

const pieceLength = 4;

/** Catches: work that is done again for every piece, by provider, reader, running text or window. */
it('an answer four times as long takes at most six times as long to read', { timeout: 120_000 }, async () => {
  const short = await secondsFor(100_000);
  const long = await secondsFor(400_000);
  expect(long / short).toBeLessThan(6);
});

async function secondsFor(characters: number): Promise<number> {
  const server = createServer((message, response) => {
    message.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const fill = (): void => {
      while (sent < characters) {
        const content = String(sent).padStart(pieceLength, '0').slice(-pieceLength);
        sent += pieceLength;
        if (!response.write(`data: ${JSON.stringify({ model: 'm', choices: [{ delta: { content } }] })}\n\n`)) return;
      }
      response.end(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`);
    };
    response.on('drain', fill);
    fill();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const settings = openaiCompatible.settings.parse({
    kind: 'openai-compatible',
    baseUrl: `http://127.0.0.1:${port}/v1`,
  });
  const fetch = createNetFetch(() => ({ proxy: null, certificates: null }), {}, { silenceMs: 0 });
  const provider = openaiCompatible.create(providerDependencies({ fetch }), { id: 'long', settings });
  const running = createRunningText();
  let feed = emptyFeed;
  const startedAt = performance.now();
  const { parts } = await readStream(
    (signal) => provider.stream(request('m'), signal),
    'c',
    (transient) => {
      running.take(transient);
      feed = foldTransient(feed, transient, performance.now());
    },
    new AbortController().signal,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  server.close();
  const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  if (length !== characters) throw new Error(`${length} of ${characters} characters came.`);
  return seconds;
}
