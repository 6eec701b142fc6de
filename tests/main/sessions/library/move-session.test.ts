import type { ClientCore } from '../../../fakes/core-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { openClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { refuseAnthropic } from '../../../fakes/wire/anthropic.ts';
import { deepseekStrictness, mistralStrictness, refuseChat } from '../../../fakes/wire/chat.ts';
import { refuseGemini } from '../../../fakes/wire/gemini.ts';
import { refuseResponses } from '../../../fakes/wire/responses.ts';
import { wireFormats } from '../../../fakes/wire/streams.ts';

/** A fake service for each wire format, identified by the path. It refuses what the real one would. */
interface Stand {
  readonly id: string;
  readonly settings: object;
  readonly format: string;
  readonly refuse: (body: unknown) => string | null;
  /** Its own signature, as in `tests/fakes/wire/streams.ts`. Null: it has none. */
  readonly signature: string | null;
}

const stands: readonly Stand[] = [
  {
    id: 'claude',
    settings: { kind: 'anthropic', effort: 'high' },
    format: 'anthropic',
    refuse: (body) => refuseAnthropic(body, (signature) => signature === 'EqQB'),
    signature: 'EqQB',
  },
  {
    id: 'gpt',
    settings: { kind: 'openai', effort: 'low' },
    format: 'openai',
    refuse: (body) => refuseResponses(body, (encrypted) => encrypted === 'gAAA'),
    signature: 'gAAA',
  },
  {
    id: 'mistral',
    settings: { kind: 'openai-compatible', preset: 'mistral' },
    format: 'openai-compatible',
    refuse: (body) => refuseChat(body, mistralStrictness),
    signature: null,
  },
  {
    id: 'google',
    settings: { kind: 'gemini' },
    format: 'gemini',
    refuse: (body) => refuseGemini(body, (signature) => signature === 'AbCd', true),
    signature: 'AbCd',
  },
  {
    id: 'deepseek',
    settings: { kind: 'openai-compatible', preset: 'deepseek' },
    format: 'openai-compatible',
    refuse: (body) => refuseChat(body, deepseekStrictness),
    signature: null,
  },
];

interface Asked {
  readonly id: string;
  readonly body: string;
  readonly refused: string | null;
}

let home: string;
let server: Server;
let core: ClientCore;
const asked: Asked[] = [];

/** The first answer of a turn calls a tool. The second has the result and says that the task is done. */
function answerTo(format: string, id: string): string {
  const isFirst = asked.filter((call) => call.id === id).length % 2 === 1;
  const body = wireFormats.find((one) => one.kind === format)?.body ?? '';
  if (isFirst) return body;
  // The same stream with another call in it. Some formats have arguments as a text, others as an object.
  return body
    .replaceAll('read_file', 'task_complete')
    .replaceAll('\\"path\\"', '\\"summary\\"')
    .replaceAll('"path":', '"summary":');
}

beforeEach(async () => {
  asked.length = 0;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const stand = stands.find(({ id }) => request.url?.startsWith(`/${id}/`) === true);
      const body = Buffer.concat(chunks).toString('utf8');
      if (stand === undefined || request.method === 'GET') {
        response.writeHead(500).end('{}');
        return;
      }
      asked.push({ id: stand.id, body, refused: stand.refuse(JSON.parse(body)) });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answerTo(stand.format, stand.id));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const address = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  home = await mkdtemp(join(tmpdir(), 'dewpoint-move-'));
  core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    env: { A_KEY: 'secret-of-a-test' },
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } })),
  });
  for (const { id, settings } of stands) {
    const entry = {
      ...settings,
      baseUrl: `${address}/${id}/v1`,
      keyVariable: 'A_KEY',
      models: { 'm-9': { strategies: ['loop'] } },
    };
    await core.client.settings.set({ key: `providers.${id}`, value: entry });
  }
});

afterEach(async () => {
  await core.dispose();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

it('a session can move from any model service to any other, and replays', async () => {
  const order = [...stands, ...stands.slice(0, 1)];
  const { sessionId } = await core.client.sessions.create({ projectPath: null });
  for (const [index, { id }] of order.entries()) {
    const options = runOptionsSchema.parse({ policy: 'cloud', cloud: `${id}/m-9`, strategy: 'loop', approve: 'allow' });
    await core.client.sessions.send({ sessionId, text: `Look at a.py, for the time number ${index}.`, options });
    const { status, reason } = await core.client.sessions.result({ sessionId });
    expect({ id, status, reason, refused: asked.at(-1)?.refused }).toMatchObject({ id, status: 'done', refused: null });
  }
  expect(asked.map(({ id, refused }) => ({ id, refused }))).toEqual(
    order.flatMap(({ id }) => [
      { id, refused: null },
      { id, refused: null },
    ]),
  );
  for (const { id, signature } of stands) {
    const calls = asked.filter((call) => call.id === id);
    if (signature !== null) expect(calls[1]?.body).toContain(signature);
    const foreign = stands.flatMap((other) => (other.id === id || other.signature === null ? [] : [other.signature]));
    for (const text of foreign) expect(calls.at(-1)?.body).not.toContain(text);
  }
  const report = await core.client.sessions.replay({ sessionId });
  expect(report).toMatchObject({ matched: true, firstDifference: null });
}, 60_000);
