import { createServer } from 'node:http';
import { readStream } from '../../src/main/agent/step/read-stream.ts';
import { createNetFetch } from '../../src/main/lib/net/net-fetch.ts';
import openaiCompatible from '../../src/main/models/providers/openai-compatible.provider.ts';
import { createRunningText } from '../../src/main/sessions/journal/live-text.ts';
import { emptyFeed, foldTransient } from '../../src/renderer/lib/session/live-feed.ts';
import { providerDependencies, request } from '../../tests/fakes/provider-kit.ts';
import type { BenchRow } from './rows.ts';

const pieceLength = 4;

/** Time for long answers in pieces of four characters, through provider, reader, running text and window. */
export async function measureLongAnswers(): Promise<readonly BenchRow[]> {
  const short = await secondsFor(250_000);
  const long = await secondsFor(1_000_000);
  return [
    { figure: 'an answer of 1 MB in pieces of 4 characters', value: long, unit: 's', target: { atMost: 20 }, note: '' },
    {
      figure: 'time of an answer four times as long',
      value: long / short,
      unit: 'times',
      target: { atMost: 6 },
      note: 'linear is 4',
    },
  ];
}

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
