import { printable } from '@shared/text/seen-text.ts';
import type { WebToolName, WebToolReport } from '@shared/tools/web-tools.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { CommandContext } from '../../text/command-context.ts';
import type { ToolsAction, ToolsArguments } from '../program/tools-program.ts';
import { readSecret } from '../questions/read-secret.ts';
import { usageError } from '../../text/report-failure.ts';
import { jsonLine } from '../../text/terminal.ts';

interface WebToolCall {
  readonly action: ToolsAction;
  readonly name: WebToolName;
  readonly rest: readonly string[];
  readonly args: ToolsArguments;
}

/** `dewpoint tools` for the web tools, which have no server. The text of a page is printed as foreign prose. */
export async function webTools(context: CommandContext, { action, name, rest, args }: WebToolCall): Promise<number> {
  const { web } = await context.core();
  const { terminal } = context;
  switch (action) {
    case 'on':
    case 'off': {
      terminal.out(toolLine(await web.set({ name, isOn: action === 'on' })));
      return 0;
    }
    case 'show': {
      const found = (await web.list()).find((one) => one.name === name);
      if (found !== undefined) terminal.out(args.json === true ? jsonLine(found) : toolLine(found));
      return 0;
    }
    case 'test': {
      const text = rest.join(' ');
      if (text === '')
        throw usageError(`Say what to try ${name} with.`, `For example: dewpoint tools test ${examples[name]}`);
      const found = await web.test({ name, text });
      terminal.out(args.json === true ? jsonLine(found) : `${printable(found.text)}\n`);
      return 0;
    }
    case 'secret': {
      const [service = ''] = rest;
      const value = (await readSecret(context, `Key of ${service}`)).trim();
      if (value === '')
        throw usageError('No value was given.', `For example: dewpoint tools secret ${name} ${service} < FILE`);
      await web.secret({ service, value });
      terminal.err(`The key of ${service} is kept in your system's key store.\n`);
      return 0;
    }
    default:
      throw usageError(
        `${name} is a tool of Dewpoint: it has no server.`,
        'You can: on, off, show, test, and secret for web_search.',
      );
  }
}

/** A tool that Dewpoint brings, in a list. */
export function toolLine({
  name,
  isOn,
  lacks,
  description,
}: Omit<WebToolReport, 'name'> & { readonly name: string }): string {
  const state = !isOn ? 'off' : lacks === null ? 'on' : 'not ready';
  return `${name.padEnd(24)}  ${state.padEnd(12)}  ${lacks ?? description}\n`;
}

const examples = {
  web_read: 'web_read https://example.com',
  web_search: 'web_search "node lts schedule"',
  http_request: 'http_request https://example.com/api',
} as const satisfies Readonly<Record<WebToolName, string>>;

export const calculateName = 'calculate';

/** Whether conversations may compute. */
export interface CalculateReport {
  readonly name: typeof calculateName;
  readonly description: string;
  readonly isOn: boolean;
  readonly lacks: null;
}

/** `dewpoint tools` for the tool that computes: it has one switch, a setting. */
export async function calculateTool(
  { core, terminal }: CommandContext,
  action: ToolsAction,
  { json }: ToolsArguments,
): Promise<number> {
  const { settings } = await core();
  if (action !== 'on' && action !== 'off' && action !== 'show')
    throw usageError(`${calculateName} is a tool of Dewpoint: it has no server.`, 'You can: on, off, show.');
  if (action !== 'show') await settings.set({ key: calculateName, value: action === 'on' });
  const report = await calculateReport(settings);
  terminal.out(json === true ? jsonLine(report) : toolLine(report));
  return 0;
}

export async function calculateReport(settings: Pick<CoreClient['settings'], 'get'>): Promise<CalculateReport> {
  const isOn = (await settings.get({ key: calculateName })) === true;
  return { name: calculateName, description, isOn, lacks: null };
}

const description =
  'runs Python in a container, in conversations; without a project, files stay with the session until you delete it';
