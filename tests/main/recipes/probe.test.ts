import { describe, expect, it } from 'vitest';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ProbeCard } from '@shared/models/probe-card.ts';
import { probeCardSchema } from '@shared/models/probe-card.ts';
import probe, { probeTask } from '../../../src/main/recipes/probe.recipe.ts';
import type { ModelRequest, StreamPart } from '../../../src/main/models/providers/define.ts';
import { expectReplay } from '../../fakes/replay-kit.ts';
import { createAgentKit, ended, turnOptions } from '../../fakes/agent-kit.ts';
import type { AgentKit, ReplyParts } from '../../fakes/agent-kit.ts';

const lastText = ({ messages }: ModelRequest): string =>
  (messages.at(-1)?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('');
const conversation = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))).join('\n');

/** A model that does everything right, in every call style. */
function good(request: ModelRequest): ReplyParts {
  const text = lastText(request);
  const call = (name: string, input: unknown): ReplyParts => ({ calls: [{ name, input }] });
  if (text.includes('Count from 1')) return { text: '1, 2, 3, 4, 5' };
  if (text.includes('Read the file src/app.py')) return call('read_file', { path: 'src/app.py' });
  if (text.includes('with one edit')) return call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
  if (text.includes('already done')) return call('task_complete', { summary: 'all good' });
  if (text.includes('add(1, 2) gives -1')) return { text: '    return a + b' };
  if (text.includes('up_to(3)')) return { text: '    return list(range(1, n + 1))' };
  if (text.includes('{"old": "…"')) return { text: '{"old": "    return a - b", "new": "    return a + b"}' };
  if (text.includes('The function add in calc.py subtracts')) return call('read_file', { path: 'calc.py' });
  if (text.includes('Edited')) return call('task_complete', { summary: 'done' });
  if (text.includes('def add')) return call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
  if (text.includes('number of the safe')) return { text: text.includes('is 7391') ? '7391' : 'I do not know' };
  return { text: 'What?' };
}

/** A model that only talks. */
function talker(request: ModelRequest): ReplyParts {
  return lastText(request).includes('add(1, 2) gives -1') ? { text: '    return b + a' } : { text: 'I would do that.' };
}

async function probed(
  answer: (request: ModelRequest) => ReplyParts,
  model: Partial<ModelInfo> = {},
): Promise<{ readonly card: ProbeCard | null; readonly kit: AgentKit; readonly reason: string }> {
  const kit = createAgentKit({ recipes: [probe], model, replies: Array.from({ length: 80 }, () => answer) });
  const end = await kit.runner.send(probeTask, { ...turnOptions, mode: 'plan', strategy: 'recipe', maxSteps: 60 });
  const events = kit.journal.events;
  const last = events.findLast((event) => event.type === 'recipe-progressed' && event.phase === 'card');
  const card = last?.type === 'recipe-progressed' ? probeCardSchema.parse(last.data) : null;
  return { card, kit, reason: end.reason };
}

const small = {
  contextTokens: 4096,
  parametersB: 1.5,
  capabilities: { tools: false, grammar: true, prefill: true, infill: false, countTokens: true },
} as const;

describe('the probe', () => {
  it('finds the first way of calling that works, and the strategies whose tasks pass', async () => {
    const { card, reason } = await probed(good);
    expect(reason).toBe('answered');
    expect(card).toMatchObject({
      calls: [{ style: 'native', passed: 3, of: 3 }],
      callStyle: 'native',
      toolBudget: null,
      edit: 'search-replace',
      tasks: { recipe: { passed: 2, of: 2 }, loop: { passed: 1, of: 1 } },
      strategies: ['loop', 'recipe'],
      needle: { isFound: true },
      promptForm: 'full',
      temperature: 0,
    });
    expect(card?.speeds).toHaveLength(3);
  });

  it('asks with the prompt of the loop, and fills the window for the last question', async () => {
    const { kit, card } = await probed(good, small);
    const forced = kit.requests.filter(({ output }) => output.type === 'tool-calls');
    expect(forced.length).toBeGreaterThan(3);
    expect(
      forced.every(({ tools, messages }) => tools.length > 3 && JSON.stringify(messages).includes('read_file(')),
    ).toBe(true);
    expect(card).toMatchObject({ callStyle: 'grammar', promptForm: 'short', strategies: ['recipe', 'loop'] });
    expect(card?.needle?.promptTokens).toBeGreaterThan(3_000);
    expect(conversation(kit.requests.at(-1) ?? fail())).toContain('The number of the safe is 7391');
  });

  it('leaves only recipes to a model that makes no calls', async () => {
    const { card } = await probed(talker, small);
    expect(card).toMatchObject({
      calls: [
        { style: 'grammar', passed: 0, of: 3 },
        { style: 'text', passed: 0, of: 3 },
      ],
      callStyle: null,
      edit: null,
      tasks: { recipe: { passed: 1, of: 2 }, loop: null },
      strategies: ['recipe'],
      needle: { isFound: false },
    });
  });

  it('offers fewer tools if that helps, and the loop keeps that number', async () => {
    const { card, kit } = await probed((request) => {
      const isMany = conversation(request).includes('write_file(');
      return isMany && lastText(request).includes('already done') ? { text: 'Fine.' } : good(request);
    }, small);
    expect(card).toMatchObject({ callStyle: 'grammar', toolBudget: 5, tasks: { loop: { passed: 1 } } });
    const few = kit.requests.filter(({ tools }) => tools.length > 0 && tools.length <= 5);
    expect(few[0]?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['read_file', 'edit_file', 'task_complete']),
    );
  });

  it("measures speed and the usable window by the engine's clock", async () => {
    const { card } = await probed((request) => ({ stream: streamed(good(request)) }), small);
    expect(card?.speeds[0]).toEqual({ promptTokens: 400, prefillPerSecond: 20, decodePerSecond: 4 });
    expect(card?.needle?.promptTokens).toBe(400);
    expect(card?.notes[0]).toContain('more would take longer than 25 seconds');
  });

  describe('of a server that can draft', () => {
    const drafting = { ways: ['lookup', 'llama-cpp/small'], on: 'build 1' };
    const verdictOf = async (writes: Writes) =>
      (await probed((request) => ({ stream: drafted(request, good(request), writes) }), { ...small, drafting })).card
        ?.drafts;

    it('takes the drafter that is faster for every prompt, and keeps all measurements', async () => {
      const drafts = await verdictOf({ off: [10, 10], lookup: [20, 10], 'llama-cpp/small': [12, 12] });
      expect(drafts).toMatchObject({ on: 'build 1', plain: [10, 10], best: 'lookup', sha256: null });
      expect(drafts?.ways.map(({ way, quicker, accepted }) => [way, quicker, accepted])).toEqual([
        ['lookup', 33, 10],
        ['llama-cpp/small', 20, 10],
      ]);
    });

    it('takes no drafter that is little faster or slower for one prompt', async () => {
      expect((await verdictOf({ off: [10, 10], lookup: [11, 10], 'llama-cpp/small': [30, 8] }))?.best).toBeNull();
    });

    it('is replayed without the server', async () => {
      const writes = { off: [10, 10], lookup: [20, 10], 'llama-cpp/small': null } as const;
      const answer = (request: ModelRequest): ReplyParts => ({ stream: drafted(request, good(request), writes) });
      const { kit, card } = await probed(answer, { ...small, drafting });
      expect(card?.drafts?.best).toBe('lookup');
      await expectReplay(kit);
    });

    it('reports a busy machine, and does not trust a speed from a better moment', async () => {
      let plainRuns = 0;
      const { card } = await probed(
        (request) => {
          plainRuns += request.drafts === 'off' ? 1 : 0;
          const off = plainRuns <= 2 ? ([2, 2] as const) : ([10, 10] as const);
          return { stream: drafted(request, good(request), { off, lookup: [10, 10], 'llama-cpp/small': [9, 9] }) };
        },
        { ...small, drafting },
      );
      expect(card?.drafts?.best).toBeNull();
      expect(card?.notes.join()).toContain('the machine was busy while drafts were compared');
    });

    it('takes no drafter that the server did not use, and reports different words', async () => {
      const drafts = await verdictOf({ off: [10, 10], lookup: [20, 20, 'other words'], 'llama-cpp/small': null });
      expect(drafts?.ways).toMatchObject([
        { way: 'lookup', differs: ['edit', 'answer'], problem: null },
        { way: 'llama-cpp/small', quicker: null, problem: 'its server did not draft so' },
      ]);
      expect(drafts?.best).toBe('lookup');
    });
  });

  it('ends without a result when the model does not answer', async () => {
    const error = { code: 'missing-model', message: 'gone', retryable: false } as const;
    const { card, reason } = await probed(() => ({ error }));
    expect([card, reason]).toEqual([null, 'missing']);
  });

  it('starts only by its own task', () => {
    const subject = { mode: 'plan', check: null, checkPasses: null, canExecute: false, earlier: [] } as const;
    const empty = {
      languages: [],
      fileCount: 0,
      sourceFiles: [],
      testFiles: [],
      test: null,
      instructionFiles: [],
      git: false,
      truncated: false,
    };
    expect(probe.fits({ ...subject, facts: empty, task: 'Probe this model' })).toBeNull();
    expect(probe.fits({ ...subject, facts: empty, task: probeTask })).toMatchObject({ score: 1 });
  });
});

/** Tokens per second for the edit and for the answer, by the way of drafting. Null: the server ignores that way. */
type Writes = Readonly<Record<string, readonly [edit: number, answer: number, words?: string] | null>>;

function* drafted(request: ModelRequest, reply: ReplyParts, writes: Writes): Iterable<StreamPart> {
  const way = request.drafts;
  if (way === undefined) return yield* streamed(reply);
  const speeds = writes[way] ?? [10, 10];
  const perSecond = lastText(request).includes('mutex') ? speeds[1] : speeds[0];
  yield { type: 'text-delta', text: speeds[2] ?? 'the same words' };
  const counted = { readTokens: 100, readMs: 0, writtenTokens: 40, writtenMs: 40_000 / perSecond };
  const engine = {
    backend: 'cpu',
    askedTokens: 4096,
    grantedTokens: 4096,
    contextTokens: 4096,
    sequences: 1,
    predictedBytes: null,
    why: null,
    ...(way === 'off' || writes[way] === null ? {} : { drafts: { way, bytes: 0, drafted: 8, accepted: 5 } }),
  };
  yield { ...ended('stop', 100), timings: { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2, counted }, engine };
}

function fail(): never {
  throw new Error('there is none');
}

/** The same answer from an engine that reads 20 tokens a second and writes 4. */
function* streamed(reply: ReplyParts): Iterable<StreamPart> {
  if (reply.text !== undefined) yield { type: 'text-delta', text: reply.text };
  for (const { name, input } of reply.calls ?? []) {
    yield { type: 'tool-call', call: { type: 'tool-call', id: 'c', name, input } };
  }
  yield {
    ...ended('stop', 400),
    usage: { freshInput: 400, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0, estimated: false },
    evaluatedTokens: 400,
    timings: { queuedMs: 0, prefillMs: 20_000, decodeMs: 5_000, totalMs: 25_000 },
    error: null,
  };
}
