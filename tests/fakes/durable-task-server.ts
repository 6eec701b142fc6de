import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fieldOf, isRecord } from '../../src/shared/unknown-value.ts';

/** A server of the new revision, whose tasks outlive every connection, as the extension for tasks describes. */
export interface DurableTaskServer {
  readonly url: string;
  /** The methods it was called with, in order, without those of the handshake. */
  readonly asked: string[];
  /** How many clients wait for news of a task. */
  readonly listening: () => number;
  /** Ends every task it started, and notifies all listeners. */
  readonly finish: () => void;
  readonly close: () => Promise<void>;
}

const tasksOf = 'io.modelcontextprotocol/tasks';
const tool = { name: 'dig', description: 'Digs deep.', inputSchema: { type: 'object' } };
const cached = { ttlMs: 0, cacheScope: 'private' };

/** `pollMs`: the poll interval that the server asks clients to keep. */
export async function serveDurableTasks(pollMs = 250): Promise<DurableTaskServer> {
  const asked: string[] = [];
  const tasks = new Map<string, 'working' | 'completed' | 'cancelled'>();
  const listeners = new Set<{ readonly id: unknown; readonly response: ServerResponse }>();
  const detail = (taskId: string) => ({
    taskId,
    status: tasks.get(taskId) ?? 'working',
    createdAt: '2026-11-01T10:00:00Z',
    lastUpdatedAt: '2026-11-01T10:00:00Z',
    ttlMs: 3_600_000,
    pollIntervalMs: pollMs,
    ...(tasks.get(taskId) === 'completed' ? { result: { content: [{ type: 'text', text: 'Found: gold.' }] } } : {}),
  });
  const say = (response: ServerResponse, id: unknown, method: string, params: object): void => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })}\n\n`);
  };
  const answerTo = (method: string, params: unknown): object => {
    const taskId = String(fieldOf(params, 'taskId'));
    switch (method) {
      case 'server/discover':
        return {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, extensions: { [tasksOf]: {} } },
          ...cached,
        };
      case 'tools/list':
        return { tools: [tool], ...cached };
      case 'tools/call': {
        const made = `task-${tasks.size + 1}`;
        tasks.set(made, 'working');
        return { resultType: 'task', ...detail(made) };
      }
      case 'tasks/cancel':
        tasks.set(taskId, 'cancelled');
        return {};
      default:
        return tasks.has(taskId) ? detail(taskId) : {};
    }
  };
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const message: unknown = await json(request);
      const [id, method, params] = ['id', 'method', 'params'].map((key) => fieldOf(message, key));
      if (id === undefined) return response.writeHead(202).end();
      if (method !== 'server/discover' && method !== 'tools/list') asked.push(String(method));
      if (method === 'subscriptions/listen') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const notifications = fieldOf(params, 'notifications');
        say(response, id, 'notifications/subscriptions/acknowledged', { notifications });
        const listener = { id, response };
        listeners.add(listener);
        return response.on('close', () => listeners.delete(listener));
      }
      const isForgotten = method === 'tasks/get' && !tasks.has(String(fieldOf(params, 'taskId')));
      const answer = isForgotten
        ? { error: { code: -32_602, message: 'No such task' } }
        : { result: { resultType: 'complete', ...answerTo(String(method), isRecord(params) ? params : {}) } };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    listening: () => listeners.size,
    finish: () => {
      for (const [taskId, status] of tasks) {
        if (status !== 'working') continue;
        tasks.set(taskId, 'completed');
        for (const { id, response } of listeners) say(response, id, 'notifications/tasks', detail(taskId));
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
