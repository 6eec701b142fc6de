import { expect, it } from 'vitest';
import type { NewEvent } from '../../../../src/shared/events/events.ts';
import { noUsage } from '../../../../src/shared/money/token-cost.ts';
import type { FenceHit } from '../../../../src/shared/safety/fences.ts';
import { compileFences } from '../../../../src/shared/safety/fences.ts';
import { createFenceTaint } from '../../../../src/main/safety/taint.ts';

const settings = { rules: [{ paths: ['plans.md'], verdict: 'local-only' as const }], secrets: 'off' as const };
const hit: FenceHit = { rule: 'plans.md', verdict: 'local-only', path: 'plans.md', how: 'content' };

/** The fences that apply to a conversation after an agent was started in it, ended this way, and was looked at. */
function rulesAfter(end: Partial<Extract<NewEvent, { type: 'child-session-ended' }>>): readonly string[] {
  const taint = createFenceTaint(compileFences({ settings, projectPath: null, isSecretFile: () => false }));
  taint.addFile(hit, 'the plans for the year that nobody else may read yet\n');
  const tool = { toolCallId: 't', tool: 'agent_manage' } as const;
  const measured = { full: null, exitCode: null, durationMs: 0, data: null, dataBlob: null };
  const events: readonly NewEvent[] = [
    { type: 'child-session-ended', sessionId: 'c', costUsd: 0, usage: noUsage, ...end },
    { type: 'tool-started', ...tool, by: 'model', input: { action: 'inspect', agent: 'agent-1' }, label: '' },
    { type: 'tool-ended', ...tool, status: 'ok', output: 'It changed no files.', ...measured },
  ];
  events.forEach((event, index) => taint.add({ ...event, v: 2, seq: index + 1, at: index }));
  return taint.inScope('conversation').map(({ rule }) => rule);
}

/** Catches: words on their way to a cloud, from an agent that was killed, so that nobody knows what it had read. */
it('an agent gets the fences of what its child met, or could have met before a crash', () => {
  expect(rulesAfter({ reason: 'done' })).toEqual([]);
  expect(rulesAfter({ reason: 'done', fenced: [hit] })).toEqual(['plans.md']);
  expect(rulesAfter({ reason: 'crashed' })).toEqual(['plans.md']);
});
