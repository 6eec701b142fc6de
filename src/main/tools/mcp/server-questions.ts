import { AsyncLocalStorage } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';
import type {
  Client,
  ClientContext,
  CreateMessageRequest,
  ElicitRequest,
  isSpecType,
} from '@modelcontextprotocol/client';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { readServerForm } from '@shared/tools/server-form.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { z } from 'zod';
import type { ResultPicture, ServerDoor } from '../define.ts';
import { imageText } from './call-result.ts';

/** The capabilities that Dewpoint announces to servers. The handlers of `answerServer` implement them. */
export const ownCapabilities = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  roots: { listChanged: true },
  sampling: {},
  extensions: { 'io.modelcontextprotocol/tasks': {} },
};

/** A running call: who answers questions for it. */
export interface OpenCall {
  readonly door: ServerDoor | undefined;
  /** The folder that the session works in, for servers that can read it. */
  readonly folder: string | null;
  /** What the server asked for and did not get, with the reasons. The model reads these notes with the result. */
  readonly notes: string[];
}

/** Finds the call that a question of a server belongs to. */
export interface OpenCalls {
  readonly during: <T>(call: OpenCall, work: () => Promise<T>) => Promise<T>;
  /** `task`: the task that the question names. Null: the question belongs to no call, or it is unclear to which. */
  readonly current: (task?: string | null) => OpenCall | null;
  /** Notes that the current call became this task. */
  readonly becomes: (task: string) => void;
}

/** Answers a question that came in a task, for the call that became the task. Rejects if there is no answer. */
export type AnswerInTask = (question: unknown) => Promise<unknown>;

/**
 * In the new revision and over HTTP, a question arrives within its call. An older program on pipes may ask at any time.
 * Then the question belongs to the call whose task it names, or to the only running call. If several calls run, maybe
 * of different sessions, it gets no answer.
 */
export function createOpenCalls(): OpenCalls {
  const ways = new AsyncLocalStorage<OpenCall>();
  const open = new Set<OpenCall>();
  const tasks = new Map<string, OpenCall>();
  return {
    during: async (call, work) => {
      open.add(call);
      try {
        return await ways.run(call, work);
      } finally {
        open.delete(call);
        for (const [task, one] of tasks) if (one === call) tasks.delete(task);
      }
    },
    becomes: (task) => {
      const own = ways.getStore();
      if (own !== undefined) tasks.set(task, own);
    },
    current: (task = null) => {
      const own = ways.getStore() ?? (task === null ? undefined : tasks.get(task));
      if (own !== undefined) return open.has(own) ? own : null;
      const [only] = open;
      return open.size === 1 && only !== undefined ? only : null;
    },
  };
}

/** In its container a server sees one folder, which belongs to no project. */
const containerRoot = 'file:///workspace';

/** Answers the server's questions during a call. Its root is the one folder that it can read, by the path it sees. */
export function answerServer(
  client: Client,
  { calls, definition, isSpecType: is }: AnsweringParts,
): { readonly inTask: AnswerInTask } {
  const isInContainer = definition.kind === 'stdio' && definition.where === 'container';
  const rootsOf = (call: OpenCall | null) => {
    const folder = call?.folder ?? null;
    const uri = isInContainer ? containerRoot : folder === null ? null : pathToFileURL(folder).href;
    return { roots: uri === null ? [] : [{ uri }] };
  };
  const callOf = (context: ClientContext) => calls.current(relatedTask(context.mcpReq._meta));
  client.setRequestHandler('roots/list', (_, context) => rootsOf(callOf(context)));
  client.setRequestHandler('elicitation/create', ({ params }, context) => answerElicitation(callOf(context), params));
  client.setRequestHandler('sampling/createMessage', ({ params }, context) => answerQuestion(callOf(context), params));
  return {
    inTask: async (question) => {
      const call = calls.current();
      if (is.ElicitRequest(question)) return answerElicitation(call, question.params);
      if (is.CreateMessageRequest(question)) return answerQuestion(call, question.params);
      if (is.ListRootsRequest(question)) return rootsOf(call);
      throw declined();
    },
  };
}

interface AnsweringParts {
  readonly calls: OpenCalls;
  readonly definition: ServerDefinition;
  readonly isSpecType: typeof isSpecType;
}

function relatedTask(meta: unknown): string | null {
  const task = fieldOf(fieldOf(meta, 'io.modelcontextprotocol/related-task'), 'taskId');
  return typeof task === 'string' ? task : null;
}

async function answerElicitation(call: OpenCall | null, params: ElicitRequest['params']) {
  const door = call?.door;
  if (call === null || door === undefined) return { action: 'cancel' } as const;
  const { message } = params;
  if (params.mode === 'url') {
    const action = await door.link(message, params.url);
    if (action !== 'accept') call.notes.push('The server asked to have a link opened. It was not.');
    return { action };
  }
  const read = readServerForm(params.requestedSchema);
  if (read.type === 'unfit') {
    call.notes.push(`The server asked for a form that was not shown: ${read.why}.`);
    return { action: 'decline' } as const;
  }
  const answer = await door.form(message, read.form);
  if (answer.action === 'accept') return { action: 'accept', content: answer.values } as const;
  call.notes.push('The server asked for something that the person did not fill in.');
  return answer;
}

/** The protocol's way to decline. The server does not learn the real reason. */
const declined = (): Error => Object.assign(new Error('The user did not allow it.'), { code: -1 });

/** Answers a question for a model. Questions with sounds or with tools of the server get no answer. */
async function answerQuestion(call: OpenCall | null, params: CreateMessageRequest['params']) {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences = [] } = params;
  const pictures: ResultPicture[] = [];
  const read = messages.flatMap(({ role, content }) => {
    const found = contentIn(content, pictures);
    return found === null ? [] : [{ role, ...found }];
  });
  if (params.tools !== undefined) call?.notes.push('The server asked a model with tools of its own. It got no answer.');
  else if (read.length < messages.length)
    call?.notes.push('The server sent a question with content other than text and supported images. It got no answer.');
  const isFit = read.length === messages.length && params.tools === undefined;
  if (!isFit || call?.door === undefined) throw declined();
  const answer = await call.door.model({
    system: systemPrompt ?? null,
    messages: read,
    maxTokens,
    temperature: temperature ?? null,
    stop: stopSequences,
  });
  if (answer.type === 'refused') {
    call.notes.push(`The server asked a model something and got no answer: ${answer.why}`);
    throw declined();
  }
  const { model, text, isWhole } = answer;
  const content = { type: 'text', text } as const;
  return { role: 'assistant', content, model, stopReason: isWhole ? 'endTurn' : 'maxTokens' } as const;
}

type MessageContent = CreateMessageRequest['params']['messages'][number]['content'];

/**
 * `all`: the images of the question so far. The limits and rules for images in results apply. Null: a part is neither
 * text nor image, or an image is not accepted.
 */
function contentIn(
  content: MessageContent,
  all: ResultPicture[],
): { readonly text: string; readonly pictures?: readonly ResultPicture[] } | null {
  const parts = Array.isArray(content) ? content : [content];
  const before = all.length;
  const images = parts.filter(({ type }) => type === 'image');
  for (const part of images) imageText(part.type === 'image' ? part.data : null, all);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const pictures = all.slice(before);
  if (texts.length + pictures.length < parts.length) return null;
  return { text: texts.join('\n'), ...(pictures.length === 0 ? {} : { pictures }) };
}

/** The links that an older server wants to be opened before it does anything. */
export function linksIn(error: unknown): readonly ServerLink[] {
  if (fieldOf(error, 'code') !== urlRequired) return [];
  const asked = fieldOf(fieldOf(error, 'data'), 'elicitations');
  const links = z.array(z.object({ message: z.string(), url: z.string() })).safeParse(asked);
  return links.success ? links.data.slice(0, mostLinks) : [];
}

interface ServerLink {
  readonly message: string;
  readonly url: string;
}

const urlRequired = -32_042;
const mostLinks = 3;

/** Whether the user has seen and opened all links. */
export async function openLinks(door: ServerDoor, links: readonly ServerLink[]): Promise<boolean> {
  for (const { message, url } of links) if ((await door.link(message, url)) !== 'accept') return false;
  return true;
}
