import { fencedWhole } from '../../../../src/main/hosts/acp/shown-content.ts';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../fakes/core-client.ts';
import { askingServer, libraryServer, redSquare, serveMcp } from '../../../fakes/mcp-http-server.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';
import { calls, complete, createWorld, files, openEditor, pick, textOf } from './acp-kit.ts';

const { session } = methods.agent;
const text = (value: string): ContentBlock[] => [{ type: 'text', text: value }];
const fix = calls('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const fetchIt = calls('run_command', { command: 'get it', network: { hosts: ['files.example.org'], why: 'packages' } });

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Adds and approves a server with its tools. */
async function addServer({ core }: Awaited<ReturnType<typeof createWorld>>, url: string): Promise<void> {
  const { tools } = core.client;
  const definition = serverDefinitionSchema.parse({ kind: 'http', url });
  const { sha256 } = await tools.add({ name: 'made', definition });
  const listed = await tools.approve({ name: 'made', sha256 });
  const approved = listed.tools.map((one) => ({ tool: one.tool, sha256: one.sha256 }));
  await tools.approveTools({ name: 'made', tools: approved });
}

describe('an editor that speaks the Agent Client Protocol', () => {
  // Catches: a tool server's image that only the window shows, or that an editor gets with the wrong type.
  it('gets an image of a tool server with the type that its bytes have', async () => {
    const server = await serveMcp(libraryServer);
    await using world = await createWorld([calls('made__draw', {}), complete()]);
    await addServer(world, server.url);
    const editor = await openEditor(world, { answer: pick('once') });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Draw a square beside calc.py.') });
    const content = editor.updates.flatMap((one): ToolCallContent[] =>
      one.sessionUpdate === 'tool_call_update' ? (one.content ?? []) : [],
    );
    expect(content).toContainEqual({
      type: 'content',
      content: { type: 'image', data: redSquare, mimeType: 'image/png' },
    });
    await editor.leave();
    await server.close();
  });

  // Catches: a capability that is announced but missing, or present but not announced.
  it('is told truthfully what Dewpoint can do', async () => {
    await using world = await createWorld([]);
    const editor = await openEditor(world);
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'dewpoint', version: '1.2.3' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    });
    await editor.leave();
  });

  // Catches: a step of the work that the editor does not see, or sees in the wrong order or place.
  it('follows a task from its message to its summary', async () => {
    await using world = await createWorld(
      [
        { text: 'I look at it.', toolCalls: [{ name: 'read_file', input: { path: 'calc.py' } }] },
        fix,
        calls('run_command', { command: 'pytest -q' }),
        complete(),
      ],
      { exec: () => ({ stdout: '1 passed\n```\n' }) },
    );
    const editor = await openEditor(world);
    const { agent, updates } = editor;
    const { sessionId, modes } = await agent.request(session.new, { cwd: world.project, mcpServers: [] });
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['auto', 'ask', 'plan', 'work']);
    const { stopReason } = await agent.request(session.prompt, { sessionId, prompt: text('Fix the bug in add().') });
    expect(stopReason).toBe('end_turn');
    expect(textOf(updates, 'agent_message_chunk')).toContain('I look at it.');
    expect(textOf(updates, 'agent_message_chunk')).toContain('It adds now.');
    const started = updates.filter((one) => one.sessionUpdate === 'tool_call');
    expect(started.map(({ kind, title }) => [kind, title])).toContainEqual(['execute', 'run pytest -q']);
    expect(started.find(({ kind }) => kind === 'edit')).toMatchObject({
      locations: [{ path: `${world.project}/calc.py` }],
      status: 'in_progress',
    });
    const ended = updates.filter((one) => one.sessionUpdate === 'tool_call_update' && one.status === 'completed');
    const content = ended.flatMap((one): ToolCallContent[] =>
      one.sessionUpdate === 'tool_call_update' ? (one.content ?? []) : [],
    );
    expect(content.filter(({ type }) => type === 'diff')).toEqual([
      {
        type: 'diff',
        path: `${world.project}/calc.py`,
        oldText: 'def add(a, b):\n    return a - b\n',
        newText: 'def add(a, b):\n    return a + b\n',
      },
    ]);
    // Output of a command cannot close the code fence around it.
    expect(JSON.stringify(content)).toContain('````');
    // Every call that began also ends.
    for (const { toolCallId } of started)
      expect(ended.some((one) => 'toolCallId' in one && one.toolCallId === toolCallId)).toBe(true);
    expect(textOf(updates, 'agent_thought_chunk')).toMatch(/steps?, .* \$0/u);
    await editor.leave();
  });

  // Catches: an approval or a scope that the user did not choose, and choices that an approval does not have.
  it.each([
    ['once', 'allow', 'once', ['files.example.org']],
    ['session', 'allow', 'session', ['files.example.org']],
    ['deny', 'deny', undefined, []],
    ['something else', 'deny', undefined, []],
  ])('is asked for access to a network, and "%s" means %s', async (optionId, answer, scope, reached) => {
    await using world = await createWorld([fetchIt, complete()]);
    const editor = await openEditor(world, { answer: pick(optionId) });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Fetch the file data.txt.') });
    expect(editor.asked[0]?.options.map(({ optionId: id, kind }) => [id, kind])).toEqual([
      ['once', 'allow_once'],
      ['session', 'allow_always'],
      ['project', 'allow_always'],
      ['deny', 'reject_once'],
    ]);
    expect(JSON.stringify(editor.asked[0]?.toolCall)).toContain('files.example.org');
    expect(world.reached).toEqual(reached);
    const said = (await eventsOf(world.core.client, sessionId)).find(({ type }) => type === 'approval-answered');
    expect(said).toMatchObject({ answer, by: 'person', ...(scope === undefined ? {} : { scope }) });
    await editor.leave();
  });

  // Catches: a yes in an editor that covers more than the editor was shown.
  it.each([
    ['in many lines', `${'echo a friend\n'.repeat(1_400)}send --to stranger`],
    ['in one line', `echo ${'x'.repeat(19_900)} stranger`],
    ['in code fences', `${'```\n'.repeat(4_900)}stranger`],
  ])('sees all of a command before it is allowed, %s', async (_how, command) => {
    const network = { hosts: ['files.example.org'], why: 'packages' };
    await using world = await createWorld([calls('run_command', { command, network }), complete()]);
    const editor = await openEditor(world, { answer: pick('once') });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Fetch the file data.txt.') });
    const [asked] = editor.asked;
    const shown = JSON.stringify(asked?.toolCall.content ?? []);
    expect(shown).not.toContain('(cut');
    expect(shown).toContain('stranger');
    expect(shown).toContain('If you say yes');
    expect(world.reached).toEqual(network.hosts);
    await editor.leave();
  });

  it('sees the change of a guarded file before it is allowed', async () => {
    const change = { path: 'package-lock.json', content: 'locked by hand\n' };
    await using world = await createWorld([calls('write_file', change), complete()]);
    const editor = await openEditor(world, { answer: pick('deny') });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Fetch the file data.txt.') });
    expect(JSON.stringify(editor.asked[0]?.toolCall.content ?? [])).toContain('+locked by hand');
    await editor.leave();
  });

  it('is never asked with a part of a question', () => {
    const text = `${'much to read\n'.repeat(200_000)}stranger`;
    expect(fencedWhole(text)).toBeNull();
    const pieces = fencedWhole(text.slice(-1_000_000)) ?? [];
    expect(pieces.length).toBeGreaterThan(40);
    expect(JSON.stringify(pieces.at(-1))).toContain('stranger');
  });

  // Catches: a tool server's form that the editor is not shown, and an answer that does not arrive or does not fit.
  it.each([
    ['fills it in', { action: 'accept', content: { city: 'Bergen' } }, 'rain in Bergen'],
    ['declines', { action: 'decline' }, 'no city'],
    ['sends what does not fit', { action: 'accept', content: { town: 'Bergen' } }, 'no city'],
    ['has no forms', null, 'no city'],
  ] as const)('sees a form of a tool server, where it %s', async (_name, filled, output) => {
    const server = await serveMcp(askingServer);
    await using world = await createWorld([calls('made__weather', {}), complete()]);
    await addServer(world, server.url);
    const shown: unknown[] = [];
    const editor = await openEditor(world, {
      answer: pick('once'),
      ...(filled === null ? {} : { fillIn: (asked) => (shown.push(asked), { ...filled }) }),
    });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Change calc.py by the weather.') });
    if (filled !== null)
      expect(shown).toMatchObject([
        { mode: 'form', message: expect.stringContaining('Where?'), requestedSchema: { required: ['city'] } },
      ]);
    const events = await eventsOf(world.core.client, sessionId);
    const ended = events.filter((event) => event.type === 'tool-ended' && event.tool === 'made__weather');
    expect(JSON.stringify(ended)).toContain(output);
    await editor.leave();
    await server.close();
  });

  // Bugs: line breaks of the question were written out as codes, and a form that was only closed counted as "skip it".
  it.each([
    ['answers', { action: 'accept', content: { choice: '', own: 'JSON' } }, 'The user answered: JSON'],
    ['skips it', { action: 'decline' }, 'does not want to answer'],
    ['closes it', { action: 'cancel' }, 'Not answered yet.'],
    ['sends what does not fit', { action: 'accept', content: { choice: 'XML' } }, 'Not answered yet.'],
    ['has no forms', null, 'Not answered yet.'],
  ] as const)('sees a question of the agent, where it %s', async (_name, filled, output) => {
    const question = { question: 'There are two formats.\nCSV or JSON?', choices: ['CSV', 'JSON'] };
    await using world = await createWorld([calls('ask_person', question), complete()]);
    const shown: unknown[] = [];
    const editor = await openEditor(world, {
      answer: pick('allow'),
      ...(filled === null ? {} : { fillIn: (asked) => (shown.push(asked), { ...filled }) }),
    });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Export calc.py.') });
    if (filled !== null) expect(shown).toMatchObject([{ message: 'There are two formats.\nCSV or JSON?' }]);
    const events = await eventsOf(world.core.client, sessionId);
    const ended = events.filter((event) => event.type === 'tool-ended' && event.tool === 'ask_person');
    expect(JSON.stringify(ended)).toContain(output);
    await editor.leave();
  });

  // Catches: an end that an editor shows as done, without the question, and an answer that begins another task.
  it('reads what a blocked task waits for, and its next message is the answer', async () => {
    await using world = await createWorld([
      calls('task_complete', { summary: 'Should add() take text, too?', status: 'blocked' }),
      fix,
      complete(),
    ]);
    const editor = await openEditor(world);
    const { agent, updates } = editor;
    const { sessionId } = await agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await agent.request(session.prompt, { sessionId, prompt: text('Fix the bug in add().') });
    expect(textOf(updates, 'agent_message_chunk')).toContain('Should add() take text, too?');
    expect(textOf(updates, 'agent_thought_chunk')).toContain('waiting for your answer');
    await agent.request(session.prompt, { sessionId, prompt: text('Numbers only') });
    const events = await eventsOf(world.core.client, sessionId);
    const [first, second] = events.filter((event) => event.type === 'turn-started');
    expect(events.filter(({ type }) => type === 'turn-ended')).toMatchObject([
      { reason: 'waiting' },
      { reason: 'done' },
    ]);
    expect(second).toMatchObject({ answers: first?.turnId });
    await editor.leave();
  });

  // Bug: an editor cancels before it sends the next message, and so the answer was taken for a new task.
  it('answers a question of the agent by its next message, which it sends after a cancel', async () => {
    const question = { question: 'CSV or JSON?', choices: ['CSV', 'JSON'] };
    await using world = await createWorld([calls('ask_person', question), fix, complete()]);
    const shown: unknown[] = [];
    const fillIn = (asked: unknown) => {
      shown.push(asked);
      return new Promise<never>(() => undefined);
    };
    const editor = await openEditor(world, { answer: pick('allow'), fillIn });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    const asking = editor.agent.request(session.prompt, { sessionId, prompt: text('Export calc.py.') });
    await expect.poll(() => shown.length).toBe(1);
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await asking).toMatchObject({ stopReason: 'cancelled' });
    const answering = await editor.agent.request(session.prompt, { sessionId, prompt: text('JSON') });
    expect(answering).toMatchObject({ stopReason: 'end_turn' });
    const [first, second] = (await world.core.client.sessions.show({ sessionId })).state.turns;
    expect(first?.reason).toBe('waiting');
    expect(second?.answers).toBe(first?.id);
    await editor.leave();
  });

  // Catches: a question that stays open, or counts as approved, after the editor has disconnected.
  it('ends the turn with a no if it dies at a question', async () => {
    await using world = await createWorld([fetchIt, complete()]);
    const editor = await openEditor(world, { answer: () => new Promise(() => undefined) });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    const prompt = editor.agent.request(session.prompt, { sessionId, prompt: text('Fetch the file data.txt.') });
    const settled = prompt.catch(() => null);
    await expect.poll(() => editor.asked.length).toBe(1);
    await editor.leave();
    await settled;
    expect(world.reached).toEqual([]);
    const events = await eventsOf(world.core.client, sessionId);
    expect(events.findLast(({ type }) => type === 'turn-ended')).toMatchObject({ reason: 'cancelled' });
  });

  // Catches: a conversation that is lost, or sent twice or out of order, after a restart.
  it('loads a session after a restart, with all that was said, and goes on', async () => {
    const first = await createWorld([fix, complete(), { text: 'It is called add.' }]);
    const before = await openEditor(first);
    const opened = await before.agent.request(session.new, { cwd: first.project, mcpServers: [] });
    const { sessionId } = opened;
    await before.agent.request(session.prompt, { sessionId, prompt: text('Fix the bug in add().') });
    await before.leave();
    await using world = await first.restart();
    const editor = await openEditor(world);
    const { agent, updates } = editor;
    const { sessions } = await agent.request(session.list, { cwd: world.project });
    expect(sessions).toMatchObject([{ sessionId, cwd: world.project, title: 'Fix the bug in add().' }]);
    await agent.request(session.load, { sessionId, cwd: world.project, mcpServers: [] });
    expect(textOf(updates, 'user_message_chunk')).toBe('Fix the bug in add().');
    expect(textOf(updates, 'agent_message_chunk')).toContain('It adds now.');
    const diffs = updates.flatMap((one) =>
      one.sessionUpdate === 'tool_call_update' ? (one.content ?? []).filter(({ type }) => type === 'diff') : [],
    );
    expect(diffs).toHaveLength(1);
    const told = updates.length;
    await agent.request(session.resume, { sessionId, cwd: world.project });
    expect(textOf(updates.slice(told), 'user_message_chunk')).toBe('');
    await world.core.client.settings.set({
      key: 'providers.script',
      value: { kind: 'scripted', replies: [{ text: 'It is called add.' }] },
    });
    await agent.request(session.setMode, { sessionId, modeId: 'ask' });
    const { stopReason } = await agent.request(session.prompt, { sessionId, prompt: text('What is it called?') });
    expect(stopReason).toBe('end_turn');
    expect(textOf(updates.slice(told), 'agent_message_chunk')).toContain('It is called add.');
    await editor.leave();
  });

  // Catches: a model that is shown as chosen while the task goes on with the one before, without a word.
  it('chooses another model while a task runs, from its next step on', async () => {
    await using world = await createWorld([{ ...calls('read_file', { path: 'calc.py' }), delayMs: 600 }, complete()]);
    const replies = [complete('Never asked.'), complete('The other one did it.')];
    await world.core.client.settings.set({ key: 'providers.other', value: { kind: 'scripted', replies } });
    const editor = await openEditor(world);
    const { agent, updates } = editor;
    const { sessionId, configOptions } = await agent.request(session.new, { cwd: world.project, mcpServers: [] });
    expect(JSON.stringify(configOptions)).toContain('other/script');
    const work = agent.request(session.prompt, { sessionId, prompt: text('Fix the bug in add().') });
    await expect
      .poll(async () => (await eventsOf(world.core.client, sessionId)).map(({ type }) => type))
      .toContain('model-call-started');
    await agent.request(session.setConfigOption, { sessionId, configId: 'local', value: 'other/script' });
    await work;
    expect(textOf(updates, 'agent_thought_chunk')).toContain('This takes effect at the next step of the task.');
    expect(textOf(updates, 'agent_message_chunk')).toContain('The other one did it.');
    const { state } = await world.core.client.sessions.show({ sessionId });
    expect(state.steps.map(({ model }) => model).slice(0, 2)).toEqual(['script/script', 'other/script']);
    expect(state.chosen).toEqual({ local: 'other/script' });
    await editor.leave();
  });

  // Catches: a mode or model that is shown as chosen but not used.
  it('works in the mode and with the models that were chosen', async () => {
    await using world = await createWorld([{ text: '1. Read it.\n2. Fix it.' }, { text: '1. Read it.\n2. Fix it.' }]);
    const editor = await openEditor(world);
    const { agent, updates } = editor;
    const { sessionId, configOptions } = await agent.request(session.new, { cwd: world.project, mcpServers: [] });
    expect(configOptions?.map(({ id }) => id)).toEqual(['mode', 'policy', 'local']);
    const after = await agent.request(session.setConfigOption, { sessionId, configId: 'mode', value: 'plan' });
    expect(after.configOptions.find(({ id }) => id === 'mode')).toMatchObject({ currentValue: 'plan' });
    await agent.request(session.setConfigOption, { sessionId, configId: 'policy', value: 'local' });
    await agent.request(session.setConfigOption, { sessionId, configId: 'local', value: 'script/script' });
    expect(updates).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    await agent.request(session.prompt, { sessionId, prompt: text('Fix the bug in add().') });
    const events = await eventsOf(world.core.client, sessionId);
    expect(events.find(({ type }) => type === 'turn-started')).toMatchObject({ mode: 'plan' });
    expect(updates.findLast((one) => one.sessionUpdate === 'plan')).toMatchObject({
      entries: [
        { content: 'Read it.', status: 'pending' },
        { content: 'Fix it.', status: 'pending' },
      ],
    });
    for (const [configId, value] of [
      ['local', 'no/such'],
      ['color', 'red'],
    ] as const)
      await expect(agent.request(session.setConfigOption, { sessionId, configId, value })).rejects.toMatchObject({
        code: -32602,
      });
    await editor.leave();
  });

  // Catches: an agent that answers from the saved file while the user looks at a newer text.
  it('gives the unsaved text of a linked file, while saved text is read from the project', async () => {
    await using world = await createWorld([{ text: 'Seen.' }, { text: 'Seen.' }, { text: 'Seen.' }]);
    const read: string[] = [];
    const open = { text: 'def add(a, b):\n    return a + b\n' };
    const editor = await openEditor(world, {
      buffer: (path) => {
        read.push(path);
        if (open.text === '') throw new Error('It is not open.');
        return open.text;
      },
    });
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    const link = { type: 'resource_link', name: 'calc.py', uri: `file://${world.project}/calc.py#L2` } as const;
    const away = { type: 'resource_link', name: 'hosts', uri: 'file:///etc/hosts' } as const;
    const ask = async (): Promise<unknown> => {
      await editor.agent.request(session.prompt, {
        sessionId,
        prompt: [...text('See '), link, ...text(' and '), away],
      });
      const events = await eventsOf(world.core.client, sessionId);
      const { attachments = [] } = events.findLast((one) => one.type === 'user-message-added') ?? {};
      const [one] = attachments;
      if (one?.kind !== 'text') return attachments;
      const [call] = events.filter(({ type }) => type === 'model-call-started').slice(-1);
      const near = { id: call?.type === 'model-call-started' ? call.callId : '', near: call?.seq ?? 1 };
      const { request } = await world.core.client.sessions.detail({ sessionId, ...near });
      const seen = JSON.stringify(request);
      return [one.path, one.lines, ['a + b', 'def add', 'a - b'].filter((word) => seen.includes(word))];
    };
    // Only the linked line of the file.
    expect(await ask()).toEqual(['calc.py', undefined, ['a + b']]);
    open.text = files['calc.py'].replaceAll('\n', '\r\n');
    expect(await ask()).toEqual(['calc.py', { from: 2, to: 2 }, expect.anything()]);
    open.text = '';
    expect(await ask()).toEqual(['calc.py', { from: 2, to: 2 }, expect.anything()]);
    const unborn = { ...link, uri: `file://${world.project}/.env` };
    await symlink('calc.py', join(world.project, 'other.py'));
    const other = { ...link, uri: `file://${world.project}/other.py` };
    await editor.agent.request(session.prompt, {
      sessionId,
      prompt: [...text('See '), unborn, ...text(' and '), other],
    });
    expect(new Set(read)).toEqual(new Set([`${world.project}/calc.py`]));
    await editor.leave();
  });

  // Catches: files of a message that are lost, read past the fences, or mistaken for the user's words.
  it('attaches embedded files and images, and mentions linked files of the project', async () => {
    await using world = await createWorld([{ text: 'Seen.' }], {
      settings: { 'providers.script': { kind: 'scripted', replies: [{ text: 'Seen.' }], images: true } },
    });
    const editor = await openEditor(world);
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.prompt, {
      sessionId,
      prompt: [
        { type: 'text', text: 'What is in ' },
        { type: 'resource_link', name: 'calc.py', uri: `file://${world.project}/calc.py#L1:2` },
        { type: 'text', text: ' and ' },
        { type: 'resource_link', name: 'elsewhere', uri: 'https://example.org/x' },
        { type: 'resource', resource: { uri: 'file:///unsaved/notes.md', text: '# Notes', mimeType: 'text/markdown' } },
        { type: 'image', data: png, mimeType: 'image/png' },
        { type: 'text', text: '?' },
      ],
    });
    const events = await eventsOf(world.core.client, sessionId);
    const message = events.find(({ type }) => type === 'user-message-added');
    expect(message).toMatchObject({
      text: 'What is in @calc.py:1-2 and elsewhere (https://example.org/x)notes.md?',
      attachments: expect.arrayContaining([
        expect.objectContaining({ kind: 'text', name: 'notes.md' }),
        expect.objectContaining({ kind: 'image', width: 1 }),
        expect.objectContaining({ kind: 'text', path: 'calc.py', lines: { from: 1, to: 2 } }),
      ]),
    });
    const [call] = events.filter((event) => event.type === 'model-call-started');
    const { request } = await world.core.client.sessions.detail({
      sessionId,
      id: call?.callId ?? '',
      near: call?.seq ?? 1,
    });
    expect(JSON.stringify(request)).toContain('image/png');
    await editor.leave();
    const later = await openEditor(world);
    await later.agent.request(session.load, { sessionId, cwd: world.project, mcpServers: [] });
    expect(later.updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: 'user_message_chunk',
        content: { type: 'image', data: png, mimeType: 'image/png' },
      }),
    );
    await later.leave();
  });

  // Catches: an image that is silently left out because the model cannot see it.
  it('is told when no model sees an image', async () => {
    await using world = await createWorld([{ text: 'A dot.' }]);
    const editor = await openEditor(world);
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    const prompt = [...text('What is this?'), { type: 'image', data: png, mimeType: 'image/png' } as const];
    const sent = editor.agent.request(session.prompt, { sessionId, prompt });
    await expect(sent).rejects.toMatchObject({ message: expect.stringMatching(/image/u) });
    expect((await eventsOf(world.core.client, sessionId)).map(({ type }) => type)).not.toContain('model-call-started');
    await editor.leave();
  });

  // Catches: programs named by an editor that run without approval, and an editor that is not told that they do not
  // run.
  it('is told that its tool servers are not started', async () => {
    await using world = await createWorld([{ text: 'Hello.' }]);
    const editor = await openEditor(world);
    const { sessionId } = await editor.agent.request(session.new, {
      cwd: world.project,
      mcpServers: [{ name: 'mine', command: '/bin/false', args: [], env: [] }],
    });
    await editor.agent.request(session.prompt, { sessionId, prompt: text('Hello?') });
    expect(textOf(editor.updates, 'agent_message_chunk')).toMatch(/tool servers of your editor are not used: mine/u);
    await editor.leave();
  });

  // Catches: templates that the editor does not offer, or that are sent with empty placeholders.
  it('offers the person’s templates as commands, and fills them', async () => {
    await using world = await createWorld([{ text: 'It adds.' }]);
    await world.core.client.templates.save({ name: 'explain', text: 'What does {{file}} do?' });
    const editor = await openEditor(world);
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.until('available_commands_update', ({ availableCommands }) =>
      availableCommands.some(({ name }) => name === 'explain'),
    );
    const prompt = (said: string) => editor.agent.request(session.prompt, { sessionId, prompt: text(said) });
    await expect(prompt('/explain')).rejects.toMatchObject({ code: -32602, message: /still needs: file/u });
    await prompt('/explain calc');
    const events = await eventsOf(world.core.client, sessionId);
    expect(events.find(({ type }) => type === 'user-message-added')).toMatchObject({ text: 'What does calc do?' });
    await editor.leave();
  });

  // Catches: a thread that was opened but never used and still appears in the list of sessions.
  it('leaves no session behind in which nothing was said', async () => {
    await using world = await createWorld([]);
    const editor = await openEditor(world);
    const { sessionId } = await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.agent.request(session.close, { sessionId });
    await editor.agent.request(session.new, { cwd: world.project, mcpServers: [] });
    await editor.leave();
    expect(await world.core.client.sessions.list()).toEqual([]);
  });
});
