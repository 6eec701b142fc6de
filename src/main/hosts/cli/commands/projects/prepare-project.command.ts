import {
  filesLabel,
  partLabel,
  type PreparationPart,
  type PreparationPlan,
} from '@shared/projects/project-preparation.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { seenCommand, seenName, seenWords } from '@shared/text/seen-text.ts';
import { quoteRows } from '../../../text/quoted-rows.ts';
import { confirm } from '../../questions/confirm.ts';
import { asWord } from '../../program/run-flags.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { withoutResult } from '../../../text/report-failure.ts';
import { jsonLine, oneLine } from '../../../text/terminal.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { usualLimits } from '../../../../sandbox/network/network-decision.ts';
import { orNoted } from '../../../../lib/log.ts';
import { folderOfWord } from './named-project.ts';

export interface PrepareArguments {
  readonly yes?: boolean;
  readonly anew?: boolean;
  readonly languageServers?: boolean;
  readonly host?: readonly string[];
  readonly json?: boolean;
}

/** Shows how a project's packages would be installed, asks, and installs them. */
export const prepareProject: Command<[string | undefined, PrepareArguments]> = async (context, folder, args) => {
  const { terminal } = context;
  const projectPath = await folderOfWord(context.core, folder ?? '.');
  const hosts = args.host ?? [];
  const core = await context.core();
  const request = { projectPath, hosts: [...hosts], anew: args.anew, languageServers: args.languageServers };
  const plan = await core.projects.preparation(request, { signal: context.signal });
  await nameToolchains(context, projectPath);
  for (const note of plan.notes ?? []) terminal.err(`${terminal.colors.yellow(seenWords(note))}\n`);
  const open = plan.parts.filter(({ state }) => state !== 'ready');
  if (open.length === 0) {
    showParts(plan, context, args.json === true);
    return 0;
  }
  showPlan(plan, context);
  if (args.yes !== true && !terminal.isInteractive) {
    terminal.err('Nobody can answer here. To install without asking: --yes\n');
    return exitCodes['needs-approval'];
  }
  if (
    args.yes !== true &&
    !(await confirm('Run these commands in a container that reaches only these hosts?', context))
  ) {
    terminal.err('Nothing was installed.\n');
    return exitCodes['needs-approval'];
  }
  const ended = await install(plan, request, context);
  showParts(ended, context, args.json === true);
  return ended.parts.every(({ state }) => state === 'ready') ? 0 : 1;
};

/** Before a run: names missing packages, and offers to install them if it can ask. The run continues in any case. */
export async function offerPreparation(context: CommandContext, projectPath: string, canAsk: boolean): Promise<void> {
  const { terminal } = context;
  const core = await context.core();
  // Without a container engine nothing can be installed. The run itself reports that.
  const parts = await core.projects
    .parts({ projectPath }, { signal: context.signal })
    .catch(orNoted('The packages of the project were not looked up', []));
  await nameToolchains(context, projectPath);
  const open = parts.filter(({ state, isNeeded }) => isNeeded && state !== 'ready');
  if (open.length === 0) return;
  for (const part of open) terminal.err(`${terminal.colors.yellow(seenWords(sentenceOf(part)))}\n`);
  if (canAsk && open.some(({ state }) => state !== 'failed')) {
    const plan = await core.projects.preparation({ projectPath, hosts: [] }, { signal: context.signal });
    showPlan(plan, context);
    if (await confirm('Install them now, in a container that reaches only these hosts?', context)) {
      showParts(await install(plan, { projectPath, hosts: [] }, context), context, false);
      return;
    }
  }
  terminal.err(`Install them with: dewpoint projects prepare ${seenName(asWord(projectPath))}\n`);
}

/** Names the toolchains that the project needs and the sandbox lacks, and the command that brings them. */
async function nameToolchains(context: CommandContext, projectPath: string): Promise<void> {
  const { terminal } = context;
  const core = await context.core();
  const image = await core.projects
    .image({ projectPath }, { signal: context.signal })
    .catch(orNoted('The image of the project was not looked up', null));
  if (image?.toolchains === undefined || image.isUsed) return;
  terminal.err(
    `${terminal.colors.yellow(seenWords(`The sandbox has no ${image.toolchains.join(', ')}, which this project needs.`))}\n`,
  );
  terminal.err(`Add it with: dewpoint sandbox image use ${seenName(asWord(projectPath))}\n`);
}

async function install(
  plan: PreparationPlan,
  request: {
    readonly projectPath: string;
    readonly hosts: string[];
    readonly anew?: boolean | undefined;
    readonly languageServers?: boolean | undefined;
  },
  { core, terminal, signal }: CommandContext,
): Promise<PreparationPlan> {
  const input = { ...request, projectPath: plan.projectPath, approval: plan.approval };
  for await (const progress of await (await core()).projects.prepare(input, { signal })) {
    if (progress.type === 'ended') return progress.plan;
    terminal.err(`${terminal.colors.dim(`$ ${oneLine(progress.text, 300)}`)}\n`);
  }
  throw withoutResult('The installation', 'Run it again to go on.', signal);
}

/** Everything that is approved: the exact commands, where they run, and which hosts they reach. */
function showPlan(plan: PreparationPlan, { terminal }: CommandContext): void {
  const say = (text: string): void => terminal.err(`${text}\n`);
  for (const part of plan.parts) {
    if (part.state === 'ready') continue;
    say(
      `${seenName(partLabel(part))} packages (${part.tool}), by ${filesLabel(part.files.map(seenName)) || 'the settings'}:`,
    );
    for (const command of part.commands) say(quoteRows(command, terminal.columns));
    if (part.state === 'failed' && part.reason !== null) say(`  The last attempt failed: ${seenWords(part.reason)}`);
  }
  const most = sizeText(usualLimits.maxReceivedBytes);
  say(`They run in a container on a copy of the project, download at most ${most} each, and reach only:`);
  for (const { host, why } of plan.hosts) say(`  ${seenName(host)}  (${seenWords(why)})`);
  if (plan.hosts.length === 0) say('  nothing');
  if (plan.variables.length > 0)
    say(`They get these variables from your settings: ${plan.variables.map(seenName).join(', ')}`);
}

function showParts(plan: PreparationPlan, { terminal }: CommandContext, isJson: boolean): void {
  if (isJson) terminal.out(jsonLine(plan));
  if (plan.parts.length === 0) terminal.err('This project has no packages to install.\n');
  for (const part of plan.parts) terminal.err(`${seenWords(sentenceOf(part))}\n`);
  const hasServers = plan.parts.some(({ commands }) =>
    commands.some((command) => command.includes('.language-servers')),
  );
  if (!hasServers && plan.parts.some(({ ecosystem }) => hasServer.includes(ecosystem)))
    terminal.err(`${terminal.colors.dim(serversHint)}\n`);
}

const hasServer: readonly string[] = ['python', 'javascript', 'go'];
const serversHint =
  'With --language-servers, models can also find uses, rename in one change, and see new errors after an edit.';

function sentenceOf(part: PreparationPart): string {
  const name = `${partLabel(part)} packages (${part.tool})`;
  const size = part.sizeBytes === null ? '' : `, ${sizeText(part.sizeBytes)}`;
  switch (part.state) {
    case 'ready':
      return `${name}: installed, ${part.packages ?? 'unknown'} packages${size}.${changedText(part)}`;
    case 'outdated':
      return `${name}: installed before ${filesLabel(part.files)} changed; the old packages are used until you install again.`;
    case 'failed':
      return `${name}: not installed. ${part.reason ?? ''}`;
    case 'missing':
      return `${name}: not installed; commands find only what the sandbox image has.`;
    default:
      return part.state satisfies never;
  }
}

/** Commands that changed the packages since they were installed from the files. */
function changedText({ changedBy = [] }: PreparationPart): string {
  if (changedBy.length === 0) return '';
  return ` Changed since then by: ${changedBy.map((command) => oneLine(seenCommand(command), 120)).join('; ')}. To install them again: --anew.`;
}
