import { describe, expect, it } from 'vitest';
import { planMessage } from '../../../../src/shared/session/plan-steps.ts';
import { reduceSession } from '../../../../src/shared/session/reducers/reduce-session.ts';
import { emptySession } from '../../../../src/shared/session/session-state.ts';
import { runReplayTurn } from '../../../../src/main/agent/replay/replay-turn.ts';
import { replaySession } from '../../../../src/main/sessions/replay/replay-session.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';

const task = planMessage(['Read calc.py', 'Repair add()']);
const told = (first: string, second: string): Reply =>
  call('update_plan', {
    items: [
      { text: 'Read calc.py', state: first },
      { text: 'Repair add()', state: second },
    ],
  });
const done = call('task_complete', { summary: 'ok' });
const kitOf = (replies: readonly Reply[], parametersB = 30): AgentKit =>
  createAgentKit({ replies, model: { parametersB }, sandbox: { files: { 'calc.py': 'a - b\n' }, exec: () => ({}) } });
const offered = ({ requests }: AgentKit): boolean => JSON.stringify(requests[0]).includes('update_plan');

describe('a turn that carries out a plan', () => {
  it('shows the progress that the model reports, asks nobody, and replays to the same hash', async () => {
    const kit = kitOf([told('working', 'open'), call('read_file', { path: 'calc.py' }), told('done', 'dropped'), done]);
    await kit.runner.send(task, { ...turnOptions, approve: 'ask' });
    const { events } = kit.journal;
    const states = ofType(events, 'plan-progressed').map(({ items }) => items.map(({ state }) => state).join(' '));
    expect(states).toEqual(['working open', 'done dropped']);
    expect(ofType(events, 'approval-requested')).toEqual([]);
    expect(events.reduce(reduceSession, emptySession).turns[0]?.planItems?.[1]).toEqual({
      text: 'Repair add()',
      state: 'dropped',
    });
    const { journal, dependencies } = kit;
    const report = await replaySession(
      { sessionId: journal.sessionId, problems: [], read: () => journal.read() },
      { get: journal.getBlob.bind(journal) },
      (turn) => runReplayTurn(turn, dependencies),
    );
    expect(report.firstDifference).toBeNull();
    expect(report.stateHash).toBe(report.recordedHash);
  });

  it('ignores a report with an unknown state, too many items or a too long text', async () => {
    const many = (length: number, text: string): Reply =>
      call('update_plan', { items: Array.from({ length }, () => ({ text, state: 'open' })) });
    const kit = kitOf([told('nearly', 'open'), done]);
    await kit.runner.send(task, turnOptions);
    const long = kitOf([many(31, 'a'), many(1, 'a'.repeat(201)), done]);
    await long.runner.send(task, turnOptions);
    for (const { journal } of [kit, long]) expect(ofType(journal.events, 'plan-progressed')).toEqual([]);
  });
});

it('the progress of a plan is kept for any work of a large model, but not during planning or for a small one', async () => {
  const [carried, other, planning, small] = [
    kitOf([done]),
    kitOf([told('working', 'open'), done]),
    kitOf([done]),
    kitOf([done], 3),
  ];
  await carried.runner.send(task, turnOptions);
  await other.runner.send('Repair add().', turnOptions);
  await planning.runner.send(task, { ...turnOptions, mode: 'plan' });
  await small.runner.send(task, turnOptions);
  expect([carried, other, planning, small].map(offered)).toEqual([true, true, false, false]);
  expect(other.journal.events.reduce(reduceSession, emptySession).turns[0]?.planItems?.[0]).toEqual({
    text: 'Read calc.py',
    state: 'working',
  });
});
