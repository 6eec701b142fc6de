import { describe, expect, it } from 'vitest';
import { createHiddenValues } from '../../../../src/main/safety/hidden-values.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { Recipe, RecipeContext, RecipeModel } from '../../../../src/main/recipes/define.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { createSessionRunner } from '../../../../src/main/agent/turn/session-runner.ts';
import type { ModelRequest, LanguageModel } from '../../../../src/main/models/providers/define.ts';
import { parseRules, routeRules } from '../../../../src/shared/rules/parse-rules.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ended, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
};
const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15, source: 'test', date: '2026-11-21' };
const sandbox: KitOptions['sandbox'] = {
  files,
  exec: (_request, box) =>
    box.text('calc.py')?.includes('a + b') === true
      ? { exitCode: 0, stdout: '1 passed' }
      : { exitCode: 1, stdout: 'E assert -1 == 3\n1 failed' },
};
const routed = (own: Partial<TurnOptions> = {}, numbers = {}): TurnOptions => ({
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  // Reviews are tested in pass-gate.test.ts.
  routing: routingOf('balanced', { advice: false, reviews: 0, ...numbers }),
  ...own,
});
const look = call('read_file', { path: 'calc.py' });
const fix = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const done = call('task_complete', { summary: 'It adds now.' });

function kitOf(replies: KitOptions['replies'], more: Partial<KitOptions> = {}): AgentKit {
  return createAgentKit({ replies: replies ?? [], cloud: { price }, sandbox: sandbox ?? {}, ...more });
}

/** Where each step ran and why: `local retry-here`. */
function route(kit: AgentKit): readonly string[] {
  return ofType(kit.journal.events, 'route-decided').map(
    ({ chosen, layer, reasonCode }) => `${chosen.where} ${layer} ${reasonCode}`,
  );
}

describe('a strong model that plans', () => {
  const planning = routed({}, { roles: { plan: 'cloud' } });

  it('is asked once, from a handoff, and a local model does the work by its plan', async () => {
    const seen: string[] = [];
    const reply = (request: ModelRequest) => {
      seen.push(JSON.stringify(request.messages));
      return fix;
    };
    const kit = kitOf([{ text: '1. In calc.py, add instead of subtract.' }, reply, done]);
    const end = await kit.runner.send('Fix add().', planning);
    expect(end.reason).toBe('done');
    expect(route(kit)).toContain('local L2 role');
    expect(
      ofType(kit.journal.events, 'model-call-started').map(({ purpose, stage }) => [purpose, stage.where]),
    ).toEqual([
      ['advise', 'cloud'],
      ['act', 'local'],
      ['act', 'local'],
    ]);
    expect(seen[0]).toContain('add instead of subtract');
    await expectReplay(kit);
  });

  it('is done without where it cannot be asked, and the log says so', async () => {
    const kit = kitOf([{ text: '' }, fix, done]);
    const end = await kit.runner.send('Fix add().', planning);
    expect(end.reason).toBe('done');
    const notices = ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'plan-failed');
    expect(notices).toMatchObject([{ text: expect.stringContaining('No plan was available') }]);
  });
});

describe('a task with a local and a cloud model', () => {
  it('begins on this machine and stays there while it goes well', async () => {
    const kit = kitOf([look, fix, done]);
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    expect(route(kit)).toEqual(['local L1 local-first', 'local L2 tool-loop', 'local L2 tool-loop']);
    const first = ofType(kit.journal.events, 'route-decided')[0];
    expect(first?.runnerUp).toEqual({ model: 'sky/model', where: 'cloud' });
    expect(first?.options?.map(({ where, costUsd }) => [where, (costUsd ?? -1) > 0])).toEqual([
      ['local', false],
      ['cloud', true],
    ]);
    expect(first?.votes?.length).toBeGreaterThan(0);
    await expectReplay(kit);
  });

  it('is taken over by the cloud after two bad signals, with a note of what was tried', async () => {
    const bad = call('edit_file', { path: 'calc.py', old: 'nothing like it', new: 'x' });
    const other = call('edit_file', { path: 'calc.py', old: 'nothing there either', new: 'x' });
    const kit = kitOf([look, bad, other, fix, done]);
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    expect(route(kit)).toEqual([
      'local L1 local-first',
      'local L2 tool-loop',
      'local L3 retry-here',
      'cloud L5 bad-signals',
      'cloud L2 tool-loop',
    ]);
    const note = JSON.stringify(kit.requests[3]?.messages.at(-1));
    expect(note).toContain('Fake model (3 steps) worked on this until here; you go on from here.');
    expect(note).toContain('2 failures in a row, the last: an edit was not made.');
    await expectReplay(kit);
  });

  it('asks the cloud for advice before a take-over, and goes on locally with it', async () => {
    const bad = call('edit_file', { path: 'calc.py', old: 'nothing like it', new: 'x' });
    const other = call('edit_file', { path: 'calc.py', old: 'nothing there either', new: 'x' });
    const kit = kitOf([look, bad, other, { text: 'Replace a - b by a + b.' }, fix, done]);
    const end = await kit.runner.send('Fix add().', routed({}, { advice: true }));
    expect(end.reason).toBe('done');
    expect(
      ofType(kit.journal.events, 'model-call-started').map(({ purpose, stage }) => `${stage.where} ${purpose}`),
    ).toEqual(['local act', 'local act', 'local act', 'cloud advise', 'local act', 'local act']);
    const digest = JSON.stringify(kit.requests[3]?.messages);
    expect(digest).toContain('Fix add().');
    expect(digest).toContain('nothing there either');
    expect(JSON.stringify(kit.requests[4]?.messages)).toContain('Replace a - b by a + b.');
    await expectReplay(kit);
  });

  it('shows its adviser the task, the edits and the failures in at most six thousand tokens', async () => {
    const long = (word: string): string => `${word} `.repeat(4_000);
    const bad = call('edit_file', { path: 'calc.py', old: long('nowhere'), new: 'x' });
    const other = call('edit_file', { path: 'calc.py', old: long('nothing'), new: 'x' });
    const many = long('seen');
    const exec: NonNullable<KitOptions['sandbox']>['exec'] = () => ({ exitCode: 1, stdout: `${many}E assert -1 == 3` });
    const kit = kitOf([done, bad, other, { text: 'Replace it.' }, done], { sandbox: { files, exec } });
    await kit.runner.send(
      `Fix add(). ${long('please')}`,
      routed({ check: 'make test' }, { advice: true, consecutiveFailures: 2 }),
    );
    const calls = ofType(kit.journal.events, 'model-call-started');
    const asked = kit.requests[calls.findIndex(({ purpose }) => purpose === 'advise')];
    const shown = (asked?.messages ?? [])
      .flatMap(({ parts }) => parts)
      .map((part) => (part.type === 'text' ? part.text : ''));
    const digest = shown.at(-1) ?? '';
    for (const title of ['Task:', 'Facts:', 'What was changed:', 'What the check prints:'])
      expect(digest).toContain(title);
    expect(digest).toContain('E assert -1 == 3');
    // The scripted model counts four bytes as a token.
    const tokens = Buffer.byteLength(digest) / 4;
    expect([tokens > 2_000, tokens <= 6_000]).toEqual([true, true]);
  });

  it('is taken over by the cloud when its check fails for the second time', async () => {
    const kit = kitOf([done, done, fix, done]);
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    expect(route(kit)).toEqual([
      'local L1 local-first',
      'local L4 retry-here',
      'cloud L4 checks',
      'cloud L2 tool-loop',
    ]);
    await expectReplay(kit);
  });

  it('goes on locally when the cloud cannot be reached, and does not try the cloud again', async () => {
    const away = { error: { code: 'network', message: 'no route', retryable: true } } as const;
    const kit = kitOf([done, done, away, away, away, look, fix, done]);
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    expect(route(kit).slice(5)).toEqual(['local L0 offline', 'local L0 offline', 'local L0 offline']);
    expect(ofType(kit.journal.events, 'notice-added').at(-1)).toMatchObject({
      code: 'route-degraded',
      text: '3 steps ran on this machine because Sky model could not be reached. To have Sky model review the work, send the task again.',
    });
    await expectReplay(kit);
  });

  it('comes back from the cloud at a safe place when that pays', async () => {
    const kit = kitOf([done, done, fix, call('run_tests', {}), done]);
    const end = await kit.runner.send('Fix add().', routed({}, { holdSteps: 1, marginUsd: 0 }));
    expect(end.reason).toBe('done');
    expect(route(kit).slice(2)).toEqual(['cloud L4 checks', 'cloud L2 tool-loop', 'local L2 back-home']);
    await expectReplay(kit);
  });

  it('asks each question of a recipe of the model that has its role', async () => {
    const ask = (context: RecipeContext, purpose: 'choose' | 'propose'): ReturnType<RecipeModel['ask']> =>
      context.model.ask({
        purpose,
        label: purpose,
        system: '',
        user: 'Which?',
        prefill: null,
        output: { type: 'text' },
        stop: [],
        temperature: 0,
        topP: 1,
        seed: 1,
        maxOutputTokens: 20,
      });
    const recipe: Recipe = {
      id: 'two-questions',
      label: '',
      fits: () => ({ score: 1, reason: 'It fits.' }),
      run: async (context) => {
        if (context.model.info.where === 'local') return { type: 'gave-up', reason: 'Not here.', facts: '' };
        await ask(context, 'choose');
        const answer = await ask(context, 'propose');
        return answer.ok ? { type: 'answered', text: answer.text } : { type: 'gave-up', reason: '', facts: '' };
      },
    };
    const away = { error: { code: 'engine-lost', message: 'It died.', retryable: false } } as const;
    const ran = async (first: NonNullable<KitOptions['replies']>): Promise<readonly string[]> => {
      const kit = kitOf([...first, { text: 'That one.' }], {
        recipes: [recipe],
        model: { strategies: ['recipe'] },
        cloud: { price, strategies: ['recipe'] },
      });
      expect((await kit.runner.send('Look at add().', routed())).text).toBe('That one.');
      await expectReplay(kit);
      return route(kit);
    };
    expect(await ran([{ text: '1' }])).toEqual(['local L2 role', 'cloud L2 role']);
    // A model that is asked instead of the stage's own and does not answer is no reason to end the stage.
    expect(await ran([away, { text: '1' }])).toEqual(['local L2 role', 'cloud L0 cascade', 'cloud L2 role']);
  });

  it('has the local model read the conversation ahead while the cloud works', async () => {
    const prefills: { readonly request: ModelRequest; readonly signal: AbortSignal }[] = [];
    const kit = kitOf([done, done, fix, call('run_tests', {}), done]);
    const { models } = kit.dependencies;
    const scripted = models.provider('fake');
    if (scripted === null) throw new Error('There is no script.');
    const local: LanguageModel = {
      ...scripted,
      prefill: (request, signal) => {
        prefills.push({ request, signal });
        const end = { promptTokens: 100, evaluatedTokens: 60, error: null };
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(end), { once: true }));
      },
    };
    const provider = (id: string): LanguageModel | null => (id === 'fake' ? local : models.provider(id));
    const runner = createSessionRunner({ ...kit.dependencies, models: { ...models, provider } });
    const end = await runner.send('Fix add().', routed({}, { holdSteps: 1, marginUsd: 0 }));
    expect(end.reason).toBe('done');
    expect(route(kit).at(-1)).toBe('local L2 back-home');
    expect(prefills.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(prefills[0]?.request.cacheKey).toBe('session-1:loop');
    const types = kit.journal.events.map(({ type }) => type);
    expect(ofType(kit.journal.events, 'cache-prefilled')).toMatchObject([
      { outcome: 'cancelled', evaluatedTokens: 60 },
    ]);
    expect(types.indexOf('cache-prefilled')).toBeLessThan(types.lastIndexOf('model-call-started'));
    await expectReplay(kit);
  });

  it('does not move to a model whose call could pass the cap', async () => {
    const bad = call('edit_file', { path: 'calc.py', old: 'nothing like it', new: 'x' });
    const other = call('edit_file', { path: 'calc.py', old: 'nothing there either', new: 'x' });
    const kit = kitOf([look, bad, other, fix, done]);
    const end = await kit.runner.send('Fix add().', routed({ maxUsd: 0.0001 }));
    expect(end.reason).toBe('done');
    expect(new Set(route(kit))).toEqual(new Set(['local L0 budget']));
    await expectReplay(kit);
  });

  it.each(['step', 'session', 'day', 'month', 'project'] as const)(
    'does not go to the cloud past the cap of the settings for the %s',
    async (scope) => {
      const kit = kitOf([look, fix, done], { caps: { [scope]: 0.001 } });
      const task = 'There is a race and a deadlock in the migration of calc.py.';
      await kit.runner.send(task, routed({ routing: routingOf('quality', {}) }));
      expect(new Set(route(kit))).toEqual(new Set(['local L0 budget']));
      expect(ofType(kit.journal.events, 'route-decided')[0]?.reason).toMatch(/of the limit for (?:one|this|today)/u);
      expect(ofType(kit.journal.events, 'cap-reached')).toEqual([]);
      await expectReplay(kit);
    },
  );

  it('stays local when a fence is on the conversation, and announces no hand-over', async () => {
    const bad = call('edit_file', { path: 'calc.py', old: 'nothing like it', new: 'x' });
    const other = call('edit_file', { path: 'calc.py', old: 'nothing there either', new: 'x' });
    const hit = { rule: 'mine', verdict: 'local-only', path: 'calc.py', how: 'content' } as const;
    const kit = kitOf([look, bad, other, fix, done], {
      dependencies: {
        fences: {
          hidden: createHiddenValues(),
          check: async ({ info, request }) =>
            info.where === 'local'
              ? { type: 'free' }
              : { type: 'fenced', outcome: 'refused', hits: [hit], request, text: '', manifest: null },
        },
      },
    });
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    expect(route(kit).slice(3)).toEqual(['local L0 fence', 'local L0 fence']);
    expect(ofType(kit.journal.events, 'notice-added')).toEqual([]);
    await expectReplay(kit);
  });

  it('counts how sure the local model was by its weight in the profile', async () => {
    const unsure: NonNullable<KitOptions['replies']>[number] = {
      stream: [
        { type: 'tool-call', call: { type: 'tool-call', id: 'p', name: 'read_file', input: { path: 'calc.py' } } },
        { ...ended('tool-calls', 10), logprobs: [-0.1, -3, -2.5, Number.NEGATIVE_INFINITY] },
      ],
    };
    const kit = kitOf([unsure, fix, done]);
    await kit.runner.send('Fix add().', routed());
    const votes = ofType(kit.journal.events, 'route-decided').map(({ votes: cast, features }) => [
      features?.hasLocalSureness,
      cast?.filter(({ rule }) => rule === 'local-sureness').map(({ toward }) => toward),
    ]);
    expect(votes).toEqual([
      [0, []],
      [1, ['cloud']],
      [0, []],
    ]);
    await expectReplay(kit);
    const deaf = kitOf([unsure, fix, done]);
    await deaf.runner.send('Fix add().', routed({}, { weights: { 'local-sureness': 0 } }));
    expect(JSON.stringify(ofType(deaf.journal.events, 'route-decided').map((event) => event.votes))).not.toContain(
      'local-sureness',
    );
  });

  it('follows a rule of the person, and says when a rule could not be read', async () => {
    const rules = routeRules(parseRules('local path secrets/**\ncloud path calc.py', 'your rules').rules);
    const kit = kitOf([look, fix, done], {
      dependencies: { project: { routeRules: async () => ({ rules, problems: ['Line 9: that is no rule.'] }) } },
    });
    await kit.runner.send('Fix add().', routed());
    expect(route(kit)).toEqual(['local L1 local-first', 'cloud L0 pin', 'cloud L0 pin']);
    expect(ofType(kit.journal.events, 'notice-added')[0]).toMatchObject({ code: 'route-rules', level: 'warning' });
    await expectReplay(kit);
  });

  it('records what the router can learn from, also with one model', async () => {
    const kit = kitOf([look, fix, done]);
    await kit.runner.send('Fix add().', routed({ policy: 'local' }));
    const steps = ofType(kit.journal.events, 'route-decided').map(({ features = {} }) => features.steps);
    expect(steps).toEqual([0, 1, 2]);
    await expectReplay(kit);
  });

  it.each([
    [
      'here',
      'fake/model',
      'sky/model',
      /^Both models were asked for, but fake\/model is not available. Everything runs in the cloud/u,
    ],
    [
      'in the cloud',
      'sky/model',
      'fake/model',
      /^Both models were asked for, but sky\/model or its provider is not available.* on this machine/u,
    ],
  ])('says at its start that one %s is missing', async (_name, gone, left, told) => {
    const kit = kitOf([look, fix, done]);
    const { models } = kit.dependencies;
    const info: typeof models.info = async (id, signal) => (id === gone ? null : models.info(id, signal));
    await createSessionRunner({ ...kit.dependencies, models: { ...models, info } }).send('Fix add().', routed());
    const { events } = kit.journal;
    const notice = events.findIndex((event) => event.type === 'notice-added' && told.test(event.text));
    expect(events[notice]).toMatchObject({ code: 'model-missing', level: 'warning' });
    expect(notice).toBeLessThan(events.findIndex(({ type }) => type === 'model-call-started'));
    expect(new Set(ofType(events, 'model-call-started').map(({ stage }) => stage.model))).toEqual(new Set([left]));
    await expectReplay(kit);
    const whole = kitOf([look, fix, done]);
    await whole.runner.send('Fix add().', routed());
    expect(ofType(whole.journal.events, 'notice-added')).toEqual([]);
  });

  it('begins in the cloud when enough is at stake', async () => {
    const kit = kitOf([look, fix, done]);
    const options = routed({ routing: routingOf('quality', { valueUsd: 20 }) });
    await kit.runner.send('There is a race and a deadlock in the migration of calc.py.', options);
    expect(route(kit)[0]).toBe('cloud L1 gain');
    await expectReplay(kit);
  });

  it('begins locally for a recipe whose tries are tested, and in the cloud for a conversation', async () => {
    const model: KitOptions['model'] = { strategies: ['recipe'], parametersB: 0.5 };
    const cheap = { ...price, input: 0.1, cacheRead: 0.1, cacheWrite: 0.1, output: 0.4 };
    const told: unknown[] = [];
    const recipe = defineRecipe({
      id: 'try',
      label: 'Try',
      fits: () => ({ score: 1, reason: 'a test fails' }),
      run: async ({ before }) => {
        told.push(before);
        return { type: 'gave-up', reason: 'nothing passed', facts: '', isCut: before === null };
      },
    });
    const begin = async (recipes: NonNullable<KitOptions['recipes']>): Promise<unknown> => {
      const kit = kitOf([fix, done], { model, cloud: { price: cheap, strategies: ['recipe', 'loop'] }, recipes });
      await kit.runner.send('Fix add().', routed());
      await expectReplay(kit);
      const chosen = ofType(kit.journal.events, 'stage-chosen');
      const why = recipes.length === 0 ? /^The model chooses/u : /^a test fails Fake model starts: Sky model /u;
      expect(chosen[0]?.reason).toMatch(why);
      return chosen.map(({ stage, cause }) => [stage.where, stage.strategy, cause]);
    };
    expect(await begin([recipe])).toEqual([
      ['local', 'recipe', null],
      ['cloud', 'recipe', 'no-progress'],
      ['cloud', 'loop', 'no-progress'],
    ]);
    // The cloud gets fewer tries because the local model tried before. The second two entries are from the replay.
    const tries = { isCut: true, tries: 4 };
    expect(told).toEqual([null, tries, null, tries]);
    expect(await begin([])).toEqual([['cloud', 'loop', null]]);
  });

  it('says why it skips a local model that cannot drive the loop', async () => {
    const kit = kitOf([look, fix, done], { model: { strategies: ['recipe'] } });
    await kit.runner.send('Fix add().', routed());
    expect(route(kit)[0]).toBe('cloud L0 capability');
    await expectReplay(kit);
  });
});
