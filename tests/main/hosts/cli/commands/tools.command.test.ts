import { expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import { tools } from '../../../../../src/main/hosts/cli/commands/tools.command.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createPageCore } from '../../../../fakes/page-core.ts';

/** Catches: a script that waits for ever on an open pipe, and one whose server is approved by arbitrary input. */
it('the tools command approves no server when nobody can answer, and exits with an error', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  expect(await tools(context, 'add', ['notes', 'npx', 'notes-server'], {})).toBe(1);
  expect(said.err).toContain('May Dewpoint use this server?');
  expect(said.err).toContain('Answer it at a terminal, or add --yes.');
  expect(said.err).toContain('dewpoint tools approve notes');
  expect(core.tools.servers.notes).toMatchObject({ approved: null });
});

// Bug: a server with a mistyped program was kept without a word, and could not be added again under its name.
it('the tools command says that a server that does not start was added, and how to remove it', async () => {
  const core = createPageCore();
  const approve = async (): Promise<never> => {
    throw new AppError('not-found', 'The program does not start.');
  };
  const handlers = { ...core.handlers, tools: { ...core.handlers.tools, approve } };
  const { context, said } = commandContext({ handlers });
  const adding = tools(context, 'add', ['notes', 'npx', 'notes-servr'], { yes: true });
  await expect(adding).rejects.toThrow('The program does not start.');
  expect(said.err).toContain('To take it back: dewpoint tools remove notes');
});
