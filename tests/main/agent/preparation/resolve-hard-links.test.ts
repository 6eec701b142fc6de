import { describe, expect, it } from 'vitest';
import { runReplayTurn } from '../../../../src/main/agent/replay/replay-turn.ts';
import type { UserAnswer } from '../../../../src/main/safety/approvals/approver.ts';
import type { FoundLinks } from '../../../../src/main/sandbox/sandbox.ts';
import { replaySession } from '../../../../src/main/sessions/replay/replay-session.ts';
import { createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const two: FoundLinks = { subject: 'Two files are linked', text: 'a\nb', count: 2 };

/** A session whose project has hard links. `answers` are the user's, in order; after them nobody answers. */
function session(answers: readonly UserAnswer[], left: readonly { path: string; why: string }[] = []) {
  const journal = createMemoryJournal();
  const said = [...answers];
  let broken = 0;
  let found: FoundLinks | null = two;
  const sandbox = Object.assign(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } }), {
    links: {
      found: () => found,
      break: async () => {
        broken += 1;
        found = left.length === 0 ? null : { ...two, count: left.length };
        return { broken: 2 - left.length, left };
      },
    },
  });
  const kit = createAgentKit({
    replies: Array.from({ length: 4 }, () => ({ text: 'x' })),
    dependencies: { journal, sandbox, approver: { ask: async () => said.shift() ?? 'nobody' } },
  });
  const outputs = (): readonly string[] =>
    ofType(journal.events, 'tool-ended').flatMap(({ tool, status, output }) =>
      tool === 'break_hard_links' ? [`${status}: ${output}`] : [],
    );
  const asked = () => ofType(journal.events, 'approval-requested');
  return { kit, journal, outputs, asked, timesBroken: () => broken };
}

describe('files of a project that are also files elsewhere', () => {
  it('are asked about before a model is called, broken after a yes, and replay the same', async () => {
    const { kit, journal, outputs, asked, timesBroken } = session(['allow']);
    await kit.runner.send('What is x?', turnOptions);
    expect(asked()).toMatchObject([{ kind: 'hard-links', subject: two.subject, text: two.text }]);
    expect([outputs(), timesBroken()]).toEqual([['ok: 2 files are no longer linked.'], 1]);
    const types = journal.events.map(({ type }) => type);
    expect(types.indexOf('approval-answered')).toBeLessThan(types.indexOf('model-call-started'));
    const recorded = { sessionId: journal.sessionId, problems: [], read: () => journal.read() };
    const blobs = { get: journal.getBlob.bind(journal) };
    const report = await replaySession(recorded, blobs, (turn) => runReplayTurn(turn, kit.dependencies));
    expect([report.firstDifference, report.stateHash, timesBroken()]).toEqual([null, report.recordedHash, 1]);
  });

  it('are left alone after a no, and asked about once in a session', async () => {
    const { kit, outputs, asked, timesBroken } = session(['deny', 'allow']);
    await kit.runner.send('What is x?', turnOptions);
    await kit.runner.send('What is y?', turnOptions);
    expect([asked().length, timesBroken(), outputs()]).toEqual([
      1,
      0,
      [expect.stringMatching(/^refused: .*left as they are: the answer was no/)],
    ]);
  });

  it('are left alone when nobody can be asked, and broken when the run allows everything', async () => {
    const nobody = session([]);
    await nobody.kit.runner.send('What is x?', turnOptions);
    expect(nobody.journal.state().notices).toMatchObject([{ level: 'warning', code: 'links-left' }]);
    expect([nobody.timesBroken(), nobody.journal.state().turns.at(-1)?.reason]).toEqual([0, 'answered']);
    const allowed = session([], [{ path: 'b', why: 'it changed meanwhile' }]);
    await allowed.kit.runner.send('What is x?', { ...turnOptions, approve: 'allow' });
    expect(allowed.outputs()).toEqual(['error: 1 file is no longer linked. 1 stayed linked:\nb: it changed meanwhile']);
  });
});
