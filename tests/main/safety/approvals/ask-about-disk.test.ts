import { describe, expect, it } from 'vitest';
import type { Approver } from '../../../../src/main/safety/approvals/approver.ts';
import { createUserApprover } from '../../../../src/main/safety/approvals/user-approver.ts';
import { askAboutDisk } from '../../../../src/main/safety/approvals/ask-about-disk.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';

describe('a command that waits for room on the disk', () => {
  it.each([
    [true, 'allow', 'go-on', 'person'],
    [true, 'deny', 'stop', 'person'],
    [false, 'deny', 'stop', 'nobody'],
  ] as const)(
    'goes on only by the word of a person (there is one: %s, who says %s)',
    async (isThere, answer, end, by) => {
      const approver = createUserApprover();
      approver.setInteractive(isThere);
      const journal = createMemoryJournal();
      const asked: Approver = {
        ask: (question, signal) => {
          const said = approver.ask(question, signal);
          if (isThere) approver.answer({ approvalId: question.approvalId, answer });
          return said;
        },
      };
      expect(await askAboutDisk({ journal, approver: asked })('No room.', new AbortController().signal)).toBe(end);
      expect(journal.events.map((event) => event.type)).toEqual(['approval-requested', 'approval-answered']);
      expect(journal.events).toMatchObject([
        { kind: 'disk', subject: 'No room.' },
        { answer, by },
      ]);
      expect(journal.state().approvals).toEqual([]);
    },
  );

  it("uses up none of the turn's time while the person is asked", async () => {
    let waited = 0;
    const kit = createAgentKit({
      sandbox: {
        files: { 'a.py': 'x = 1\n' },
        exec: () => {
          waited += 3_600_000;
          return { exitCode: 0, stdout: '' };
        },
      },
      replies: [call('run_command', { command: 'make' }), call('task_complete', { summary: 'Done.' })],
      dependencies: { approver: { ask: async () => 'nobody', waitedMs: () => waited } },
    });
    await kit.runner.send('Run make.', { ...turnOptions, strategy: 'loop', maxMinutes: 1 });
    const [ran] = ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'run_command');
    expect(ran?.waitedMs).toBe(3_600_000);
  });
});
