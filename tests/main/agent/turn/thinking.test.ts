import { describe, expect, it } from 'vitest';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

/** Catches: a choice of thinking that does not reach the model, or that a model without the switch silently ignores. */
const thinks = { efforts: ['none', 'low', 'high'] as const, effort: 'none' as const };
const answer = [call('task_complete', { summary: 'Done.' })];

async function send(kit: AgentKit, options: object) {
  return (await kit.runner.post('Look at this.', { ...turnOptions, ...options })).ended;
}

describe('the thinking of a model', () => {
  it('is what the message says, in the request and in a replay', async () => {
    const kit = createAgentKit({ replies: answer, model: thinks });
    expect((await send(kit, { thinking: 'high' })).reason).toBe('answered');
    expect(kit.requests[0]?.effort).toBe('high');
    await expectReplay(kit);
  });

  it('is what is set for the model when the message does not say', async () => {
    const kit = createAgentKit({ replies: answer, model: thinks });
    await send(kit, {});
    expect(kit.requests[0]?.effort).toBe('none');
  });

  it('is refused when no model of the message knows that step', async () => {
    const kit = createAgentKit({ replies: answer, model: thinks });
    const end = await send(kit, { thinking: 'medium' });
    expect([end.reason, end.text]).toEqual([
      'missing',
      'No model of this message can be set to thinking: medium. Fake model knows off, low, high.',
    ]);
    expect(kit.requests).toEqual([]);
    const plain = createAgentKit({ replies: answer });
    expect((await send(plain, { thinking: 'low' })).text).toContain('Fake model has no switch for thinking.');
  });
});
