import { afterEach, expect, it, vi } from 'vitest';
import { createHiddenValues } from '../../../../src/main/safety/hidden-values.ts';
import { z } from 'zod';
import type { Tool } from '../../../../src/main/tools/define.ts';
import { call, createAgentKit, ended, ofType, turnOptions } from '../../../fakes/agent-kit.ts';

afterEach(() => {
  vi.useRealTimers();
});

// Catches: a review of a program that waits for ever for a model whose service hangs.
it('a reviewer of programs has one minute, and then the turn goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const said: unknown[] = [];
  const looked: string[] = [];
  const asking: Tool = {
    name: 'asking',
    description: 'Asks.',
    access: 'execute',
    isProgram: true,
    isLong: true,
    input: z.object({}),
    label: () => 'ask',
    run: async (_input, { programDoor }) => {
      said.push(await programDoor?.review('result = 1'));
      return { status: 'ok', output: 'asked' };
    },
  };
  const kit = createAgentKit({
    tools: [asking],
    replies: [call('asking', {}), { text: 'It is done.' }],
    // The second model also runs on this machine.
    cloud: { where: 'local' },
    cloudProvider: {
      id: 'sky',
      countTokens: async () => 10,
      async *stream(_request, signal) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        yield ended('cancelled', 0);
      },
    },
    dependencies: {
      tools: { programs: () => 'on', programReviewer: () => 'sky/model' },
      fences: {
        hidden: createHiddenValues(),
        check: async ({ purpose, scope }) => {
          looked.push(`${purpose} ${scope}`);
          return { type: 'free' };
        },
      },
    },
  });
  const running = kit.runner.send('Ask.', { ...turnOptions, strategy: 'loop' });
  await vi.waitUntil(() =>
    ofType(kit.journal.events, 'model-call-started').some(({ purpose }) => purpose === 'review'),
  );
  await vi.advanceTimersByTimeAsync(59_000);
  expect(said).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  const end = await running;
  expect(said).toEqual([{ label: 'Sky model', text: null, why: 'It gave no answer within 60 s.', costUsd: null }]);
  expect(end.reason).not.toBe('cancelled');
  // The program was written with the whole conversation in view, so everything that is fenced in it counts.
  expect(looked).toContain('review conversation');
});
