import { expect } from 'vitest';
import { runReplayTurn } from '../../src/main/agent/replay/replay-turn.ts';
import { replaySession } from '../../src/main/sessions/replay/replay-session.ts';
import type { AgentKit } from './agent-kit.ts';
import type { ReplayReport } from '../../src/shared/contract/sessions-contract.ts';

/** Replays the log of a kit with its own dependencies and without its model. */
export function replayOf(kit: AgentKit): Promise<ReplayReport> {
  const recorded = { sessionId: kit.journal.sessionId, problems: [], read: () => kit.journal.read() };
  const blobs = { get: kit.journal.getBlob.bind(kit.journal) };
  return replaySession(recorded, blobs, (turn) => runReplayTurn(turn, kit.dependencies));
}

/** Expects that a replay of the log reaches the same state by the same events. */
export async function expectReplay(kit: AgentKit): Promise<void> {
  const report = await replayOf(kit);
  expect(report.firstDifference).toBeNull();
  expect(report.stateHash).toBe(report.recordedHash);
}
