import { resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { ServerDefinition, ToolReport, ToolServerReport } from '@shared/tools/server-definition.ts';
import type { WebToolReport } from '@shared/tools/web-tools.ts';
import { isWebTool } from '@shared/tools/web-tools.ts';
import { definitionText, secretNames, serverDefinitionSchema } from '@shared/tools/server-definition.ts';
import { issuesText } from '../../../lib/issue-text.ts';
import { didYouMean } from '@shared/text/near-name.ts';
import { signInToServer, signOutOfServer } from './tools-sign-in.command.ts';
import { addComposio, connectAccount } from './composio-tools.command.ts';
import type { OwnToolsReport } from '@shared/tools/own-tool.ts';
import { findOwnTool, newTool, ownToolLine, ownToolProblems, ownTools } from './own-tools.command.ts';
import { serverTasks } from './server-tasks.command.ts';
import { webLine, webTools } from './web-tools.command.ts';
import { requireFolder } from '../checks/require-folder.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import type { ToolsAction, ToolsArguments } from '../program/tools-program.ts';
import { confirm } from '../questions/confirm.ts';
import { readSecret } from '../questions/read-secret.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine } from '../../text/terminal.ts';
import { quotedRows, showBlanks } from '../../text/quoted-rows.ts';

type Words = readonly [string, ...string[]];

/** `dewpoint tools`. The words of a server are quoted, so that they cannot pass for Dewpoint's. */
export const tools: Command<[ToolsAction, readonly string[], ToolsArguments]> = async (
  context,
  action,
  words,
  args,
) => {
  const { tools: core, web, ownTools: own } = await context.core();
  const { terminal } = context;
  if (args.project !== undefined) await requireFolder(resolve(args.project));
  const inProject = args.project === undefined ? {} : { projectPath: resolve(args.project) };
  if (action === 'list') {
    const listed = { servers: await core.list(inProject), web: await web.list(), own: await own.list(inProject) };
    return list(listed, terminal, args);
  }
  const [name = '', ...rest] = words;
  if (isWebTool(name)) return webTools(context, { action, name, rest, args });
  if (action === 'new') return newTool(context, name, args);
  const file = action === 'add' || action === 'import' ? null : await findOwnTool(context, name, args);
  if (file !== null) return ownTools(context, { action, tool: file, rest, args });
  if (action !== 'add' && action !== 'import' && action !== 'composio') await find(context, name);
  switch (action) {
    case 'add':
      return add(context, [name, ...rest], args);
    case 'import': {
      const where = args.onHost === true ? 'host' : 'container';
      const { added, skipped, unkept } = await core.importFile({ path: resolve(name), where });
      for (const one of skipped) terminal.err(`Not added: ${seenWords(one)}\n`);
      for (const one of unkept) terminal.err(`Added, but its keys were not saved: ${seenWords(one)}\n`);
      for (const one of added) terminal.out(`${one}\n`);
      if (added.length > 0) terminal.err(`Added ${added.length}. Approve each: dewpoint tools approve NAME\n`);
      return added.length === 0 ? 1 : 0;
    }
    case 'secret':
      await core.secret({ name, variable: rest[0] ?? '', value: await valueFor(context, name, rest[0] ?? '') });
      terminal.err(`${seenName(rest[0] ?? '')} of ${seenName(name)} is kept in your system's key store.\n`);
      return 0;
    case 'sign-in':
      return signInToServer(context, name, { byCode: args.code === true });
    case 'sign-out':
      return signOutOfServer(context, name);
    case 'approve':
      return approve(context, [name, ...rest], args);
    case 'composio':
      return addComposio(context, name, args);
    case 'connect':
      return connectAccount(context, { name, toolkit: rest[0], isJson: args.json === true });
    case 'tasks':
      return serverTasks(context, name, args);
    case 'on':
    case 'off': {
      const [tool] = rest;
      const which = { name, ...(tool === undefined ? {} : { tool }), ...inProject };
      show(await core.set({ ...which, isOn: action === 'on' }), terminal, args);
      return 0;
    }
    case 'reads':
      show(await core.markReading({ name, tool: rest[0] ?? '', isReading: args.undo !== true }), terminal, args);
      return 0;
    case 'remove':
      await core.remove({ name });
      terminal.err(`${seenName(name)} is removed.\n`);
      return 0;
    case 'test':
      show(await core.test({ name }), terminal, args);
      return 0;
    case 'show':
      show(await find(context, name), terminal, args);
      return 0;
    default:
      return action satisfies never;
  }
};

async function valueFor(context: CommandContext, name: string, variable: string): Promise<string> {
  const value = (await readSecret(context, `${seenName(variable)} of ${seenName(name)}`)).trim();
  if (value !== '') return value;
  throw usageError('No value was given.', `For example: dewpoint tools secret ${name} ${variable} < FILE`);
}

async function find({ core }: CommandContext, name: string): Promise<ToolServerReport> {
  const { tools: servers, ownTools: own, web } = await core();
  const all = await servers.list();
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = [...all, ...(await own.list({})).tools, ...(await web.list())].map((one) => one.name);
  throw new AppError('not-found', `There is no tool server or tool ${name}.`, {
    hint: `${didYouMean(name, names)}See: dewpoint tools list. For a tool of a project add: --project DIR`,
  });
}

const states = {
  'not-approved': 'not approved',
  off: 'off',
  'sign-in': 'sign in',
  idle: 'ready',
  running: 'running',
  failed: 'failed',
} as const satisfies Readonly<Record<ToolServerReport['state'], string>>;

interface Listed {
  readonly servers: readonly ToolServerReport[];
  readonly web: readonly WebToolReport[];
  readonly own: OwnToolsReport;
}

function list({ servers, web, own }: Listed, { out, err }: Terminal, { json }: ToolsArguments): number {
  if (json === true) {
    out(jsonLine([...servers, ...web, ...own.tools]));
    return 0;
  }
  for (const { name, state, text, tools: all } of servers) {
    const on = all.filter(({ isOn }) => isOn);
    const tokens = on.reduce((sum, one) => sum + one.tokens, 0);
    // Before the first approval nobody knows the tools.
    const known = all.length === 0 ? '' : `${on.length} of ${all.length} tools on, about ${tokens} tokens  `;
    out(`${name.padEnd(24)}  ${states[state].padEnd(12)}  ${known}${seenName(text)}\n`);
  }
  for (const one of own.tools) out(ownToolLine(one));
  for (const one of web) out(webLine(one));
  err(ownToolProblems(own));
  if (servers.length === 0) err('No tool servers. Add one: dewpoint tools add NAME ADDRESS\n');
  return 0;
}

function show(server: ToolServerReport, terminal: Terminal, { json }: ToolsArguments): void {
  const { out, err, colors } = terminal;
  if (json === true) return out(jsonLine(server));
  err(`${server.name}: ${states[server.state]}. ${seenName(server.text)}\n`);
  if (server.server !== null) err(`It calls itself: ${seenName(server.server)}\n`);
  err(
    server.definition.staysHere
      ? 'You said that it keeps what it gets on this machine.\n'
      : 'What it gets may leave this machine; your fences apply.\n',
  );
  for (const line of signInLines(server)) err(`${line}\n`);
  if (server.problem !== null) err(`${colors.yellow(seenWords(server.problem))}\n`);
  for (const tool of server.tools) {
    const used =
      tool.lastUsedAt === null ? 'never used' : `last used ${new Date(tool.lastUsedAt).toISOString().slice(0, 10)}`;
    const only = tool.isReading ? ', only reads' : '';
    const state = tool.isOn ? 'on' : tool.state === 'ready' ? 'off' : `off: ${tool.state}`;
    out(`${seenName(tool.name).padEnd(32)}  ${state.padEnd(12)}  about ${tool.tokens} tokens, ${used}${only}\n`);
  }
  if (server.leftOut > 0) err(`${server.leftOut} more tools are not listed: too many, too large or not usable.\n`);
  if (server.unusable.length > 0)
    err(`Left out, because they do not follow the protocol: ${server.unusable.map(seenName).join(', ')}\n`);
  if (server.tools.some(isToApprove))
    err(`To read and approve what is new or changed: dewpoint tools approve ${server.name}\n`);
}

function signInLines({ name, signIn }: ToolServerReport): readonly string[] {
  if (signIn === null) return [];
  const { isSignedIn, isNeeded, issuer, scopes, wanted } = signIn;
  const rights = scopes.length === 0 ? '' : ` (${seenName(scopes.join(' '))})`;
  return [
    ...(isSignedIn && issuer !== null ? [`You are signed in by ${seenName(issuer)}${rights}.`] : []),
    ...(isNeeded ? [`It needs you to sign in: dewpoint tools sign-in ${name}`] : []),
    ...(wanted === null ? [] : [`It wants more rights (${seenName(wanted)}): dewpoint tools sign-in ${name}`]),
  ];
}

function isToApprove({ state }: ToolReport): boolean {
  return state === 'new' || state === 'changed';
}

async function add(context: CommandContext, [name, ...words]: Words, args: ToolsArguments): Promise<number> {
  const definition = definitionOf(words, args);
  await (await context.core()).tools.add({ name, definition });
  const names = secretNames(definition);
  if (names.length > 0 && args.yes !== true) {
    context.terminal.err(
      `${name} is kept. Set what it needs, then approve it:\n${names.map((one) => `  dewpoint tools secret ${name} ${one}\n`).join('')}  dewpoint tools approve ${name}\n`,
    );
    return 0;
  }
  try {
    return await approve(context, [name], args);
  } catch (error) {
    context.terminal.err(
      `${name} was added, but it does not work yet. Try again: dewpoint tools approve ${name}. To take it back: dewpoint tools remove ${name}\n`,
    );
    throw error;
  }
}

function definitionOf(words: readonly string[], args: ToolsArguments): ServerDefinition {
  const [first = '', ...rest] = words;
  const isAddress = /^(?:https?|wss?):\/\//i.test(first);
  if (!isAddress && /^[a-z][a-z0-9+.-]*:\/\//i.test(first))
    throw usageError('The address of a server begins with https://, http://, wss:// or ws://.');
  if (!isAddress && args.clientId !== undefined) throw usageError('--client-id is for an address.');
  if (isAddress && (rest.length > 0 || args.onHost === true || args.env !== undefined || args.reach !== undefined))
    throw usageError('An address takes no arguments, no --env, no --reach and no --on-host.');
  if (!isAddress && args.header !== undefined) throw usageError('--header is for an address.');
  const staysHere = args.staysHere === true;
  const parsed = serverDefinitionSchema.safeParse(
    isAddress
      ? { kind: 'http', url: first, headers: args.header ?? [], staysHere, ...clientOf(args) }
      : {
          kind: 'stdio',
          command: first,
          args: rest,
          env: args.env ?? [],
          hosts: args.reach ?? [],
          where: args.onHost === true ? 'host' : 'container',
          staysHere,
        },
  );
  if (parsed.success) return parsed.data;
  throw usageError(issuesText(parsed.error.issues, 'the server'));
}

function clientOf({ clientId }: ToolsArguments): { readonly clientId?: string } {
  return clientId === undefined ? {} : { clientId };
}

/** Asks first about the server, then about its tools. Each question shows everything that is approved. */
async function approve(context: CommandContext, [name, ...chosen]: Words, args: ToolsArguments): Promise<number> {
  const { err, colors } = context.terminal;
  const { tools: core } = await context.core();
  let server = await find(context, name);
  if (!server.isApproved) {
    err(`${colors.yellow('May Dewpoint use this server?')}\n  ${seenName(definitionText(server.definition))}\n`);
    if (server.definition.kind === 'stdio' && server.definition.where === 'host')
      err('It runs on this machine, outside of any sandbox, with all that your user may do.\n');
    if (!(await isYes(context, 'Start it and read its list of tools?', args))) return said(context, name);
    server = await core.approve({ name, sha256: server.sha256 });
  } else server = await core.test({ name });
  const open = server.tools.filter((tool) => isToApprove(tool) && (chosen.length === 0 || chosen.includes(tool.tool)));
  if (open.length === 0) {
    show(server, context.terminal, args);
    return 0;
  }
  for (const tool of open) showOpen(tool, context.terminal);
  const what = open.length === 1 ? 'this tool' : `these ${open.length} tools`;
  if (!(await isYes(context, `May agents call ${what}? Each call is asked about.`, args))) return said(context, name);
  const approved = open.map(({ tool, sha256 }) => ({ tool, sha256 }));
  show(await core.approveTools({ name, tools: approved }), context.terminal, args);
  return 0;
}

function showOpen({ name, state, text, diff, tokens }: ToolReport, { err, columns, colors }: Terminal): void {
  err(`\n${colors.yellow(`${seenName(name)}: ${state}`)}, about ${tokens} tokens. The server says:\n`);
  const rows = quotedRows(showBlanks(diff ?? text ?? ''), columns);
  err(`${rows.join('\n')}\n`);
}

async function isYes(context: CommandContext, question: string, { yes }: ToolsArguments): Promise<boolean> {
  if (yes === true) return true;
  // A pipe may stay open forever.
  if (context.terminal.isInteractive) return confirm(question, context);
  context.terminal.err(`${question} Answer it at a terminal, or add --yes.\n`);
  return false;
}

function said({ terminal }: CommandContext, name: string): number {
  terminal.err(`Nothing was approved. To come back to it: dewpoint tools approve ${name}\n`);
  return 1;
}
