import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fieldOf, isRecord } from '../../../../src/shared/unknown-value.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';
import type { ServerDoor } from '../../../../src/main/tools/define.ts';
import type { ConnectedCallWays } from '../../../../src/main/tools/connected/connected-tool.ts';
import { connectMcp, type McpConnection } from '../../../../src/main/tools/mcp/mcp-connection.ts';
import { freePort } from '../../../fakes/free-port.ts';
import { approveAll, toolServerScene, type ToolServerScene } from '../../../fakes/tool-server-scene.ts';

const signal = new AbortController().signal;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Approves everything and records the questions. */
function door(): ServerDoor & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    form: async (message, form) => {
      asked.push(message);
      const [field] = form;
      const value = field?.type === 'yes-no' ? true : 'snake';
      return { action: 'accept', values: { [field?.name ?? '']: value } };
    },
    link: async () => 'decline',
    model: async (question) => {
      asked.push(question.messages[0]?.text);
      return { type: 'answered', model: 'made', text: 'Old pond', isWhole: true };
    },
  };
}

function ways(more: Partial<ConnectedCallWays> = {}): ConnectedCallWays & { readonly told: string[] } {
  const told: string[] = [];
  return { signal, onProgress: (text) => void told.push(text), ...more, told };
}

async function call(scene: ToolServerScene, tool: string, input: Record<string, unknown>, how: ConnectedCallWays) {
  const spec = (await scene.tools.offered()).find((one) => one.tool === tool);
  if (spec === undefined) throw new Error(`${tool} is not offered`);
  return scene.tools.call(spec, input, how);
}

describe('a task of the reference server over pipes', () => {
  async function reference(): Promise<ToolServerScene> {
    const scene = toolServerScene('reference');
    ends.push(scene.end);
    await approveAll(scene);
    return scene;
  }

  // Catches: a tool that only works as a task and cannot be called, or whose form reaches nobody.
  it('is followed to its result, with progress and questions on the way', async () => {
    const scene = await reference();
    const how = ways({ door: door() });
    const result = await call(scene, 'simulate-research-query', { topic: 'python', ambiguous: true }, how);
    expect(result.status).toBe('ok');
    expect(result.output).toContain('# Research Report: python (snake)');
    expect(how.told).toContain('Gathering sources...');
    expect(how.told.some((text) => text.includes('snake'))).toBe(true);
  }, 60_000);

  it('ends when it is cancelled', async () => {
    const scene = await reference();
    const stop = new AbortController();
    const how = ways({ signal: stop.signal, onProgress: () => stop.abort() });
    const result = await call(scene, 'simulate-research-query', { topic: 'tea' }, how);
    expect(result.status).toBe('cancelled');
  }, 60_000);

  // Catches: work that continues unseen at a server, or that only the waiting session can end.
  it('is listed, and the call that waits ends with it when a person ends it', async () => {
    const scene = await reference();
    const stop = new AbortController();
    ends.push(() => stop.abort());
    const asking = { ...door(), form: () => new Promise<never>(() => undefined) };
    const waiting = call(
      scene,
      'simulate-research-query',
      { topic: 'python', ambiguous: true },
      ways({ door: asking, signal: stop.signal }),
    );
    const listed = () => scene.commands.tasks({ input: { name: 'made' }, signal });
    await expect.poll(async () => (await listed()).tasks[0]?.status).toBe('input_required');
    const { tasks, ...can } = await listed();
    expect(can).toEqual({ canList: true, canStop: true });
    expect(tasks).toEqual([
      {
        taskId: expect.any(String),
        status: 'input_required',
        message: expect.any(String),
        beganAt: expect.any(Number),
        isFollowed: true,
      },
    ]);
    await scene.commands.stopTask({ input: { name: 'made', taskId: tasks[0]?.taskId ?? '' }, signal });
    expect(await waiting).toMatchObject({
      status: 'error',
      output: expect.stringContaining('the server cancelled it'),
    });
    expect((await listed()).tasks).toMatchObject([{ status: 'cancelled', isFollowed: false }]);
  }, 60_000);
});

describe('two tasks of the example server over HTTP', () => {
  async function interactive(): Promise<ToolServerScene> {
    const port = await freePort();
    const program = resolve('node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleTaskInteractive.js');
    const child = spawn(process.execPath, [program], {
      env: { PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ends.push(() => child.kill());
    await once(child.stdout, 'data');
    const scene = toolServerScene('plain', {
      definition: serverDefinitionSchema.parse({ kind: 'http', url: `http://127.0.0.1:${port}/mcp` }),
    });
    ends.push(scene.end);
    await approveAll(scene);
    return scene;
  }

  // Catches: questions of an older server's task that are lost while nobody waits for its result.
  it('ask a person and a model at once, each for its own call', async () => {
    const scene = await interactive();
    const [form, model] = [door(), door()];
    const results = await Promise.all([
      call(scene, 'confirm_delete', { filename: 'a.txt' }, ways({ door: form })),
      call(scene, 'write_haiku', { topic: 'ponds' }, ways({ door: model })),
    ]);
    expect(results).toEqual([
      { status: 'ok', output: "Deleted 'a.txt'" },
      { status: 'ok', output: 'Haiku:\nOld pond' },
    ]);
    expect(form.asked).toEqual(["Are you sure you want to delete 'a.txt'?"]);
    expect(model.asked).toEqual(['Write a haiku about ponds']);
  }, 60_000);
});

/** What a server of the new revision does with a task at each look, by the number of looks. */
type Look = (looks: number) => Record<string, unknown>;

/** A server of the new revision with the extension for tasks. It records everything that it was sent. */
async function modern(began: Record<string, unknown>, look: Look) {
  const sent: { readonly method: string; readonly params: Record<string, unknown>; readonly name: string | null }[] =
    [];
  const bare = {
    taskId: 't1',
    createdAt: '2026-11-01T10:00:00Z',
    lastUpdatedAt: '2026-11-01T10:00:00Z',
    ttlMs: 60_000,
  };
  let looks = 0;
  const answerTo = (method: string): Record<string, unknown> => {
    const tasks = { 'io.modelcontextprotocol/tasks': {} };
    if (method === 'server/discover')
      return {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, extensions: tasks },
        ttlMs: 0,
        cacheScope: 'private',
      };
    const tool = {
      name: 'work',
      description: 'Works.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
    };
    if (method === 'tools/list') return { tools: [tool], ttlMs: 0, cacheScope: 'private' };
    if (method === 'tools/call') return { resultType: 'task', status: 'working', pollIntervalMs: 1, ...bare, ...began };
    if (method === 'tasks/get') return { status: 'working', pollIntervalMs: 1, ...bare, ...look((looks += 1)) };
    return {};
  };
  const reach: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const message: unknown = await request.json();
    const [id, method, params] = ['id', 'method', 'params'].map((key) => fieldOf(message, key));
    if (id === undefined) return new Response(null, { status: 202 });
    sent.push({
      method: String(method),
      params: isRecord(params) ? params : {},
      name: request.headers.get('mcp-name'),
    });
    const answer = answerTo(String(method));
    const error = fieldOf(answer, 'refused');
    if (error !== undefined) return Response.json({ jsonrpc: '2.0', id, error });
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...answer } });
  };
  const connection: McpConnection = await connectMcp(
    {
      name: 'made',
      definition: serverDefinitionSchema.parse({ kind: 'http', url: 'https://mcp.example.org/mcp' }),
      secrets: {},
      fetch: reach,
      start: () => Promise.reject(new Error('Nothing is started for an address.')),
      version: '1',
      onChanged: () => undefined,
    },
    signal,
  );
  ends.push(connection.close);
  return { connection, sent, of: (method: string) => sent.filter((one) => one.method === method) };
}

const done = { status: 'completed', result: { content: [{ type: 'text', text: 'all done' }] } };

describe('tasks in the new revision of the protocol', () => {
  it('are polled until they have a result, after the server was told of the support', async () => {
    const { connection, of } = await modern({}, (looks) => (looks < 3 ? { statusMessage: `part ${looks}` } : done));
    const how = ways();
    expect(await connection.call('work', {}, how)).toEqual({ status: 'ok', output: 'all done' });
    expect(how.told).toEqual(['working', 'part 1', 'part 2', 'completed']);
    expect(of('tasks/get').map(({ name, params }) => [name, params['taskId']])).toEqual(Array(3).fill(['t1', 't1']));
    expect(JSON.stringify(of('tools/call')[0]?.params)).toContain('"io.modelcontextprotocol/tasks":{}');
    expect(of('tasks/cancel')).toEqual([]);
  });

  // Catches: one question of a task that is asked again at each look.
  it('ask each question once, and get the answer by its key', async () => {
    const question = (message: string) => ({
      method: 'elicitation/create',
      params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { what: { type: 'string' } } } },
    });
    const asks = { status: 'input_required', inputRequests: { one: question('Which?'), two: question('And?') } };
    const { connection, of } = await modern({}, (looks) => (looks < 4 ? asks : done));
    const person = door();
    expect((await connection.call('work', {}, ways({ door: person }))).output).toBe('all done');
    expect(person.asked).toEqual(['Which?', 'And?']);
    const answer = { action: 'accept', content: { what: 'snake' } };
    expect(of('tasks/update').map(({ params }) => params['inputResponses'])).toEqual([
      { one: answer },
      { two: answer },
    ]);
  });

  it('are cancelled at the server when a question gets no answer or the call ends', async () => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Who?' } }], maxTokens: 5 };
    const asks = { status: 'input_required', inputRequests: { one: { method: 'sampling/createMessage', params } } };
    const asking = await modern({}, () => asks);
    const unanswered = await asking.connection.call('work', {}, ways());
    expect(unanswered).toMatchObject({ status: 'error', output: expect.stringContaining('got no answer') });
    expect(asking.of('tasks/cancel')).toHaveLength(1);
    const endless = await modern({ pollIntervalMs: 3_600_000 }, () => ({}));
    const stop = new AbortController();
    const ended = endless.connection.call('work', {}, ways({ signal: stop.signal, onProgress: () => stop.abort() }));
    expect(await ended).toMatchObject({ status: 'cancelled' });
    expect(endless.of('tasks/cancel').map((one) => one.params['taskId'])).toEqual(['t1']);
  });

  it('are cancelled when they ask without end', async () => {
    const params = { mode: 'form', message: 'What?', requestedSchema: { type: 'object', properties: {} } };
    const inputRequests = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, key) => [`q${key}`, { method: 'elicitation/create', params }]),
    );
    const flood = await modern({}, () => ({ status: 'input_required', inputRequests }));
    const ended = await flood.connection.call('work', {}, ways({ door: door() }));
    expect(ended).toMatchObject({ status: 'error', output: expect.stringContaining('without end') });
    expect([flood.of('tasks/update').length, flood.of('tasks/cancel').length]).toEqual([20, 1]);
  });

  it('report a failure, and say when the outcome is unknown', async () => {
    const failed = await modern({}, () => ({ status: 'failed', error: { code: -32603, message: 'no paper' } }));
    expect(await failed.connection.call('work', {}, ways())).toMatchObject({
      status: 'error',
      output: expect.stringContaining('no paper'),
    });
    const cancelled = await modern({}, () => ({ status: 'cancelled', statusMessage: 'too late' }));
    expect(await cancelled.connection.call('work', {}, ways())).toMatchObject({
      status: 'error',
      output: expect.stringContaining('too late'),
    });
    const gone = await modern({ ttlMs: 0 }, () => ({ refused: { code: -32602, message: 'Task not found' } }));
    expect(await gone.connection.call('work', {}, ways())).toMatchObject({
      status: 'unknown',
      output: expect.stringContaining('keeps one for 0 s'),
    });
    const other = await modern({}, () => ({ ...done, taskId: 't2' }));
    expect(await other.connection.call('work', {}, ways())).toMatchObject({
      status: 'unknown',
      output: expect.stringContaining('another task'),
    });
  });
});
