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

it('the tools command adds what a README says, and asks before it starts it', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  expect(await tools(context, 'add', ['npx -y @example/server-notes'], {})).toBe(1);
  expect(core.tools.servers.notes).toMatchObject({
    approved: null,
    definition: { command: 'npx', args: ['-y', '@example/server-notes'], hosts: ['registry.npmjs.org'] },
  });
  expect(said.err).toContain('in a container that may reach registry.npmjs.org');
  await tools(context, 'add', ['uvx', 'mcp-server-clock'], {});
  expect(core.tools.servers.clock).toMatchObject({ definition: { command: 'uvx', args: ['mcp-server-clock'] } });
});

it('the tools command lists well-known servers, adds one by its name, and names what it cannot see', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  expect(await tools(context, 'add', [], {})).toBe(0);
  expect(said.out).toContain('filesystem');
  await tools(context, 'add', ['memory'], {});
  expect(core.tools.servers.memory).toMatchObject({ definition: { command: 'npx' } });
  await expect(tools(context, 'add', ['filesystem'], {})).rejects.toThrow('filesystem works on a folder');
  await tools(context, 'add', ['npx -y @example/server-files /srv/notes'], {});
  expect(said.err).toContain('It names a folder or program of this machine');
  expect(said.err).toContain('dewpoint tools edit files --on-host');
});

it('the tools command edits a server in place, keeps what is not named, and asks for approval again', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  await tools(context, 'add', ['npx -y @example/server-notes'], { yes: true });
  expect(core.tools.servers.notes?.approved).not.toBeNull();
  await tools(context, 'edit', ['notes'], { reach: ['api.example.org'] });
  expect(core.tools.servers.notes).toMatchObject({
    approved: null,
    definition: { args: ['-y', '@example/server-notes'], hosts: ['registry.npmjs.org', 'api.example.org'] },
  });
  await tools(context, 'edit', ['notes'], { onHost: true });
  expect(core.tools.servers.notes).toMatchObject({ definition: { where: 'host', hosts: [] } });
  expect(said.err).toContain('It runs on this machine, outside of any sandbox');
});

it('the tools command says which host a server that failed asked for, and how to allow it', async () => {
  const core = createPageCore();
  core.tools.problems.set('notes', 'The tool server notes could not be used.');
  core.tools.refused.set('notes', ['api.example.org']);
  const { context, said } = commandContext(core);
  const adding = tools(context, 'add', ['npx -y @example/server-notes'], { yes: true });
  await expect(adding).rejects.toThrow('could not be used');
  expect(said.err).toContain('dewpoint tools edit notes --reach api.example.org');
  expect(said.err).toContain('dewpoint tools edit notes --on-host');
});
