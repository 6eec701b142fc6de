import { describe, expect, it } from 'vitest';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions, types } from '../../../fakes/agent-kit.ts';
import { reduceSession } from '../../../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../../../src/shared/session/session-state.ts';
import { createConversation } from '../../../../src/main/agent/prompt/conversation.ts';
import { AppError } from '../../../../src/shared/errors.ts';

describe('a session', () => {
  it('delivers a message that comes while it works between two tool calls', async () => {
    const second: Promise<unknown>[] = [];
    const kit: AgentKit = createAgentKit({
      replies: [
        () => {
          second.push(kit.runner.send('Use y instead.', turnOptions));
          return {
            calls: [
              { name: 'read_file', input: { path: 'a.py' } },
              { name: 'run_command', input: { command: 'ls' } },
            ],
          };
        },
        call('task_complete', { summary: 'with y' }),
      ],
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.text).toBe('with y');
    expect(await Promise.all(second)).toEqual([end]);
    const order = types(kit.journal.events).filter(
      (type) => type === 'tool-call-requested' || type === 'message-delivered',
    );
    expect(order.slice(0, 3)).toEqual(['tool-call-requested', 'message-delivered', 'tool-call-requested']);
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('Use y instead.');
  });

  it('makes a new turn of a message that the running turn did not take', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [call('task_complete', { summary: 'one' }), { text: 'two' }],
      journal: {
        onAppend: (event) => {
          if (event.type === 'turn-ended' && event.text === 'one') void kit.runner.post('And what is x?', turnOptions);
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    await kit.runner.idle();
    expect(ofType(kit.journal.events, 'turn-ended').map((event) => event.text)).toEqual(['one', 'two']);
    const last = JSON.stringify(kit.requests[1]?.messages);
    expect(last).toContain('Do the work.');
    expect(last).toContain('And what is x?');
  });

  it('remembers what was said before, also after it was opened again', async () => {
    const kit = createAgentKit({ replies: [{ text: 'It is 1.' }, { text: 'Again 1.' }] });
    await kit.runner.send('What is x?', turnOptions);
    await kit.runner.send('What was it?', turnOptions);
    const again = createAgentKit({ replies: [{ text: 'Still 1.' }], dependencies: { journal: kit.journal } });
    await again.runner.send('And now?', turnOptions);
    const shown = again.requests[0]?.messages.map((message) => message.role);
    expect(shown).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(again.requests[0]?.messages.slice(0, 4)).toEqual(kit.requests[1]?.messages.slice(0, 4));
  });

  it('drops waiting messages on cancel', async () => {
    const queued: Promise<unknown>[] = [];
    const kit: AgentKit = createAgentKit({
      replies: [
        () => {
          queued.push(kit.runner.send('More.', turnOptions));
          kit.runner.cancel();
          return { calls: [{ name: 'read_file', input: { path: 'a.py' } }] };
        },
      ],
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('cancelled');
    expect(await Promise.all(queued)).toMatchObject([{ reason: 'cancelled' }]);
    await kit.runner.idle();
    expect(ofType(kit.journal.events, 'turn-ended')).toHaveLength(1);
    // Otherwise the message would be shown as waiting until the session is opened again.
    const [, waiting] = ofType(kit.journal.events, 'user-message-added');
    expect(ofType(kit.journal.events, 'message-dropped')).toMatchObject([{ messageId: waiting?.messageId }]);
  });

  // Catches: a server of the user's that is gone after Ctrl-C, and nothing says which.
  it('names the commands that still run in the background when it is cancelled or closed', async () => {
    const service = { id: 's1', command: 'npm run dev\n', exitCode: null, outputBytes: 0 };
    const [running, stopped] = [
      { ...service, status: 'running' },
      { ...service, id: 's2', command: 'make', status: 'stopped' },
    ] as const;
    const opened = (): AgentKit => {
      const kit: AgentKit = createAgentKit({
        replies: [() => (kit.runner.cancel(), { calls: [{ name: 'read_file', input: { path: 'a.py' } }] })],
      });
      Object.assign(kit.sandbox, { backgroundProcesses: { list: () => [running, stopped], stopAll: async () => {} } });
      return kit;
    };
    const told = ({ journal }: AgentKit) =>
      ofType(journal.events, 'notice-added').flatMap(({ code, text }) => (code === 'background-ended' ? [text] : []));
    const cancelled = opened();
    await cancelled.runner.send('Do the work.', turnOptions);
    expect(told(cancelled)).toEqual(['Ended in the background: npm run dev (s1)']);
    expect(types(cancelled.journal.events).at(-1)).toBe('turn-ended');
    const closed = opened();
    await closed.runner.dispose();
    expect(told(closed)).toEqual(['Ended in the background: npm run dev (s1)']);
  });

  it('takes back a waiting message, and keeps one that was delivered', async () => {
    const sent: Promise<unknown>[] = [];
    const withdrawn: Promise<boolean>[] = [];
    const kit: AgentKit = createAgentKit({
      replies: [
        () => {
          sent.push(kit.runner.send('Use y instead.', turnOptions));
          void kit.runner.post('Use z instead.', turnOptions);
          return { calls: [{ name: 'read_file', input: { path: 'a.py' } }] };
        },
        call('task_complete', { summary: 'with y' }),
      ],
      journal: {
        onAppend: (event) => {
          if (event.type === 'user-message-added' && event.text === 'Use z instead.') {
            // Runs after the event is in the log.
            const both = Promise.resolve().then(() => kit.runner.withdraw(event.messageId));
            withdrawn.push(
              both,
              both.then(() => kit.runner.withdraw(event.messageId)),
            );
          }
          if (event.type === 'message-delivered') withdrawn.push(kit.runner.withdraw(event.messageId));
        },
      },
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.text).toBe('with y');
    expect(await Promise.all(sent)).toEqual([end]);
    expect(await Promise.all(withdrawn)).toEqual([true, false, false]);
    const shown = JSON.stringify(kit.requests);
    expect([shown.includes('Use y instead.'), shown.includes('Use z instead.')]).toEqual([true, false]);
    const state = kit.journal.events.reduce(reduceSession, emptySession);
    expect(state.messages.map(({ text }) => text)).toEqual(['Do the work.', 'Use y instead.']);
    expect([state.queued, state.pending]).toEqual([[], []]);
    const talk = createConversation();
    for (const event of kit.journal.events) talk.add(event);
    expect(talk.exchanges()).toEqual([{ asked: 'Do the work.\n\nUse y instead.', answered: 'with y' }]);
  });

  it('reports a log that cannot be written to the sender of the message, and is free again', async () => {
    let full = false;
    const kit = createAgentKit({
      replies: [call('read_file', { path: 'a.py' })],
      journal: {
        onAppend: (event) => {
          if (event.type === 'model-call-ended') full = true;
          if (full) throw new AppError('disk-full', 'The disk is full.');
        },
      },
    });
    await expect(kit.runner.send('Do the work.', turnOptions)).rejects.toMatchObject({ code: 'disk-full' });
    await kit.runner.idle();
    expect(kit.runner.isRunning()).toBe(false);
  });

  it('takes no message after it was closed', async () => {
    const kit = createAgentKit();
    await kit.runner.dispose();
    await expect(kit.runner.send('Do the work.', turnOptions)).rejects.toMatchObject({ code: 'conflict' });
  });
});
