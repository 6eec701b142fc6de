import { describe, expect, it } from 'vitest';
import type { KitOptions } from '../../../fakes/agent-kit.ts';
import type { CapDecision } from '../../../../src/main/money/budget.ts';
import { memoryBudget } from '../../../fakes/memory-reservations.ts';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import { runReplayTurn } from '../../../../src/main/agent/replay/replay-turn.ts';
import { replaySession } from '../../../../src/main/sessions/replay/replay-session.ts';

const files = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
  'AGENTS.md': 'Use four spaces.',
};
const passing = (text: string | null): { exitCode: number; stdout: string } =>
  text?.includes('a + b') === true ? { exitCode: 0, stdout: '1 passed' } : { exitCode: 1, stdout: '1 failed' };

const overloaded = { error: { code: 'overloaded', message: 'busy', retryable: true } } as const;

const loop: KitOptions = {
  replies: [
    call('read_file', { path: 'calc.py' }),
    overloaded,
    { text: 'Now the edit.', calls: [{ name: 'edit_file', input: { path: 'calc.py' } }] },
    call('write_file', { path: 'tests/test_calc.py', content: '' }),
    call('run_command', { command: 'generate' }),
    call('task_complete', { summary: 'not yet' }),
    call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
    call('task_complete', { summary: 'It adds now.' }),
  ],
  sandbox: {
    files,
    exec: ({ command }, sandbox) => {
      if (command === 'generate') sandbox.put('out.txt', 'x'.repeat(60_000));
      return { ...passing(sandbox.text('calc.py')), stderr: 'e'.repeat(90_000) };
    },
  },
};

describe('a replay of the agent', () => {
  it('plays a loop with retries, refusals, misunderstood calls and long output to the same hash', async () => {
    const kit = createAgentKit(loop);
    const end = await kit.runner.send('Fix add().', turnOptions);
    expect(end.reason).toBe('done');
    await expectReplay(kit);
  });

  it.each([
    ['stop', 'cap'],
    ['local', 'done'],
    ['ask', 'done'],
  ] as const)('plays a cap that was reached with --at-cap %s to the same end', async (atCap, reason) => {
    const caps = { day: 0.01 };
    const answers: CapDecision[] = [{ answer: 'raise', usd: 0.000_001 }, { answer: 'local' }];
    const kit = createAgentKit({
      ...loop,
      cloud: { price: { input: 1000, output: 2000, source: 'test', date: '2026-11-21' } },
      dependencies: { budget: memoryBudget(caps, { ask: async () => answers.shift() ?? null }) },
    });
    const end = await kit.runner.send('Fix add().', {
      ...turnOptions,
      policy: 'cloud',
      strategy: 'loop',
      cloud: 'sky/model',
      atCap,
    });
    expect(end.reason).toBe(reason);
    await expectReplay(kit);
  });

  it('plays several turns with messages that came in between', async () => {
    const kit = createAgentKit({
      ...loop,
      replies: [
        call('read_file', { path: 'calc.py' }),
        call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
        call('task_complete', { summary: 'first' }),
        { text: 'calc.py:2 adds.' },
        call('task_complete', { summary: 'third' }),
      ],
      journal: {
        onEvent: (event) => {
          if (event.type === 'file-changed') void kit.runner.post('Keep it short.', turnOptions);
          if (event.type === 'turn-ended' && event.text === 'first') {
            void kit.runner.post('What does add do?', turnOptions);
            void kit.runner.post('Now tidy up.', turnOptions);
          }
        },
      },
    });
    await kit.runner.send('Fix add().', turnOptions);
    await kit.runner.idle();
    expect(kit.journal.events.filter((event) => event.type === 'turn-ended')).toHaveLength(2);
    expect(kit.journal.events.filter((event) => event.type === 'message-delivered')).toHaveLength(3);
    await expectReplay(kit);
  });

  it('plays a recipe that gives up and the loop that goes on with its facts', async () => {
    const recipe = defineRecipe({
      id: 'try',
      label: 'Try',
      fits: () => ({ score: 1, reason: 'a test fails' }),
      run: async (context) => {
        const { world, budget } = context;
        const entries = await world.list();
        const text = await world.read('calc.py');
        await world.search({ pattern: 'add' });
        const result = await world.run({ command: 'pytest', label: 'run the tests', timeoutMs: 1000 });
        await context.progress(
          'facts',
          `${entries.length} files, exit ${result.exitCode}, ${await context.model.countTokens(text ?? '')} tokens`,
        );
        await context.model.ask({
          purpose: 'propose',
          label: 'rewrite',
          system: 's',
          user: text ?? '',
          prefill: 'def ',
          output: { type: 'text' },
          stop: [],
          temperature: 0,
          topP: 1,
          seed: 1,
          maxOutputTokens: 100,
        });
        await world.apply([{ path: 'calc.py', text: 'broken' }]);
        await world.apply([{ path: 'calc.py', text: text ?? '' }]);
        return {
          type: 'gave-up',
          reason: `left ${budget.stepsLeft()} ${budget.millisecondsLeft()}`,
          facts: 'add() is odd',
        };
      },
    });
    const kit = createAgentKit({
      ...loop,
      model: { strategies: ['recipe', 'loop'] },
      recipes: [recipe],
      replies: [
        { text: 'add' },
        call('read_file', { path: 'calc.py' }),
        call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
        call('task_complete', { summary: 'ok' }),
      ],
    });
    const end = await kit.runner.send('Fix add().', turnOptions);
    expect(end.reason).toBe('done');
    expect(JSON.stringify(kit.requests[1]?.messages)).toContain('add() is odd');
    await expectReplay(kit);
  });

  it.each(Array.from({ length: 62 }, (_, index) => index + 2))(
    'plays a turn that was cancelled at event %i',
    async (at) => {
      const kit = createAgentKit({
        ...loop,
        journal: {
          onAppend: (_event, count) => {
            if (count === at) kit.runner.cancel();
          },
        },
      });
      const end = await kit.runner.send('Fix add().', turnOptions);
      expect(end.reason).toBe('cancelled');
      await expectReplay(kit);
    },
  );

  it('plays turns that ended with a limit, without a model, and without a sandbox', async () => {
    const late = createAgentKit({
      journal: { now: () => Date.now() },
      replies: [call('run_command', { command: 'sleep' })],
      sandbox: {
        exec: (_request, _sandbox, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ outcome: 'cancelled', exitCode: null }));
          }),
      },
    });
    expect((await late.runner.send('Do the work.', { ...turnOptions, maxMinutes: 0.002 })).reason).toBe('time-limit');
    await expectReplay(late);
    const missing = createAgentKit();
    expect((await missing.runner.send('Do it.', { ...turnOptions, local: 'no/model' })).reason).toBe('missing');
    await expectReplay(missing);
    const bare = createAgentKit();
    const readOnly = createAgentKit({ dependencies: { sandbox: { ...bare.sandbox, tier: 'read-only' } } });
    const end = await readOnly.runner.send('Fix the bug.', turnOptions);
    expect(end).toMatchObject({ reason: 'missing', failure: { code: 'missing-sandbox' } });
    await expectReplay(readOnly);
  });

  it('plays a conversation that was shortened and summed up', async () => {
    const words = (from: number): string => Array.from({ length: 300 }, (_, index) => `w${from * index}`).join(' ');
    const kit = createAgentKit({
      model: { contextTokens: 4096 },
      replies: Array.from({ length: 30 }, (_, index) => ({
        text: words(index + 2),
        calls: [{ name: 'search', input: { pattern: `p${index}` } }],
      })),
    });
    await kit.runner.send('Look around.', { ...turnOptions, maxSteps: 20 });
    expect(kit.journal.events.some((event) => event.type === 'context-compacted')).toBe(true);
    await expectReplay(kit);
  });

  it('says where a changed log comes out differently', async () => {
    const kit = createAgentKit(loop);
    await kit.runner.send('Fix add().', turnOptions);
    const { journal, dependencies } = kit;
    const read = async function* read(): ReturnType<typeof journal.read> {
      for await (const event of journal.read()) {
        yield event.type === 'tool-call-requested' && event.tool === 'run_command'
          ? { ...event, tool: 'search' }
          : event;
      }
    };
    const report = await replaySession(
      { sessionId: journal.sessionId, problems: [], read },
      { get: journal.getBlob.bind(journal) },
      (turn) => runReplayTurn(turn, dependencies),
    );
    expect(report.matched).toBe(false);
    expect(report.firstDifference).toContain('tool-call-requested');
  });
});
