import { describe, expect, it } from 'vitest';
import type { AgentKit, KitOptions } from '../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';
import { defineRecipe } from '../../src/main/recipes/define.ts';

const files = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
  'AGENTS.md': 'Use tabs.',
};

const loop: KitOptions = {
  replies: [
    call('read_file', { path: 'calc.py' }),
    { error: { code: 'overloaded', message: 'busy', retryable: true } },
    call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
    call('run_command', { command: 'make' }),
    call('task_complete', { summary: 'It adds now.' }),
  ],
};

const recipe: KitOptions = {
  model: { strategies: ['recipe'] },
  replies: [{ text: 'a + b' }],
  recipes: [
    defineRecipe({
      id: 'one-edit',
      label: 'One edit',
      fits: () => ({ score: 1, reason: 'always' }),
      run: async (context) => {
        const text = await context.world.read('calc.py');
        await context.world.run({ command: 'pytest', label: 'run the tests', timeoutMs: 1000 });
        const answer = await context.model.ask({
          purpose: 'propose',
          label: 'rewrite',
          system: 's',
          user: 'u',
          prefill: null,
          output: { type: 'text' },
          stop: [],
          temperature: 0,
          topP: 1,
          seed: 1,
          maxOutputTokens: 100,
        });
        await context.progress('judge', 'one candidate');
        if (!answer.ok) return { type: 'gave-up', reason: 'no answer', facts: '' };
        await context.world.apply([{ path: 'calc.py', text: (text ?? '').replace('a - b', answer.text) }]);
        return { type: 'done', text: 'done', confidence: 'high' };
      },
    }),
  ],
};

function scripted(options: KitOptions, stopAt: { readonly what: string; readonly at: number } | null): Probe {
  let kit: AgentKit | null = null;
  const seen = { appends: 0, touches: 0, stoppedAt: -1 };
  const hit = (what: 'append' | 'touch'): void => {
    const count = what === 'append' ? (seen.appends += 1) : (seen.touches += 1);
    if (stopAt?.what !== what || stopAt.at !== count) return;
    kit?.runner.cancel();
    seen.stoppedAt = kit?.journal.events.length ?? 0;
  };
  kit = createAgentKit({
    ...options,
    journal: { onAppend: (event) => (event.type === 'user-message-added' ? undefined : hit('append')) },
    dependencies: { machine: { delay: async () => hit('touch') } },
    countTokens: () => {
      hit('touch');
      return 100;
    },
    sandbox: {
      files,
      exec: (_request, sandbox) => {
        hit('touch');
        return { exitCode: sandbox.text('calc.py')?.includes('a + b') === true ? 0 : 1 };
      },
    },
  });
  return { kit, seen };
}

interface Probe {
  readonly kit: AgentKit;
  readonly seen: { appends: number; touches: number; stoppedAt: number };
}

/** Everything that started has ended, and nothing begins after the cancel. */
function checkLog({ kit, seen }: Probe): void {
  const { events } = kit.journal;
  const ended = new Set(ofType(events, 'tool-ended').map((event) => event.toolCallId));
  for (const started of ofType(events, 'tool-started')) expect(ended).toContain(started.toolCallId);
  expect(ofType(events, 'model-call-started')).toHaveLength(ofType(events, 'model-call-ended').length);
  // The event whose append triggered the cancel is still written. Later events may only end things.
  const after = events.slice(seen.stoppedAt + 1).map((event) => event.type);
  const endings = ['tool-ended', 'model-call-ended', 'file-changed', 'turn-started', 'turn-ended', 'approval-answered'];
  expect(after.filter((type) => !endings.includes(type))).toEqual([]);
  expect(events.at(-1)?.type).toBe('turn-ended');
}

describe.each([
  ['the loop', loop],
  ['a recipe', recipe],
])('a cancel of %s', (_name, options) => {
  it('ends the turn as cancelled at every event, and nothing runs after it', async () => {
    const whole = scripted(options, null);
    const end = await whole.kit.runner.send('Fix add().', turnOptions);
    expect(end.reason).toBe('done');
    const points = [
      ...Array.from({ length: whole.seen.appends - 1 }, (_, index) => ({ what: 'append', at: index + 1 })),
      ...Array.from({ length: whole.seen.touches }, (_, index) => ({ what: 'touch', at: index + 1 })),
    ];
    expect(points.length).toBeGreaterThan(15);
    for (const point of points) {
      const probe = scripted(options, point);
      const stopped = await probe.kit.runner.send('Fix add().', turnOptions);
      expect({ point, reason: stopped.reason }).toEqual({ point, reason: 'cancelled' });
      checkLog(probe);
    }
  });
});
