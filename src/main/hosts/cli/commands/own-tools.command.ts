import { resolve } from 'node:path';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { OwnToolReport, OwnToolsReport } from '@shared/tools/own-tool.ts';
import { runsApart } from '@shared/tools/own-tool.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { writerLine } from '@shared/tools/program-writer.ts';
import type { CommandContext } from '../../text/command-context.ts';
import type { ToolsAction, ToolsArguments } from '../program/tools-program.ts';
import { confirmAtTerminal } from '../questions/confirm.ts';
import { readSecret } from '../questions/read-secret.ts';
import { usageError } from '../../text/report-failure.ts';
import { quoteRows } from '../../text/quoted-rows.ts';
import { jsonLine } from '../../text/terminal.ts';

interface OwnToolCommand {
  readonly action: ToolsAction;
  readonly tool: OwnToolReport;
  readonly rest: readonly string[];
  readonly args: ToolsArguments;
}

/** `dewpoint tools` for tools from files. Content of a file is quoted, so that it cannot pass for Dewpoint's words. */
export async function ownTools(context: CommandContext, { action, tool, rest, args }: OwnToolCommand): Promise<number> {
  const { ownTools: core } = await context.core();
  const { terminal } = context;
  const which = { name: tool.name, ...(args.project === undefined ? {} : { projectPath: args.project }) };
  switch (action) {
    case 'show':
      show(tool, context, args);
      return 0;
    case 'on':
    case 'off':
      terminal.out(ownToolLine(await core.set({ ...which, isOn: action === 'on' })));
      return 0;
    case 'test': {
      if (tool.hosts.length > 0) terminal.err(`It may reach: ${tool.hosts.map(seenName).join(', ')}\n`);
      const { status, text } = await core.test({ ...which, input: argumentsIn(tool.name, rest) });
      terminal.out(args.json === true ? jsonLine({ status, text }) : `${printable(text)}\n`);
      return status === 'ok' ? 0 : 1;
    }
    case 'secret': {
      const [variable = ''] = rest;
      const value = (await readSecret(context, `${seenName(variable)} of ${tool.name}`)).trim();
      if (value === '')
        throw usageError('No value was given.', `For example: dewpoint tools secret ${tool.name} ${variable} < FILE`);
      await core.secret({ ...which, variable, value });
      terminal.err(`${seenName(variable)} of ${tool.name} is kept in your system's key store.\n`);
      return 0;
    }
    case 'approve':
      return approve(context, { tool, args });
    case 'remove': {
      const { path } = await core.forget(which);
      terminal.err(
        `The keys and approvals of ${tool.name} are removed. To remove the tool, delete ${seenName(path)}\n`,
      );
      return 0;
    }
    default:
      throw usageError(
        `${tool.name} is a tool from a file: it has no server.`,
        'You can: on, off, show, test, secret, approve and remove.',
      );
  }
}

/** `dewpoint tools new`: creates a file that works at once. */
export async function newTool(context: CommandContext, name: string, args: ToolsArguments): Promise<number> {
  const { ownTools: core } = await context.core();
  const { terminal } = context;
  const made = await core.create({
    name,
    ...(args.language === undefined ? {} : { language: args.language }),
    ...(args.example === undefined ? {} : { example: args.example }),
    ...(args.project === undefined ? {} : { projectPath: args.project }),
  });
  terminal.out(`${seenName(made.path)}\n`);
  const project = args.project === undefined ? '' : ` --project ${args.project}`;
  const secrets = made.secrets.map((one) => `Save its key: dewpoint tools secret ${name} ${one}${project}\n`);
  terminal.err(
    `${secrets.join('')}Agents are offered it from their next message on. What it is: dewpoint tools show ${name}${project}\n`,
  );
  return 0;
}

/** Null: no tool from a file has this name. A broken one leaves its name to a server. */
export async function findOwnTool(
  context: CommandContext,
  name: string,
  { project }: Pick<ToolsArguments, 'project'>,
): Promise<OwnToolReport | null> {
  const core = await context.core();
  const inProject = project === undefined ? {} : { projectPath: project };
  const found = (await core.ownTools.list(inProject)).tools.find((one) => one.name === name || one.file === name);
  if (found === undefined) return null;
  const hasServer = found.state === 'broken' && (await core.tools.list(inProject)).some((one) => one.name === name);
  return hasServer ? null : found;
}

const states = {
  'not-approved': 'not approved',
  changed: 'changed',
  broken: 'broken',
} as const satisfies Readonly<Record<Exclude<OwnToolReport['state'], 'ready'>, string>>;

function stateOf({ state, isOn }: OwnToolReport): string {
  if (state !== 'ready') return states[state];
  return isOn ? 'on' : 'off';
}

export function ownToolLine(tool: OwnToolReport): string {
  const about =
    tool.problem === null
      ? `about ${tool.tokens} tokens, ${mayText(tool)}`
      : `${seenName(tool.file)}: ${seenWords(tool.problem)}`;
  return `${seenName(tool.name).padEnd(24)}  ${stateOf(tool).padEnd(12)}  ${about}\n`;
}

function writerOf({ program }: OwnToolReport): string {
  return program === null ? '' : `${writerLine(program.writer, program.today)}\n`;
}

/** Parts of a folder that could not be read. */
export function ownToolProblems({ problems }: OwnToolsReport): string {
  return problems.map((one) => `${seenWords(one)}\n`).join('');
}

function mayText(tool: OwnToolReport): string {
  if (tool.program !== null) {
    const calls = tool.program.calls.map(({ tool: name, most }) => `${seenName(name)} (at most ${most})`);
    return `works in the workspace, calls ${calls.length === 0 ? 'no tool' : calls.join(', ')}`;
  }
  if (!runsApart(tool)) return 'works in the workspace, reaches no host';
  const hosts = tool.hosts.length === 0 ? 'no host' : tool.hosts.map(seenName).join(', ');
  const secrets = tool.secrets.length === 0 ? '' : `, gets ${tool.secrets.map(seenName).join(', ')}`;
  return `sees no files, reaches ${hosts}${secrets}`;
}

function show(tool: OwnToolReport, { terminal }: CommandContext, { json }: ToolsArguments): void {
  const { out, err, columns } = terminal;
  if (json === true) return out(jsonLine(tool));
  out(ownToolLine(tool));
  err(`File: ${seenName(tool.path)}\n${writerOf(tool)}`);
  if (tool.description !== '') err(`Its file says:\n${quoteRows(tool.description, columns)}\n`);
  if (tool.state !== 'broken') err(`It is stopped after ${tool.timeoutSeconds} s.\n`);
  const { lastUsedAt } = tool;
  err(lastUsedAt === null ? 'It was never used.\n' : `Last used ${new Date(lastUsedAt).toISOString().slice(0, 10)}.\n`);
  if (tool.text !== null) err(`To read and approve it: dewpoint tools approve ${tool.name} --project DIR\n`);
}

async function approve(
  context: CommandContext,
  { tool, args }: Pick<OwnToolCommand, 'tool' | 'args'>,
): Promise<number> {
  const { err, columns, colors, out } = context.terminal;
  const { name, text, diff, sha256, path } = tool;
  if (text === null) {
    out(ownToolLine(tool));
    return tool.state === 'broken' ? 1 : 0;
  }
  const what = diff === null ? 'This file would be run' : 'This file changed since you approved it';
  err(`${colors.yellow(`${what}, in the sandbox:`)} ${seenName(path)}\n${quoteRows(diff ?? text, columns)}\n`);
  err(`What it may do: ${mayText(tool)}.\n${writerOf(tool)}`);
  const asking = { what: `The tool ${name}`, without: 'To approve exactly this file, add --yes.' };
  const question = 'May agents call it? A change of the file asks again.';
  if (args.yes !== true && !(await confirmAtTerminal(question, context, asking))) {
    err(`Nothing was approved. To come back to it: dewpoint tools approve ${name} --project DIR\n`);
    return 1;
  }
  const projectPath = args.project ?? resolve('.');
  out(ownToolLine(await (await context.core()).ownTools.approve({ name, sha256, projectPath })));
  return 0;
}

/** The arguments for a trial: one object as JSON, or none. */
function argumentsIn(name: string, words: readonly string[]): Record<string, unknown> {
  const text = words.join(' ').trim();
  const example = `For example: dewpoint tools test ${name} '{"path": "README.md"}'`;
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { ...value };
  } catch {
    throw usageError('The arguments are no JSON.', example);
  }
  throw usageError('The arguments are no JSON object.', example);
}
