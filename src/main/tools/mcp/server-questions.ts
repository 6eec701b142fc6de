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

/** What Dewpoint can do for a server; the handlers of `answerServer` answer. */
export const ownCapabilities = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  roots: { listChanged: true },
  sampling: {},
  extensions: { 'io.modelcontextprotocol/tasks': {} },
};

/** A call that runs: who answers for it, and the folder that its session works in. */
export interface OpenCall {
  readonly door: ServerDoor | undefined;
  /** The folder that its session works in, for servers that can read it. */
  readonly folder: string | null;
  /** What the server was not given, and why; the model reads it with the result. */
  readonly notes: string[];
}

/** Which call a question of a server belongs to. */
export interface OpenCalls {
  readonly during: <T>(call: OpenCall, work: () => Promise<T>) => Promise<T>;
  /** `task`: the one that the question names. Null: it belongs to none, or nobody can say to which. */
  readonly current: (task?: string | null) => OpenCall | null;
  /** The call that asks for it became this task. */
  readonly becomes: (task: string) => void;
}

/** Answers a question that came in a task, by the call that the task is of. Rejects where there is no answer. */
export type AnswerInTask = (question: unknown) => Promise<unknown>;

/**
 * In the new revision, and over HTTP, a question comes on the way of its call. An older program over its pipes asks at any
 * time: then it is of the call whose task it names, or of the one call that runs. With several, of different sessions maybe,
 * none is asked.
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

/** In its container a server has one folder, which is no project's. */
const containerRoot = 'file:///workspace';

/** Answers what a server asks while it works on a call. Its root is the one folder that it can read, as it sees it. */
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

/** What the protocol has for a no. What it says is for the server, which learns no reason. */
const declined = (): Error => Object.assign(new Error('The user did not allow it.'), { code: -1 });

/** A question for a model, of texts and images: who asks by a sound, or with tools of its own, gets no answer. */
async function answerQuestion(call: OpenCall | null, params: CreateMessageRequest['params']) {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences = [] } = params;
  const pictures: ResultPicture[] = [];
  const read = messages.flatMap(({ role, content }) => {
    const found = contentIn(content, pictures);
    return found === null ? [] : [{ role, ...found }];
  });
  if (params.tools !== undefined) call?.notes.push('The server asked a model with tools of its own. It got no answer.');
  else if (read.length < messages.length)
    call?.notes.push('The server asked a model by what is no text and no image that is shown. It got no answer.');
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

/** `all`: of the question, as many as a result may have, by the same rules. Null: something of it is neither, or is not taken. */
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

/** The addresses that an older server wants opened before it does anything. */
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

/** Whether the person has seen and opened all of them. */
export async function openLinks(door: ServerDoor, links: readonly ServerLink[]): Promise<boolean> {
  for (const { message, url } of links) if ((await door.link(message, url)) !== 'accept') return false;
  return true;
}
