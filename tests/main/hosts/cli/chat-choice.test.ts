import { expect, it } from 'vitest';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import { runChatCommand } from '../../../../src/main/hosts/cli/chat/chat-commands.ts';
import type { Chat } from '../../../../src/main/hosts/cli/chat/chat-state.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

function talk(running: Promise<void> | null) {
  const core = createScriptedCore();
  const chosen: ChosenOptions[] = [];
  core.replace({ sessions: { choose: ({ input }) => void chosen.push(input.chosen) } });
  const { context, said } = commandContext(core);
  const chat: Chat = {
    context,
    sessionId: 'session',
    projectPath: null,
    project: null,
    options: runOptionsSchema.parse({ policy: 'cloud', cloud: 'anthropic/model' }),
    attached: [],
    running,
    cap: null,
    questions: [],
    shownAt: 0,
    say: async () => undefined,
    withoutPrompt: async (work) => work(),
    showPrompt: () => undefined,
  };
  return { chat, said, chosen };
}

// Bug: in the middle of a task `/local` and its like had no effect on it and said nothing.
it('a choice in the chat goes to the running task, and the chat says when it counts', async () => {
  const { chat, said, chosen } = talk(Promise.resolve());
  await runChatCommand(chat, '/auto');
  expect(chosen).toEqual([{ policy: 'hybrid', cloud: 'anthropic/model' }]);
  expect(said.err).toBe('This takes effect at the next step of the task.\n');
  await runChatCommand(chat, '/ask');
  expect(chosen.at(-1)).toMatchObject({ mode: 'ask' });
  expect(said.err).toContain('The mode counts from the next message on');
});

it('a choice in the chat that changes nothing is not sent to the task', async () => {
  const { chat, said, chosen } = talk(Promise.resolve());
  for (const line of ['/cloud', '/compact', '/help']) await runChatCommand(chat, line);
  expect(chosen).toEqual([]);
  expect(said.err).not.toContain('takes effect');
});

it('a choice in the chat waits for the next message while no task runs', async () => {
  const { chat, said, chosen } = talk(null);
  await runChatCommand(chat, '/local');
  expect(chat.options.policy).toBe('local');
  expect(chosen).toEqual([]);
  expect(said.err).toBe('The next messages run on this machine only.\n');
});
