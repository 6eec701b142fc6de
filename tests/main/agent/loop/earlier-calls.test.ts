import { expect, it } from 'vitest';
import type { Tool } from '../../../../src/main/tools/define.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import type { EarlierCalls } from '../../../../src/main/tools/programs/program-calls.ts';
import { z } from 'zod';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const lookUp: ConnectedToolSpec = {
  name: 'shop__look_up',
  server: 'shop',
  tool: 'look_up',
  description: 'Looks an item up.',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  leaves: true,
  readsFiles: false,
};

// Catches: a question at which the person sat for minutes that counts as the time of a slow tool, and a call that was
// refused that counts as one that took no time.
it('the times of earlier calls leave out the wait for the person and refused calls', async () => {
  let now = 1_000;
  let asked = 0;
  const seen: ReadonlyMap<string, EarlierCalls>[] = [];
  const writers: unknown[] = [];
  const asking: Tool = {
    name: 'asking',
    description: 'Asks.',
    access: 'execute',
    isProgram: true,
    isLong: true,
    input: z.object({}),
    label: () => 'ask',
    run: async (_input, { programDoor }) => {
      const earlier = await programDoor?.earlierCalls();
      if (earlier !== undefined) seen.push(earlier);
      writers.push(programDoor?.writer());
      return { status: 'ok', output: 'asked' };
    },
  };
  const kit = createAgentKit({
    tools: [asking],
    model: { digest: 'ab'.repeat(32) },
    journal: { now: () => now },
    replies: [
      call('shop__look_up', { id: 1 }),
      call('shop__look_up', { id: 2 }),
      call('shop__look_up', { id: 3 }),
      call('asking', {}),
      { text: 'It is done.' },
    ],
    dependencies: {
      tools: {
        programs: () => 'on',
        connected: {
          offered: async () => [lookUp],
          call: async () => {
            now += asked === 1 ? 2_000 : 4_000;
            return { status: 'ok', output: '{}' };
          },
        },
      },
      approver: {
        ask: async () => {
          asked += 1;
          now += 60_000;
          return asked === 3 ? 'deny' : 'allow';
        },
      },
    },
  });
  await kit.runner.send('Look.', { ...turnOptions, strategy: 'loop' });
  expect(asked).toBe(3);
  expect(seen[0]?.get('shop__look_up')).toEqual({ ms: [2_000, 4_000], modelUsd: null });
  expect(seen[0]?.get('shop__order')).toBeUndefined();
  expect(writers).toEqual([{ model: 'fake/model', digest: 'ab'.repeat(32), app: '1.2.3' }]);
  await expectReplay(kit);
});
