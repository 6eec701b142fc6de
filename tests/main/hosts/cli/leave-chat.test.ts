import { expect, it } from 'vitest';
import type { EventOf } from '@shared/events/events.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { leaveQuestions } from '../../../../src/main/hosts/cli/chat/chat-questions.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

const asked = (kind: string): EventOf<'approval-requested'> => ({
  type: 'approval-requested',
  v: 2,
  seq: 1,
  at: 0,
  approvalId: kind,
  toolCallId: 't',
  kind,
  subject: 'x',
  sha256: 'a'.repeat(64),
});

// Bug: after Ctrl-D or /quit the chat waited for the end of a turn that waited for the person who had left.
it('a chat that the person leaves answers what its turn waits for, and keeps a question of the agent open', async () => {
  const core = createScriptedCore();
  const told: unknown[] = [];
  core.replace({
    sessions: { approve: ({ input }) => void told.push(input), answerCap: ({ input }) => void told.push(input) },
  });
  const cap = {
    capId: 'c',
    model: 'm',
    scope: 'task',
    limitUsd: 1,
    spentUsd: 1,
    heldUsd: 0,
    worstUsd: 1,
    here: null,
  } as const;
  await leaveQuestions({
    context: commandContext(core).context,
    sessionId: 's',
    projectPath: null,
    project: null,
    options: runOptionsSchema.parse({}),
    attached: [],
    running: null,
    cap: { type: 'cap-reached', v: 2, seq: 2, at: 0, ...cap },
    questions: [asked('question'), asked('network')],
    shownAt: 0,
    say: async () => undefined,
    withoutPrompt: async (work) => work(),
    showPrompt: () => undefined,
  });
  expect(told).toEqual([
    { sessionId: 's', approvalId: 'question', answer: 'allow', values: {} },
    { sessionId: 's', approvalId: 'network', answer: 'deny' },
    { sessionId: 's', capId: 'c', decision: { answer: 'stop' } },
  ]);
});
