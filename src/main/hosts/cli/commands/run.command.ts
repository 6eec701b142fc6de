import { join, resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { callFile } from '@shared/sandbox/call-file.ts';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { withLastChosen } from '@shared/session/chosen-options.ts';
import type { IssueTask } from '@shared/git/issue-task.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { escapedJson, seenCommand, seenName } from '@shared/text/seen-text.ts';
import { orNoted } from '../../../lib/log.ts';
import { jsonText } from '../../../lib/files/json-file.ts';
import { projectKey } from '../../../lib/files/project-key.ts';
import { askEachWay, refuseWithOthers, waysToAsk } from '../turn/ask-others.ts';
import { attachableFile, attachFile, attachResources } from '../turn/attach-file.ts';
import { askAnswer, howToAnswer } from '../questions/ask-answer.ts';
import { askApproval } from '../questions/approval-question.ts';
import { askCap } from '../questions/cap-question.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { showResult } from '../../text/result-text.ts';
import { shownCurrency } from '../../text/shown-currency.ts';
import { followTurn } from '../../text/follow-turn.ts';
import { flagsAgain, type FlagValues } from '../program/run-flags.ts';
import { parseRunOptions } from '../turn/parse-run-options.ts';
import { createLiveView } from '../terminal/live-view.ts';
import { ensureModel } from './models/models.command.ts';
import { checkOutputFile, writeOutputFile } from '../terminal/output-file.ts';
import { offerPreparation } from './projects/prepare-project.command.ts';
import { previewFiles } from '../../text/preview-files.ts';
import { keyOfWord } from './projects/named-project.ts';
import { readTask } from '../turn/read-task.ts';
import { withAssistant } from '../checks/with-assistant.ts';
import { isLeftOpen } from '../../text/agent-question.ts';
import { reportFailure, usageError } from '../../text/report-failure.ts';
import { requireModels } from '../../text/require-models.ts';
import { jsonLine, oneLine } from '../../text/terminal.ts';
import { sizeText } from '@shared/text/size-text.ts';

/** The options as commander returns them. */
export interface RunArguments extends FlagValues {
  readonly image?: readonly string[];
  readonly file?: readonly string[];
  readonly json?: boolean;
  readonly result?: string;
  readonly saveCalls?: boolean;
  readonly issue?: string;
  /** The remote whose host has the issue. */
  readonly remote?: string;
  /** Other models that get the same question. */
  readonly also?: readonly string[];
  /** Messages that follow, each when the one before it has ended. */
  readonly afterwards?: readonly string[];
}

export const run: Command<[string, RunArguments]> = async (context, taskText, args) => {
  const { terminal } = context;
  if (args.remote !== undefined && args.issue === undefined)
    throw usageError('A remote is only named for an issue.', 'For example: --issue 12 --remote upstream');
  const words = args.issue !== undefined && taskText === '' ? '' : await readTask(taskText);
  const isInteractive = terminal.isInteractive && args.json !== true;
  const options = await keptIn(context, await withProject(context, parseRunOptions(args, isInteractive), args.project));
  const issue = args.issue === undefined ? null : await issueTask(context, args, options.projectPath);
  const task = issue === null ? words : `${words}\n\n${issue.text}`.trim();
  if (args.also !== undefined) refuseWithOthers({ ...args });
  // Checked first, so that a wrong name starts no session.
  for (const path of [...(args.image ?? []), ...(args.file ?? [])]) await attachableFile(path);
  if (args.result !== undefined) await checkOutputFile(args.result);
  const asked = await waysToAsk(context, { also: args.also ?? [], text: task, options });
  const ways = await Promise.all(asked.map((way) => withAssistant(context, way)));
  for (const way of ways) await requireModels(context, { ...way, policies: way.policy && [way.policy] });
  const core = await context.core();
  if (options.projectPath !== undefined && options.sandbox !== 'read-only' && options.mode !== 'plan') {
    await offerPreparation(context, options.projectPath, options.interactive);
  }
  const place = await placeOf(context, options);
  const given = [...(await attachAll(context, place, args)), ...(await attachResources(context, place, words))];
  for (const way of ways) await ensureModel(context, way);
  const message = { place, text: task, attachments: given };
  for (const way of asked)
    await previewFiles(context, { ...message, options: way }, 'Choose one with --local or --cloud');
  const sessionId = await openSession(context, options, issue?.title ?? oneLine(task, 80));
  const isFirst = options.sessionId === undefined;
  if (asked.length > 1)
    return askEachWay(context, { ...message, sessionId, isFirst, ways: asked, isJson: args.json === true });
  const view = createLiveView(terminal, context.now);
  terminal.err(`${terminal.colors.dim(`session ${sessionId}`)}\n`);
  if (args.saveCalls === true) await saveCalls(context, sessionId);
  // The question was asked a moment ago, and is to be answered later.
  let isLeft = false;
  const follow = (text: string, attachments: readonly Attachment[], isFirst: boolean) =>
    followTurn(context, core, {
      sessionId,
      isFirst,
      text,
      attachments,
      options,
      onEvent: (event) => {
        if (args.json === true) terminal.out(jsonLine(event));
        view.event(event);
      },
      onTransient: (transient) => view.transient(transient),
      approve: async (question, signal) => {
        view.close();
        const reply = await askApproval(question, { ...context, signal: AbortSignal.any([context.signal, signal]) });
        isLeft = reply !== null && isLeftOpen(question, reply);
        return reply;
      },
      onRefused: (error) => void reportFailure(error, terminal),
      atCap: (event) => {
        view.close();
        return askCap(event, context);
      },
    });
  await follow(task, given, isFirst);
  const afterwards = [...(args.afterwards ?? [])];
  for (;;) {
    view.close();
    const result = await core.sessions.result({ sessionId });
    const currency = await shownCurrency(core);
    showResult(result, terminal, { isJson: args.json === true, flags: flagsAgain(args), currency });
    const isAsked = result.status === 'waiting' && options.interactive && !isLeft;
    const answer = afterwards.shift() ?? (isAsked ? await askAnswer(context) : null);
    if (answer === null) return endRun(context, args, result);
    await follow(answer, [], false);
  }
};

/** The issue that a run begins from. Says what was found, because its words are those of others. */
async function issueTask(
  { core, signal, terminal }: CommandContext,
  { issue = '', remote = null }: { readonly issue?: string; readonly remote?: string | null },
  projectPath: string | undefined,
): Promise<IssueTask> {
  if (projectPath === undefined)
    throw usageError('An issue belongs to a project.', 'For example: dewpoint run --project . --issue 12');
  const found = await (await core()).git.issue({ projectPath, issue, remote }, { signal });
  const said = found.comments === 1 ? '1 comment' : `${found.comments} comments`;
  terminal.err(`${seenName(found.title)} (${found.isOpen ? 'open' : 'closed'}, ${said}): ${seenName(found.url)}\n`);
  terminal.err(`${terminal.colors.dim(`A commit of this session goes to the branch ${found.branch}.`)}\n`);
  return found;
}

/** Says where the calls will be, before the first one. */
async function saveCalls({ core, terminal }: CommandContext, sessionId: string): Promise<void> {
  const { sessions } = await core();
  const { refused } = await sessions.organize({ sessionIds: [sessionId], savesCalls: true });
  for (const { why } of refused) throw new AppError('conflict', `Tool calls cannot be written to a file: ${why}`);
  const { workspace } = (await sessions.show({ sessionId })).state;
  const path = join(workspace?.path ?? '', callFile(sessionId));
  terminal.err(`${terminal.colors.dim(`tool calls ${seenName(path)}`)}\n`);
}

/** The options with the project that the user named: a folder, or the key of a project without one. */
export async function withProject(
  { core }: Pick<CommandContext, 'core'>,
  { projectPath, ...options }: RunOptions,
  word: string | boolean | undefined,
): Promise<RunOptions> {
  if (typeof word !== 'string' || projectPath === undefined)
    return { ...options, ...(projectPath === undefined ? {} : { projectPath }) };
  const key = await keyOfWord(core, word);
  return hasNoFolder(key) ? { ...options, projectKey: key } : { ...options, projectPath: key };
}

/** An option that is not given stays as it was chosen in the session. A new one begins with what its project chooses. */
export async function keptIn(context: CommandContext, options: RunOptions): Promise<RunOptions> {
  const { projectPath: folder } = options;
  const key = options.projectKey ?? (folder === undefined ? undefined : await projectKey(folder));
  if (options.sessionId === undefined && key === undefined) return options;
  const core = await context.core();
  if (options.sessionId === undefined) {
    const head = (await core.projects.records()).find((one) => one.key === key);
    const { assistant = null, mode = null } = head ?? {};
    return withLastChosen(options, {
      ...(assistant === null ? {} : { assistant }),
      ...(mode === null ? {} : { mode }),
    });
  }
  const { sessionId } = await core.sessions.find({ id: options.sessionId });
  const { state } = await core.sessions.show({ sessionId });
  return withLastChosen(options, state.chosen);
}

async function endRun(context: CommandContext, args: RunArguments, result: RunResult): Promise<number> {
  const { terminal } = context;
  if (result.status === 'waiting')
    terminal.err(`${terminal.colors.dim(howToAnswer(result.session, flagsAgain(args)))}\n`);
  await nameBackground(context, result.session);
  if (args.result !== undefined) await writeOutputFile(args.result, escapedJson(jsonText(result)));
  return exitCodes[result.status];
}

/** The folder for the files of a message before its session exists. Null: there is none yet. */
async function placeOf(context: CommandContext, options: RunOptions): Promise<FilePlace | null> {
  if (options.sessionId !== undefined) {
    const core = await context.core();
    return { sessionId: (await core.sessions.find({ id: options.sessionId })).sessionId };
  }
  return options.projectPath === undefined ? null : { projectPath: options.projectPath };
}

async function attachAll(
  context: CommandContext,
  place: FilePlace | null,
  { image = [], file = [] }: RunArguments,
): Promise<readonly Attachment[]> {
  const given: Attachment[] = [];
  for (const path of image) given.push(await attachFile(context, { path, place, kind: 'image' }));
  for (const path of file) given.push(await attachFile(context, { path, place, kind: 'file' }));
  return given;
}

/** A talk without a project reads nothing of the folder where it is started, and says so if there is something to read. */
async function nameKnowledgeHere({ core, terminal, signal }: CommandContext, folder: string): Promise<void> {
  const { knowledge } = await core();
  const found = await knowledge
    .list({ projectPath: folder }, { signal })
    .catch(orNoted('Knowledge was not listed', null));
  if (found !== null && found.files.length > 0)
    terminal.err(`${terminal.colors.dim("This folder's project has knowledge: add --project . to use it.")}\n`);
}

/** The session that the options name, or a new one. */
export async function openSession(context: CommandContext, options: RunOptions, title?: string): Promise<string> {
  const core = await context.core();
  if (options.sessionId !== undefined) return (await core.sessions.find({ id: options.sessionId })).sessionId;
  const { projectPath = null, projectKey, workspace, sandbox } = options;
  if (projectPath === null && projectKey === undefined) await nameKnowledgeHere(context, resolve('.'));
  if (workspace === 'copy' && projectPath !== null) await showCopySize(context, projectPath);
  const request = {
    projectPath,
    ...(projectKey === undefined ? {} : { project: projectKey }),
    ...(title === undefined ? {} : { title }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
  return (await core.sessions.create(request, { signal: context.signal })).sessionId;
}

/** A smaller copy is finished before anybody could read about it. */
const bigCopy = { files: 10_000, bytes: 100 * 1024 * 1024 };

async function showCopySize({ core, terminal, signal }: CommandContext, projectPath: string): Promise<void> {
  const { files, bytes: size, leftOut } = await (await core()).projects.copySize({ projectPath }, { signal });
  if (files >= bigCopy.files || size >= bigCopy.bytes)
    terminal.err(`Copying ${filesText(files)}, ${sizeText(size)}. Ctrl-C cancels it and removes the copy.\n`);
  if (leftOut.paths.length === 0) return;
  const names = leftOut.paths.map(seenName).join(', ');
  const more = leftOut.morePaths === 0 ? '' : ` and ${leftOut.morePaths.toLocaleString('en')} more`;
  terminal.err(
    `Ignored files are not copied: ${filesText(leftOut.files)}, ${sizeText(leftOut.bytes)} (${names}${more}).\n`,
  );
}

function filesText(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`;
}

/** Names what still runs in the background of a session that the user leaves. */
export async function nameBackground({ core, terminal }: CommandContext, sessionId: string): Promise<void> {
  const { state } = await (await core()).sessions.show({ sessionId });
  for (const { id, command, status } of state.sandbox?.services ?? [])
    if (status === 'running')
      terminal.err(`background process ${seenName(id)} ends with the session: ${oneLine(seenCommand(command), 120)}\n`);
}
