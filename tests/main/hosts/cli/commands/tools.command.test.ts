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

// Catches: an edit that drops what it does not name, with the keys that were kept for it.
it('the tools command replaces an address or a program in place, and keeps all else of it', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  const address = ['docs', 'https://mcp.example.com/mcp'];
  await tools(context, 'add', address, { header: ['Authorization'], clientId: 'me', staysHere: true, yes: true });
  await tools(context, 'edit', ['docs', 'https://mcp.example.com/v2/mcp'], {});
  const docs = { kind: 'http', url: 'https://mcp.example.com/v2/mcp', headers: ['Authorization'] };
  expect(core.tools.servers.docs?.definition).toEqual({ ...docs, clientId: 'me', staysHere: true });
  // What was said of one address holds for no other, and its key has to be given again.
  expect(await tools(context, 'edit', ['docs', 'https://other.example.com/mcp'], {})).toBe(0);
  expect(core.tools.servers.docs?.definition).toEqual({
    ...docs,
    url: 'https://other.example.com/mcp',
    staysHere: false,
  });
  expect(said.err).toContain('docs is changed. Set what it needs, then approve it:');
  const host = { env: ['KEY'], onHost: true, yes: true };
  await tools(context, 'add', ['files', 'python3', 'old.py'], host);
  await tools(context, 'edit', ['files', 'python3', 'new.py'], {});
  expect(core.tools.servers.files).toMatchObject({ definition: { args: ['new.py'], env: ['KEY'], where: 'host' } });
  await tools(context, 'add', ['web', 'python3', 'old.py'], { reach: ['api.example.org'], yes: true });
  await tools(context, 'edit', ['web', 'python3', 'new.py', '--all'], {});
  expect(core.tools.servers.web).toMatchObject({
    definition: { args: ['new.py', '--all'], hosts: ['api.example.org'], where: 'container' },
  });
});

// Catches: a server that is started before it has its key, and a demand for a key that was just kept.
it('the tools command waits for the keys that a pasted server has no value for, and for no others', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  expect(await tools(context, 'add', ['KEY=<YOUR_KEY> TOKEN=abc npx -y @example/server-notes'], {})).toBe(0);
  expect(said.err).toContain(
    'Set what it needs, then approve it:\n  dewpoint tools secret notes KEY\n  dewpoint tools approve notes\n',
  );
  expect(said.err).not.toContain('May Dewpoint use this server?');
  await tools(context, 'add', ['TOKEN=abc npx -y @example/server-clock'], {});
  expect(said.err).not.toContain('dewpoint tools secret clock');
  expect(said.err).toContain('May Dewpoint use this server?');
});

// Catches: the same with a name in front, or in an edit, where nobody was told.
it('the tools command saves no typed or edited server with a key in its line without a yes', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  const secret = 'q7Xk29fLm3Zt81VbNc40Rw';
  const line = ['npx', 'notes-server', '--api-key', secret];
  expect(await tools(context, 'add', ['notes', ...line], {})).toBe(1);
  expect(core.tools.servers).toEqual({});
  expect(said.err).toContain('in the list of programs');
  expect(said.err).toContain('--env API_KEY, then dewpoint tools secret notes API_KEY');
  expect(said.err).not.toContain(secret);
  await core.client.tools.add({
    name: 'notes',
    definition: {
      kind: 'stdio',
      command: 'npx',
      args: ['notes-server'],
      env: [],
      where: 'container',
      hosts: [],
      staysHere: false,
    },
  });
  expect(await tools(context, 'edit', ['notes', ...line], {})).toBe(1);
  expect(JSON.stringify(core.tools.servers)).not.toContain(secret);
  await tools(context, 'edit', ['notes', ...line], { yes: true });
  expect(JSON.stringify(core.tools.servers)).toContain(secret);
});

// Catches: a key in an argument that stays in the settings, though nobody was told.
it('the tools command adds no server with a key in its arguments without a yes, and does not print the key', async () => {
  const core = createPageCore();
  const { context, said } = commandContext(core);
  const secret = 'q7Xk29fLm3Zt81VbNc40Rw';
  const line = `npx mcp-remote https://x.example.org/mcp --header "Authorization: Bearer ${secret}"`;
  expect(await tools(context, 'add', [line], {})).toBe(1);
  expect(core.tools.servers).toEqual({});
  expect(said.err).toContain('What looks like a key would stay in the settings');
  expect(said.err).toContain('Add it all the same?');
  expect(said.err).not.toContain(secret);
  await tools(context, 'add', [line], { yes: true });
  expect(JSON.stringify(core.tools.servers)).toContain(secret);
});

it('the tools command adds several servers of one machine, each with a name of its own', async () => {
  const core = createPageCore();
  const { context } = commandContext(core);
  await tools(context, 'add', ['http://127.0.0.1:8000/mcp'], {});
  await tools(context, 'add', ['http://[::1]:3000/mcp'], {});
  expect(Object.keys(core.tools.servers)).toEqual(['server', 'server-2']);
  expect(await tools(context, 'add', ['http://127.0.0.1:8000/mcp'], {})).toBe(1);
});
