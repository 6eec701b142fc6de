import { describe, expect, it } from 'vitest';
import { createHiddenValues } from '../../../../src/main/safety/hidden-values.ts';
import type { UserAnswer } from '../../../../src/main/safety/approvals/approver.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import type { ModelAnswer, ModelQuestion } from '../../../../src/main/tools/define.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import type { AgentKit, KitOptions, Reply } from '../../../fakes/agent-kit.ts';
import { blobsOf } from '../../../../src/main/sessions/blobs/event-blobs.ts';
import { redSquare } from '../../../fakes/mcp-http-server.ts';
import { call, createAgentKit, loopModel, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const spec: ConnectedToolSpec = {
  name: 'made__think',
  server: 'made',
  tool: 'think',
  description: 'Thinks.',
  inputSchema: { type: 'object' },
  leaves: true,
  readsFiles: false,
};
const question: ModelQuestion = {
  system: 'Be short.',
  messages: [{ role: 'user', text: 'Six by seven?' }],
  maxTokens: 50,
  temperature: null,
  stop: [],
};
const loop: TurnOptions = { ...turnOptions, strategy: 'loop' };
const done = call('task_complete', { summary: 'ok' });
const sky = { price: { input: 2, output: 10, source: 'list', date: '2026-11-21' } } as const;

interface Scene {
  readonly kit: AgentKit;
  /** The answers that the server got. */
  readonly answers: ModelAnswer[];
}

/** A server that asks a model once in each call and returns the answer. */
function scene(
  answer: UserAnswer | ((kind: string) => UserAnswer),
  { asked = question, times = 1, ...options }: KitOptions & { readonly asked?: ModelQuestion; readonly times?: number },
): Scene {
  const answers: ModelAnswer[] = [];
  const kit = createAgentKit({
    ...options,
    dependencies: {
      tools: {
        connected: {
          offered: async () => [spec],
          call: async (_spec, _input, { door }) => {
            for (let at = 0; at < times; at += 1) {
              const said = await door?.model(asked);
              if (said !== undefined) answers.push(said);
            }
            return { status: 'ok', output: JSON.stringify(answers.at(-1)) };
          },
        },
      },
      approver: { ask: async ({ kind }) => (typeof answer === 'string' ? answer : answer(kind)) },
      ...options.dependencies,
    },
  });
  return { kit, answers };
}

const think = call(spec.name, {});
const said: Reply = { text: 'It is 42.' };
const questionsOf = ({ kit }: Scene) =>
  ofType(kit.journal.events, 'approval-requested').filter(({ kind }) => kind === 'server-model');
const callsOf = ({ kit }: Scene) => ofType(kit.journal.events, 'model-call-started').filter(({ askedBy }) => askedBy);

describe('a server that asks a model during a call', () => {
  /** Catches: words of a conversation that was fenced in an earlier turn, and reach a cloud model by a server. */
  it('asks with words of the conversation, so everything fenced in it counts', async () => {
    const looked: string[] = [];
    const check: AgentKit['dependencies']['fences']['check'] = async ({ purpose, scope }) => {
      looked.push(`${purpose} ${scope}`);
      return { type: 'free' };
    };
    const one = scene('allow', {
      replies: [think, said, done],
      cloud: sky,
      dependencies: { fences: { check, hidden: createHiddenValues() } },
    });
    await one.kit.runner.send('Think.', { ...loop, policy: 'cloud', cloud: 'sky/model' });
    expect(looked).toContain('sample conversation');
    expect(looked.filter((one) => one.endsWith('turn'))).toEqual([]);
  });

  it('gets an answer after a yes to its exact words, but nothing of the session', async () => {
    const one = scene('allow', { replies: [think, said, done, think, said, done] });
    await one.kit.runner.send('Think about a.py.', loop);
    expect(one.answers).toEqual([{ type: 'answered', model: 'model', text: 'It is 42.', isWhole: true }]);
    const [asked] = questionsOf(one);
    expect(asked).toMatchObject({ subject: 'made: think', text: 'system:\nBe short.\n\nuser:\nSix by seven?' });
    expect(asked?.reason).toContain('Fake model answers it here');
    const [started] = callsOf(one);
    expect(started).toMatchObject({ purpose: 'sample', askedBy: { server: 'made' } });
    expect(one.kit.requests[1]?.messages).toHaveLength(2);
    expect(one.kit.requests[1]).toMatchObject({ maxOutputTokens: 50, tools: [] });
    // Catches: steps, tokens and prices of the question that a replay does not reproduce, also in the next turn.
    await one.kit.runner.send('Think again.', loop);
    expect(callsOf(one)).toHaveLength(2);
    expect(ofType(one.kit.journal.events, 'model-call-started').map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6]);
    await expectReplay(one.kit);
  });

  it.each([
    ['the person says no', (kind: string) => (kind === 'server-model' ? 'deny' : 'allow') as UserAnswer, loop],
    ['nobody can be asked', (kind: string) => (kind === 'server-model' ? 'nobody' : 'allow') as UserAnswer, loop],
    ['everything else is allowed', 'allow' as const, { ...loop, approve: 'allow' } as TurnOptions],
  ])('gets no answer when %s, and the log replays', async (_name, answer, options) => {
    const one = scene(answer, { replies: [think, done] });
    await one.kit.runner.send('Think.', options);
    expect(one.answers).toMatchObject([{ type: 'refused' }]);
    expect(callsOf(one)).toEqual([]);
    await expectReplay(one.kit);
  });

  it("has the highest cost of a cloud answer in its question, within the session's limits", async () => {
    const cloud: TurnOptions = { ...loop, policy: 'cloud', cloud: 'sky/model' };
    const one = scene('allow', { replies: [think, said, done], cloud: sky });
    await one.kit.runner.send('Think.', cloud);
    expect(questionsOf(one)[0]?.reason).toMatch(/in the cloud \(at most \$0\.00\d\d\), with at most 50 tokens/u);
    expect(one.answers).toMatchObject([{ type: 'answered' }]);
    const asked = { ...question, system: 'x'.repeat(45_000) };
    const poor = scene('allow', { replies: [think, said, done], cloud: { ...sky, outputTokens: 500 }, asked });
    await poor.kit.runner.send('Think.', { ...cloud, maxUsd: 0.02 });
    expect(poor.answers).toMatchObject([{ type: 'refused', why: expect.stringContaining('could exceed your limit') }]);
    for (const { kit } of [one, poor]) await expectReplay(kit);
  });

  // Catches: a server that learns by a question what the arguments of a call would not have told it.
  it('cannot carry fenced text to a cloud model', async () => {
    const secret = 'The launch of the blue rocket is on Tuesday the fourth of May.';
    const fences = { rules: [{ paths: ['plans/**'], verdict: 'local-only' }] };
    const sandbox = { files: { 'a.py': 'x = 1\n', 'plans/launch.md': `${secret}\n` } };
    const asked = { ...question, messages: [{ role: 'user', text: `Sum it up: ${secret}` }] } as const;
    const one = scene('allow', { replies: [think, said, done], cloud: sky, fences, sandbox, asked });
    await one.kit.runner.send('Think.', { ...loop, policy: 'cloud', cloud: 'sky/model' });
    expect(one.answers).toMatchObject([{ type: 'refused' }]);
    expect(questionsOf(one)).toEqual([]);
    await expectReplay(one.kit);
  });

  it('may ask about an image, which the person sees before the yes', async () => {
    const bytes = Buffer.from(redSquare, 'base64');
    const pictures = [{ bytes, mediaType: 'image/png' as const, width: 4, height: 4 }];
    const asked: ModelQuestion = { ...question, messages: [{ role: 'user', text: 'What is it?', pictures }] };
    const model = { capabilities: { ...loopModel.capabilities, images: true } };
    const one = scene('allow', { replies: [think, said, done], asked, model });
    await one.kit.runner.send('Think.', loop);
    expect(one.answers).toMatchObject([{ type: 'answered' }]);
    const [shown] = questionsOf(one);
    expect(shown).toMatchObject({ text: 'system:\nBe short.\n\nuser:\nWhat is it?\nimage/png made 1' });
    expect(shown?.pictures).toMatchObject([{ kind: 'image', name: 'made 1', width: 4 }]);
    // Catches: blobs that a fork, an export or a clean-up does not know about.
    expect(shown === undefined ? [] : blobsOf(shown)).toEqual(shown?.pictures?.map(({ blob }) => blob));
    const parts = one.kit.requests[1]?.messages.at(-1)?.parts;
    expect(parts).toMatchObject([{ text: 'What is it?' }, { type: 'image', mediaType: 'image/png', data: redSquare }]);
    await expectReplay(one.kit);
    const blind = scene('allow', { replies: [think, done], asked });
    await blind.kit.runner.send('Think.', loop);
    expect(blind.answers).toMatchObject([{ why: 'no model that sees images may answer it' }]);
    expect(questionsOf(blind)).toEqual([]);
  });

  it('gets at most 20 answers in a session and 10 in a call, and none to a long question', async () => {
    const replies = [think, ...Array<Reply>(10).fill(said), think, ...Array<Reply>(10).fill(said), think, done];
    const one = scene('allow', { replies, times: 11 });
    await one.kit.runner.send('Think.', loop);
    expect(one.answers.filter(({ type }) => type === 'answered')).toHaveLength(20);
    expect(one.answers.at(-1)).toMatchObject({ type: 'refused' });
    await expectReplay(one.kit);
    const asked = { ...question, system: 'x'.repeat(60_000) };
    const long = scene('allow', { replies: [think, done], asked });
    await long.kit.runner.send('Think.', loop);
    expect(questionsOf(long)).toEqual([]);
    expect(long.answers).toMatchObject([{ why: 'it is too long to be read' }]);
  });

  // Catches: a question that stays open after its call, and an answer at a place in the log where no replay expects it.
  it('gets no more answers after its call has ended', async () => {
    const kit = createAgentKit({
      replies: [think, done],
      dependencies: {
        tools: {
          connected: {
            offered: async () => [spec],
            call: async (_spec, _input, { door }) => {
              void door?.model(question);
              await new Promise((resolve) => {
                setTimeout(resolve, 20);
              });
              return { status: 'ok', output: 'never mind' };
            },
          },
        },
        approver: {
          ask: async ({ kind }, signal) =>
            kind === 'server-model'
              ? new Promise((_, fail) => {
                  signal.addEventListener('abort', () => fail(new Error('gone')));
                })
              : 'allow',
        },
      },
    });
    await kit.runner.send('Think.', loop);
    const types = kit.journal.events.map(({ type }) => type);
    expect(types.filter((type) => type === 'approval-answered')).toHaveLength(2);
    expect(types.lastIndexOf('approval-answered')).toBeLessThan(types.lastIndexOf('tool-ended'));
    await expectReplay(kit);
  });
});
