import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { issuesText } from '../../../lib/issue-text.ts';
import { composioDefinitionSchema, composioKeyName } from '@shared/tools/composio.ts';
import type { CommandContext } from '../../text/command-context.ts';
import type { ToolsArguments } from '../program/tools-program.ts';
import { usageError } from '../../text/report-failure.ts';
import { jsonLine } from '../../text/terminal.ts';

/** `dewpoint tools composio`: stores the server. Nothing is sent before its key is set and it is approved. */
export async function addComposio(context: CommandContext, name: string, args: ToolsArguments): Promise<number> {
  const parsed = composioDefinitionSchema.safeParse({
    kind: 'composio',
    user: args.user,
    url: args.address,
    mode: args.mcp === true ? 'mcp' : 'native',
    toolkits: (args.toolkit ?? []).map((one) => one.toLowerCase()),
    directTools: args.direct === true,
    workbench: args.workbench === true,
  });
  if (!parsed.success) throw usageError(issuesText(parsed.error.issues, 'the server'));
  await (await context.core()).tools.add({ name, definition: parsed.data });
  context.terminal.err(
    `${name} is kept. Set the key of your project at Composio, then approve it:\n  dewpoint tools secret ${name} ${composioKeyName}\n  dewpoint tools approve ${name}\n`,
  );
  return 0;
}

interface Wanted {
  readonly name: string;
  readonly toolkit: string | undefined;
  readonly isJson: boolean;
}

const states = { connected: 'connected', 'not-connected': 'not connected', 'none-needed': 'needs no account' } as const;

/** `dewpoint tools connect`: prints the link on stdout and waits until the account is connected. Ctrl-C ends it. */
export async function connectAccount(
  { core, terminal, signal }: CommandContext,
  { name, toolkit, isJson }: Wanted,
): Promise<number> {
  const { tools } = await core();
  const { out, err } = terminal;
  if (toolkit === undefined) {
    const all = await tools.connections({ name }, { signal });
    if (isJson) out(jsonLine(all));
    else
      for (const { toolkit: slug, state, status } of all) {
        const more = status === null || status === 'ACTIVE' ? '' : ` (${seenName(status)})`;
        out(`${seenName(slug).padEnd(24)}  ${states[state]}${more}\n`);
      }
    if (all.length === 0) err(`No accounts are connected. Connect one: dewpoint tools connect ${name} TOOLKIT\n`);
    return 0;
  }
  const shown = seenName(toolkit);
  const { link } = await tools.connect({ name, toolkit }, { signal });
  if (link === null) {
    err(`${shown} is connected already, or needs no account.\n`);
    return 0;
  }
  err(`Open this link in your browser and sign in to ${shown}. Dewpoint waits; Control-C ends the wait.\n`);
  out(isJson ? jsonLine({ link }) : `${seenWords(link)}\n`);
  await tools.connected({ name, toolkit }, { signal });
  err(`${shown} is connected.\n`);
  return 0;
}
