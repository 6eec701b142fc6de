import { expect, it } from 'vitest';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { runChatCommand } from '../../../../src/main/hosts/cli/chat/chat-commands.ts';
import type { Chat } from '../../../../src/main/hosts/cli/chat/chat-state.ts';
import { chat as chatCommand } from '../../../../src/main/hosts/cli/commands/chat.command.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

function talk(names: readonly string[]) {
  const core = createScriptedCore();
  const assistants = names.map((name) => ({ name, about: `Is for ${name}.`, text: 'You answer.' }));
  const broken = [{ name: 'old', why: 'It has no text.' }];
  core.replace({ assistants: { list: () => ({ folder: '/home/assistants', assistants, broken }) } });
  const { context, said } = commandContext(core);
  const chat: Chat = {
    context,
    sessionId: 'session',
    projectPath: null,
    project: null,
    options: runOptionsSchema.parse({ policy: 'local' }),
    attached: [],
    running: null,
    cap: null,
    questions: [],
    shownAt: 0,
    say: async () => undefined,
    withoutPrompt: async (work) => work(),
    showPrompt: () => undefined,
  };
  return { core, context, chat, said };
}

/** Catches: a wrong name that begins a session, and a refusal that does not list the names there are. */
it('a chat with an unknown assistant begins no session, and lists the assistants', async () => {
  const { core, context } = talk(['letters', 'reviewer']);
  await expect(chatCommand(context, { assistant: 'reviewr' })).rejects.toMatchObject({
    message: 'The assistant "reviewr" was not found.',
    hint: 'Yours: letters, reviewer',
  });
  await expect(chatCommand(context, { assistant: 'old' })).rejects.toMatchObject({
    message: expect.stringContaining('It has no text.'),
  });
  await expect(chatCommand(talk([]).context, { assistant: 'x' })).rejects.toMatchObject({
    hint: 'You have none yet. Write one: /home/assistants/NAME.md',
  });
  expect(await core.client.sessions.list()).toEqual([]);
});

it('the /assistant command changes or removes the assistant in a running chat', async () => {
  const { chat, said } = talk(['letters', 'reviewer']);
  await runChatCommand(chat, '/assistant reviewer');
  expect(chat.options).toMatchObject({ assistant: 'reviewer', policy: 'local' });
  await runChatCommand(chat, '/assistants');
  expect(said.err).toContain('* reviewer  Is for reviewer.');
  await expect(runChatCommand(chat, '/assistant nobody')).rejects.toMatchObject({ hint: 'Yours: letters, reviewer' });
  expect(chat.options.assistant).toBe('reviewer');
  await runChatCommand(chat, '/assistant off');
  expect(chat.options.assistant).toBeUndefined();
});

/** Catches: a command that changes what the next messages get, and says nothing. */
it.each([
  ['/ask', 'Ask: answers, no file changes'],
  ['/work', 'Work: changes files where the task asks for it'],
  ['/local', 'The next messages run on this machine only.'],
  ['/assistant off', 'The next messages have no assistant.'],
  ['/assistant letters', 'The next messages have the assistant letters.'],
  ['/compact', 'will be summarized'],
])('a chat command says what it did: %s', async (line, text) => {
  const { chat, said } = talk(['letters']);
  expect(await runChatCommand(chat, line)).toBe(true);
  expect(said.err).toContain(text);
});

it('a chat command refuses a place where no model can work, and keeps the old place', async () => {
  const { chat } = talk([]);
  await expect(runChatCommand(chat, '/cloud')).rejects.toMatchObject({ code: 'missing-model' });
  expect(chat.options.policy).toBe('local');
  await expect(runChatCommand(chat, '/stop')).rejects.toMatchObject({ message: 'Nothing is running.' });
});
