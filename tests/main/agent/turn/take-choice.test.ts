import { describe, expect, it } from 'vitest';
import type { TurnChoice, TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { turnChoice } from '../../../../src/main/settings/turn-options.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const cloudOnly: TurnOptions = { ...turnOptions, policy: 'cloud', cloud: 'sky/model' };
const look = call('read_file', { path: 'a.py' });
const fix = call('edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 2' });
const done = call('task_complete', { summary: 'It is 2 now.' });
const cheap = { id: 'sky/cheap', name: 'cheap', provider: 'sky', where: 'cloud', label: 'Cheap model' } as const;
const large = { id: 'fake/large', name: 'large', label: 'Large model', parametersB: 120 } as const;

interface Course extends KitOptions {
  /** What the person chooses when the first call of a tool has ended. */
  readonly chosen: Partial<TurnOptions>;
}

/** The person chooses something else while the first tool runs. */
function kitOf({ chosen, ...more }: Course, usual = turnOptions): AgentKit {
  let isOpen = true;
  const choice: TurnChoice = turnChoice({ ...usual, ...chosen });
  const kit: AgentKit = createAgentKit({
    replies: [look, fix, done],
    cloud: {},
    others: [cheap, large],
    journal: {
      onEvent: (event) => {
        if (!isOpen || event.type !== 'tool-started' || event.tool !== 'read_file') return;
        isOpen = false;
        kit.runner.choose(choice);
      },
    },
    ...more,
  });
  return kit;
}

const callsOf = (kit: AgentKit) => ofType(kit.journal.events, 'model-call-started');
const who = (kit: AgentKit): readonly string[] => callsOf(kit).map(({ stage }) => stage.model);
const refusals = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'notice-added').flatMap(({ code, text }) => (code === 'choice-refused' ? [text] : []));

describe('a choice that a person makes while a task runs', () => {
  it.each([
    ['another model of the cloud', { cloud: 'sky/cheap' }, cloudOnly, 'sky/cheap'],
    ['another model of this machine', { local: 'fake/large' }, turnOptions, 'fake/large'],
    ['the cloud in place of this machine', { policy: 'cloud', cloud: 'sky/model' }, turnOptions, 'sky/model'],
    ['this machine in place of the cloud', { policy: 'local' }, cloudOnly, 'fake/model'],
    ['an order of models', { policy: 'local', modelOrder: ['fake/large'] }, turnOptions, 'fake/large'],
  ] as const)('takes effect at the next step: %s', async (_what, chosen, usual, next) => {
    const kit = kitOf({ chosen }, usual);
    const end = await kit.runner.send('Set x to 2.', usual);
    expect(end.reason).toBe('done');
    const [first = ''] = who(kit);
    expect(first).not.toBe(next);
    expect(who(kit)).toEqual([first, next, next]);
    expect(ofType(kit.journal.events, 'stage-chosen').at(-1)?.reason).toBe('You chose it in the middle of the task.');
    await expectReplay(kit);
  });

  it('sets the thinking and the assistant of the next step', async () => {
    const assistant = { name: 'ada', text: 'Answer as Ada.' };
    const kit = kitOf({ chosen: { thinking: 'high', assistant }, model: { efforts: ['none', 'high'] } });
    await kit.runner.send('Set x to 2.', turnOptions);
    expect(kit.requests.map(({ effort }) => effort)).toEqual([undefined, 'high', 'high']);
    expect(kit.requests.map((request) => JSON.stringify(request).includes('Answer as Ada.'))).toEqual([
      false,
      true,
      true,
    ]);
    await expectReplay(kit);
  });

  // Bug: `/auto` after `--cloud` left out every model but one for good.
  it('lets the router choose again when both places are allowed', async () => {
    const kit = kitOf({ chosen: { policy: 'hybrid', cloud: 'sky/model' } }, cloudOnly);
    await kit.runner.send('Set x to 2.', cloudOnly);
    expect(ofType(kit.journal.events, 'route-decided').at(-1)?.options?.length).toBe(2);
    await expectReplay(kit);
  });

  it.each([
    ['a model that is not there', { local: 'fake/gone' }, /The model fake\/gone is not available/u],
    ['thinking that no model knows', { thinking: 'high' }, /can be set to thinking/u],
    ['an assistant without tools', { assistant: { name: 'ada', text: '', tools: 'off' } }, /"ada" has no tools/u],
  ] as const)('does not take effect, and the task says why: %s', async (_what, chosen, why) => {
    const kit = kitOf({ chosen });
    const end = await kit.runner.send('Set x to 2.', turnOptions);
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual(['fake/model', 'fake/model', 'fake/model']);
    expect(refusals(kit)).toEqual([expect.stringMatching(why)]);
    await expectReplay(kit);
  });

  it('takes effect as soon as the task has the message that brings it', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [look, fix, done],
      cloud: {},
      others: [cheap],
      journal: {
        onEvent: (event) => {
          if (event.type === 'tool-started' && event.tool === 'read_file')
            void kit.runner.post('Go on with the cheap one.', { ...cloudOnly, cloud: 'sky/cheap' });
        },
      },
    });
    await kit.runner.send('Set x to 2.', cloudOnly);
    expect(who(kit)).toEqual(['sky/model', 'sky/cheap', 'sky/cheap']);
    await expectReplay(kit);
  });

  // Bug: a message that waited began its own turn with the model from before the choice.
  it('counts for a waiting message, too', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [done, done],
      others: [large],
      journal: {
        onEvent: (event) => {
          if (event.type !== 'tool-started' || event.tool !== 'task_complete') return;
          if (kit.requests.length > 1) return;
          void kit.runner.post('What does x do?', turnOptions);
          kit.runner.choose(turnChoice({ ...turnOptions, local: 'fake/large' }));
        },
      },
    });
    await kit.runner.send('What is x?', turnOptions);
    await kit.runner.idle();
    expect(who(kit)).toEqual(['fake/model', 'fake/large']);
    await expectReplay(kit);
  });

  it('ends with the task', async () => {
    const kit = createAgentKit({ replies: [done, done], others: [large] });
    await kit.runner.send('What is x?', turnOptions);
    kit.runner.choose(turnChoice({ ...turnOptions, local: 'fake/large' }));
    await kit.runner.send('What is x?', turnOptions);
    expect(who(kit)).toEqual(['fake/model', 'fake/model']);
  });
});

describe('a recipe', () => {
  const asksTwice = defineRecipe({
    id: 'twice',
    label: 'Twice',
    fits: () => ({ score: 1, reason: 'It fits.' }),
    run: async (context) => {
      const question = {
        purpose: 'propose',
        label: 'ask',
        system: '',
        user: 'Which?',
        prefill: null,
        output: { type: 'text' },
        stop: [],
        temperature: 0.5,
        topP: 1,
        seed: 1,
        maxOutputTokens: 64,
      } as const;
      const first = await context.model.ask(question);
      await context.world.read('a.py');
      const second = await context.model.ask(question);
      return first.ok && second.ok
        ? { type: 'answered', text: second.text }
        : { type: 'gave-up', reason: 'No answer.', facts: 'Nothing of it is known.' };
    },
  });
  const small = { strategies: ['recipe', 'loop'], parametersB: 1 } satisfies Partial<ModelInfo>;
  const chosenBetween = (chosen: Partial<TurnOptions>, more: Partial<KitOptions> = {}): AgentKit => {
    let isOpen = true;
    const kit: AgentKit = createAgentKit({
      replies: [{ text: 'One.' }, { text: 'Two.' }, done, done],
      model: small,
      recipes: [asksTwice],
      others: [large, { ...small, id: 'fake/tiny', name: 'tiny', label: 'Tiny model' }],
      journal: {
        onEvent: (event) => {
          if (!isOpen || event.type !== 'model-call-ended') return;
          isOpen = false;
          kit.runner.choose(turnChoice({ ...turnOptions, ...chosen }));
        },
      },
      ...more,
    });
    return kit;
  };

  it('stops before its next question when the person chooses another model', async () => {
    const kit = chosenBetween({ local: 'fake/large' }, { replies: [{ text: 'One.' }, done] });
    await kit.runner.send('Set x to 2.', turnOptions);
    expect(who(kit)).toEqual(['fake/model', 'fake/large']);
    expect(callsOf(kit).at(-1)?.stage.strategy).toBe('loop');
    expect(ofType(kit.journal.events, 'recipe-progressed')).toEqual([]);
    await expectReplay(kit);
  });

  it('begins again when the person chooses another small model', async () => {
    const kit = chosenBetween(
      { local: 'fake/tiny' },
      { replies: [{ text: 'One.' }, { text: 'Two.' }, { text: '3.' }] },
    );
    const end = await kit.runner.send('Set x to 2.', turnOptions);
    expect(end.text).toBe('3.');
    expect(who(kit)).toEqual(['fake/model', 'fake/tiny', 'fake/tiny']);
    await expectReplay(kit);
  });

  it('goes on when its own model is still chosen', async () => {
    const kit = chosenBetween({ policy: 'hybrid', cloud: 'sky/model' }, { cloud: {} });
    const end = await kit.runner.send('Set x to 2.', turnOptions);
    expect(end.text).toBe('Two.');
    expect(who(kit)).toEqual(['fake/model', 'fake/model']);
    await expectReplay(kit);
  });
});
