import { AppError } from '@shared/errors.ts';
import { didYouMean } from '@shared/text/near-name.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { ToolReport, ToolServerReport } from '@shared/tools/server-definition.ts';
import type { CommandContext } from '../../text/command-context.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine } from '../../text/terminal.ts';
import type { ToolsArguments } from '../program/tools-program.ts';

export async function findServer({ core }: CommandContext, name: string): Promise<ToolServerReport> {
  const { tools: servers, ownTools: own, web } = await core();
  const all = await servers.list();
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = [...all, ...(await own.list({})).tools, ...(await web.list())].map((one) => one.name);
  throw new AppError('not-found', `There is no tool server or tool ${name}.`, {
    hint: `${didYouMean(name, names)}See: dewpoint tools list. For a tool of a project add: --project DIR`,
  });
}

export const serverStates = {
  'not-approved': 'not approved',
  off: 'off',
  'sign-in': 'sign in',
  'no-tools': 'no tools',
  idle: 'ready',
  running: 'running',
  failed: 'failed',
} as const satisfies Readonly<Record<ToolServerReport['state'], string>>;

/** Says when a server answered last. Empty: it is not known. */
export function reachedText({ reachedAt }: Pick<ToolServerReport, 'reachedAt'>): string {
  return reachedAt === null
    ? ''
    : `last reached ${new Date(reachedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function showServer(server: ToolServerReport, terminal: Terminal, { json }: ToolsArguments): void {
  const { out, err, colors } = terminal;
  if (json === true) return out(jsonLine(server));
  const reached = reachedText(server);
  err(
    `${server.name}: ${serverStates[server.state]}${reached === '' ? '' : `, ${reached}`}. ${seenName(server.text)}\n`,
  );
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
    const only = `${tool.isReading ? ', only reads' : ''}${tool.isAlways ? ', always allowed' : ''}`;
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

export function isToApprove({ state }: ToolReport): boolean {
  return state === 'new' || state === 'changed';
}
