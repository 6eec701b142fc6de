import type { ConnectedTools } from '../../src/main/tools/connected/connected-tool.ts';
import type { ConnectedToolSpec } from '../../src/main/tools/connected/connected-tool-spec.ts';
import type { ReplyParts } from '../fakes/agent-kit.ts';
import { call, createAgentKit, turnOptions } from '../fakes/agent-kit.ts';
import type { Fenced, Random, Verdict } from './fence-calls.ts';
import { encode, fencedFile, fencedRules, otherPaths, pick, traces } from './fence-calls.ts';

/** What one generated session with tools of servers did, and how much of its fenced file a remote server got. */
export interface FencedToolRun {
  readonly positions: readonly string[];
  /** Calls to the remote server: those that reached it, and those that were stopped. */
  readonly sent: number;
  readonly stopped: number;
  readonly leakedBytes: number;
}

interface SessionOptions {
  readonly isFenced: boolean;
  /** False: nothing in the session touches the fenced file. */
  readonly touches: boolean;
}

const spec = (server: string, tool: string, more: Partial<ConnectedToolSpec> = {}): ConnectedToolSpec => ({
  name: `${server}__${tool}`,
  server,
  tool,
  description: `Notes a text at ${server}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  leaves: true,
  readsFiles: false,
  ...more,
});
const far = spec('far', 'note');
const farReader = spec('far', 'look', { reads: true });
/** The user declared that this server keeps what it gets on this machine. */
const near = spec('near', 'note', { leaves: false });
/** So many tools that they are found on demand. */
const crowd = Array.from({ length: 200 }, (_, at) =>
  spec('far', `other_${at}`, { description: `Does the other thing ${at}. ${'It says more of it. '.repeat(10)}` }),
);

/** Plays one session: its model gets to see fenced content in one of many ways, and tries to send it to a server. */
export async function playFencedTools(random: Random, { isFenced, touches }: SessionOptions): Promise<FencedToolRun> {
  const fenced = fencedFile(random, otherPaths);
  const verdict: Verdict = pick(random, ['local-only', 'local-only', 'ask', 'redact'] as const);
  const positions: string[] = [];
  const tells: string[] = [];
  const way = touches ? pick(random, ways) : 'none';
  const isMany = random() < 0.3;
  positions.push(way, isMany ? 'found on demand' : 'in the prompt');
  const body = told(random, { fenced, verdict, positions });
  const got: string[] = [];
  const connected: ConnectedTools = {
    offered: async () => [far, farReader, near, ...(isMany ? crowd : [])],
    call: async ({ leaves }, input) => {
      if (leaves) got.push(JSON.stringify(input));
      // A local server returns its input inside much other text, so that more of it is read from the log.
      const lines = Array.from({ length: 900 }, (_, at) => `line ${at} ${'of it '.repeat(8)}`);
      return { status: 'ok', output: leaves ? 'noted' : [...lines, JSON.stringify(input), ...lines].join('\n') };
    },
  };
  const kit = createAgentKit({
    replies: [
      ...seen(random, way, { fenced, body, tells }),
      ...telling(random, isMany, touches ? body : 'nothing', tells),
    ],
    sandbox: {
      files: { 'a.py': 'x = 1\n', 'copy.txt': 'nothing\n', [fenced.path]: fenced.text },
      exec: () => ({ stdout: encode(random, fenced.text, positions), exitCode: 0 }),
    },
    ...(isFenced ? { fences: { rules: [{ paths: fencedRules, verdict }] } } : { fences: { secrets: 'off' } }),
    dependencies: {
      tools: { connected },
      approver: { ask: async ({ kind }) => (kind === 'fence' && isFenced ? 'deny' : 'allow') },
    },
  });
  await kit.runner.send('Look at it and note what matters.', { ...turnOptions, mode: 'auto', strategy: 'loop' });
  await kit.runner.send('And now?', { ...turnOptions, mode: 'auto', strategy: 'loop' });
  const all = got.join('\n');
  const stopped = kit.journal.events.filter((event) => event.type === 'call-fenced' && event.outcome !== 'redacted');
  return {
    positions,
    sent: got.length,
    stopped: stopped.length,
    leakedBytes: 10 * fenced.tokens.filter((own) => traces(own).some((trace) => all.includes(trace))).length,
  };
}

const ways = ['read', 'part', 'search', 'command', 'copy', 'near server', 'more of a result', 'later turn'] as const;
const done = call('task_complete', { summary: 'ok' });

interface Subject {
  readonly fenced: Fenced;
  readonly body: string;
  readonly tells: readonly string[];
}

/** The ways in which the model gets to see it. */
function seen(random: Random, way: (typeof ways)[number] | 'none', { fenced, body }: Subject): readonly ReplyParts[] {
  const read = call('read_file', { path: pick(random, [fenced.path, `./${fenced.path}`]) });
  switch (way) {
    case 'none':
      return [call('read_file', { path: 'a.py' })];
    case 'read':
      return [read];
    case 'part':
      return [call('read_file', { path: fenced.path, from: 1, to: 2 })];
    case 'search':
      return [call('search', { pattern: pick(random, ['.', '[a-z]{5}']) })];
    case 'command':
      return [call('run_command', { command: 'cat it', why: 'to see it' })];
    case 'copy':
      return [read, call('write_file', { path: 'out/b.txt', content: body }), call('read_file', { path: 'out/b.txt' })];
    case 'near server':
      return [read, call(near.name, { text: body })];
    case 'more of a result':
      return [read, call(near.name, { text: body }), call('read_result', { rows: '899-903' })];
    case 'later turn':
      return [read, done];
    default:
      return way satisfies never;
  }
}

/** What the model tries to send: the content in one of its forms, a piece of it, or a paraphrase. */
function told(
  random: Random,
  { fenced, verdict, positions }: { readonly fenced: Fenced; readonly verdict: Verdict; readonly positions: string[] },
): string {
  const shape = random();
  // A paraphrase may go out where the rule only redacts.
  if (shape < 0.2 && verdict !== 'redact') {
    positions.push('own words');
    return `It says ${pick(random, fenced.tokens)}, as far as I see.`;
  }
  const lines = fenced.text.trimEnd().split('\n');
  const piece = shape < 0.4 && verdict !== 'redact' ? pick(random, lines) : fenced.text;
  return encode(random, piece, positions);
}

/** Where in the arguments the text stands, and which tool gets it. */
function telling(random: Random, isMany: boolean, body: string, tells: string[]): readonly ReplyParts[] {
  const input = pick(random, [
    { text: body },
    { text: 'x', meta: { tags: ['a', body] } },
    { text: `Note this: ${body} Thank you.` },
    { [body.slice(0, 200)]: 'x', text: body },
  ]);
  const { name } = pick(random, [far, farReader]);
  tells.push(name);
  const one = isMany ? call('call_tool', { tool: name, arguments: input }) : call(name, input);
  return [one, one, done];
}
