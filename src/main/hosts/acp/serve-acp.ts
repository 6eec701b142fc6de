import { Writable } from 'node:stream';
import type { AgentContext, AvailableCommand, SessionUpdate, Stream } from '@agentclientprotocol/sdk';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { templateAbout } from '@shared/session/prompt-templates.ts';
import { printable } from '@shared/text/seen-text.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import type { CommandContext } from '../text/command-context.ts';
import { chooseInTask } from '../text/choose-in-task.ts';
import { thoughtUpdate } from './event-updates.ts';
import { toReportedFailure, usageError } from '../text/report-failure.ts';
import type { AskedPlace } from './editor-sessions.ts';
import {
  createEditorSession,
  forgetUnused,
  listEditorSessions,
  openEditorSession,
  unknownSession,
} from './editor-sessions.ts';
import type { EditorSession } from './work-on-prompt.ts';
import { createUpdateQueue, updatesFor, workOnPrompt } from './work-on-prompt.ts';
import { recordedEvents } from '../connection/recorded-events.ts';
import { orNoted } from '../../lib/log.ts';

const protocolVersion = 1;

/** The pipes of this process. Nothing else may write to stdout. */
export function processStream(): Stream {
  const input = new ReadableStream<Uint8Array>({
    start: (controller) => {
      process.stdin.on('data', (bytes: Buffer) => controller.enqueue(bytes));
      process.stdin.once('end', () => controller.close());
      process.stdin.once('error', (error) => controller.error(error));
    },
    cancel: () => void process.stdin.destroy(),
  });
  return ndJsonStream(Writable.toWeb(process.stdout), input);
}

/**
 * Serves the Agent Client Protocol until the editor is gone or the context aborts. Then running work is cancelled: the
 * log has what was done, and the session can be loaded again.
 */
export async function serveAcp(context: CommandContext, stream: Stream): Promise<void> {
  const served = createServed(context);
  const connection = withMessages(withSessions(agent({ name: 'dewpoint' }), served), served).connect(stream);
  const stop = (): void => connection.close();
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  await connection.closed;
  context.signal.removeEventListener('abort', stop);
  await served.end();
}

type Served = ReturnType<typeof createServed>;

function createServed(context: CommandContext) {
  const sessions = new Map<string, EditorSession>();
  let hasNotices = false;
  let hasBuffers = false;
  const get = (sessionId: string): EditorSession => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  };
  const stop = async (session: EditorSession): Promise<void> => {
    session.running?.abort();
    await session.running?.ended;
  };
  const leave = async (session: EditorSession): Promise<void> => {
    await stop(session);
    sessions.delete(session.sessionId);
    await forgetUnused(await context.core(), session.sessionId).catch(
      orNoted('acp: an unused session stays', undefined),
    );
  };
  return {
    context,
    get,
    keep: (session: EditorSession): void => void sessions.set(session.sessionId, session),
    isOpen: (sessionId: string): boolean => sessions.has(sessionId),
    leave,
    end: async (): Promise<void> => void (await Promise.all([...sessions.values()].map(leave))),
    notices: (given?: boolean): boolean => (hasNotices = given ?? hasNotices),
    buffers: (given?: boolean): boolean => (hasBuffers = given ?? hasBuffers),
  };
}

function withSessions(app: ReturnType<typeof agent>, served: Served): ReturnType<typeof agent> {
  const { context } = served;
  return app
    .onRequest(methods.agent.initialize, ({ params }) => {
      served.notices(params.clientCapabilities?.session?.notices !== undefined);
      served.buffers(params.clientCapabilities?.fs?.readTextFile === true);
      return {
        protocolVersion,
        agentInfo: { name: 'dewpoint', title: 'Dewpoint', version: context.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params, signal, client }) =>
      reported(async () => {
        const session = await createEditorSession(await context.core(), params, signal);
        return { sessionId: session.sessionId, ...opened(served, session, client) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, signal, client }) =>
      reported(async () => {
        const session = await openAgain(served, params, signal);
        await tellHistory(served, session, { client, signal });
        return opened(served, session, client);
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, signal, client }) =>
      reported(async () => opened(served, await openAgain(served, params, signal), client)),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      reported(async () =>
        listEditorSessions(await context.core(), { cwd: params.cwd ?? null, cursor: params.cursor ?? null }),
      ),
    )
    .onRequest(methods.agent.session.close, ({ params }) =>
      reported(async () => {
        await served.leave(served.get(params.sessionId));
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params, client }) =>
      reported(async () => {
        await choose(served, client, { ...params, configId: 'mode', value: params.modeId });
        return {};
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params, client }) =>
      reported(async () => {
        await choose(served, client, params);
        return { configOptions: served.get(params.sessionId).choices.options() };
      }),
    );
}

/** Handles one message of a session at a time. */
function withMessages(app: ReturnType<typeof agent>, served: Served): ReturnType<typeof agent> {
  const { context } = served;
  return (
    app
      .onRequest(methods.agent.session.prompt, ({ params, signal, client }) =>
        reported(async () => {
          const session = served.get(params.sessionId);
          if (session.running !== null)
            throw usageError('A message of this session is being worked on.', 'Wait for its end, or cancel it.');
          const work = childAbort(signal);
          const editor = { client, hasNotices: served.notices(), hasBuffers: served.buffers() };
          const done = workOnPrompt({ ...context, signal: work.signal }, session, { prompt: params.prompt, editor });
          session.running = { abort: work.abort, ended: done.catch(() => undefined) };
          try {
            return { stopReason: await done };
          } finally {
            session.running = null;
            work.release();
          }
        }),
      )
      // Without a running message there is nothing to cancel.
      .onNotification(methods.agent.session.cancel, ({ params }) => {
        if (served.isOpen(params.sessionId)) served.get(params.sessionId).running?.abort();
      })
  );
}

/** The choices of a session. Its commands are sent as soon as the editor knows the session. */
function opened(served: Served, session: EditorSession, client: AgentContext) {
  served.keep(session);
  setImmediate(() => void tellCommands(served, session, client));
  return { modes: session.choices.modes(), configOptions: session.choices.options() };
}

async function openAgain(
  served: Served,
  place: AskedPlace & { readonly sessionId: string },
  signal: AbortSignal,
): Promise<EditorSession> {
  if (served.isOpen(place.sessionId) && served.get(place.sessionId).running !== null)
    throw usageError('A message of this session is being worked on.', 'Wait for its end, or cancel it.');
  return openEditorSession(await served.context.core(), place, signal);
}

/** Sends the whole history as updates before the editor learns that the session is open. */
async function tellHistory(
  served: Served,
  { sessionId, workspace }: EditorSession,
  { client, signal }: { readonly client: AgentContext; readonly signal: AbortSignal },
): Promise<void> {
  const core = await served.context.core();
  const hasNotices = served.notices();
  const updates = updatesFor(served.context, core, { sessionId, workspace, hasNotices, isReplay: true });
  const queue = createUpdateQueue({ client }, sessionId);
  for await (const event of recordedEvents(core, sessionId, signal)) queue.add(() => updates.event(event));
  await queue.flushed();
  signal.throwIfAborted();
}

async function choose(
  served: Served,
  client: AgentContext,
  asked: { readonly sessionId: string; readonly configId: string; readonly value: string | boolean },
): Promise<void> {
  const { choices, sessionId, running } = served.get(asked.sessionId);
  const before = choices.runOptions();
  choices.choose(asked.configId, String(asked.value));
  const updates: SessionUpdate[] = [{ sessionUpdate: 'config_option_update', configOptions: choices.options() }];
  if (asked.configId === 'mode')
    updates.push({ sessionUpdate: 'current_mode_update', currentModeId: choices.modes().currentModeId });
  const queue = createUpdateQueue({ client }, sessionId);
  queue.send(...updates);
  if (running !== null) {
    const core = await served.context.core();
    const text = await chooseInTask(core, { sessionId, before, now: choices.runOptions() });
    if (text !== null) queue.send(thoughtUpdate(`${text}\n`));
  }
  await queue.flushed();
}

/** Sends the user's templates, which an editor offers after a `/`. */
async function tellCommands(
  served: Served,
  { sessionId, projectPath }: EditorSession,
  client: AgentContext,
): Promise<void> {
  const queue = createUpdateQueue({ client }, sessionId);
  queue.add(async () => {
    const { templates } = await (await served.context.core()).templates.list({ projectPath });
    const availableCommands: AvailableCommand[] = templates.map((template) => ({
      name: template.name,
      description: printable(templateAbout(template)),
      input: { hint: 'what goes into its places' },
    }));
    return [{ sessionUpdate: 'available_commands_update', availableCommands }];
  });
  await queue.flushed();
}

/** Turns failures into errors of the protocol, with what was wrong and what to do. The process continues. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { code, message, hint } = toReportedFailure(error);
    const text = hint === undefined ? message : `${message} ${hint}`;
    throw new RequestError(codeOf(code), printable(text), { code });
  }
}

function codeOf(code: string): number {
  switch (code) {
    case 'usage':
    case 'bad-input':
    case 'conflict':
    case 'refused':
    case 'too-large':
      return -32602;
    case 'not-found':
      return -32002;
    case 'cancelled':
      return -32800;
    default:
      return -32603;
  }
}
