import type { ClientCore } from '../../fakes/core-client.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import type { EventOf, SessionEvent } from '../../../src/shared/events/events.ts';
import type { ApprovalScope } from '../../../src/shared/safety/network-access.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { eventsOf, followEvents, openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';
import type { NetworkRequest } from '../../../src/main/sandbox/sandbox.ts';

const fetchIt = (command: string) => ({
  toolCalls: [{ name: 'run_command', input: { command, network: { hosts: ['files.example.org'], why: 'packages' } } }],
});
const end = { toolCalls: [{ name: 'task_complete', input: { summary: 'ok' } }] };

describe('the network access of a command', () => {
  let home: string;
  let project: string;
  let core: ClientCore;
  let ran: NetworkRequest[];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'dewpoint-network-'));
    project = await mkdtemp(join(tmpdir(), 'dewpoint-network-project-'));
    ran = [];
    core = await openClientCore({
      home,
      cache: join(home, 'cache'),
      version: '0.0.0-test',
      onNotice: () => undefined,
      startSandbox: async () =>
        success({
          ...createMemorySandbox({ files: {}, exec: () => ({}) }),
          runWithNetwork: async (request) => {
            ran.push(request);
            return success({
              outcome: 'exited',
              exitCode: 0,
              stdout: '',
              stderr: '',
              stdoutBytes: 0,
              stderrBytes: 0,
              durationMs: 1,
              decisions: [],
            });
          },
        }),
    });
    await core.client.settings.set({
      key: 'providers.script',
      value: {
        kind: 'scripted',
        replies: [fetchIt('one'), fetchIt('two'), end],
        repeat: true,
      },
    });
  });
  afterEach(async () => {
    await core.dispose();
    await rm(home, { recursive: true, force: true });
    await rm(project, { recursive: true, force: true });
  });

  /** Runs the task in a new session of the project and gives every question the same answer. */
  async function runTask(scope: ApprovalScope | 'nobody'): Promise<readonly SessionEvent[]> {
    const { sessionId } = await core.client.sessions.create({ projectPath: project });
    const seen: SessionEvent[] = [];
    const stop = followEvents(core.client, sessionId, (event) => {
      seen.push(event);
      if (event.type === 'approval-requested' && scope !== 'nobody')
        void answer(sessionId, event.approvalId, { scope, seen });
    });
    const interactive = scope !== 'nobody';
    await core.client.sessions.send({
      sessionId,
      text: 'Do it.',
      options: runOptionsSchema.parse({ local: 'script/script', strategy: 'loop', interactive }),
    });
    await core.client.sessions.result({ sessionId });
    stop();
    return eventsOf(core.client, sessionId);
  }

  /**
   * The question is in the log a moment before anybody waits for its answer. Nobody waits for an answer of the policy.
   */
  async function answer(
    sessionId: string,
    approvalId: string,
    { scope, seen }: { readonly scope: ApprovalScope; readonly seen: readonly SessionEvent[] },
  ): Promise<void> {
    while (!seen.some((event) => event.type === 'approval-answered' && event.approvalId === approvalId)) {
      await core.client.sessions.approve({ sessionId, approvalId, answer: 'allow', scope }).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const answered = (events: readonly SessionEvent[]): readonly string[] =>
    events
      .filter((event): event is EventOf<'approval-answered'> => event.type === 'approval-answered')
      .map(({ answer, by, scope }) => `${answer} ${by} ${scope ?? '-'}`);

  it('is asked about for each command when it is allowed once', async () => {
    expect(answered(await runTask('once'))).toEqual(['allow person once', 'allow person once']);
    expect(ran.map(({ command, hosts }) => [command, hosts])).toEqual([
      ['one', ['files.example.org']],
      ['two', ['files.example.org']],
    ]);
  });

  it('is remembered for the session, and asked about again in the next one', async () => {
    expect(answered(await runTask('session'))).toEqual(['allow person session', 'allow policy -']);
    expect(answered(await runTask('session'))[0]).toBe('allow person session');
  });

  it("is kept for the project in the user's settings, never in the project", async () => {
    expect(answered(await runTask('project'))).toEqual(['allow person project', 'allow policy -']);
    expect(answered(await runTask('nobody'))).toEqual(['allow policy -', 'allow policy -']);
    const written: unknown = JSON.parse(await readFile(join(home, 'settings.json'), 'utf8'));
    expect(written).toMatchObject({ network: { projects: { [project]: { allow: ['files.example.org'] } } } });
    await core.client.settings.set({ key: 'network.deny', value: ['files.example.org'] });
    expect(answered(await runTask('nobody'))).toEqual(['deny policy -', 'deny policy -']);
    expect(ran.length).toBe(4);
  });
});
