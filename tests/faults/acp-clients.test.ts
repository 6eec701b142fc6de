import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestPermissionRequest, SessionNotification } from 'acp-sdk-before';
import { ClientSideConnection, ndJsonStream } from 'acp-sdk-before';
import { bundleChild } from './bundle-child.ts';
import { node } from './program.ts';

const call = (name: string, input: unknown) => ({ delayMs: 5, toolCalls: [{ name, input }] });
const replies = [
  call('run_command', { command: 'get it', network: { hosts: ['files.example.org'], why: 'packages' } }),
  call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
  call('task_complete', { summary: 'It adds now.' }),
];

let folder = '';
let child = '';
let home = '';
let project = '';

const picture = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
} as const;
const unsaved = {
  type: 'resource',
  resource: { uri: 'file:///unsaved/notes.md', text: '# Notes', mimeType: 'text/markdown' },
} as const;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-acp-clients-')));
  [home, project] = [join(folder, 'home'), join(folder, 'project')];
  child = await bundleChild('tests/faults/acp-child.ts', folder);
  for (const path of [home, project]) await mkdir(path);
  await writeFile(join(project, 'calc.py'), 'def add(a, b):\n    return a - b\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function script(answers: readonly unknown[]): Promise<void> {
  const settings = {
    version: 1,
    local: 'script/script',
    providers: { script: { kind: 'scripted', replies: answers, images: true } },
  };
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
}

/** The protocol authors' client of one major version ago, connected to the pipes of a process. */
function openProcess(permission: (request: RequestPermissionRequest) => string) {
  const running = spawn(node, [child, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  const updates: SessionNotification['update'][] = [];
  const connection = new ClientSideConnection(
    () => ({
      requestPermission: async (request) => ({ outcome: { outcome: 'selected', optionId: permission(request) } }),
      sessionUpdate: async ({ update }) => void updates.push(update),
    }),
    ndJsonStream(Writable.toWeb(running.stdin), bytesOf(running.stdout)),
  );
  const ended = new Promise<number | null>((done) => running.once('close', done));
  return { connection, updates, running, ended };
}

function bytesOf(stream: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      stream.on('data', (bytes: Buffer) => controller.enqueue(bytes));
      stream.once('end', () => controller.close());
    },
  });
}

describe('a client by the ACP package', () => {
  // Catches: an announced method that another client cannot use.
  it('can call every announced method', async () => {
    await script([...replies, { text: 'late', delayMs: 60_000 }]);
    const first = openProcess(() => 'session');
    const { connection } = first;
    const { agentCapabilities } = await connection.initialize({ protocolVersion: 1, clientCapabilities: {} });
    expect(agentCapabilities).toMatchObject({
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    });
    const { sessionId } = await connection.newSession({ cwd: project, mcpServers: [] });
    const prompt = (text: string) =>
      connection.prompt({ sessionId, prompt: [{ type: 'text', text }, picture, unsaved] });
    expect(await prompt('Fix the bug in add().')).toMatchObject({ stopReason: 'end_turn' });
    await connection.setSessionMode({ sessionId, modeId: 'ask' });
    const set = await connection.setSessionConfigOption({ sessionId, configId: 'policy', value: 'local' });
    expect(set.configOptions.map(({ id }) => id)).toContain('policy');
    const started = first.updates.length;
    const late = prompt('What is it called?');
    await expect.poll(() => first.updates.length).toBeGreaterThan(started);
    await connection.cancel({ sessionId });
    expect(await late).toMatchObject({ stopReason: 'cancelled' });
    // The editor has closed its end, so the process ends by itself.
    first.running.stdin.end();
    expect(await first.ended).toBe(0);

    const second = openProcess(() => 'deny');
    await second.connection.initialize({ protocolVersion: 1, clientCapabilities: {} });
    const { sessions } = await second.connection.listSessions({ cwd: project });
    expect(sessions.map((one) => one.sessionId)).toContain(sessionId);
    await second.connection.loadSession({ sessionId, cwd: project, mcpServers: [] });
    const told = JSON.stringify(second.updates);
    expect(told).toContain('It adds now.');
    expect(told).toContain(picture.data);
    expect(told).toContain('notes.md');
    await second.connection.resumeSession({ sessionId, cwd: project, mcpServers: [] });
    await second.connection.closeSession({ sessionId });
    await expect(second.connection.prompt({ sessionId, prompt: [{ type: 'text', text: 'x' }] })).rejects.toMatchObject({
      code: -32002,
    });
    second.running.stdin.end();
    expect(await second.ended).toBe(0);
  });
});
