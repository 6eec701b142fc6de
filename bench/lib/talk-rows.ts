import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Provider } from '../../src/main/models/providers/define.ts';
import type { ConnectedTools } from '../../src/main/tools/connected/connected-tool.ts';
import { valueOf } from '@shared/errors.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import type { Tool } from '../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import { createAgentKit, ended, loopModel, turnOptions } from '../../tests/fakes/agent-kit.ts';
import { benchSandboxFactory } from './bench-sandbox.ts';
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
  /** Messages that take computing, with what the answer must contain, and messages that take none. */
  computing: z.object({
    needed: z.array(z.object({ text: z.string(), result: z.string() })),
    needless: z.array(z.string()),
  }),
});

const readTalks = (file: string) => talksSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/**
 * Which tool a small model calls in a talk without a project: for requests and their follow-ups in four languages, and
 * for messages that need none. Every tool answers the same. Only the first call of a message counts.
 */
export async function talkRows(file: string, modelPath: string): Promise<readonly BenchRow[]> {
  const { tools, requests, talks } = readTalks(file);
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
export function withoutWords(provider: Provider): Provider {
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

/**
 * Whether a small model computes where a message takes it, and comes to the right result. Dewpoint offers it no such
 * tool, and this is why: here it is offered, as to a large model. Programs run in a real container.
 */
export async function computingRows(file: string, modelPath: string): Promise<readonly BenchRow[]> {
  const { needed, needless } = readTalks(file).computing;
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-bench-computing-'));
  const did: string[] = [];
  let called = 0;
  let right = 0;
  let calledNeedlessly = 0;
  try {
    await withModel(modelPath, async (provider) => {
      const startSandbox = benchSandboxFactory(process.cwd(), home);
      const say = (text: string) => computeOnce({ provider, startSandbox, home }, text);
      for (const { text, result } of needed) {
        const { answer, calls } = await say(text);
        const isRight = answer.replaceAll(/[,.\s_]/gu, '').includes(result);
        called += calls > 0 ? 1 : 0;
        right += isRight ? 1 : 0;
        did.push(`${text} ${calls > 0 ? 'computed' : 'not computed'}, ${isRight ? 'right' : 'wrong'}`);
      }
      for (const text of needless) calledNeedlessly += (await say(text)).calls > 0 ? 1 : 0;
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  const row = { unit: '', target: null } as const;
  return [
    {
      figure: 'messages that take computing: the starter runs a program',
      value: called,
      ...row,
      note: `of ${needed.length}`,
    },
    { figure: 'the right result in its answer', value: right, ...row, note: did.join('; ') },
    { figure: 'messages that take none: it runs one', value: calledNeedlessly, ...row, note: `of ${needless.length}` },
  ];
}

function asForAll(tool: Tool): Tool {
  const { isForStrong: isHeldBack, ...others } = tool;
  return isHeldBack === true ? others : tool;
}

interface ComputingParts {
  readonly provider: Provider;
  readonly startSandbox: ReturnType<typeof benchSandboxFactory>;
  readonly home: string;
}

let folders = 0;

async function computeOnce({ provider, startSandbox, home }: ComputingParts, text: string) {
  folders += 1;
  const sessionId = `computing-${folders}`;
  const workspacePath = join(home, 'workspaces', sessionId);
  await mkdir(workspacePath, { recursive: true });
  const { sandbox: settings } = settingsSchema.parse({ version: 1 });
  const wanted = {
    sessionId,
    workspacePath,
    projectPath: null,
    settings,
    wanted: 'container',
    needsExecute: true,
  } as const;
  const hooks = { onLost: () => undefined, onProgress: () => undefined };
  const sandbox = valueOf(await startSandbox({ ...wanted, ...hooks }, new AbortController().signal));
  const capabilities = { ...loopModel.capabilities, tools: false, grammar: true, prefill: true };
  const all = builtInTools(discoverTools(), { now: () => 0 });
  const builtIn = all.filter(({ isForStrong, needs }) => isForStrong !== true || needs === 'computing').map(asForAll);
  const kit = createAgentKit({
    model: { ...loopModel, capabilities, parametersB: 1.5, contextTokens: 16_384, strategies: ['recipe'] },
    dependencies: { sandbox, tools: { builtIn, computes: () => true }, models: { provider: () => provider } },
  });
  try {
    const end = await kit.runner.send(text, { ...turnOptions, mode: 'auto', maxSteps: 6 });
    const calls = kit.journal.events.filter(
      (event) => event.type === 'tool-started' && event.tool === 'calculate',
    ).length;
    return { answer: end.text ?? '', calls };
  } finally {
    await sandbox.dispose();
  }
}
