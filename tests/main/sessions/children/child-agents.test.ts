import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import { ofType } from '../../../fakes/agent-kit.ts';
import { followEvents } from '../../../fakes/core-client.ts';
import type { ChildrenKit } from './children-kit.ts';
import { call, calls, done, edit, openChildrenKit } from './children-kit.ts';

let kit: ChildrenKit;

beforeEach(async () => {
  kit = await openChildrenKit();
});

afterEach(() => kit.dispose());

const spawn = (task: string, more: object = {}) => ({
  name: 'spawn_agent',
  input: { task, access: 'own-copy', ...more },
});
const read = (path: string) => call('read_file', { path });

/** The outputs of a tool's calls. With `label`, only those with that label. */
async function outputs(sessionId: string, tool: string, label = ''): Promise<readonly string[]> {
  const { state } = await kit.core.client.sessions.show({ sessionId });
  return state.toolCalls
    .filter((one) => one.tool === tool && one.label.endsWith(label))
    .map(({ status, output }) => `${status}: ${output}`);
}

async function childrenOf(sessionId: string) {
  return (await kit.core.client.sessions.show({ sessionId })).state.children ?? [];
}

/** Resolves with the first event that fits. */
function until(sessionId: string, fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
  return new Promise((resolve) => {
    const stop = followEvents(kit.core.client, sessionId, (event) => {
      if (!fits(event)) return;
      stop();
      resolve(event);
    });
  });
}

describe('an agent that starts child agents', () => {
  /**
   * Catches: lost results, changes that are taken without being asked for, costs that count twice, and a replay that
   * runs an agent.
   */
  it('gets their answers, costs and changes, and takes the changes over', async () => {
    await kit.script('lead', [
      calls(spawn('Set x to 2.', { model: 'one/script' }), spawn('Set y to 2.', { model: 'two/script' })),
      call('agent_manage', { action: 'take', agent: 'agent-1' }),
      call('agent_manage', { action: 'take', agent: 'agent-2', paths: ['b.py'] }),
      done('Both are 2.'),
    ]);
    await kit.script('one', [read('a.py'), edit('a.py', 'x = 1', 'x = 2'), done('x is 2.')]);
    await kit.script('two', [read('b.py'), edit('b.py', 'y = 1', 'y = 2'), done('y is 2.')]);
    const sessionId = await kit.run('Set x and y to 2.');
    const { state, money } = await kit.core.client.sessions.show({ sessionId });
    expect(state.children).toMatchObject([
      { name: 'agent-1', reason: 'done', text: 'x is 2.', changedFiles: 1, costUsd: 0 },
      { name: 'agent-2', reason: 'done', text: 'y is 2.', changedFiles: 1, costUsd: 0 },
    ]);
    expect(money.children.sessions).toBe(2);
    const facts = async (id: string) => ofType(await kit.events(id), 'tool-ended')[0]?.output ?? '';
    expect(await facts(state.children?.[0]?.sessionId ?? '')).toMatch(
      /^Another agent gave you this part of its task: your last/u,
    );
    expect(await facts(sessionId)).not.toContain('Another agent');
    expect(await outputs(sessionId, 'agent_manage')).toEqual(['ok: Taken: a.py.', 'ok: Taken: b.py.']);
    const sandbox = kit.sandboxes.get(kit.project);
    expect([sandbox?.text('a.py'), sandbox?.text('b.py')]).toEqual(['x = 2\n', 'y = 2\n']);
    expect(state.changes.map(({ path }) => path)).toEqual(['a.py', 'b.py']);
    for (const id of [sessionId, ...(state.children ?? []).map((child) => child.sessionId)])
      expect(await kit.core.client.sessions.replay({ sessionId: id })).toMatchObject({ firstDifference: null });
  });

  /** Catches: the work of one agent that silently overwrites that of another. */
  it('is told of a conflict, and nothing of it is merged', async () => {
    await kit.script('lead', [
      calls(spawn('Set x to 2.', { model: 'one/script' }), spawn('Set x to 3.', { model: 'two/script' })),
      call('agent_manage', { action: 'take', agent: 'agent-1' }),
      call('agent_manage', { action: 'take', agent: 'agent-2' }),
      call('agent_manage', { action: 'inspect', agent: 'agent-2' }),
      done('x is 2.'),
    ]);
    await kit.script('one', [read('a.py'), edit('a.py', 'x = 1', 'x = 2'), done('x is 2.')]);
    await kit.script('two', [read('a.py'), edit('a.py', 'x = 1', 'x = 3'), done('x is 3.')]);
    const sessionId = await kit.run('Set x to 2.');
    const [, second] = await outputs(sessionId, 'agent_manage');
    expect(second).toMatch(/^error: Conflict, left as it is: a\.py is different here/u);
    expect(kit.sandboxes.get(kit.project)?.text('a.py')).toBe('x = 2\n');
    const [inspected] = await outputs(sessionId, 'agent_manage', 'inspect');
    expect(inspected).toContain('+x = 3');
  });

  it('can look at a child, send it a message and stop it', async () => {
    await kit.script('lead', [
      calls(spawn('Set x to 2.', { model: 'one/script' })),
      call('agent_manage', { action: 'list' }),
      call('agent_manage', { action: 'message', agent: 'agent-1', text: 'Now set it to 3.' }),
      call('agent_manage', { action: 'stop', agent: 'agent-1' }),
      call('agent_manage', { action: 'message', agent: 'agent-1', text: 'And to 4.' }),
      call('agent_manage', { action: 'take', agent: 'agent-1' }),
      done('x is 3.'),
    ]);
    await kit.script('one', [
      read('a.py'),
      edit('a.py', 'x = 1', 'x = 2'),
      done('x is 2.'),
      // The agent no longer knows what it read before, because its sandbox was given back.
      read('a.py'),
      edit('a.py', 'x = 2', 'x = 3'),
      done('x is 3.'),
    ]);
    const sessionId = await kit.run('Set x to 3.');
    const [list, message, stop, refused] = await outputs(sessionId, 'agent_manage');
    expect(list).toBe('ok: agent-1: done, $0, 1 changed file. Set x to 2.');
    expect(message).toContain('x is 3.');
    expect(stop).toMatch(/^ok: agent-1 was stopped/u);
    expect(refused).toMatch(/^error: agent-1 was stopped/u);
    expect(kit.sandboxes.get(kit.project)?.text('a.py')).toBe('x = 3\n');
    expect(await childrenOf(sessionId)).toHaveLength(1);
    expect(await kit.core.client.sessions.replay({ sessionId })).toMatchObject({ firstDifference: null });
  });

  /** Catches: an agent that gets the usual number of steps again as soon as it gets a message. */
  it('gives a child no more steps in a later run, also after a restart', async () => {
    const reads = Array.from({ length: 12 }, () => read('a.py'));
    await kit.script('lead', [
      calls(spawn('Look at x.', { model: 'one/script', maxSteps: 2 })),
      call('agent_manage', { action: 'message', agent: 'agent-1', text: 'Look again.' }),
      done('Looked.'),
    ]);
    await kit.script('one', reads);
    const sessionId = await kit.run('Have it looked at.');
    await kit.reopen();
    await kit.script('lead', [
      call('agent_manage', { action: 'message', agent: 'agent-1', text: 'And again.' }),
      done('Looked.'),
    ]);
    const options = { local: 'lead/script', strategy: 'loop', mode: 'work' } as const;
    await kit.core.client.sessions.send({ sessionId, text: 'Have it looked at again.', options });
    await kit.core.client.sessions.result({ sessionId });
    const [child] = await childrenOf(sessionId);
    const own = await kit.events(child?.sessionId ?? '');
    expect(ofType(own, 'model-call-started')).toHaveLength(6);
    expect(ofType(own, 'turn-ended').map(({ reason }) => reason)).toEqual(Array(3).fill('step-limit'));
  });

  /** Catches: a local model that serves two conversations at once and loses the prompt cache of both. */
  it('waits with a second child for the same local engine', async () => {
    const one = { model: 'one/script' };
    await kit.script('lead', [calls(spawn('Say 1.', one), spawn('Say 2.', one)), done('Said.')]);
    await kit.script(
      'one',
      [
        { text: '1', delayMs: 30 },
        { text: '2', delayMs: 30 },
      ],
      { repeat: true },
    );
    const sessionId = await kit.run('Have them say it.');
    const logs = await Promise.all((await childrenOf(sessionId)).map((child) => kit.events(child.sessionId)));
    const spans = logs.map((events) => [ofType(events, 'turn-started')[0]?.at, ofType(events, 'turn-ended')[0]?.at]);
    const [first, second] = spans.toSorted(([a = 0], [b = 0]) => a - b);
    expect(second?.[0]).toBeGreaterThanOrEqual(first?.[1] ?? Number.POSITIVE_INFINITY);
  });

  /** Catches: agents that continue to work, and to spend, after the task was cancelled. */
  it('ends all its children before itself when it is cancelled', async () => {
    await kit.script('lead', [calls(spawn('Wait.', { model: 'one/script' }), spawn('Wait.', { model: 'two/script' }))]);
    for (const name of ['one', 'two']) await kit.script(name, [{ text: 'late', delayMs: 600_000 }]);
    const sessionId = await kit.begin('Have them wait.');
    await until(sessionId, ({ type }) => type === 'child-session-started');
    const [child] = await childrenOf(sessionId);
    await until(child?.sessionId ?? '', ({ type }) => type === 'model-call-started');
    await kit.core.client.sessions.cancel({ sessionId });
    const events = await kit.events(sessionId);
    const ends = events.filter(({ type }) => type === 'child-session-ended' || type === 'turn-ended');
    expect(ends.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'cancelled' });
    const started = ofType(events, 'child-session-started');
    expect(ofType(events, 'child-session-ended').map(({ reason }) => reason)).toEqual(started.map(() => 'cancelled'));
    for (const one of await childrenOf(sessionId)) {
      const { state } = await kit.core.client.sessions.show({ sessionId: one.sessionId });
      // An agent that was cancelled before it began has no turn.
      expect([undefined, 'cancelled']).toContain(state.turns.at(-1)?.reason);
    }
    expect(kit.core.runningTurns()).toBe(0);
  });

  /** Catches: a question that nobody sees because it is in the log of a session that nobody opens. */
  it('passes on the questions of its children and the answers', async () => {
    await kit.script('lead', [calls(spawn('Do it.', { model: 'one/script' })), done('It is written.')]);
    await kit.script('one', [
      read('package-lock.json'),
      call('write_file', { path: 'package-lock.json', content: '{ }\n' }),
      done('Written.'),
    ]);
    const sessionId = await kit.begin('Have the file written.', { interactive: true, approve: 'ask' });
    const asked = await until(sessionId, ({ type }) => type === 'approval-requested');
    if (asked.type !== 'approval-requested') throw new Error('Nothing was asked.');
    expect(asked).toMatchObject({ kind: 'guarded-file', subject: 'package-lock.json' });
    expect(asked.reason).toMatch(/^agent-1 asks\. /u);
    await kit.core.client.sessions.approve({ sessionId, approvalId: asked.approvalId, answer: 'allow' });
    await kit.core.client.sessions.result({ sessionId });
    const events = await kit.events(sessionId);
    expect(ofType(events, 'approval-answered')).toMatchObject([{ answer: 'allow', by: 'person', child: asked.child }]);
    const own = await kit.events(asked.child ?? '');
    expect(ofType(own, 'approval-answered')).toMatchObject([{ answer: 'allow', by: 'person' }]);
    expect((await childrenOf(sessionId))[0]).toMatchObject({ changedFiles: 1 });
    expect(await kit.core.client.sessions.replay({ sessionId })).toMatchObject({ firstDifference: null });
  });
});

describe('a child agent', () => {
  /** Catches: agents that start agents, without end. */
  it('cannot start agents, by any name of a tool', async () => {
    await kit.script('lead', [calls(spawn('Start others.', { model: 'one/script' })), done('None was started.')]);
    await kit.script('one', [calls(spawn('More.'), spawn('More.')), done('I could not.')]);
    const sessionId = await kit.run('Start some.');
    const [child] = await childrenOf(sessionId);
    expect(await childrenOf(child?.sessionId ?? '')).toEqual([]);
    expect((await kit.core.client.sessions.list()).length).toBe(2);
  });

  /** Catches: a read-only agent that writes, and one with more rights than its parent. */
  it('has at most the rights that were asked for and that its parent has', async () => {
    await kit.script('lead', [
      calls(spawn('Write x.', { access: 'read-only', model: 'one/script' })),
      calls(spawn('Go on for ever.', { model: 'two/script', maxSteps: 3 })),
      calls(spawn('In the cloud.', { model: 'sky/script' })),
      calls(spawn('Only reads.', { model: 'three/script', tools: ['read_file'] })),
      done('Done.'),
    ]);
    await kit.script('one', [call('write_file', { path: 'a.py', content: 'x = 9\n' }), { text: 'I cannot.' }]);
    await kit.script('two', [read('a.py'), read('b.py'), read('a.py')], { repeat: true });
    await kit.script('three', [call('write_file', { path: 'c.py', content: 'z = 1\n' }), { text: 'No.' }], {
      repeat: true,
    });
    await kit.script('sky', [{ text: 'Here.' }], { where: 'cloud' });
    const sessionId = await kit.run('Try it.', { policy: 'local' });
    const [reading, endless, third] = await childrenOf(sessionId);
    expect(reading).toMatchObject({ access: 'read-only', changedFiles: 0 });
    expect(endless).toMatchObject({ reason: 'step-limit' });
    expect(third).toMatchObject({ changedFiles: 0, tools: ['read_file'] });
    const told = await outputs(sessionId, 'spawn_agent');
    expect(told[2]).toMatch(/^refused: sky\/script runs in the cloud, which the policy "local" does not allow/u);
    expect(kit.sandboxes.get(kit.project)?.text('a.py')).toBe('x = 1\n');
  });

  /** Catches: a limit that a fork or a restart resets. */
  it('counts towards the limit of the whole tree, over forks and restarts', async () => {
    await kit.core.client.settings.set({ key: 'agents.most', value: 2 });
    await kit.script('one', [{ text: 'Here.' }], { repeat: true });
    const again = [calls(spawn('Say it.', { model: 'one/script' })), done('Said.')];
    await kit.script('lead', again, { repeat: true });
    const sessionId = await kit.run('Have it said.');
    const { sessionId: fork } = await kit.core.client.sessions.fork({ sessionId });
    await kit.reopen();
    const send = async (id: string): Promise<void> => {
      const run = { local: 'lead/script', strategy: 'loop', mode: 'work' } as const;
      await kit.core.client.sessions.send({ sessionId: id, text: 'Once more.', options: run });
      await kit.core.client.sessions.result({ sessionId: id });
    };
    await send(fork);
    await send(fork);
    await send(sessionId);
    const counts = [await childrenOf(sessionId), await childrenOf(fork)].map((children) => children.length);
    expect(counts).toEqual([1, 1]);
    expect((await kit.core.client.sessions.list()).length).toBe(4);
  });
});

describe("a child agent under its parent's rules", () => {
  const fence = { rules: [{ paths: ['secret.txt'], verdict: 'local-only' }] };
  const sky = { where: 'cloud', price: { input: 1, output: 1, source: 'test', date: '2026-11-21' } };

  /** Catches: content of a fenced file that leaves in the words of an agent that read it here. */
  it('reports fenced content as fenced', async () => {
    await kit.core.client.settings.set({ key: 'fences', value: fence });
    const reads = { access: 'read-only', model: 'one/script' };
    await kit.script('lead', [
      calls(spawn('What is the code?', reads)),
      call('agent_manage', { action: 'list' }),
      done('I know.'),
    ]);
    await kit.script('one', [read('secret.txt'), { text: 'Seven, then four, then nine and two.' }]);
    await kit.script('sky', [{ text: 'Sent.' }], sky);
    const sessionId = await kit.run('Find the code.');
    const [ended] = ofType(await kit.events(sessionId), 'child-session-ended');
    expect(ended?.fenced).toMatchObject([{ verdict: 'local-only', path: 'secret.txt' }]);
    const cloud = { policy: 'cloud', cloud: 'sky/script', strategy: 'loop', mode: 'work' } as const;
    await kit.core.client.sessions.send({ sessionId, text: 'Go on.', options: cloud });
    await kit.core.client.sessions.result({ sessionId });
    const { state } = await kit.core.client.sessions.show({ sessionId });
    expect(state.turns.at(-1)?.reason).toBe('fenced');
    expect(state.steps.filter(({ where }) => where === 'cloud')).toEqual([]);
  });

  /** Catches: the other direction: what a local agent has read, told in other words to an agent in the cloud. */
  it('is not started elsewhere with fenced content', async () => {
    await kit.core.client.settings.set({ key: 'fences', value: fence });
    const elsewhere = spawn('It is seven, four and so on. Check that.', { access: 'read-only', model: 'sky/script' });
    await kit.script('lead', [read('secret.txt'), calls(elsewhere), done('Checked.')]);
    await kit.script('sky', [{ text: 'It is right.' }], sky);
    const sessionId = await kit.run('Check the code.', { policy: 'hybrid', cloud: 'sky/script' });
    expect(await outputs(sessionId, 'spawn_agent')).toEqual([
      'refused: sky/script runs in the cloud. The task was built from something that may not leave this machine (secret.txt).',
    ]);
    expect(await childrenOf(sessionId)).toEqual([]);
  });

  /** Catches: an agent that gets a network, or money, because nobody asked on its parent's behalf. */
  it('needs the same approvals as its parent, and spends at most what its parent may', async () => {
    const cost = { ...sky, price: { ...sky.price, input: 100, output: 100 } };
    await kit.script('lead', [calls(spawn('Ask for it.', { model: 'one/script' })), done('No.')], sky);
    const wants = {
      command: 'curl https://example.org',
      why: 'to look',
      network: { hosts: ['example.org'], why: 'to look' },
    };
    await kit.script('one', [call('run_command', wants), call('run_command', wants), done('No.')], cost);
    const options = { policy: 'cloud', cloud: 'lead/script', approve: 'ask', interactive: false, maxUsd: 0.9 };
    const sessionId = await kit.run('Try it.', options);
    const [child] = await childrenOf(sessionId);
    const { state, money } = await kit.core.client.sessions.show({ sessionId });
    expect(child?.reason).toMatch(/^(?:cap|needs-approval)$/u);
    expect(money.costUsd + money.children.costUsd).toBeLessThanOrEqual(0.9);
    expect(state.approvals).toEqual([]);
    expect(ofType(await kit.events(child?.sessionId ?? ''), 'network-used')).toEqual([]);
  });
});

describe('a kind of child agent', () => {
  /** Catches: a reviewer that cannot run the checks, or that repairs what it should judge. */
  it('can be a reviewer, which runs checks in its own copy and changes nothing', async () => {
    await mkdir(join(kit.home, 'agents'));
    const tools = 'read_file, search, list_files, run_command, run_tests, task_complete';
    const reviewer = `---\ndescription: reviews a change\nmode: own-copy\ntools: ${tools}\nmodel: one/script\n---\nRun the checks first.\n`;
    await writeFile(join(kit.home, 'agents', 'reviewer.md'), reviewer);
    await kit.script('lead', [
      edit('a.py', 'x = 1', 'x = 2'),
      calls(spawn('Is x = 2 in a.py right?', { kind: 'reviewer' })),
      done('Reviewed.'),
    ]);
    await kit.script('one', [
      call('run_command', { command: 'python3 -m compileall -q .' }),
      edit('b.py', 'y = 1', 'y = 9'),
      done('REDO: nothing tests x.'),
    ]);
    const sessionId = await kit.run('Set x to 2, and have it reviewed.');
    expect((await outputs(sessionId, 'spawn_agent'))[0]).toContain('REDO: nothing tests x.');
    const [child] = await childrenOf(sessionId);
    expect(child).toMatchObject({ kind: 'reviewer', access: 'own-copy', changedFiles: 0 });
    const { state } = await kit.core.client.sessions.show({ sessionId: child?.sessionId ?? '' });
    expect(state.workspace?.path).not.toBe(kit.project);
    const ran = state.toolCalls.filter(({ status }) => status === 'ok').map(({ tool }) => tool);
    expect(ran).toContain('run_command');
    expect(ran).not.toContain('edit_file');
  });

  const file =
    '---\ndescription: reads and says\nmode: read-only\ntools: read_file\nmodel: one/script\n---\nAnswer in verse.\n';

  /** Catches: instructions of a stranger that reach a model because they are in a project. */
  it('is a file: your own is usable at once, one of a project after approval of its bytes', async () => {
    await mkdir(join(kit.home, 'agents'));
    await writeFile(join(kit.home, 'agents', 'reader.md'), file);
    await mkdir(join(kit.project, '.dewpoint', 'agents'), { recursive: true });
    await writeFile(join(kit.project, '.dewpoint', 'agents', 'stranger.md'), file.replace('verse', 'riddles'));
    const ask = [
      calls(spawn('Read it.', { kind: 'reader' })),
      calls(spawn('Read it.', { kind: 'stranger' })),
      done('Read.'),
    ];
    await kit.script('lead', ask, { repeat: true });
    await kit.script('one', [{ text: 'x is one.' }], { repeat: true });
    const sessionId = await kit.run('Have it read.');
    const told = await outputs(sessionId, 'spawn_agent');
    expect(told[0]).toContain('x is one.');
    expect(told[1]).toMatch(/^error: There is no kind of agent "stranger"/u);
    const [reader] = await childrenOf(sessionId);
    const { state } = await kit.core.client.sessions.show({ sessionId: reader?.sessionId ?? '' });
    expect([reader?.access, state.turns[0]?.assistant, state.steps[0]?.stage.model]).toEqual([
      'read-only',
      'reader',
      'one/script',
    ]);
    const detail = await kit.core.client.sessions.detail({
      sessionId: reader?.sessionId ?? '',
      id: state.steps[0]?.callId ?? '',
    });
    expect(detail.request?.messages[0]?.text).toContain('Answer in verse.');
    const found = await kit.core.client.projects.instructions({ projectPath: kit.project });
    const stranger = found.find(({ path }) => path === '.dewpoint/agents/stranger.md');
    expect(stranger).toMatchObject({ state: 'new' });
    await kit.core.client.projects.approveInstructions({
      projectPath: kit.project,
      path: stranger?.path ?? '',
      sha256: stranger?.sha256 ?? '',
    });
    const second = await kit.run('Have it read.');
    expect((await outputs(second, 'spawn_agent'))[1]).toContain('x is one.');
  });
});
