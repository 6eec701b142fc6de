import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineRecipe } from '../../src/main/recipes/define.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import type { ModelInfo } from '../../src/shared/models/model-info.ts';
import { routingOf } from '../../src/main/settings/profile-routing.ts';
import { providerSettingsSchema } from '../../src/shared/settings/settings.ts';
import type { AgentKit, ReplyParts } from '../fakes/agent-kit.ts';
import { allProviders } from '../fakes/provider-kit.ts';
import { call, createAgentKit, loopModel, turnOptions } from '../fakes/agent-kit.ts';
import { directFetch } from '../../src/main/lib/net/net-fetch.ts';

/** What one generated session did, and how much of its fenced file the recording server got. */
export interface FenceRun {
  readonly positions: readonly string[];
  /** Calls that should go out: both those that did and those that the fences stopped. */
  readonly calls: number;
  readonly refused: number;
  readonly redacted: number;
  readonly leakedBytes: number;
  /** Steps of the conversation, made or stopped. */
  readonly steps: number;
  /** Of these, the ones that went to the cloud although the conversation had a file in view that may never go there. */
  readonly routed: number;
}

export type Random = () => number;
export type Verdict = 'local-only' | 'ask' | 'redact';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const words = ['when', 'the', 'board', 'meets', 'price', 'of', 'each', 'unit', 'moves', 'to', 'level', 'and', 'ships'];
const paths = ['plans/next.md', 'src/core/pricing.py', 'deep/er/board.secret', 'Plans/Q4.md', 'AGENTS.md'];
/** Instructions are read for every task. */
export const otherPaths = paths.filter((path) => path !== 'AGENTS.md');
export const fencedRules = ['plans/**', 'src/core/*', '*.secret', '/AGENTS.md'];

export function pick<T>(random: Random, items: readonly [T, ...T[]] | readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Ten letters that occur nowhere else, to search for at the socket. */
function token(random: Random): string {
  return Array.from({ length: 10 }, () => pick(random, letters.split(''))).join('');
}

export interface Fenced {
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly string[];
}

export function fencedFile(random: Random, at: readonly string[]): Fenced {
  const tokens: string[] = [];
  const lines = Array.from({ length: 2 + Math.floor(random() * 7) }, () => {
    const own = token(random);
    tokens.push(own);
    const shape = random();
    if (shape < 0.25) return `${own} ok`;
    if (shape < 0.5)
      return `    ${own}_rate = compute(${pick(random, words)}, "${pick(random, words)} ${pick(random, words)}")`;
    if (shape < 0.7)
      return `{"${pick(random, words)}": "${own}", "quote\\"d": "ü ${pick(random, words)} ${pick(random, words)}"}`;
    return `${Array.from({ length: 6 }, () => pick(random, words)).join(' ')} ${own}`;
  });
  return { path: pick(random, at), text: `${lines.join('\n')}\n`, tokens };
}

type Coding = (text: string) => string;
const codings: Readonly<Record<string, Coding>> = {
  plain: (text) => text,
  numbered: (text) =>
    text
      .split('\n')
      .map((line, at) => `${at + 1}: ${line}`)
      .join('\n'),
  quoted: (text) =>
    text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  json: (text) => JSON.stringify({ content: text }),
  'json in json': (text) => JSON.stringify({ log: JSON.stringify({ content: text }) }),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 in lines': (text) => Buffer.from(`head ${text}`).toString('base64').replace(/.{76}/g, '$&\n'),
  'base64, cut': (text) => Buffer.from(`head ${text}`).toString('base64').slice(3),
  hex: (text) => Buffer.from(text).toString('hex'),
  url: (text) => `https://x.test/?q=${encodeURIComponent(text)}`,
};
const codingNames = Object.keys(codings);

export function encode(random: Random, text: string, positions: string[]): string {
  const name = pick(random, codingNames);
  positions.push(name);
  return (codings[name] ?? String)(text);
}

/** The forms that a token could take on the wire. Shares no code with what searches for them in the product. */
export function traces(token: string): readonly string[] {
  const bytes = Buffer.from(token);
  const base64 = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return whole.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  return [token, bytes.toString('hex'), ...base64];
}

export interface FenceBench {
  run(random: Random, options: FenceOptions): Promise<FenceRun>;
  close(): Promise<void>;
}

interface FenceOptions {
  readonly isFenced: boolean;
  /** False: nothing in the session touches the fenced file. */
  readonly touches: boolean;
  /** `hybrid`: the router chooses, with numbers that nearly always favor the cloud. Absent: all goes to the cloud. */
  readonly policy?: 'cloud' | 'hybrid';
}

/** A server that keeps every byte it gets, behind the same provider that users have. */
export async function openFenceBench(): Promise<FenceBench> {
  let bodies: string[] = [];
  let replies: ReplyParts[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(
        `${request.url ?? ''}\n${JSON.stringify(request.headers)}\n${Buffer.concat(chunks).toString('utf8')}`,
      );
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(streamOf(replies.shift() ?? { text: 'That is all.' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // The one shape of a server that listens on a port.
  const cloud = createCloud(`http://127.0.0.1:${port}/v1`);
  return {
    run: async (random, options) => {
      bodies = [];
      replies = [];
      const session = createSession(random, { ...options, cloud, reply: (reply) => replies.push(reply) });
      await session.play();
      const seen = bodies.join('\n');
      const leaked = session.fenced.tokens.filter((own) => traces(own).some((trace) => seen.includes(trace)));
      const fenced = session.kit.journal.events.filter((event) => event.type === 'call-fenced');
      const refused = fenced.filter(({ outcome }) => outcome !== 'redacted').length;
      return {
        positions: session.positions,
        calls: bodies.length + refused,
        refused,
        redacted: fenced.length - refused,
        leakedBytes: leaked.length * 10,
        ...stepsOf(session),
      };
    },
    close: async () => {
      await cloud.provider.dispose();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Cloud {
  readonly info: ModelInfo;
  readonly provider: Provider;
}

function createCloud(baseUrl: string): Cloud {
  const definition = allProviders().get('openai-compatible');
  if (definition === undefined) throw new Error('no provider');
  const settings = providerSettingsSchema.parse({ kind: 'openai-compatible', baseUrl, models: { model: {} } });
  const provider = definition.create(
    { now: Date.now, fetch: directFetch, secret: async () => null },
    { id: 'sky', settings },
  );
  const info: ModelInfo = { ...loopModel, id: 'sky/model', provider: 'sky', where: 'cloud' };
  return { provider, info: { ...info, capabilities: { ...info.capabilities, prefill: false, countTokens: false } } };
}

function streamOf(reply: ReplyParts): string {
  const chunk = (delta: unknown, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'model', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const calls = (reply.calls ?? []).map(({ name, input }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return [
    chunk({ role: 'assistant', content: reply.text ?? '' }),
    ...(calls.length === 0 ? [] : [chunk({ tool_calls: calls })]),
    chunk({}, calls.length === 0 ? 'stop' : 'tool_calls'),
    'data: [DONE]\n\n',
  ].join('');
}

/** Counts from the log alone, whatever the fences did with it. */
function stepsOf({ kit, fenced, verdict }: Session): Pick<FenceRun, 'steps' | 'routed'> {
  let isSeen = false;
  let steps = 0;
  let routed = 0;
  for (const event of kit.journal.events) {
    if (event.type === 'call-fenced' && event.outcome !== 'redacted') steps += 1;
    if (event.type === 'model-call-started' && event.stage.strategy === 'loop') {
      steps += 1;
      routed += isSeen && event.stage.where === 'cloud' && verdict !== 'redact' ? 1 : 0;
    }
    const isOfConversation =
      event.type === 'user-message-added' ||
      event.type === 'check-ended' ||
      event.type === 'turn-ended' ||
      // What a recipe reads is not part of the conversation until the recipe says something about it.
      (event.type === 'tool-ended' && kit.dependencies.recipes.length === 0);
    if (!isOfConversation) continue;
    const text = JSON.stringify(event);
    isSeen ||= fenced.tokens.some((own) => traces(own).some((trace) => text.includes(trace)));
  }
  return { steps, routed };
}

interface SessionOptions extends FenceOptions {
  readonly cloud: Cloud;
  readonly reply: (reply: ReplyParts) => void;
}

interface Session {
  readonly kit: AgentKit;
  readonly fenced: Fenced;
  readonly verdict: Verdict;
  readonly positions: string[];
  readonly play: () => Promise<void>;
}

function createSession(random: Random, options: SessionOptions): Session {
  const fenced = fencedFile(random, options.touches ? paths : otherPaths);
  const positions: string[] = [];
  const verdict: Verdict = pick(random, ['local-only', 'local-only', 'local-only', 'ask', 'redact'] as const);
  const script = localScript(random, { ...options, fenced, positions, verdict });
  const isSmall = script.compacts;
  const strategies = script.usesRecipe ? (['recipe', 'loop'] as const) : (['loop'] as const);
  const local: Partial<ModelInfo> = { strategies: [...strategies], ...(isSmall ? { contextTokens: 4096 } : {}) };
  const kit = createAgentKit({
    model: local,
    replies: script.replies,
    sandbox: {
      files: { 'a.py': 'x = 1\n', 'notes.md': 'Nothing here.\n', 'copy.txt': script.copy, [fenced.path]: fenced.text },
      exec: ({ command }) => ({ stdout: command === 'make' ? 'all is well\n' : script.printed, exitCode: 0 }),
    },
    recipes: script.usesRecipe ? [relay] : [],
    cloud: { ...options.cloud.info, strategies: [...strategies] },
    cloudProvider: options.cloud.provider,
    ...(options.isFenced ? { fences: { rules: [{ paths: fencedRules, verdict }] } } : { fences: { secrets: 'off' } }),
  });
  const play = async (): Promise<void> => {
    const check = script.checks ? 'check' : null;
    if (script.replies.length > 0) {
      await kit.runner.send(script.task, { ...turnOptions, strategy: script.usesRecipe ? 'auto' : 'loop', check });
    }
    for (const reply of script.cloud) options.reply(reply);
    const strategy = script.usesRecipe ? 'auto' : 'loop';
    const policy = options.policy ?? 'cloud';
    const routing = routingOf('quality', { valueUsd: 1000 });
    const later = { ...turnOptions, policy, routing, cloud: 'sky/model' };
    await kit.runner.send(script.second, { ...later, strategy, check });
    await kit.runner.send('And now?', { ...later, mode: 'auto', strategy: 'loop' });
  };
  return { kit, fenced, verdict, positions, play };
}

interface Script {
  readonly replies: ReplyParts[];
  readonly cloud: ReplyParts[];
  readonly task: string;
  readonly second: string;
  readonly copy: string;
  readonly printed: string;
  readonly compacts: boolean;
  readonly checks: boolean;
  readonly usesRecipe: boolean;
}

interface ScriptSubject extends SessionOptions {
  readonly fenced: Fenced;
  readonly positions: string[];
  readonly verdict: Verdict;
}

/** Scripts what the local model does first, and what the cloud model is then asked and wants to do. */
function localScript(random: Random, subject: ScriptSubject): Script {
  const { fenced, positions, touches, verdict } = subject;
  const done = call('task_complete', { summary: 'ok' });
  const clean: Script = {
    replies: [call('read_file', { path: 'notes.md' }), done],
    cloud: [call('read_file', { path: 'a.py' })],
    task: 'Look at the notes.',
    second: 'Go on.',
    copy: 'nothing\n',
    printed: 'fine\n',
    compacts: false,
    checks: false,
    usesRecipe: false,
  };
  if (!touches) return clean;
  const said = `It says ${pick(random, fenced.tokens)}, as far as I see.`;
  const lines = fenced.text.split('\n');
  const at = 1 + Math.floor(random() * (lines.length - 1));
  const name = pick(random, [
    'read',
    'part',
    'search',
    'command',
    'edit',
    'copy',
    'said',
    'summary',
    'check',
    'instructions',
    'pasted',
    'recipe',
    'note',
    'cloud reads',
    'cloud runs',
    'cloud reads a copy',
  ]);
  positions.push(name);
  const read = call('read_file', { path: pick(random, [fenced.path, `./${fenced.path}`]) });
  const told = verdict === 'redact' ? 'I have read it.' : said;
  const printed = encode(random, fenced.text, positions);
  switch (name) {
    case 'read':
      return { ...clean, replies: [read, done] };
    case 'part':
      return { ...clean, replies: [call('read_file', { path: fenced.path, from: at, to: at + 1 }), done] };
    case 'search':
      return { ...clean, replies: [call('search', { pattern: pick(random, ['.', 'o', '[a-z]{5}']) }), done] };
    case 'command':
      return {
        ...clean,
        printed,
        replies: [call('run_command', { command: pick(random, ['cat it', 'python dump.py', 'base64 x']) }), done],
      };
    case 'edit':
      return {
        ...clean,
        replies: [
          read,
          call('edit_file', { path: fenced.path, old: lines[0] ?? '', new: `${lines[0] ?? ''} !` }),
          done,
        ],
      };
    case 'copy':
      return {
        ...clean,
        cloud: [call('read_file', { path: 'out/b.txt' })],
        replies: [
          read,
          call('write_file', { path: 'out/b.txt', content: encode(random, fenced.text, positions) }),
          done,
        ],
      };
    case 'said':
      return { ...clean, replies: [read, { text: told }] };
    case 'summary':
      return { ...clean, compacts: true, replies: summaries(read, told, done) };
    case 'check':
      return { ...clean, printed, checks: true };
    case 'instructions':
      return { ...clean, replies: [read, call('search', { pattern: '.', path: '.' }), { text: told }] };
    case 'pasted':
      return {
        ...clean,
        task: `Explain this:\n${encode(random, `${lines.filter((line) => line.length > 40).join('\n')}\n`, positions)}`,
        replies: [{ text: 'I see.' }],
      };
    case 'recipe':
      return {
        ...clean,
        usesRecipe: true,
        copy: encode(random, fenced.text, positions),
        task: `relay ${fenced.path}`,
        second: `relay ${pick(random, [fenced.path, 'copy.txt'])}`,
        replies: [{ text: told }, { text: told }],
      };
    case 'note':
      return {
        ...clean,
        usesRecipe: true,
        task: `relay ${fenced.path} give up`,
        replies: [{ text: told }, { text: told }, done],
      };
    case 'cloud reads':
      return { ...clean, replies: [], cloud: [read, call('read_file', { path: 'a.py' })] };
    case 'cloud runs':
      return { ...clean, replies: [], printed, cloud: [call('run_command', { command: 'cat it' })] };
    default:
      return { ...clean, replies: [], copy: printed, cloud: [call('read_file', { path: 'copy.txt' })] };
  }
}

/** Reads until the window is full, so that the conversation is summarized. The summary repeats what was read. */
function summaries(read: ReplyParts, told: string, done: ReplyParts): ReplyParts[] {
  const big = call('run_command', { command: 'make' });
  const filler: ReplyParts = { text: 'x '.repeat(1500), calls: big.calls ?? [] };
  return [read, filler, filler, filler, { text: told }, { text: told }, { text: told }, done];
}

/** A program that asks the model about a file. */
const relay = defineRecipe({
  id: 'relay',
  label: 'relay',
  fits: ({ task }) => (task.startsWith('relay ') ? { score: 1, reason: 'It was named.' } : null),
  run: async (context) => {
    const { task, world } = context;
    const path = task.split(' ')[1] ?? '';
    const text = (await world.read(path)) ?? '';
    const question = {
      purpose: 'answer',
      label: 'ask',
      system: 'You answer.',
      prefill: null,
      output: { type: 'text' },
      stop: [],
      temperature: 0,
      topP: 1,
      seed: 0,
      maxOutputTokens: 200,
    } as const;
    const first = await context.model.ask({ ...question, user: `What is in it?\n${text}` });
    const second = await context.model.ask({ ...question, user: `Shorter: ${first.ok ? first.text : ''}` });
    const found = second.ok ? second.text : '';
    if (task.endsWith('give up')) return { type: 'gave-up', reason: 'It is too hard.', facts: `${found}\n${text}` };
    return { type: 'answered', text: found };
  },
});
