import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { SessionEvent } from '@shared/events/events.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import type { ConnectedToolSpec } from '../../src/main/tools/connected/connected-tool-spec.ts';
import { turnOptions } from '../../tests/fakes/agent-kit.ts';
import { callerKit, withModel } from './model-callers.ts';
import type { BenchRow } from './rows.ts';
import { withoutWords } from './talk-rows.ts';

const message = z.object({ text: z.string(), tool: z.string().nullable() });
const waitsSchema = z.object({
  tools: z.array(
    z.object({
      server: z.string(),
      tool: z.string(),
      description: z.string(),
      arguments: z.record(z.string(), z.string()),
    }),
  ),
  /** One talk, message by message. */
  talk: z.array(message),
  /** Messages of a talk of their own each. */
  requests: z.array(message),
  needless: z.array(z.string()),
});

const readWaits = (file: string) => waitsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** How much of an answer is waited for: the wait before it is what counts. */
const longestAnswer = 40;

/**
 * What connected tools cost a small model in waiting: the same talk without tools and with all of them, in tokens read
 * and in seconds until the first word.
 */
export async function talkWaitRows(file: string, modelPath: string): Promise<readonly BenchRow[]> {
  const { tools, talk } = readWaits(file);
  const offered = tools.map(specOf);
  const rows: BenchRow[] = [];
  await withModel(modelPath, async (model) => {
    const provider = withShortAnswers(model);
    const plain = startTalk(provider, []);
    const withTools = startTalk(provider, offered);
    const first = startTalk(provider, []);
    // The first call of all loads the model.
    await first.say('Hello, who are you?');
    for (const [which, say] of [
      ['without tools', plain.say],
      [`with ${tools.length} tools`, withTools.say],
    ] as const) {
      for (const [at, { text }] of talk.entries()) {
        const { tokens, seconds, parts } = await say(text);
        const unit = 'tokens';
        const note = `${seconds.toFixed(1)} s until the first word of the answer; ${parts}`;
        rows.push({
          figure: `message ${at + 1} of a talk ${which}: tokens read`,
          value: tokens,
          unit,
          target: null,
          note,
        });
      }
    }
  });
  return rows;
}

/** How many messages call the right of all tools, or none where none is needed. */
export async function talkAmongRows(file: string, modelPath: string): Promise<readonly BenchRow[]> {
  const { tools, requests, needless } = readWaits(file);
  const offered = tools.map(specOf);
  const wrong: string[] = [];
  await withModel(modelPath, async (model) => {
    const provider = withoutWords(model);
    for (const { text, tool } of [...requests, ...needless.map((one) => ({ text: one, tool: null }))]) {
      const { called } = await startTalk(provider, offered).say(text);
      if (called !== tool) wrong.push(`${text} (${called ?? 'none'})`);
    }
  });
  return [
    {
      figure: `messages that called the right one of ${tools.length} tools, or none`,
      value: requests.length + needless.length - wrong.length,
      unit: '',
      target: null,
      note: `of ${requests.length} and ${needless.length}; wrong: ${wrong.join('; ')}`,
    },
  ];
}

function specOf(one: z.infer<typeof waitsSchema>['tools'][number]): ConnectedToolSpec {
  const { server, tool, description } = one;
  const names = Object.keys(one.arguments);
  const properties = Object.fromEntries(
    Object.entries(one.arguments).map(([name, about]) => [name, { type: 'string', description: about }]),
  );
  const inputSchema = { type: 'object', properties, required: names };
  return { server, tool, description, inputSchema, name: `${server}__${tool}`, leaves: true, readsFiles: false };
}

/** Ends answers in words early, as if the model were done. */
function withShortAnswers(provider: Provider): Provider {
  return {
    ...provider,
    stream: async function* (request, signal) {
      const isText = request.output.type === 'text';
      const asked = isText ? { ...request, maxOutputTokens: longestAnswer } : request;
      for await (const part of provider.stream(asked, signal))
        yield isText && part.type === 'ended' && part.stopReason === 'length' ? { ...part, stopReason: 'stop' } : part;
    },
  };
}

interface Said {
  readonly tokens: number;
  readonly seconds: number;
  readonly parts: string;
  readonly called: string | null;
}

function startTalk(provider: Provider, offered: readonly ConnectedToolSpec[]) {
  const called: string[] = [];
  const kit = callerKit(
    provider,
    {
      offered: async () => offered,
      call: async ({ tool }) => {
        called.push(tool);
        return { status: 'ok', output: 'Found: 12, from 9 to 10.' };
      },
    },
    { parametersB: 1.5, contextTokens: 8_192, strategies: ['recipe'] },
  );
  return {
    say: async (text: string): Promise<Said> => {
      const [calls, events] = [called.length, kit.journal.events.length];
      await kit.runner.send(text, { ...turnOptions, mode: 'auto', approve: 'allow', maxSteps: 6 });
      return { ...costOf(kit.journal.events.slice(events)), called: called[calls] ?? null };
    },
  };
}

/** All that was read before the last answer began: the seconds are those of reading, and of writing what came before. */
function costOf(events: readonly SessionEvent[]): Omit<Said, 'called'> {
  const ends = events.filter((event) => event.type === 'model-call-ended');
  const starts = events.filter((event) => event.type === 'model-call-started');
  const tokens = ends.reduce((sum, { evaluatedTokens }) => sum + (evaluatedTokens ?? 0), 0);
  const spent = ends.map(({ timings }, at) => {
    const reading = timings.prefillMs ?? 0;
    return at === ends.length - 1 ? reading : reading + (timings.decodeMs ?? 0);
  });
  const parts = ends
    .map(
      ({ evaluatedTokens }, at) =>
        `${starts[at]?.purpose ?? '?'} ${evaluatedTokens ?? '?'}: ${((spent[at] ?? 0) / 1000).toFixed(1)} s`,
    )
    .join(', ');
  return { tokens, seconds: spent.reduce((sum, one) => sum + one, 0) / 1000, parts };
}
