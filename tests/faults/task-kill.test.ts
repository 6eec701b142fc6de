import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { serveDurableTasks, type DurableTaskServer } from '../fakes/durable-task-server.ts';
import { bundleChild } from './bundle-child.ts';
import { checkCrashed } from './check-crashed.ts';
import { openMemoryCore } from './memory-core.ts';
import { follow, node, ofType, readLog, tool } from './program.ts';

const dig = tool('made__dig', {});
const edit = tool('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const complete = tool('task_complete', { summary: 'It adds now.' });

describe('a task of a tool server, when Dewpoint is killed', () => {
  let folder = '';
  let home = '';
  let server: DurableTaskServer;
  const script = (replies: readonly unknown[]) => ({ kind: 'scripted', replies });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dewpoint-task-kill-'));
    home = join(folder, 'home');
    server = await serveDurableTasks();
    const { client, dispose } = await openMemoryCore(home);
    await client.settings.set({ key: 'providers.script', value: script([dig, edit, complete]) });
    await client.settings.set({ key: 'local', value: 'script/script' });
    await client.tools.add({ name: 'made', definition: { kind: 'http', url: server.url } });
    const [made] = await client.tools.list();
    const { tools } = await client.tools.approve({ name: 'made', sha256: made?.sha256 ?? '' });
    await client.tools.approveTools({
      name: 'made',
      tools: tools.map(({ tool: name, sha256 }) => ({ tool: name, sha256 })),
    });
    await dispose();
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  // Catches: an hour of work that is lost with the program or ordered a second time, and a replay that asks the server.
  it('is asked for when the work goes on, and its call is made only once', async () => {
    const child = await bundleChild('tests/faults/tools-kill-child.ts', folder);
    const running = follow(spawn(node, [child, home], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }), true);
    const began = await running.until('server-task-began');
    running.child.kill('SIGKILL');
    const { events } = await running.ended;
    const [sessionId = ''] = await readdir(join(home, 'sessions'));
    const left = await readLog(home, sessionId);
    server.finish();

    const core = await openMemoryCore(home);
    await core.client.settings.set({ key: 'providers.script', value: script([edit, complete]) });
    await core.client.changes.show({ sessionId, paths: [] });
    checkCrashed({ acknowledged: events, left, opened: await readLog(home, sessionId) });
    const options = runOptionsSchema.parse({ strategy: 'loop' });
    await core.client.sessions.send({ sessionId, text: 'Fix the bug in add().', options });
    await core.client.sessions.result({ sessionId });
    const log = await readLog(home, sessionId);
    const cut = ofType(log, 'tool-ended').find(({ toolCallId }) => toolCallId === began.toolCallId);
    expect(cut).toMatchObject({ status: 'unknown', output: expect.stringContaining('It was not called again') });
    const [fetched] = ofType(log, 'tool-ended').filter((event) => event.tool === 'fetch_task');
    expect(fetched).toMatchObject({ status: 'ok', output: expect.stringContaining('Found: gold.') });
    expect(ofType(log, 'server-task-settled').map(({ toolCallId }) => toolCallId)).toEqual([began.toolCallId]);
    expect(ofType(log, 'turn-ended').map(({ reason }) => reason)).toEqual(['crashed', 'done']);

    const { step = 0 } = ofType(log, 'model-call-started').at(-1) ?? {};
    const shown = JSON.stringify(await core.client.sessions.manifest({ sessionId, step }));
    expect(shown).toContain('That call is not to be made again for this');
    expect(shown).toContain('Found: gold.');
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1);

    const before = server.asked.length;
    const report = await core.client.sessions.replay({ sessionId });
    expect([report.firstDifference, report.matched]).toEqual([null, true]);
    expect(server.asked).toHaveLength(before);
    await core.dispose();
  }, 60_000);
});
