import type { ContentBlock } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../fakes/core-client.ts';
import { calls, complete, createWorld, openEditor, pick, textOf } from './acp-kit.ts';

const { session } = methods.agent;
const text = (value: string): ContentBlock[] => [{ type: 'text', text: value }];
const task = 'Fix the bug in add().';
const work = [
  { text: 'I look at it.', toolCalls: [{ name: 'read_file', input: { path: 'calc.py' } }] },
  calls('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
  calls('run_command', { command: 'get it', network: { hosts: ['files.example.org'], why: 'packages' } }),
  calls('run_command', { command: 'pytest -q' }),
  complete(),
].map((reply) => ({ ...reply, delayMs: 2 }));

describe('a task that an editor cancels', () => {
  // Catches: a wait that a cancel does not end, work that continues after it, and a session that cannot be used
  // afterwards.
  it('ends as cancelled at every update, with its end in the log', async () => {
    await using world = await createWorld([]);
    let runs = 0;
    // A changed script starts from its first reply.
    const replies = async (): Promise<unknown> =>
      world.core.client.settings.set({
        key: 'providers.script',
        value: { kind: 'scripted', replies: [...work, { text: `Run ${(runs += 1)}.` }] },
      });
    const run = async (
      stopAt: number,
    ): Promise<{ readonly seen: number; readonly reason: string; readonly last: string }> => {
      await replies();
      const editor = await openEditor(world, { answer: pick('once') });
      const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
      await editor.until('available_commands_update');
      const before = editor.updates.length;
      const prompt = editor.agent.request(session.prompt, { sessionId, prompt: text(task) });
      if (stopAt === 0) await editor.agent.notify(session.cancel, { sessionId });
      else if (Number.isFinite(stopAt)) {
        await editor.until('tool_call', () => true).catch(() => undefined);
        await expect.poll(() => editor.updates.length - before, { interval: 1 }).toBeGreaterThanOrEqual(stopAt);
        await editor.agent.notify(session.cancel, { sessionId });
      }
      const { stopReason } = await prompt;
      const seen = editor.updates.length - before;
      await editor.leave();
      const ended = (await world.core.client.sessions.list()).some(({ sessionId: id }) => id === sessionId)
        ? (await eventsOf(world.core.client, sessionId)).findLast(({ type }) => type === 'turn-ended')
        : undefined;
      return { seen, reason: stopReason, last: ended?.type === 'turn-ended' ? ended.reason : 'nothing was begun' };
    };
    const whole = await run(Infinity);
    expect(whole).toMatchObject({ reason: 'end_turn', last: 'done' });
    for (let at = 0; at < whole.seen; at += 2) {
      const { reason, last } = await run(at);
      // What had already ended is not cancelled. What had not is reported as cancelled.
      expect([
        ['cancelled', 'cancelled'],
        ['cancelled', 'nothing was begun'],
        ['end_turn', 'done'],
      ]).toContainEqual([reason, last]);
      if (at < 6) expect(reason).toBe('cancelled');
    }
  });

  // Catches: a cancel that leaves the question open or approves it.
  it('stops a question, a model call and a command, and the next message is worked on', async () => {
    await using world = await createWorld([], {
      exec: ({ command }, _sandbox, signal) =>
        command !== 'sleep'
          ? {}
          : new Promise((resolve) =>
              signal.addEventListener('abort', () => resolve({ outcome: 'cancelled' }), { once: true }),
            ),
    });
    const script = async (replies: readonly unknown[]): Promise<unknown> =>
      world.core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
    const editor = await openEditor(world, { answer: () => new Promise(() => undefined) });
    const { agent, updates } = editor;
    const { sessionId } = await agent.request(session.new, { cwd: world.project, mcpServers: [] });
    const cases = [
      { replies: [work[2]], isThere: () => editor.asked.length > 0 },
      {
        replies: [{ text: 'late', delayMs: 60_000 }],
        isThere: () => textOf(updates, 'agent_thought_chunk').includes('loop'),
      },
      {
        replies: [calls('run_command', { command: 'sleep' })],
        isThere: () => JSON.stringify(updates).includes('run sleep'),
      },
    ];
    for (const { replies, isThere } of cases) {
      await script(replies);
      const prompt = agent.request(session.prompt, { sessionId, prompt: text(task) });
      await expect.poll(isThere).toBe(true);
      await expect(agent.request(session.prompt, { sessionId, prompt: text('And?') })).rejects.toMatchObject({
        code: -32602,
        message: /is being worked on/u,
      });
      await agent.notify(session.cancel, { sessionId });
      expect(await prompt).toEqual({ stopReason: 'cancelled' });
    }
    expect(world.reached).toEqual([]);
    await script([{ text: 'Yes.' }]);
    await agent.request(session.setMode, { sessionId, modeId: 'ask' });
    expect(await agent.request(session.prompt, { sessionId, prompt: text('Are you there?') })).toEqual({
      stopReason: 'end_turn',
    });
    expect(textOf(updates, 'agent_message_chunk')).toContain('Yes.');
    await editor.leave();
  });
});

describe('wrong input of an editor', () => {
  // Catches: a process that ends because of a wrong line, and errors that say nothing.
  it('is answered with what was wrong, and the process lives on', async () => {
    await using world = await createWorld([{ text: 'Hello.' }]);
    const editor = await openEditor(world);
    const { agent } = editor;
    await editor.raw('this is not JSON\n[1,2]\n{"jsonrpc":"2.0","id":"x","method":"no/such"}\n');
    await expect.poll(() => editor.written()).toContain('-32601');
    expect(editor.written()).toContain('-32700');
    const wrong: readonly (readonly [string, unknown, number, RegExp])[] = [
      [session.new, { cwd: 'relative', mcpServers: [] }, -32602, /whole path/u],
      [session.new, { cwd: `${world.project}/missing`, mcpServers: [] }, -32602, /no folder/u],
      [session.new, { cwd: `${world.project}/calc.py`, mcpServers: [] }, -32602, /no folder/u],
      [session.new, { cwd: world.project, mcpServers: [], additionalDirectories: ['/tmp'] }, -32602, /one folder/u],
      [session.new, { cwd: 7, mcpServers: [] }, -32602, /Invalid params/u],
      [session.new, {}, -32602, /Invalid params/u],
      [session.load, { sessionId: 'none', cwd: world.project, mcpServers: [] }, -32002, /not found/u],
      [session.resume, { sessionId: 'none', cwd: world.project }, -32002, /not found/u],
      [session.prompt, { sessionId: 'none', prompt: text('Hello') }, -32002, /not open/u],
      [session.setMode, { sessionId: 'none', modeId: 'ask' }, -32002, /not open/u],
      [session.list, { cursor: 'x' }, -32602, /no page/u],
    ];
    for (const [method, params, code, message] of wrong)
      await expect(
        agent.request<unknown, unknown>(method, params),
        `${method} ${JSON.stringify(params)}`,
      ).rejects.toMatchObject({
        code,
        message,
      });
    const { sessionId } = await agent.request(session.new, { cwd: world.project, mcpServers: [] });
    const prompts: readonly (readonly [unknown, RegExp])[] = [
      [[], /empty/u],
      [text('   '), /empty/u],
      [[{ type: 'audio', data: '', mimeType: 'audio/wav' }], /no audio/u],
      [[{ type: 'image', data: 'AAAA', mimeType: 'image/png' }], /not an image/u],
      [[{ type: 'nothing' }], /Invalid params/u],
      ['words', /Invalid params/u],
    ];
    for (const [prompt, message] of prompts)
      await expect(agent.request<unknown, unknown>(session.prompt, { sessionId, prompt })).rejects.toMatchObject({
        message,
      });
    await expect(agent.request(session.setMode, { sessionId, modeId: 'yolo' })).rejects.toMatchObject({
      message: /Choose one of: auto, ask, plan, work/u,
    });
    await agent.notify(session.cancel, { sessionId: 'none' });
    await agent.notify(session.cancel, { sessionId });
    expect(await agent.request(session.prompt, { sessionId, prompt: text('Hello?') })).toEqual({
      stopReason: 'end_turn',
    });
    await editor.leave();
    // The agent wrote nothing but protocol messages.
    for (const line of editor.written().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  // Catches: an editor that opens a session of another folder, with edits that it does not show.
  it('loads a session only if its folder is open', async () => {
    await using world = await createWorld([{ text: 'Hello.' }]);
    const editor = await openEditor(world);
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Hello?') });
    await expect(editor.agent.request(session.load, { sessionId, cwd: '/', mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
      message: /This session works in/u,
    });
    await editor.leave();
  });
});
