import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import type { EventOf } from '@shared/events.ts';
import type { RunOptions } from '@shared/run-options.ts';
import { runOptionsSchema } from '@shared/run-options.ts';
import { moneyText } from '@shared/money-text.ts';
import { askApproval } from './ask-approval.ts';
import type { CapAnswer } from './ask-cap.ts';
import { leastRaise, readCapAnswer } from './ask-cap.ts';
import { changes } from './changes.ts';
import type { Command, CommandContext } from './context.ts';
import { reportFailure, usageError } from './fail.ts';
import { followTurn } from './follow-turn.ts';
import { createLiveView } from './live-view.ts';
import { ensureModel } from './models.ts';
import { offerPreparation } from './projects.ts';
import { showResult } from './run.ts';

interface Chat {
  readonly context: CommandContext;
  readonly sessionId: string;
  options: RunOptions;
  /** The turn that runs; text typed meanwhile waits for the agent. */
  running: Promise<void> | null;
  /** The cap at which the turn waits for an answer. */
  cap: EventOf<'cap-reached'> | null;
}

const help = `/help            this list
/plan TEXT       plan only, change nothing
/local /cloud    which models the next messages use
/model ID        the local model of the next messages
/changes         what was changed so far      /undo [PATH]   take it back
/raise USD       at a cap: raise it by so much, and go on (/local: go on locally)
/cost            what it cost so far          /stop          stop the running turn
/quit            leave; the session stays (dewpoint chat --session ID)
`;

/** A conversation: each line is a message; while the agent works a line is handed to it between two tool calls. */
export const chat: Command<
  [{ readonly project?: string; readonly session?: string; readonly local?: string }]
> = async (context, args) => {
  if (args.session !== undefined && args.project !== undefined)
    throw usageError('--session has its project; leave out --project.');
  const core = await context.core();
  if (args.project !== undefined)
    await offerPreparation(context, resolve(args.project), context.terminal.isInteractive);
  const sessionId =
    args.session === undefined
      ? (await core.sessions.create({ projectPath: args.project === undefined ? null : resolve(args.project) }))
          .sessionId
      : (await core.sessions.find({ id: args.session })).sessionId;
  const options = runOptionsSchema.parse({
    ...(args.local === undefined ? {} : { local: args.local }),
    interactive: false,
    atCap: context.terminal.isInteractive ? 'ask' : 'stop',
  });
  await ensureModel(context, options);
  const state: Chat = { context, sessionId, options, running: null, cap: null };
  context.terminal.err(`session ${sessionId}; /help lists the commands\n`);
  const reader = createInterface({
    input: process.stdin,
    output: process.stderr,
    prompt: '> ',
    terminal: context.terminal.isInteractive,
  });
  await converse(state, reader);
  await state.running;
  return 0;
};

async function converse(state: Chat, reader: Interface): Promise<void> {
  const stop = (): void => reader.close();
  // Ctrl-C stops what runs; with nothing running it leaves.
  reader.on('SIGINT', () => (state.running === null ? reader.close() : void cancel(state)));
  state.context.signal.addEventListener('abort', stop, { once: true });
  // Piped input ends before its last line has been worked on; there is no prompt to show then.
  let isOpen = true;
  reader.once('close', () => {
    isOpen = false;
  });
  reader.prompt();
  for await (const line of reader) {
    if (!(await takeLine(state, line.trim()))) break;
    if (isOpen) reader.prompt();
  }
  reader.close();
}

/** False: leave. */
async function takeLine(state: Chat, line: string): Promise<boolean> {
  if (line === '') return true;
  if (line === '/quit' || line === '/exit') return false;
  if (!line.startsWith('/')) {
    await say(state, line, state.options);
    return true;
  }
  const [name = '', ...rest] = line.slice(1).split(/\s+/u);
  try {
    await slashCommand(state, name, rest);
  } catch (error) {
    reportFailure(error, state.context.terminal);
  }
  return true;
}

async function slashCommand(state: Chat, name: string, rest: readonly string[]): Promise<void> {
  const { context, sessionId } = state;
  const { terminal } = context;
  const core = await context.core();
  switch (name) {
    case 'help':
      terminal.err(help);
      return;
    case 'plan':
      return say(state, rest.join(' '), { ...state.options, plan: true });
    case 'raise':
      return answerCap(state, readCapAnswer(`raise ${rest[0] ?? ''}`));
    case 'local':
      if (state.cap !== null) return answerCap(state, { answer: 'local' });
      state.options = { ...state.options, policy: name };
      return;
    case 'cloud':
      state.options = { ...state.options, policy: name };
      return;
    case 'model':
      if (rest[0] === undefined) throw usageError('Name a model: /model PROVIDER/NAME');
      state.options = { ...state.options, local: rest[0] };
      return ensureModel(context, state.options);
    case 'changes':
      await changes(context, sessionId, ['show', ...rest], {});
      return;
    case 'undo':
      await changes(context, sessionId, ['undo', ...rest], {});
      return;
    case 'cost':
      terminal.err(`${moneyText((await core.sessions.find({ id: sessionId })).costUsd)}\n`);
      return;
    case 'stop':
      return cancel(state);
    default:
      throw usageError(`There is no command /${name}.`, '/help lists the commands.');
  }
}

async function answerCap(state: Chat, decision: CapAnswer | null): Promise<void> {
  if (state.cap === null) throw usageError('No turn waits at a cap.');
  if (decision === null) throw usageError('Say by how many dollars: /raise 0.50');
  const { capId } = state.cap;
  state.cap = null;
  const core = await state.context.core();
  await core.sessions.answerCap({ sessionId: state.sessionId, capId, decision });
}

async function cancel({ context, sessionId }: Chat): Promise<void> {
  await (await context.core()).sessions.cancel({ sessionId });
}

/** While a turn runs the text is only sent; the view of the running turn shows when it is delivered. */
async function say(state: Chat, text: string, options: RunOptions): Promise<void> {
  const { context, sessionId } = state;
  const core = await context.core();
  if (state.running !== null) {
    await core.sessions.send({ sessionId, text, options });
    return;
  }
  const seen = (await core.sessions.show({ sessionId })).state.seq;
  state.running = follow(state, text, options, seen).finally(() => {
    state.running = null;
    state.cap = null;
  });
  // Without a person at the keyboard the next line waits its turn.
  if (!context.terminal.isInteractive) await state.running;
}

async function follow(state: Chat, text: string, options: RunOptions, seen: number): Promise<void> {
  const { context, sessionId } = state;
  const core = await context.core();
  const view = createLiveView(context.terminal, context.now);
  try {
    await followTurn(context, core, {
      sessionId,
      text,
      options,
      onEvent: (event) => (event.seq > seen ? view.event(event) : undefined),
      onTransient: (transient) => view.transient(transient),
      approve: (question) => askApproval(question, context),
      // The prompt is in use: the answer comes as a command.
      atCap: async (event) => {
        if (event.seq <= seen) return null;
        state.cap = event;
        context.terminal.err(
          `At the cap: /raise ${leastRaise(event).toFixed(2)} (or more), /local to go on locally, /stop to stop.\n`,
        );
        return null;
      },
    });
    view.close();
    showResult(await core.sessions.result({ sessionId }), context.terminal, false);
  } catch (error) {
    reportFailure(error, context.terminal);
  } finally {
    view.close();
  }
}
