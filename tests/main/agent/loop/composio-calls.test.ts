import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Approver } from '../../../../src/main/safety/approvals/approver.ts';
import { buildRunResult } from '../../../../src/main/agent/turn/build-run-result.ts';
import { createUserApprover } from '../../../../src/main/safety/approvals/user-approver.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import type { ComposioHome } from '../../../fakes/composio-home.ts';
import { approveComposio, composioSettings, openComposioHome } from '../../../fakes/composio-home.ts';
import { startFakeComposio } from '../../../fakes/composio-server.ts';
import { manageTool, multiTool, searchTool } from '../../../fakes/composio-tools.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Scene extends ComposioHome {
  readonly kit: AgentKit;
}

async function scene(approver: (home: ComposioHome) => Approver, options: KitOptions): Promise<Scene> {
  const fake = await startFakeComposio();
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-composio-'));
  const home = openComposioHome(fake, folder, composioSettings(fake, { toolkits: ['github', 'slack'] }));
  ends.push(async () => {
    await home.tools.dispose();
    await fake.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await approveComposio(home);
  const kit = createAgentKit({
    ...options,
    dependencies: { ...options.dependencies, tools: { connected: home.tools }, approver: approver(home) },
  });
  return { ...home, kit };
}

const named = (slug: string): string => `work__${slug}`;
const done = call('task_complete', { summary: 'https://github.example.org/o/r/issues/1' });
const search = call(named(searchTool.slug), { queries: [{ use_case: 'create an issue' }] });
const connect = call(named(manageTool.slug), { toolkits: ['github'] });
const issue = { tool_slug: 'GITHUB_CREATE_AN_ISSUE', arguments: { owner: 'o', repo: 'r', title: 'Sums are wrong' } };
const message = { tool_slug: 'SLACK_SEND_MESSAGE', arguments: { channel: 'dev', text: 'An issue is there.' } };
const multi = (...tools: readonly object[]) =>
  call(named(multiTool.slug), { tools, sync_response_to_workbench: false });
const loop = { ...turnOptions, strategy: 'loop' } as const;

/** Replays the log without Composio and without a user to ask. */
async function expectReplayAlone({ kit, fake }: Scene): Promise<void> {
  const before = fake.requests.length;
  await expectReplay(kit);
  expect(fake.requests).toHaveLength(before);
}

const always = (answer: 'allow' | 'deny' | 'nobody') => (): Approver => ({ ask: async () => answer });

describe('a task that needs an account', () => {
  it('shows the link, and goes on by itself when the person has signed in', async () => {
    // Collects the questions. The user signs in when a sign-in is shown, and does not answer it.
    const asks = (home: ComposioHome): Approver => ({
      ask: async ({ kind }, signal) => {
        if (kind !== 'connection') return 'allow';
        home.fake.signIn('github');
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('deny'), { once: true }));
      },
    });
    const one = await scene(asks, { replies: [search, connect, multi(issue), done] });
    await one.kit.runner.send('Create an issue.', loop);
    const { events } = one.kit.journal;
    const [question] = ofType(events, 'approval-requested').filter(({ kind }) => kind === 'connection');
    expect(question).toMatchObject({ subject: 'work: github', text: expect.stringMatching(/^https:\/\/connect\./) });
    const answers = ofType(events, 'approval-answered');
    expect(answers.find(({ approvalId }) => approvalId === question?.approvalId)).toMatchObject({
      answer: 'allow',
      by: 'policy',
    });
    expect(one.fake.issues).toEqual([{ title: 'Sums are wrong', user: 'ada' }]);
    expect(JSON.stringify(one.kit.requests.at(-1)?.messages)).toContain('https://github.example.org/o/r/issues/1');
    await expectReplayAlone(one);
  });

  it('tells the model before its first step what is connected', async () => {
    const one = await scene(always('allow'), { replies: [done] });
    one.fake.connect('ada', 'slack');
    await one.kit.runner.send('Create an issue.', loop);
    const first = JSON.stringify(one.kit.requests[0]?.messages);
    expect(first).toContain('connected are slack. Not connected: github.');
    const told = one.fake.requests.filter(({ path }) => path.includes('/toolkits?')).length;
    await one.kit.runner.send('What would you do?', { ...loop, mode: 'plan' });
    expect(one.fake.requests.filter(({ path }) => path.includes('/toolkits?'))).toHaveLength(told);
  });

  it('goes on without the connection when the person says no or nobody is asked', async () => {
    const refuse: Approver = { ask: async ({ kind }) => (kind === 'connection' ? 'deny' : 'allow') };
    const cases = [
      [() => refuse, loop],
      [always('allow'), { ...loop, approve: 'allow' }],
    ] as const;
    for (const [approver, options] of cases) {
      const one = await scene(approver, { replies: [connect, done] });
      await one.kit.runner.send('Create an issue.', options);
      const [ended] = ofType(one.kit.journal.events, 'tool-ended').filter(({ tool }) => tool.includes('MANAGE'));
      expect(ended?.output).toContain('It can be done later by: dewpoint tools connect work github');
      await expectReplayAlone(one);
    }
  });

  it('stops at a cancel while it waits for the person', async () => {
    const approver = createUserApprover();
    approver.setInteractive(true);
    const one = await scene(() => approver, { replies: [connect, done] });
    const sent = one.kit.runner.send('Create an issue.', loop);
    const asked = (kind: string) =>
      ofType(one.kit.journal.events, 'approval-requested').find((event) => event.kind === kind);
    await expect.poll(() => asked('connected-tool')).toBeDefined();
    await expect
      .poll(() => approver.answer({ approvalId: asked('connected-tool')?.approvalId ?? '', answer: 'allow' }))
      .toBe(true);
    await expect.poll(() => asked('connection')).toBeDefined();
    one.kit.runner.cancel();
    expect((await sent).reason).toBe('cancelled');
  });
});

describe('a call that carries others', () => {
  it('is asked about with each of them separately, before it is sent', async () => {
    const one = await scene(always('deny'), { replies: [multi(issue, message), done] });
    await one.kit.runner.send('Create an issue.', loop);
    const [question] = ofType(one.kit.journal.events, 'approval-requested');
    expect(question?.subject).toBe(`work: GITHUB_CREATE_AN_ISSUE, SLACK_SEND_MESSAGE (by ${multiTool.slug})`);
    const text = question?.text ?? '';
    expect(text.indexOf('Call 1 of 2: GITHUB_CREATE_AN_ISSUE')).toBe(0);
    expect(text).toContain('Call 2 of 2: SLACK_SEND_MESSAGE');
    expect(text).toContain('All that is sent:\n{');
    expect(one.fake.sent).toEqual([]);
  });

  it('is not sent, and nobody is asked, when it carries more of them than can be listed', async () => {
    const many = Array.from({ length: 201 }, () => message);
    const one = await scene(always('allow'), { replies: [multi(...many), done] });
    await one.kit.runner.send('Create an issue.', loop);
    expect(ofType(one.kit.journal.events, 'approval-requested')).toEqual([]);
    expect(one.fake.sent).toEqual([]);
  });

  it('is not sent when a fence keeps any part here, and the log names that part', async () => {
    const secret = 'The launch is on the ninth of May, and nobody outside may know of it before.';
    const leak = { ...message, arguments: { channel: 'dev', text: secret } };
    const one = await scene(always('allow'), {
      sandbox: { files: { 'plans.md': `${secret}\n` } },
      fences: { rules: [{ paths: ['plans.md'], verdict: 'local-only' }] },
      replies: [call('read_file', { path: 'plans.md' }), multi(issue, leak), done],
    });
    one.fake.connect('ada', 'github');
    one.fake.connect('ada', 'slack');
    await one.kit.runner.send('Create an issue.', loop);
    expect(one.fake.sent).toEqual([]);
    const [fenced] = ofType(one.kit.journal.events, 'call-fenced');
    expect(fenced).toMatchObject({ model: 'tools/work', outcome: 'refused' });
    expect(fenced?.text).toContain('GITHUB_CREATE_AN_ISSUE, SLACK_SEND_MESSAGE');
    await expectReplayAlone(one);
  });

  it('is counted with its calls and its time, and its cost is unknown', async () => {
    const one = await scene(always('allow'), { replies: [search, multi(issue, message), done] });
    one.fake.connect('ada', 'github');
    await one.kit.runner.send('Create an issue.', loop);
    const result = buildRunResult({
      ...one.kit.journal.state(),
      workspace: { mode: 'in-place', path: '/workspace' },
    });
    expect(result?.servers).toEqual([
      { server: 'work', calls: 2, carried: 2, failed: 1, seconds: expect.any(Number), costUsd: null },
    ]);
    const [ended] = ofType(one.kit.journal.events, 'tool-ended').filter(({ tool }) => tool.includes('MULTI'));
    expect(ended?.data).toEqual({ log: expect.stringMatching(/^log_/) });
    await expectReplayAlone(one);
  });
});
