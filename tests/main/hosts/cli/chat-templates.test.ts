import { expect, it } from 'vitest';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { runChatCommand } from '../../../../src/main/hosts/cli/chat/chat-commands.ts';
import type { Chat } from '../../../../src/main/hosts/cli/chat/chat-state.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

function chatWith(text: string) {
  const core = createScriptedCore();
  const templates = [{ name: 'review-2', text }];
  core.replace({ templates: { list: () => ({ folder: '/home/prompts', projectFolder: null, templates }) } });
  const { context, said } = commandContext(core);
  const sent: string[] = [];
  const chat: Chat = {
    context,
    sessionId: 'session',
    projectPath: null,
    project: null,
    options: runOptionsSchema.parse({}),
    attached: [],
    running: null,
    cap: null,
    questions: [],
    shownAt: 0,
    say: async (message) => void sent.push(message),
    withoutPrompt: async (work) => work(),
    showPrompt: () => undefined,
  };
  return { chat, sent, said };
}

/** Catches: a template that the terminal does not know as a command, and one that is sent with empty placeholders. */
it('a chat template is filled with what is typed after its name, and missing parts are asked for', async () => {
  const { chat, sent, said } = chatWith('Review {{file}} for {{concern}}.');
  expect(await runChatCommand(chat, '/review-2 concern=speed src/a.py')).toBe(true);
  expect(sent).toEqual(['Review src/a.py for speed.']);
  await expect(runChatCommand(chat, '/review-2 src/a.py')).rejects.toMatchObject({
    message: 'The prompt /review-2 still needs: concern.',
    hint: 'Write /review-2 concern=…',
  });
  await expect(runChatCommand(chat, '/reviw')).rejects.toMatchObject({ message: expect.stringContaining('/reviw') });
  expect(sent).toHaveLength(1);
  await runChatCommand(chat, '/templates');
  expect(said.err).toContain('/review-2  Review {{file}} for {{concern}}.');
});
