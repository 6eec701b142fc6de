import { afterEach, describe, expect, it } from 'vitest';
import type { LeftTask } from '../../../../src/shared/events/tool-events.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';
import { serveDurableTasks } from '../../../fakes/durable-task-server.ts';
import { approveAll, toolServerScene } from '../../../fakes/tool-server-scene.ts';

const signal = new AbortController().signal;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server with an unfinished task whose call lost its connection, as in a crash. */
async function left(pollMs?: number) {
  const server = await serveDurableTasks(pollMs);
  ends.push(server.close);
  const scene = toolServerScene('plain', {
    definition: serverDefinitionSchema.parse({ kind: 'http', url: server.url }),
  });
  ends.push(scene.end);
  await approveAll(scene);
  const [spec] = await scene.tools.offered();
  if (spec === undefined) throw new Error('Nothing is offered.');
  const noted: LeftTask[] = [];
  const asked: string[] = [];
  const door = {
    form: async () => ({ action: 'cancel' }) as const,
    link: async () => 'cancel' as const,
    model: async () => ({ type: 'refused', why: '' }) as const,
    noteTask: async (task: LeftTask) => {
      asked.push(...server.asked);
      noted.push(task);
    },
  };
  const call = scene.tools.call(spec, {}, { signal, onProgress: () => undefined, door });
  await expect.poll(() => noted.length).toBe(1);
  await scene.tools.stop('made');
  expect((await call).status).toBe('unknown');
  const ask = (task = noted[0]) => {
    if (task === undefined || scene.tools.askTask === undefined) throw new Error('There is no task.');
    return scene.tools.askTask(spec, task, { signal, onProgress: () => undefined });
  };
  return { server, scene, noted, beforeNote: asked, ask };
}

describe("a tool server's task after a cut-off call", () => {
  // Catches: a task that nobody knows about after a crash, and a second call for its result.
  it('is recorded first, and gives its result later without another call', async () => {
    const { server, noted, beforeNote, ask } = await left();
    expect(beforeNote).toEqual(['tools/call']);
    expect(noted).toEqual([{ taskId: 'task-1', sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) }]);
    server.finish();
    expect(await ask()).toEqual({ status: 'ok', output: 'Found: gold.' });
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(server.asked).not.toContain('tasks/cancel');
  });

  it('is followed when it still runs', async () => {
    const { server, scene, ask } = await left();
    const result = ask();
    const shown = { taskId: 'task-1', status: 'working', message: null, beganAt: Date.parse('2026-11-01T10:00:00Z') };
    await expect
      .poll(() => scene.commands.tasks({ input: { name: 'made' }, signal }))
      .toEqual({ canList: false, canStop: true, tasks: [{ ...shown, isFollowed: true }] });
    await expect.poll(() => server.asked.filter((method) => method === 'tasks/get').length).toBeGreaterThan(2);
    server.finish();
    expect((await result).output).toBe('Found: gold.');
  });

  // Catches: a task that is reported to another server, or to a tool whose meaning has changed.
  it('is asked for only at the same server with the same tool', async () => {
    const { server, noted, ask } = await left();
    const before = server.asked.length;
    const [task] = noted;
    expect((await ask({ taskId: task?.taskId ?? '', sha256: '0'.repeat(64) })).status).toBe('error');
    expect(server.asked).toHaveLength(before);
  });

  it('is lost when its server forgot it, and kept when the server is off or away', async () => {
    const { server, scene, noted, ask } = await left();
    expect(await ask({ taskId: 'task-9', sha256: noted[0]?.sha256 ?? '' })).toMatchObject({
      status: 'error',
      output: expect.stringContaining('does not know the task any more'),
    });
    const made = scene.settings['made'];
    if (made !== undefined) scene.settings['made'] = { ...made, isOn: false };
    expect((await ask()).status).toBe('refused');
    if (made !== undefined) scene.settings['made'] = made;
    await scene.tools.stop('made');
    await server.close();
    expect((await ask()).status).toBe('refused');
  });

  // Catches: a finished result that waits half a minute for the next look.
  it('is announced by a server of the new revision that is polled seldom', async () => {
    const { server, ask } = await left(30_000);
    await expect.poll(() => server.listening()).toBe(0);
    const result = ask();
    await expect.poll(() => server.listening()).toBe(1);
    server.finish();
    expect((await result).output).toBe('Found: gold.');
    await expect.poll(() => server.listening()).toBe(0);
  });
});
