import { expect, it } from 'vitest';
import { createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

// Bug: a message after the first was bounded as if its model had never been called, so a small limit bought nothing.
it('a later message is bounded by what the service billed for an earlier prompt', async () => {
  const price = { input: 1000, output: 1000, source: 'test', date: '2026-11-21' };
  const kit = createAgentKit({
    replies: [{ text: 'It is one.' }, { text: 'It is still one.' }],
    cloud: { price },
    countTokens: () => null,
  });
  const long = `What is x in this? ${'word '.repeat(2_000)}`;
  const options = { ...turnOptions, policy: 'cloud', cloud: 'sky/model', mode: 'ask' } as const;
  await kit.runner.send(long, options);
  const end = await kit.runner.send('And now?', { ...options, maxUsd: 4 });
  expect(end.text).toBe('It is still one.');
  const fresh = createAgentKit({ replies: [{ text: 'One.' }], cloud: { price }, countTokens: () => null });
  expect((await fresh.runner.send(long, { ...options, maxUsd: 4 })).reason).toBe('cap');
  await expectReplay(kit);
  await expectReplay(fresh);
});
