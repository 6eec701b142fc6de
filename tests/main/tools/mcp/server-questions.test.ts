import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CreateMessageRequestParams, McpServer } from '@modelcontextprotocol/server';
import { createMcpHandler, inputRequired } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import type { FormAnswer, ServerDoor } from '../../../../src/main/tools/define.ts';
import type { McpConnection } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { connectMcp } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { createHostServers } from '../../../../src/main/tools/mcp/server-process.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';
import { freePort } from '../../../fakes/free-port.ts';
import { askingServer, redSquare } from '../../../fakes/mcp-http-server.ts';

/** The protocol's reference server for the revisions before 2026. */
const everything = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const signal = new AbortController().signal;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function connect(more: Pick<Parameters<typeof connectMcp>[0], 'definition' | 'fetch' | 'start'>) {
  const connection = await connectMcp(
    { name: 'made', secrets: {}, version: '1', onChanged: () => undefined, ...more },
    signal,
  );
  ends.push(connection.close);
  return connection;
}

/** Connects to a server built with the reference package of the new revision, over HTTP. */
async function connectNew(server: () => McpServer): Promise<McpConnection> {
  const handler = createMcpHandler(server);
  return connect({
    definition: serverDefinitionSchema.parse({ kind: 'http', url: 'http://localhost:1/mcp' }),
    fetch: async (input, init) => handler.fetch(new Request(input, init)),
    start: () => Promise.reject(new Error('Nothing is started for an address.')),
  });
}

/** Starts the reference server of the old revisions as a process. `told` collects everything that it is sent. */
async function connectOld(told: string[] = []): Promise<McpConnection> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-questions-'));
  ends.push(async () => rmSync(home, { recursive: true, force: true }));
  const startOnHost = createHostServers({
    // The Node of these tests is inside this project, from which Dewpoint otherwise starts nothing.
    programs: { ...createHostPrograms({ home, env: process.env }), isOutside: async () => true },
    nodePath: process.execPath,
    guardPath: resolve('src/main/models/engine/server-guard.ts'),
  });
  return connect({
    definition: serverDefinitionSchema.parse({
      kind: 'stdio',
      command: process.execPath,
      args: [everything],
      where: 'host',
    }),
    fetch,
    start: async (start, stop) => {
      const server = await startOnHost(start, stop);
      return {
        ...server,
        write: (bytes) => {
          told.push(Buffer.from(bytes).toString('utf8'));
          return server.write(bytes);
        },
      };
    },
  });
}

interface Door extends ServerDoor {
  readonly asked: unknown[];
}

function doorOf(answer: FormAnswer): Door {
  const asked: unknown[] = [];
  return {
    asked,
    form: async (message, form) => {
      asked.push([message, form.map(({ name }) => name)]);
      return answer;
    },
    link: async (message, url) => {
      asked.push([message, url]);
      return answer.action;
    },
    model: async (question) => {
      asked.push(question);
      return answer.action === 'accept'
        ? { type: 'answered', model: 'made', text: 'It is 42.', isWhole: false }
        : { type: 'refused', why: 'the person said no' };
    },
  };
}

const quiet = { signal, onProgress: () => undefined };
/** A server with additional questions. */
function asking(): McpServer {
  const server = askingServer();
  server.registerTool('roots', { description: 'Roots.' }, async (ctx) => {
    const given = ctx.mcpReq.inputResponses;
    if (given === undefined) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    return { content: [{ type: 'text', text: JSON.stringify(given) }] };
  });
  server.registerTool('ask', { description: 'Asks a model.' }, async (ctx) => {
    const given = ctx.mcpReq.inputResponses;
    if (given !== undefined) return { content: [{ type: 'text', text: JSON.stringify(given) }] };
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'How much?' } }];
    const wanted = { messages, maxTokens: 50, systemPrompt: 'Be short.', stopSequences: ['END'] };
    return inputRequired({ inputRequests: { it: inputRequired.createMessage(wanted) } });
  });
  const about = (name: string, content: CreateMessageRequestParams['messages'][number]['content'], more = {}) =>
    server.registerTool(name, { description: 'Asks a model about it.' }, async (ctx) => {
      const given = ctx.mcpReq.inputResponses;
      if (given !== undefined) return { content: [{ type: 'text', text: JSON.stringify(given) }] };
      const wanted = { messages: [{ role: 'user' as const, content }], maxTokens: 50, ...more };
      return inputRequired({ inputRequests: { it: inputRequired.createMessage(wanted) } });
    });
  const image = { type: 'image' as const, data: redSquare, mimeType: 'text/html' };
  about('show', [{ type: 'text', text: 'What is it?' }, image]);
  about('show-svg', { ...image, data: Buffer.from('<svg/>').toString('base64') });
  about('sing', { type: 'audio', data: redSquare, mimeType: 'audio/wav' });
  const tools = [{ name: 'rm', inputSchema: { type: 'object' } }];
  about('arm', { type: 'text', text: 'Remove it.' }, { tools });
  server.registerTool('secret', { description: 'Asks for a key.' }, async (ctx) => {
    if (ctx.mcpReq.inputResponses !== undefined) return { content: [{ type: 'text', text: 'went on' }] };
    const requestedSchema = z.object({ password: z.string() });
    return inputRequired({ inputRequests: { it: inputRequired.elicit({ message: 'Log in', requestedSchema }) } });
  });
  return server;
}

describe('a question of a server during a call', () => {
  it('reaches the caller, and the call is repeated with the answer', async () => {
    const one = await connectNew(asking);
    const door = doorOf({ action: 'accept', values: { city: 'Bergen' } });
    expect(await one.call('weather', {}, { ...quiet, door })).toEqual({ status: 'ok', output: 'rain in Bergen' });
    expect(door.asked).toEqual([['Where?', ['city']]]);
  });

  it('is declined when the person declines, and cancelled when nobody is there', async () => {
    const one = await connectNew(asking);
    const declined = await one.call('weather', {}, { ...quiet, door: doorOf({ action: 'decline' }) });
    expect(declined.output).toContain('no city');
    expect(declined.output).toContain('did not fill in');
    expect((await one.call('weather', {}, quiet)).output).toContain('no city');
  });

  it('may go to a model, in both revisions, and a cut answer is marked', async () => {
    const one = await connectNew(asking);
    const door = doorOf({ action: 'accept', values: {} });
    const { output } = await one.call('ask', {}, { ...quiet, door });
    expect(JSON.parse(output)).toMatchObject({
      it: { role: 'assistant', model: 'made', stopReason: 'maxTokens', content: { text: 'It is 42.' } },
    });
    const messages = [{ role: 'user', text: 'How much?' }];
    expect(door.asked).toEqual([{ system: 'Be short.', messages, maxTokens: 50, temperature: null, stop: ['END'] }]);
    const old = await connectOld();
    const said = await old.call('trigger-sampling-request', { prompt: 'Six by seven?' }, { ...quiet, door });
    expect(said.output).toContain('It is 42.');
    expect(JSON.stringify(door.asked[1])).toContain('context: Six by seven?');
  });

  it('may hold an image, whose type is read from its bytes', async () => {
    const one = await connectNew(asking);
    const door = doorOf({ action: 'accept', values: {} });
    expect((await one.call('show', {}, { ...quiet, door })).output).toContain('It is 42.');
    const pictures = [{ bytes: Buffer.from(redSquare, 'base64'), mediaType: 'image/png', width: 4, height: 4 }];
    expect(door.asked).toMatchObject([{ messages: [{ role: 'user', text: 'What is it?', pictures }] }]);
  });

  it('is refused when it gives a model tools of the server', async () => {
    const one = await connectNew(asking);
    const door = doorOf({ action: 'accept', values: {} });
    expect(await one.call('arm', {}, { ...quiet, door })).toMatchObject({ status: 'error' });
    expect(door.asked).toEqual([]);
  });

  // Catches: a server that learns why it was refused, and a question that reaches a model before an approval.
  it('gets no answer from a model without approval, and the calling model is told', async () => {
    const one = await connectNew(asking);
    const door = doorOf({ action: 'decline' });
    const no = await one.call('ask', {}, { ...quiet, door });
    expect(no).toMatchObject({ status: 'error' });
    expect(no.output).toContain('got no answer: the person said no');
    expect((await one.call('ask', {}, quiet)).status).toBe('error');
    for (const tool of ['show-svg', 'sing'])
      expect((await one.call(tool, {}, { ...quiet, door })).output).toContain('content other than text');
    expect(door.asked).toHaveLength(1);
    const old = await connectOld();
    const refused = await old.call('trigger-sampling-request', { prompt: 'Six by seven?' }, { ...quiet, door });
    expect(refused.output).toContain('The user did not allow it');
    expect(refused.output).toContain('the person said no');
  });

  // Catches: two sessions with one server, where the question of one is shown in the other.
  it('belongs to its own call, also while another call runs', async () => {
    const one = await connectNew(asking);
    const doors = ['Bergen', 'Oslo'].map((name) => doorOf({ action: 'accept', values: { city: name } }));
    const said = await Promise.all(doors.map((door) => one.call('weather', {}, { ...quiet, door })));
    expect(said.map(({ output }) => output)).toEqual(['rain in Bergen', 'rain in Oslo']);
    expect(doors.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });

  // Catches: a stranger's form that asks for a password.
  it('is refused when it asks for a password', async () => {
    const one = await connectNew(asking);
    const door = doorOf({ action: 'accept', values: { password: 'swordfish' } });
    const { output } = await one.call('secret', {}, { ...quiet, door });
    expect(door.asked).toEqual([]);
    expect(output).toContain('went on');
    expect(output).toContain('asks for a password or a key');
  });

  it('about folders is answered with the folder of its own session only', async () => {
    const one = await connectNew(asking);
    const { output } = await one.call('roots', {}, { ...quiet, folder: '/work here' });
    expect(output).toContain('file:///work%20here');
    expect((await one.call('roots', {}, quiet)).output).toContain('"roots":[]');
  });
});

/** Connects to the reference server by its oldest transport, a stream of events. */
async function connectOldest(): Promise<McpConnection> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, 'sse'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  ends.push(async () => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/sse`;
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return connect({
    definition: serverDefinitionSchema.parse({ kind: 'http', url }),
    fetch,
    start: () => Promise.reject(new Error('Nothing is started for an address.')),
  });
}

// Catches: a server from before 2025 that is taken for one that does not answer.
it('the reference server is reached by server-sent events, and its questions are answered', async () => {
  const one = await connectOldest();
  expect(one.server).toContain('MCP 20');
  expect((await one.call('echo', { message: 'hi' }, quiet)).output).toBe('Echo: hi');
  const door = doorOf({ action: 'accept', values: { name: 'Ada' } });
  const { output } = await one.call('trigger-elicitation-request', {}, { ...quiet, door });
  expect(output).toContain('Ada');
});

describe('the reference server of the old revisions', () => {
  it('asks with a form of every kind of field, and gets the values', async () => {
    const one = await connectOld();
    const door = doorOf({ action: 'accept', values: { name: 'Ada', check: true } });
    const { status, output } = await one.call('trigger-elicitation-request', {}, { ...quiet, door });
    expect(status).toBe('ok');
    expect(output).toContain('Ada');
    const [[message, fields] = []] = door.asked.filter(Array.isArray);
    expect(message).toBe('Please provide inputs for the following fields:');
    expect(fields).toEqual(expect.arrayContaining(['name', 'check', 'email', 'integer', 'untitledSingleSelectEnum']));
  });

  it.each([false, true])('shows its link (by an error: %s) and goes on after approval', async (errorPath) => {
    const one = await connectOld();
    const url = 'https://example.org/consent?id=7';
    const door = doorOf({ action: 'accept', values: {} });
    const { status } = await one.call(
      'trigger-url-elicitation',
      { url, message: 'Open it', errorPath },
      { ...quiet, door },
    );
    expect(door.asked).toContainEqual(['Open it', url]);
    expect(status).toBe('ok');
  });

  it('is told the folder of the session', async () => {
    const one = await connectOld();
    const { output } = await one.call('get-roots-list', {}, { ...quiet, folder: '/work' });
    expect(output).toContain('file:///work');
  });

  it('reports progress, and hears a cancel', async () => {
    const told: string[] = [];
    const one = await connectOld(told);
    const said: string[] = [];
    const onProgress = (text: string): void => void said.push(text);
    const whole = await one.call(
      'trigger-long-running-operation',
      { duration: 0.4, steps: 2 },
      { ...quiet, onProgress },
    );
    expect(whole.status).toBe('ok');
    expect(said).toEqual(expect.arrayContaining([expect.stringMatching(/^1 of 2/)]));
    const stop = new AbortController();
    const long = one.call(
      'trigger-long-running-operation',
      { duration: 60, steps: 600 },
      {
        signal: stop.signal,
        onProgress: () => stop.abort(),
      },
    );
    expect((await long).status).toBe('cancelled');
    expect(told.join('')).toContain('"method":"notifications/cancelled"');
    // The server still answers other calls.
    expect((await one.call('echo', { message: 'hi' }, quiet)).output).toContain('hi');
  });
});
