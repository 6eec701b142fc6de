import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ClientContext,
  CreateElicitationRequest,
  CreateElicitationResponse,
  InitializeResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { success } from '../../../../src/shared/errors.ts';
import { serveAcp } from '../../../../src/main/hosts/acp/serve-acp.ts';
import type { MemoryExecHandler } from '../../../fakes/sandbox/memory-sandbox.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { openClientCore } from '../../../fakes/core-client.ts';

/** One answer of the scripted model, in the form that the settings hold. */
export interface ScriptedReply {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly delayMs?: number;
}

export const calls = (name: string, input: unknown): ScriptedReply => ({ toolCalls: [{ name, input }] });
export const complete = (summary = 'It adds now.'): ScriptedReply => calls('task_complete', { summary });

export const files = { 'calc.py': 'def add(a, b):\n    return a - b\n' };

interface World {
  readonly home: string;
  readonly project: string;
  readonly core: ClientCore;
  /** The hosts with which the network was reached. */
  readonly reached: string[];
  /** Ends this core and opens another one on the same home, as a restart does. */
  restart(): Promise<World>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The real core with a scripted model and an in-memory sandbox instead of a container. */
export async function createWorld(
  replies: readonly ScriptedReply[],
  {
    exec = () => ({}),
    settings = {},
  }: { readonly exec?: MemoryExecHandler; readonly settings?: Record<string, unknown> } = {},
): Promise<World> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-acp-')));
  const project = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-acp-project-')));
  for (const [path, text] of Object.entries(files)) await writeFile(join(project, path), text);
  const reached: string[] = [];
  const open = async (): Promise<World> => {
    const core = await openClientCore({
      home,
      cache: join(home, 'cache'),
      version: '0.0.0-test',
      onNotice: () => undefined,
      env: {},
      startSandbox: async () =>
        success({
          ...createMemorySandbox({ files, exec }),
          runWithNetwork: async (request) => {
            reached.push(...request.hosts);
            const nothing = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0, durationMs: 1, decisions: [] };
            return success({ outcome: 'exited', exitCode: 0, ...nothing });
          },
        }),
    });
    return {
      home,
      project,
      core,
      reached,
      restart: async () => {
        await core.dispose();
        return open();
      },
      [Symbol.asyncDispose]: async () => {
        await core.dispose();
        await rm(home, { recursive: true, force: true });
        await rm(project, { recursive: true, force: true });
      },
    };
  };
  const world = await open();
  await world.core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
  await world.core.client.settings.set({ key: 'local', value: 'script/script' });
  for (const [key, value] of Object.entries(settings)) await world.core.client.settings.set({ key, value });
  return world;
}

/** The client of the protocol's own authors, connected by byte streams, as an editor is by pipes. */
export interface EditorClient {
  readonly agent: ClientContext;
  readonly initialized: InitializeResponse;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  /** Every byte that the agent wrote. */
  readonly written: () => string;
  /** Resolves with the first update that fits, among those received and those to come. */
  until<Kind extends SessionUpdate['sessionUpdate']>(
    kind: Kind,
    fits?: (update: Extract<SessionUpdate, { sessionUpdate: Kind }>) => boolean,
  ): Promise<void>;
  /** Writes the bytes directly, without the client. */
  raw(text: string): Promise<void>;
  /** Disconnects the editor. Resolves when the agent has ended. */
  leave(): Promise<void>;
}

type Answer = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse> | RequestPermissionResponse;

export const pick =
  (optionId: string): Answer =>
  () => ({ outcome: { outcome: 'selected', optionId } });

export async function openEditor(
  { core }: Pick<World, 'core'>,
  {
    answer = pick('deny'),
    notices = false,
    buffer,
    fillIn,
  }: {
    readonly answer?: Answer;
    readonly notices?: boolean;
    /** The text of a file that the editor has open. Absent: the editor does not announce that it serves files. */
    readonly buffer?: (path: string) => string;
    /** Answers forms. Absent: the editor has no forms. */
    readonly fillIn?: (
      asked: CreateElicitationRequest,
    ) => CreateElicitationResponse | Promise<CreateElicitationResponse>;
  } = {},
): Promise<EditorClient> {
  const [toAgent, toClient] = [
    new TransformStream<Uint8Array, Uint8Array>(),
    new TransformStream<Uint8Array, Uint8Array>(),
  ];
  const { context } = commandContext(core);
  const served = serveAcp(context, ndJsonStream(toClient.writable, toAgent.readable));
  let written = '';
  const heard = toClient.readable.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        written += new TextDecoder().decode(bytes);
        controller.enqueue(bytes);
      },
    }),
  );
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const app = client({ name: 'a test' })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      asked.push(params);
      return answer(params, signal);
    })
    .onNotification(methods.client.session.update, ({ params }: { readonly params: SessionNotification }) => {
      updates.push(params.update);
      for (const look of waiting) look();
    });
  if (buffer !== undefined)
    app.onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: buffer(params.path) }));
  if (fillIn !== undefined) app.onRequest(methods.client.elicitation.create, ({ params }) => fillIn(params));
  const connection = app.connect(ndJsonStream(toAgent.writable, heard));
  const initialized = await connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: {
      ...(notices ? { session: { notices: {} } } : {}),
      ...(buffer === undefined ? {} : { fs: { readTextFile: true } }),
    },
  });
  return {
    agent: connection.agent,
    initialized,
    updates,
    asked,
    written: () => written,
    until: (kind, fits = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          // The kind was compared above, so the update has this type.
          if (!updates.some((one) => one.sessionUpdate === kind && fits(one as Parameters<typeof fits>[0]))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    raw: async (text) => {
      const writer = toAgent.writable.getWriter();
      await writer.write(new TextEncoder().encode(text));
      writer.releaseLock();
    },
    leave: async () => {
      connection.close();
      // The pipe belongs to a process that has ended.
      await toAgent.writable.close().catch(() => undefined);
      await served;
    },
  };
}

/** The text of all chunks of one kind. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
): string {
  return updates
    .flatMap((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : []))
    .join('');
}
