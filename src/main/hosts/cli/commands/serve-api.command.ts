import type { EndpointClient } from '@shared/contract/endpoint-contract.ts';
import { printable } from '@shared/text/seen-text.ts';
import { startApiServer, usualPort } from '../../api/api-server.ts';
import type { OpenCore } from '../../connection/open-core.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { padRight } from '../../text/columns.ts';
import { jsonLine } from '../../text/terminal.ts';

/** Serves models to other programs until Ctrl-C, or until the owner of the home has ended. */
export async function serveApi(context: CommandContext, opened: OpenCore, port: number | null): Promise<number> {
  const { terminal } = context;
  const server = await startApiServer(opened.client, { port: port ?? usualPort });
  terminal.out(`${server.url}/v1\n`);
  terminal.err(terminal.colors.dim(`on this machine only; for Anthropic clients ${server.url}; Ctrl-C stops it\n`));
  if ((await opened.client.endpoint.clients()).length === 0) {
    terminal.err('No program has a key yet. Make one: dewpoint serve keys add NAME\n');
  }
  const code = await servedUntilAsked(context, opened);
  await server.close();
  return code;
}

/** Resolves with the exit code: 0 after Ctrl-C, 1 if the core is gone. */
export async function servedUntilAsked({ terminal, signal }: CommandContext, opened: OpenCore): Promise<number> {
  const asked = new Promise<'asked'>((done) => {
    if (signal.aborted) done('asked');
    signal.addEventListener('abort', () => done('asked'), { once: true });
  });
  const ended = await Promise.race([asked, opened.closed]);
  if (ended === 'asked') return 0;
  terminal.err('the Dewpoint process that owns this home has ended; start again to continue\n');
  return 1;
}

interface KeyArguments {
  readonly cloud?: boolean;
  readonly json?: boolean;
}

/** The keys of programs. */
export const serveKeys: Command<['add' | 'list' | 'revoke', string, KeyArguments]> = (context, action, name, args) => {
  if (action === 'list') return listKeys(context, args);
  return action === 'add' ? addKey(context, name, args) : revokeKey(context, name);
};

async function addKey(context: CommandContext, name: string, { cloud }: KeyArguments): Promise<number> {
  const { terminal } = context;
  const { endpoint } = await context.core();
  const mayLeave = cloud === true;
  const { key } = await endpoint.addClient({ name, mayLeave });
  terminal.out(`${key}\n`);
  terminal.err(`This is the key of ${name}. It is shown once; Dewpoint keeps its hash only.\n`);
  terminal.err(
    mayLeave
      ? 'It may use cloud models, within your spending limits. Known secrets and patterns of your fences hold; fences that name files do not, because a program does not say which file a text is from.\n'
      : 'It may use models on this machine only.\n',
  );
  return 0;
}

async function listKeys({ core, terminal }: CommandContext, { json }: KeyArguments): Promise<number> {
  const clients = await (await core()).endpoint.clients();
  if (json === true) {
    terminal.out(jsonLine(clients));
    return 0;
  }
  for (const client of clients) terminal.out(`${padRight(printable(client.name), 20)} ${wordsOf(client)}\n`);
  if (clients.length === 0) terminal.err('No program has a key. Make one: dewpoint serve keys add NAME\n');
  return 0;
}

async function revokeKey({ core, terminal }: CommandContext, name: string): Promise<number> {
  await (await core()).endpoint.removeClient({ name });
  terminal.err(`The key of ${printable(name)} is revoked. What it cost stays in your costs.\n`);
  return 0;
}

function wordsOf({ mayLeave, createdAt, lastUsedAt }: EndpointClient): string {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const used = lastUsedAt === null ? 'not used yet' : `last used ${day(lastUsedAt)}`;
  return `${padRight(mayLeave ? 'local and cloud' : 'local only', 16)} made ${day(createdAt)}, ${used}`;
}
