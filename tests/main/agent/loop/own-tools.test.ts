import { describe, expect, it } from 'vitest';
import type { CallConnectedTool, ConnectedTools } from '../../../../src/main/tools/connected/connected-tool.ts';
import type { NetworkRules } from '../../../../src/shared/safety/network-access.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';
import { createSessionNetwork } from '../../../../src/main/safety/network/session-network.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import type { UserAnswer } from '../../../../src/main/safety/approvals/approver.ts';
import { success } from '../../../../src/shared/errors.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const own = {
  source: 'home',
  file: 'create_issue.py',
  sha256: 'a'.repeat(64),
  secrets: ['ISSUE_TOKEN'],
  hosts: ['api.example.org'],
  timeoutSeconds: 30,
} as const;

/** A tool that reaches a host with a key. */
const issue: ConnectedToolSpec = {
  name: 'create_issue',
  server: 'your tools',
  tool: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  leaves: true,
  readsFiles: false,
  own: { ...own, secrets: [...own.secrets], hosts: [...own.hosts] },
};

/** A tool that works on the files of the session. */
const tidy: ConnectedToolSpec = {
  ...issue,
  name: 'tidy',
  tool: 'tidy',
  inputSchema: { type: 'object' },
  leaves: false,
  readsFiles: true,
  own: { ...own, file: 'tidy.sh', secrets: [], hosts: [] },
};

interface Scene {
  readonly kit: AgentKit;
  readonly sent: unknown[];
}

function scene(
  answer: UserAnswer,
  options: KitOptions & { readonly run?: CallConnectedTool; readonly rules?: Partial<NetworkRules> } = {},
): Scene {
  const sent: unknown[] = [];
  const connected: ConnectedTools = {
    offered: async () => [issue, tidy],
    call: async (spec, input, how) => {
      sent.push(input);
      return options.run?.(spec, input, how) ?? { status: 'ok', output: 'https://example.org/1' };
    },
  };
  const rules = { ...settingsSchema.parse({}).network, ...options.rules };
  const kit: AgentKit = createAgentKit({
    ...options,
    dependencies: {
      ...options.dependencies,
      tools: { ...options.dependencies?.tools, connected },
      approver: { ask: async () => answer },
      network: createSessionNetwork({
        rules: () => rules,
        saveProjects: async () => success(null),
        projectPath: null,
        read: (fromSeq) => kit.journal.read(fromSeq),
      }),
    },
  });
  return { kit, sent };
}

const told = call(issue.name, { title: 'Sums are wrong' });
const done = call('task_complete', { summary: 'ok' });
const loop = { ...turnOptions, strategy: 'loop' } as const;

describe('a tool from a file that reaches a host', () => {
  it('is called once after a yes to its arguments, hosts and secrets, and the log has its connections', async () => {
    const one = scene('allow-session', {
      replies: [told, told, done],
      run: async (_spec, _input, { onNetwork, sandbox }) => {
        const use = {
          host: 'api.example.org',
          port: 443,
          isAllowed: true,
          reason: 'listed',
          address: '203.0.113.7',
        } as const;
        onNetwork?.({ ...use, sentBytes: 10, receivedBytes: 20 });
        return { status: 'ok', output: sandbox === undefined ? 'no sandbox' : 'made' };
      },
    });
    await one.kit.runner.send('Report the bug.', loop);
    const { events } = one.kit.journal;
    const questions = ofType(events, 'approval-requested');
    expect(questions[0]).toMatchObject({
      kind: 'connected-tool',
      subject: 'your tools: create_issue',
      hosts: ['api.example.org'],
      isOnce: true,
      text: JSON.stringify({ title: 'Sums are wrong' }, null, 2),
    });
    expect(questions[0]?.reason).toContain('The tool gets ISSUE_TOKEN.');
    // An approval for the session does not cover the next call with a key.
    expect(questions).toHaveLength(2);
    expect(ofType(events, 'network-used')).toMatchObject([
      { host: 'api.example.org', isAllowed: true, sentBytes: 10 },
      { host: 'api.example.org' },
    ]);
    await expectReplay(one.kit);
    expect(one.sent).toHaveLength(2);
  });

  it.each([
    ['deny', {}],
    ['nobody', {}],
    ['allow', { deny: ['api.example.org'] }],
  ] as const)('is not called when the answer is %s and the rules are %j', async (answer, rules) => {
    const one = scene(answer, {
      replies: [told, done],
      rules: { ...rules, deny: [...('deny' in rules ? rules.deny : [])] },
    });
    await one.kit.runner.send('Report the bug.', loop);
    expect(one.sent).toEqual([]);
    const [ended] = ofType(one.kit.journal.events, 'tool-ended').filter(({ tool }) => tool === issue.name);
    expect(ended?.status).toBe('refused');
    await expectReplay(one.kit);
  });

  it('is sent nothing of a fenced file, and nobody is asked', async () => {
    const secret = 'The launch is on the ninth of May, and nobody outside may know of it before.';
    const one = scene('allow', {
      sandbox: { files: { 'plans.md': `${secret}\n` } },
      fences: { rules: [{ paths: ['plans.md'], verdict: 'local-only' }] },
      replies: [call('read_file', { path: 'plans.md' }), call(issue.name, { title: secret }), done],
    });
    await one.kit.runner.send('Report the bug.', loop);
    expect(one.sent).toEqual([]);
    expect(ofType(one.kit.journal.events, 'approval-requested')).toEqual([]);
  });
});

describe('a tool from a file that reaches nothing', () => {
  const writes: CallConnectedTool = async (_spec, _input, { sandbox, signal }) => {
    await sandbox?.files.write('a.py', Buffer.from('x = 2\n'), undefined, signal);
    return { status: 'ok', output: 'tidied' };
  };

  it('runs unasked as commands do, and a network in its arguments has no effect', async () => {
    const tidied = call(tidy.name, { command: 'x', network: { hosts: ['api.example.org'], why: 'x' } });
    const one = scene('deny', { replies: [tidied, done], run: writes });
    await one.kit.runner.send('Tidy it.', loop);
    const { events } = one.kit.journal;
    expect(ofType(events, 'approval-requested')).toEqual([]);
    expect(one.sent).toHaveLength(1);
    expect(ofType(events, 'file-changed').map(({ path }) => path)).toEqual(['a.py']);
    await expectReplay(one.kit);
  });

  it('is refused while a plan is made', async () => {
    const one = scene('allow', { replies: [call(tidy.name, {}), { text: 'The plan.' }], run: writes });
    await one.kit.runner.send('Tidy it.', { ...loop, mode: 'plan' });
    expect(one.sent).toEqual([]);
  });
});
