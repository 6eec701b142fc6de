import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Provider } from '../../src/main/models/providers/define.ts';
import type { ConnectedTools } from '../../src/main/tools/connected/connected-tool.ts';
import { ended, turnOptions } from '../../tests/fakes/agent-kit.ts';
import { callerKit, withModel } from './model-callers.ts';
import type { BenchRow } from './rows.ts';

const talksSchema = z.object({
  tools: z.array(
    z.object({
      server: z.string(),
      tool: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
  /** `followUp`: a message after the answer, which the same tool answers. */
  requests: z.array(z.object({ text: z.string(), tool: z.string(), followUp: z.string().optional() })),
  /** Messages that no tool answers. */
  talks: z.array(z.string()),
});

/**
 * Which tool a small model calls in a talk without a project: for requests and their follow-ups in four languages, and
 * for messages that need none. Every tool answers the same. Only the first call of a message counts.
 */
export async function talkRows(file: string, modelPath: string): Promise<readonly BenchRow[]> {
  const { tools, requests, talks } = talksSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const offered = tools.map((one) => ({ ...one, name: `${one.server}__${one.tool}`, leaves: true, readsFiles: false }));
  let right = 0;
  let asked = 0;
  let needless = 0;
  const wrong: string[] = [];
  await withModel(modelPath, async (model) => {
    const provider = withoutWords(model);
    for (const { text, tool, followUp } of requests) {
      const talk = startTalk(provider, offered);
      for (const message of followUp === undefined ? [text] : [text, followUp]) {
        asked += 1;
        const called = await talk.say(message);
        if (called === tool) right += 1;
        else wrong.push(`${message} (${called ?? 'none'})`);
      }
    }
    for (const text of talks) {
      const called = await startTalk(provider, offered).say(text);
      if (called !== null) {
        needless += 1;
        wrong.push(`${text} (${called})`);
      }
    }
  });
  return [
    {
      figure: 'the right tool called in a talk by the starter, of 24 requests and 12 follow-ups',
      value: right,
      unit: '',
      target: { atLeast: 20 },
      note: `of ${asked}, in four languages, ${tools.length} tools connected`,
    },
    {
      figure: 'no tool called where none is needed',
      value: (100 * (talks.length - needless)) / talks.length,
      unit: '%',
      target: { atLeast: 95 },
      note: `${needless} of ${talks.length} called one; wrong: ${wrong.join('; ')}`,
    },
  ];
}

/** The model chooses and fills in; what it would then say in words is not judged, so that it need not be waited for. */
function withoutWords(provider: Provider): Provider {
  return {
    ...provider,
    stream: async function* (request, signal) {
      if (request.output.type !== 'text') yield* provider.stream(request, signal);
      else {
        yield { type: 'text-delta', text: 'So it is.' };
        yield ended('stop', 0);
      }
    },
  };
}

function startTalk(provider: Provider, offered: Awaited<ReturnType<ConnectedTools['offered']>>) {
  const called: string[] = [];
  const connected: ConnectedTools = {
    offered: async () => offered,
    call: async ({ name }) => {
      called.push(name);
      return { status: 'ok', output: 'Found: 12, from 9 to 10.' };
    },
  };
  const kit = callerKit(provider, connected, { parametersB: 1.5, contextTokens: 16_384, strategies: ['recipe'] });
  return {
    say: async (text: string): Promise<string | null> => {
      const before = called.length;
      await kit.runner.send(text, { ...turnOptions, mode: 'auto', approve: 'allow', maxSteps: 6 });
      return called[before] ?? null;
    },
  };
}
