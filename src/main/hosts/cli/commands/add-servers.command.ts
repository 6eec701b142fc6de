import { resolve } from 'node:path';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { ServerDefinition, ServerImport, ToolReport, ToolServerReport } from '@shared/tools/server-definition.ts';
import { definitionText, secretNames, serverDefinitionSchema } from '@shared/tools/server-definition.ts';
import { issuesText } from '../../../lib/issue-text.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { quotedRows, showBlanks } from '../../text/quoted-rows.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import type { ToolsArguments } from '../program/tools-program.ts';
import { confirm } from '../questions/confirm.ts';
import { findServer, isToApprove, showServer } from '../reports/server-lines.ts';

type Words = readonly [string, ...string[]];

/** Adds what a README says, a well-known server, or a name with an address or a program. */
export async function addServer(context: CommandContext, words: Words, args: ToolsArguments): Promise<number> {
  const [name, ...rest] = words;
  const isGiven = name === '' || (await isPasted(context, name, rest));
  return isGiven ? addPasted(context, words, args) : add(context, words, args);
}

/** Changes what is started or reached. What is not named stays as it is. */
export async function editServer(
  context: CommandContext,
  [name, ...words]: Words,
  args: ToolsArguments,
): Promise<number> {
  const { tools: core } = await context.core();
  const { definition: before } = await findServer(context, name);
  if (before.kind === 'composio') throw usageError(`${name} cannot be edited. Remove it, and add it again.`);
  const definition = editedBy(words.length === 0 ? before : movedTo(before, definitionOf(words, args)), args);
  if (words.length > 0 && !(await mayExpose(context, { name, definition }, args))) return 1;
  await core.change({ name, definition });
  const kept = isSameOrigin(before, definition) ? secretNames(before) : [];
  const keys = secretNames(definition).filter((one) => !kept.includes(one));
  return approveWithKeys(context, { name, keys, did: 'changed' }, args);
}

type EditableServer = Exclude<ServerDefinition, { kind: 'composio' }>;

/** Another address or program in the place of the old one. All else stays, where it is of the same kind. */
function movedTo(before: EditableServer, next: EditableServer): EditableServer {
  if (before.kind === 'stdio' && next.kind === 'stdio') return { ...before, command: next.command, args: next.args };
  if (before.kind !== 'http' || next.kind !== 'http') return next;
  // Only who answers at the old address was trusted, and knows the client.
  if (!isSameOrigin(before, next)) return { ...next, headers: before.headers };
  return { ...before, url: next.url };
}

/** Keys that were kept for one address are never sent to another. */
function isSameOrigin(one: EditableServer, other: EditableServer): boolean {
  if (one.kind === 'stdio' || other.kind === 'stdio') return one.kind === other.kind;
  return new URL(one.url).origin === new URL(other.url).origin;
}

function editedBy(
  definition: EditableServer,
  { onHost, inContainer, reach, env, header, staysHere = definition.staysHere }: ToolsArguments,
): EditableServer {
  if (definition.kind === 'http') return { ...definition, staysHere, headers: [...(header ?? definition.headers)] };
  const where = onHost === true ? 'host' : inContainer === true ? 'container' : definition.where;
  const hosts = where === 'host' ? [] : [...new Set([...definition.hosts, ...(reach ?? [])])];
  return { ...definition, staysHere, where, hosts, env: [...new Set([...definition.env, ...(env ?? [])])] };
}

const hostOnlyText = {
  engine: 'It starts containers itself, which works only on this machine.',
  path: 'It names a folder or program of this machine, which its container does not see.',
} as const satisfies Readonly<Record<NonNullable<ToolServerReport['hostOnly']>, string>>;

/** Whether the words are what a README says, or a well-known server. Otherwise the first is a name. */
async function isPasted({ core }: CommandContext, name: string, rest: readonly string[]): Promise<boolean> {
  const known = (await (await core()).tools.known()).find((one) => one.name === name);
  if (rest.length === 0) return true;
  return known?.asksFolder === true
    ? rest.length === 1 && !/^[a-z]+:/iu.test(rest[0] ?? '')
    : name === 'npx' || name === 'uvx';
}

async function addPasted(context: CommandContext, [name, ...rest]: Words, args: ToolsArguments): Promise<number> {
  const { terminal } = context;
  const { tools: core } = await context.core();
  const known = await core.known();
  if (name === '') {
    for (const one of known)
      terminal.out(`${one.name.padEnd(16)}  ${one.does}${one.needs === null ? '' : ` (needs ${one.needs})`}\n`);
    terminal.err('Add one: dewpoint tools add NAME. Or quote what the README of another says.\n');
    return 0;
  }
  const [folder] = rest;
  if (known.some((one) => one.name === name)) {
    await core.addKnown({ name, ...(folder === undefined ? {} : { folder: resolve(folder) }) });
    return approveAdded(context, [name], args);
  }
  const text = [name, ...rest.map((word) => JSON.stringify(word))].join(' ');
  const where = args.onHost === true ? ('host' as const) : ('container' as const);
  const hosts = where === 'host' ? [] : [...(args.reach ?? [])];
  const outcome = await importAsked(context, args, (mayExpose) => core.importText({ text, where, hosts, mayExpose }));
  return outcome.added.length === 0 ? 1 : approveAdded(context, outcome.added, args, outcome.unset);
}

/** Imports servers. Asks first where a key would stay in the settings in the clear, and adds nothing without a yes. */
export async function importAsked(
  context: CommandContext,
  args: ToolsArguments,
  run: (mayExpose: boolean) => Promise<ServerImport>,
): Promise<ServerImport> {
  const { err, colors } = context.terminal;
  let outcome = await run(false);
  if (outcome.exposed.length > 0) {
    err(
      `${colors.yellow('What looks like a key would stay in the settings, where everyone who reads them sees it:')}\n`,
    );
    for (const one of outcome.exposed) err(`  ${seenName(one)}\n`);
    if (await isYes(context, 'Add it all the same?', args)) outcome = await run(true);
    else err('Nothing was added. A variable keeps a key in the key store: API_KEY=… in front of the command.\n');
  }
  for (const one of outcome.skipped) err(`Not added: ${seenWords(one)}\n`);
  for (const one of outcome.unkept) err(`Added, but its keys were not saved: ${seenWords(one)}\n`);
  return outcome;
}

/** One server after another: each by itself, so that one without its keys does not keep the others back. */
async function approveAdded(
  context: CommandContext,
  names: readonly string[],
  args: ToolsArguments,
  unset: ServerImport['unset'] = {},
): Promise<number> {
  let code = 0;
  for (const name of names) {
    const { hostOnly } = await findServer(context, name);
    if (hostOnly !== null)
      context.terminal.err(`${hostOnlyText[hostOnly]} To run it there: dewpoint tools edit ${name} --on-host\n`);
    const keys = unset[name] ?? [];
    code = Math.max(code, await approveWithKeys(context, { name, keys, did: 'kept' }, args));
  }
  return code;
}

interface KeptServer {
  readonly name: string;
  /** Its variables or headers without a value. */
  readonly keys: readonly string[];
  readonly did: 'kept' | 'changed';
}

/** A server without its keys waits for them, unless somebody said yes to everything. */
async function approveWithKeys(
  context: CommandContext,
  { name, keys, did }: KeptServer,
  args: ToolsArguments,
): Promise<number> {
  if (keys.length === 0) return approveServer(context, [name], args);
  const lines = keys.map((one) => `  dewpoint tools secret ${name} ${seenName(one)}\n`).join('');
  if (args.yes === true) {
    context.terminal.err(`${name} has no value for these yet:\n${lines}`);
    return approveServer(context, [name], args);
  }
  context.terminal.err(
    `${name} is ${did}. Set what it needs, then approve it:\n${lines}  dewpoint tools approve ${name}\n`,
  );
  return 0;
}

async function add(context: CommandContext, [name, ...words]: Words, args: ToolsArguments): Promise<number> {
  const definition = definitionOf(words, args);
  if (!(await mayExpose(context, { name, definition }, args))) return 1;
  await (await context.core()).tools.add({ name, definition });
  try {
    return await approveWithKeys(context, { name, keys: secretNames(definition), did: 'kept' }, args);
  } catch (error) {
    context.terminal.err(
      `${name} was added, but it does not work yet. Try again: dewpoint tools approve ${name}. To take it back: dewpoint tools remove ${name}\n`,
    );
    throw error;
  }
}

/** Asks where a key would stay in a command line. Nothing is saved without a yes. */
async function mayExpose(
  context: CommandContext,
  { name, definition }: { readonly name: string; readonly definition: ServerDefinition },
  args: ToolsArguments,
): Promise<boolean> {
  const exposed = await (await context.core()).tools.exposed({ definition });
  if (exposed === null) return true;
  const { err, colors } = context.terminal;
  err(`${colors.yellow('What looks like a key would stay in the settings and in the list of programs:')}\n`);
  err(`  ${seenName(exposed)}\n`);
  if (await isYes(context, 'Save it all the same?', args)) return true;
  err(`Nothing was saved. The key store keeps it: --env API_KEY, then dewpoint tools secret ${name} API_KEY\n`);
  return false;
}

function definitionOf(words: readonly string[], args: ToolsArguments): EditableServer {
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
  if (parsed.success && parsed.data.kind !== 'composio') return parsed.data;
  throw usageError(issuesText(parsed.error?.issues ?? [], 'the server'));
}

function clientOf({ clientId }: ToolsArguments): { readonly clientId?: string } {
  return clientId === undefined ? {} : { clientId };
}

/** Asks first about the server, then about its tools. Each question shows everything that is approved. */
export async function approveServer(
  context: CommandContext,
  [name, ...chosen]: Words,
  args: ToolsArguments,
): Promise<number> {
  const { err, colors } = context.terminal;
  const { tools: core } = await context.core();
  let server = await findServer(context, name);
  if (!server.isApproved) {
    err(`${colors.yellow('May Dewpoint use this server?')}\n  ${seenName(definitionText(server.definition))}\n`);
    if (server.definition.kind === 'stdio' && server.definition.where === 'host')
      err('It runs on this machine, outside of any sandbox, with all that your user may do.\n');
    if (!(await isYes(context, 'Start it and read its list of tools?', args))) return said(context, name);
    server = await core.approve({ name, sha256: server.sha256 }).catch(async (error: unknown) => {
      await tellWants(context, name);
      throw error;
    });
  } else server = await core.test({ name });
  const open = server.tools.filter((tool) => isToApprove(tool) && (chosen.length === 0 || chosen.includes(tool.tool)));
  if (open.length === 0) {
    showServer(server, context.terminal, args);
    return 0;
  }
  for (const tool of open) showOpen(tool, context.terminal);
  const what = open.length === 1 ? 'this tool' : `these ${open.length} tools`;
  if (!(await isYes(context, `May agents call ${what}? Each call is asked about.`, args))) return said(context, name);
  const approved = open.map(({ tool, sha256 }) => ({ tool, sha256 }));
  showServer(await core.approveTools({ name, tools: approved }), context.terminal, args);
  return 0;
}

/** Why a program may have failed in its container, and the command that mends it. */
async function tellWants(context: CommandContext, name: string): Promise<void> {
  const { wants, definition } = await findServer(context, name);
  const { err } = context.terminal;
  if (definition.kind !== 'stdio' || definition.where === 'host') return;
  const hosts = wants.map(seenName);
  if (hosts.length > 0) {
    const flags = hosts.map((host) => ` --reach ${host}`).join('');
    err(`It needs ${hosts.join(', ')}. To allow that: dewpoint tools edit ${name}${flags}\n`);
  }
  err(`To run it on this machine instead: dewpoint tools edit ${name} --on-host\n`);
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
