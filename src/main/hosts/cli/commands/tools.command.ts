import { resolve } from 'node:path';
import { seenName } from '@shared/text/seen-text.ts';
import type { ToolServerReport } from '@shared/tools/server-definition.ts';
import type { WebToolReport } from '@shared/tools/web-tools.ts';
import { isWebTool } from '@shared/tools/web-tools.ts';
import { signInToServer, signOutOfServer } from './tools-sign-in.command.ts';
import { addServer, approveServer, editServer, importAsked } from './add-servers.command.ts';
import { addComposio, connectAccount } from './composio-tools.command.ts';
import type { OwnToolsReport } from '@shared/tools/own-tool.ts';
import { findOwnTool, newTool, ownToolLine, ownToolProblems, ownTools } from './own-tools.command.ts';
import { serverTasks } from './server-tasks.command.ts';
import { findServer, reachedText, serverStates, showServer } from '../reports/server-lines.ts';
import { calculateName, calculateReport, calculateTool, toolLine, webTools } from './web-tools.command.ts';
import type { CalculateReport } from './web-tools.command.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import type { ToolsAction, ToolsArguments } from '../program/tools-program.ts';
import { readSecret } from '../questions/read-secret.ts';
import { projectOfWord } from './projects/named-project.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine } from '../../text/terminal.ts';

/** `dewpoint tools`. The words of a server are quoted, so that they cannot pass for Dewpoint's. */
export const tools: Command<[ToolsAction, readonly string[], ToolsArguments]> = async (
  context,
  action,
  words,
  given,
) => {
  const { tools: core } = await context.core();
  const { terminal } = context;
  const project = given.project === undefined ? undefined : await projectOfWord(context.core, given.project);
  const args = project === undefined ? given : { ...given, project };
  const inProject = project === undefined ? {} : { projectPath: project };
  if (action === 'list') return list(await listed(context, inProject), terminal, args);
  const [name = '', ...rest] = words;
  if (isWebTool(name)) return webTools(context, { action, name, rest, args });
  if (name === calculateName) return calculateTool(context, action, args);
  if (action === 'new') return newTool(context, name, args);
  const file = action === 'add' || action === 'import' ? null : await findOwnTool(context, name, args);
  if (file !== null) return ownTools(context, { action, tool: file, rest, args });
  if (action !== 'add' && action !== 'import' && action !== 'composio') await findServer(context, name);
  switch (action) {
    case 'add':
      return addServer(context, [name, ...rest], args);
    case 'edit':
      return editServer(context, [name, ...rest], args);
    case 'import': {
      const where = args.onHost === true ? 'host' : 'container';
      const { added } = await importAsked(context, args, (mayExpose) =>
        core.importFile({ path: resolve(name), where, mayExpose }),
      );
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
      return approveServer(context, [name, ...rest], args);
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
      showServer(await core.set({ ...which, isOn: action === 'on' }), terminal, args);
      return 0;
    }
    case 'reads':
      showServer(await core.markReading({ name, tool: rest[0] ?? '', isReading: args.undo !== true }), terminal, args);
      return 0;
    case 'remove':
      await core.remove({ name });
      terminal.err(`${seenName(name)} is removed.\n`);
      return 0;
    case 'ask-again':
    case 'test':
      showServer(await (action === 'test' ? core.test({ name }) : askAgain(core, name, rest)), terminal, args);
      return 0;
    case 'show':
      showServer(await findServer(context, name), terminal, args);
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

interface Listed {
  readonly servers: readonly ToolServerReport[];
  readonly web: readonly WebToolReport[];
  readonly calculate: CalculateReport;
  readonly own: OwnToolsReport;
}

async function listed(context: CommandContext, inProject: { readonly projectPath?: string }): Promise<Listed> {
  const { tools: core, web, ownTools: own, settings } = await context.core();
  return {
    servers: await core.list(inProject),
    web: await web.list(),
    own: await own.list(inProject),
    calculate: await calculateReport(settings),
  };
}

function list({ servers, web, own, calculate }: Listed, { out, err }: Terminal, { json }: ToolsArguments): number {
  if (json === true) {
    out(jsonLine([...servers, ...web, calculate, ...own.tools]));
    return 0;
  }
  for (const server of servers) {
    const { name, state, text, tools: all } = server;
    const on = all.filter(({ isOn }) => isOn);
    const tokens = on.reduce((sum, one) => sum + one.tokens, 0);
    // Before the first approval nobody knows the tools.
    const known = all.length === 0 ? '' : `${on.length} of ${all.length} tools on, about ${tokens} tokens  `;
    out(
      `${name.padEnd(24)}  ${serverStates[state].padEnd(12)}  ${known}${reachedText(server) === '' ? '' : `${reachedText(server)}  `}${seenName(text)}\n`,
    );
  }
  for (const one of own.tools) out(ownToolLine(one));
  for (const one of [...web, calculate]) out(toolLine(one));
  err(ownToolProblems(own));
  if (servers.length === 0) err('No tool servers. To see some to add: dewpoint tools add\n');
  return 0;
}

function askAgain(core: CoreClient['tools'], name: string, [tool = '']: readonly string[]): Promise<ToolServerReport> {
  return core.askAgain({ name, tool });
}
