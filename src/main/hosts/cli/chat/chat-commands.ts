import { attachmentLabel } from '@shared/attachments/attachment-text.ts';
import { bothText } from '@shared/money/currency.ts';
import { editedSteps, planMessage, planSteps, planText } from '@shared/session/plan-steps.ts';
import { commandsFor, parseSlash, slashSentences } from '@shared/session/slash-commands.ts';
import { fillTemplate, templateAbout } from '@shared/session/prompt-templates.ts';
import { promptName } from '@shared/tools/found-offers.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { CapDecision } from '../../../money/budget.ts';
import { parseCapAnswer } from '../questions/cap-question.ts';
import { answerQuestion } from './chat-questions.ts';
import type { Chat } from './chat-state.ts';
import { attachFile } from '../turn/attach-file.ts';
import { changes } from '../commands/sessions/changes.command.ts';
import { compare } from '../commands/compare.command.ts';
import { editText } from '../terminal/edit-text.ts';
import { chooseInTask } from '../../text/choose-in-task.ts';
import { usageError } from '../../text/report-failure.ts';
import { findAssistant, withAssistant } from '../checks/with-assistant.ts';
import { oneLine } from '../../text/terminal.ts';
import { requireModels } from '../../text/require-models.ts';
import { modeTexts } from '../../text/event-lines.ts';
import { shownCurrency } from '../../text/shown-currency.ts';
import { ensureModel } from '../commands/models/models.command.ts';
import { route } from '../commands/route.command.ts';

/**
 * Runs a line that begins with `/`. False: leave the chat. Rejects with the error of the command. What is chosen while a
 * task runs goes to that task, too.
 */
export async function runChatCommand(chat: Chat, line: string): Promise<boolean> {
  const { context, sessionId, options: before } = chat;
  const isRunning = chat.running !== null;
  const goesOn = await runCommand(chat, line);
  if (!isRunning || chat.options === before) return goesOn;
  const text = await chooseInTask(await context.core(), { sessionId, before, now: chat.options });
  if (text !== null) context.terminal.err(`${text}\n`);
  return goesOn;
}

async function runCommand(chat: Chat, line: string): Promise<boolean> {
  const parsed = parseSlash(line, 'terminal');
  if (parsed === null) throw usageError(`"${line}" is not a command.`, 'Type /help to see all commands.');
  if (parsed.type === 'unknown') {
    if (await sayTemplate(chat, line)) return true;
    const near = parsed.nearest === null ? '' : ` Did you mean /${parsed.nearest}?`;
    throw usageError(`Unknown command /${parsed.typed}.${near}`, 'Type /help to see all commands.');
  }
  const { name, rest } = parsed;
  if (name === 'quit') return false;
  const { context, sessionId } = chat;
  const { terminal } = context;
  const words = rest === '' ? [] : rest.split(/\s+/u);
  switch (name) {
    case 'help':
      terminal.err(helpText());
      break;
    case 'templates':
      terminal.err(await templatesText(chat));
      break;
    case 'plan':
      await plan(chat, rest);
      break;
    case 'ask':
    case 'work':
      if (rest !== '') await chat.say(rest, { ...chat.options, mode: name });
      else {
        chat.options = { ...chat.options, mode: name };
        tellChoice(chat, `From the next message on: ${modeTexts[name]}.`);
      }
      break;
    case 'local':
      if (chat.cap === null) await setPolicy(chat, 'local');
      else await answerCap(chat, { answer: 'local' });
      break;
    case 'cloud':
      await setPolicy(chat, 'cloud');
      break;
    case 'auto':
      await setPolicy(chat, 'hybrid');
      break;
    case 'model':
      await setModel(chat, words[0]);
      break;
    case 'assistant':
      await setAssistant(chat, rest);
      break;
    case 'image':
    case 'attach':
      await attach(chat, name, rest);
      break;
    case 'compact':
      chat.options = { ...chat.options, compact: true };
      terminal.err('The conversation will be summarized before the next message.\n');
      break;
    case 'compare':
      if (rest === '') throw usageError('Add a task: /compare TASK');
      await compare(context, rest, chat.projectPath === null ? {} : { project: chat.projectPath });
      break;
    case 'diff':
      await changes(context, sessionId, ['show', ...words], {});
      break;
    case 'take':
    case 'undo':
      await changes(context, sessionId, [name, ...words], {});
      break;
    default:
      await ask(chat, name, words);
  }
  return true;
}

/** Questions about the session, and answers for a running turn. */
async function ask(
  chat: Chat,
  name: 'cost' | 'route' | 'raise' | 'stop' | 'allow' | 'deny',
  words: readonly string[],
): Promise<void> {
  const { context, sessionId } = chat;
  const core = await context.core();
  switch (name) {
    case 'cost':
      context.terminal.err(
        `${bothText(await shownCurrency(core), (await core.sessions.find({ id: sessionId })).costUsd)}\n`,
      );
      return;
    case 'route':
      await route(context, sessionId, words[0], {});
      return;
    case 'raise':
      return answerCap(chat, parseCapAnswer(`raise ${words[0] ?? ''}`));
    case 'allow':
    case 'deny':
      return answerQuestion(chat, name, words[0]);
    case 'stop':
      if (chat.running === null) throw usageError('Nothing is running.');
      await core.sessions.cancel({ sessionId });
      context.terminal.err('Stopping.\n');
      return;
    default:
      name satisfies never;
  }
}

function helpText(): string {
  const rows = commandsFor('terminal').map(({ name, argument }) => [`/${name} ${argument}`, slashSentences[name]]);
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return `${rows.map(([left = '', right = '']) => `${left.padEnd(width)}  ${right}`).join('\n')}\n@FILE, @FOLDER/ or @FILE:10-20 in a message attaches it as data\n`;
}

/** Sends one of the user's templates. False: there is no template with this name. */
async function sayTemplate(chat: Chat, line: string): Promise<boolean> {
  const { templates } = await (await chat.context.core()).templates.list({ projectPath: chat.project });
  const [typed = '', rest = ''] = line.slice(1).split(/\s(.*)/su);
  const template = templates.find(({ name }) => name === typed);
  if (template === undefined) return false;
  const { text, missing } = fillTemplate(template.text, rest);
  if (missing.length > 0) {
    const places = missing.map((name) => `${name}=…`).join(' ');
    throw usageError(`The prompt /${typed} still needs: ${missing.join(', ')}.`, `Write /${typed} ${places}`);
  }
  chat.context.terminal.err(printable(`${text}\n`));
  await chat.say(text, chat.options);
  return true;
}

/**
 * Sends a prompt of a tool server. The line has the form `/server:prompt name=value …`. At a terminal, the user can
 * first edit the prompt in their editor. False: there is no such prompt.
 */
export async function sayServerPrompt(chat: Chat, line: string): Promise<boolean> {
  const [typed = '', rest = ''] = line.slice(1).split(/\s(.*)/su);
  if (!line.startsWith('/') || !typed.includes(':')) return false;
  const { context, sessionId } = chat;
  const core = await context.core();
  const place = { sessionId };
  const prompt = (await core.attachments.prompts({ place })).find((one) => promptName(one) === typed);
  if (prompt === undefined) return false;
  const values = Object.fromEntries(
    [...rest.matchAll(/(?<!\S)([^\s=]+)=(?:"([^"]*)"|(\S+))/gu)].map(([, name, quoted, plain]) => [
      name,
      quoted ?? plain,
    ]),
  );
  const missing = prompt.arguments.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(values, name));
  if (missing.length > 0) {
    const places = missing.map(({ name }) => `${seenName(name)}=…`).join(' ');
    throw usageError(
      `The prompt /${seenName(typed)} needs more. Nothing was sent.`,
      `Write /${seenName(typed)} ${places}`,
    );
  }
  const { server, name } = prompt;
  const taken = await core.attachments.takePrompt({ place, server, name, values }, { signal: context.signal });
  const { isInteractive } = context.terminal;
  const text = isInteractive
    ? await chat.withoutPrompt(() => editText(taken.text, 'prompt.md', process.env))
    : taken.text;
  if (text.trim() === '') throw usageError('There are no words left. Nothing was sent.');
  context.terminal.err(printable(`${text}\n`));
  chat.attached = [...chat.attached, ...taken.attachments];
  await chat.say(text, chat.options);
  return true;
}

async function templatesText(chat: Chat): Promise<string> {
  const prompts = await (await chat.context.core()).attachments.prompts({ place: { sessionId: chat.sessionId } });
  const ofServers = prompts.map(
    (one) => `/${seenName(promptName(one))}  ${seenWords(one.title ?? one.about ?? '')} (from a tool server)\n`,
  );
  const core = await chat.context.core();
  const { templates, folder, projectFolder } = await core.templates.list({ projectPath: chat.project });
  const lines = templates.map((template) => `/${template.name}  ${printable(templateAbout(template))}\n`);
  const here = projectFolder === null ? '' : ` Those of this project are in ${seenName(projectFolder)}.`;
  return `${ofServers.join('')}${lines.join('')}Your general prompts are Markdown files in ${seenName(folder)}, with places such as {{file}}.${here}\n`;
}

const policyTexts = {
  local: 'The next messages run on this machine only.',
  cloud: 'The next messages run in the cloud only.',
  hybrid: 'Each step of the next messages runs on this machine or in the cloud, whichever is better.',
} as const;

/** Sets where the next messages run. Rejects if no model can run there. */
async function setPolicy(chat: Chat, policy: keyof typeof policyTexts): Promise<void> {
  const options = { ...chat.options, policy };
  if (chat.running === null)
    await requireModels(chat.context, { ...options, projectPath: chat.projectPath ?? undefined, policies: [policy] });
  chat.options = options;
  tellChoice(chat, policyTexts[policy]);
}

/** Only while nothing runs. A task that runs says itself when the choice takes effect. */
function tellChoice({ running, context }: Chat, text: string): void {
  if (running === null) context.terminal.err(`${text}\n`);
}

/** Sets the model. A cloud model also changes the policy, because it needs a policy that allows the cloud. */
async function setModel(chat: Chat, id: string | undefined): Promise<void> {
  if (id === undefined || !id.includes('/')) throw usageError('Add a model: /model PROVIDER/NAME');
  const core = await chat.context.core();
  const { where } = await core.models.show({ id });
  chat.options = where === 'cloud' ? { ...chat.options, cloud: id, policy: 'cloud' } : { ...chat.options, local: id };
  await ensureModel(chat.context, chat.options);
  tellChoice(chat, `The next messages run on ${seenName(id)}${where === 'cloud' ? ' in the cloud' : ''}.`);
}

/** Sets the assistant for the next messages. Without a name: lists the assistants. */
async function setAssistant(chat: Chat, name: string): Promise<void> {
  const { context } = chat;
  const { assistant: before, ...others } = chat.options;
  if (name === '') {
    const { assistants, folder } = await (await context.core()).assistants.list();
    const lines = assistants.map(
      (one) => `${one.name === before ? '*' : ' '} ${one.name}  ${oneLine(seenWords(one.about ?? one.text), 60)}\n`,
    );
    context.terminal.err(
      `${lines.join('')}Each is a Markdown file in ${seenName(folder)}. /assistant NAME chooses one.\n`,
    );
  } else if (name === 'off') {
    chat.options = others;
    tellChoice(chat, 'The next messages have no assistant.');
  } else {
    const options = { ...others, assistant: (await findAssistant(context, name)).name };
    await ensureModel(context, await withAssistant(context, options));
    chat.options = options;
    tellChoice(chat, `The next messages have the assistant ${seenName(options.assistant)}.`);
  }
}

async function attach(chat: Chat, name: 'image' | 'attach', path: string): Promise<void> {
  if (path === '') throw usageError(`Add a file: /${name} FILE`);
  const kind = name === 'image' ? 'image' : 'file';
  const given = await attachFile(chat.context, { path, place: { sessionId: chat.sessionId }, kind });
  chat.attached = [...chat.attached, given];
  chat.context.terminal.err(
    `Attached to the next message: ${chat.attached.map((one) => seenName(attachmentLabel(one))).join(', ')}\n`,
  );
}

/** `/plan TEXT` makes a plan. `/plan` shows the last plan, `/plan edit` changes it and `/plan start` carries it out. */
async function plan(chat: Chat, rest: string): Promise<void> {
  if (rest !== '' && rest !== 'edit' && rest !== 'start') return chat.say(rest, { ...chat.options, mode: 'plan' });
  const { context, sessionId } = chat;
  const core = await context.core();
  const { state } = await core.sessions.show({ sessionId });
  const turn = state.turns.findLast(({ reason }) => reason === 'planned');
  if (turn === undefined) throw usageError('There is no plan yet.', 'Describe one: /plan TEXT');
  const edited = state.plan?.turnId === turn.id ? state.plan.steps : null;
  const text = (await core.sessions.detail({ sessionId, id: turn.id })).text ?? turn.text;
  const steps = edited ?? planSteps(text);
  if (rest === 'start') return chat.say(planMessage(steps), { ...chat.options, mode: 'work' });
  if (rest === 'edit') {
    const next = editedSteps(await chat.withoutPrompt(() => editText(planText(steps), 'plan.md', process.env)));
    if (next.length === 0) throw usageError('A plan needs at least one step. The plan was not changed.');
    await core.sessions.editPlan({ sessionId, turnId: turn.id, steps: [...next] });
    context.terminal.err(printable(planText(next).replace(/^#.*\n/u, '')));
  } else context.terminal.err(printable(planText(steps).replace(/^#.*\n/u, '')));
  context.terminal.err('/plan edit changes the plan, /plan start starts it.\n');
}

async function answerCap(chat: Chat, decision: CapDecision | null): Promise<void> {
  if (chat.cap === null) throw usageError('No turn is waiting at a spending limit.');
  if (decision === null) throw usageError('Add an amount in dollars: /raise 0.50');
  const { capId } = chat.cap;
  chat.cap = null;
  const core = await chat.context.core();
  await core.sessions.answerCap({ sessionId: chat.sessionId, capId, decision });
}
