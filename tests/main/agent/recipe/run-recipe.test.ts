import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import type { Answer, Question, RecipeContext, RecipeOutcome } from '../../../../src/main/recipes/define.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = { 'a.py': 'x = 1\n', 'b.py': 'y = 1\n', 'tests/test_a.py': 'def test_a(): pass\n' };
const question: Question = {
  purpose: 'propose',
  label: 'rewrite a',
  system: 's',
  user: 'u',
  prefill: 'def ',
  output: { type: 'text' },
  stop: [],
  temperature: 0,
  topP: 1,
  seed: 7,
  maxOutputTokens: 100,
};
const gaveUp: RecipeOutcome = { type: 'gave-up', reason: 'no way', facts: 'suspect: a.py' };

function kitFor(run: (context: RecipeContext) => Promise<RecipeOutcome>, options: KitOptions = {}): AgentKit {
  return createAgentKit({
    model: { strategies: ['recipe'] },
    sandbox: { files, exec: (_request, sandbox) => ({ exitCode: sandbox.text('a.py') === 'x = 2\n' ? 0 : 1 }) },
    recipes: [defineRecipe({ id: 'r', label: 'R', fits: () => ({ score: 1, reason: 'it fits' }), run })],
    ...options,
  });
}

describe('a recipe', () => {
  it('asks its questions in the usual way, with the prefill before the answer', async () => {
    const answers: Answer[] = [];
    const kit = kitFor(
      async (context) => {
        answers.push(await context.model.ask(question));
        return gaveUp;
      },
      { replies: [{ text: 'a(): pass', stopReason: 'length' }] },
    );
    await kit.runner.send('Do the work.', turnOptions);
    expect(answers).toEqual([{ ok: true, text: 'def a(): pass', complete: false }]);
    expect(kit.requests[0]).toMatchObject({ prefill: 'def ', seed: 7, tools: [] });
    expect(ofType(kit.journal.events, 'model-call-started')[0]).toMatchObject({
      purpose: 'propose',
      stage: { strategy: 'recipe' },
    });
  });

  // Catches: a plan that reaches a recipe as work, so that it changes files.
  it.each([
    ['plan', 'plan'],
    ['ask', 'ask'],
    ['work', 'work'],
    ['auto', null],
  ] as const)('gets the mode %s of a message that names a change as %s', async (mode, told) => {
    const seen: RecipeContext['mode'][] = [];
    const kit = kitFor(async (context) => {
      seen.push(context.mode);
      return { type: 'answered', text: 'Seen.' };
    });
    await kit.runner.send('Change x in a.py.', { ...turnOptions, strategy: 'recipe', mode });
    expect(seen).toEqual([told]);
  });

  // Catches: a file in another encoding that a recipe refuses, or writes in UTF-8.
  it('reads and writes a file in its older encoding', async () => {
    const old = '# 这是我们的价格。\nx = 1\n';
    const seen: (string | null)[] = [];
    const kit = kitFor(
      async ({ world }) => {
        seen.push(await world.read('a.py'));
        seen.push(iconv.decode(Buffer.from(world.bytesOf('a.py', '# 价格\n')), 'gbk'));
        seen.push(await world.apply([{ path: 'a.py', text: old.replace('1', '"中"') }]));
        seen.push(await world.apply([{ path: 'a.py', text: old.replace('1', '2') }]));
        return gaveUp;
      },
      { sandbox: { files: { ...files, 'a.py': iconv.encode(old, 'gbk') } } },
    );
    await kit.runner.send('Do the work.', turnOptions);
    expect(seen).toEqual([old, '# 价格\n', expect.stringContaining('"中" is in it nowhere yet'), null]);
    expect(Buffer.from(kit.sandbox.contents.get('a.py')?.bytes ?? [])).toEqual(
      iconv.encode(old.replace('1', '2'), 'gbk'),
    );
    await expectReplay(kit);
  });

  it('allows no space between a given bracket and what follows', async () => {
    const texts: string[] = [];
    const kit = kitFor(
      async (context) => {
        for (const prefill of ['def f(', 'x =']) {
          const answer = await context.model.ask({ ...question, prefill });
          if (answer.ok) texts.push(answer.text);
        }
        return gaveUp;
      },
      { replies: [{ text: ' a): pass' }, { text: ' 1' }] },
    );
    await kit.runner.send('Do the work.', turnOptions);
    expect(texts).toEqual(['def f(a): pass', 'x = 1']);
  });

  it("puts its questions after the project's instructions, in the part that is read once", async () => {
    const run = async (context: RecipeContext): Promise<RecipeOutcome> => {
      await context.model.ask(question);
      return gaveUp;
    };
    const system = async (options: Partial<typeof turnOptions>): Promise<string> => {
      const kit = kitFor(run, {
        sandbox: { files: { ...files, 'AGENTS.md': 'Use tabs.\n' } },
        replies: [{ text: 'x' }],
      });
      await kit.runner.send('Do the work.', { ...turnOptions, ...options });
      return JSON.stringify(kit.requests[0]?.messages[0]);
    };
    expect(await system({})).toMatch(
      /"s\\n\\nInstructions of the project \(AGENTS\.md\):\\nUse tabs\.\\n\\nKeep to them/u,
    );
    expect(await system({ instructions: 'off' })).toContain('"text":"s"');
  });

  it('leaves instructions out when only large models are told of them, and says so', async () => {
    const said = async (parametersB: number): Promise<readonly [string, readonly string[]]> => {
      const kit = createAgentKit({
        model: { strategies: ['recipe'], parametersB },
        sandbox: { files: { ...files, 'AGENTS.md': 'Use tabs.\n' } },
        recipes: [
          defineRecipe({
            id: 'r',
            label: 'R',
            instructions: 'large-models',
            fits: () => ({ score: 1, reason: 'it fits' }),
            run: async (context) => {
              await context.model.ask(question);
              return gaveUp;
            },
          }),
        ],
        replies: [{ text: 'x' }],
      });
      await kit.runner.send('Do the work.', turnOptions);
      const codes = ofType(kit.journal.events, 'notice-added').map(({ code }) => code);
      return [JSON.stringify(kit.requests[0]?.messages[0]), codes];
    };
    const [small, told] = await said(1.5);
    expect(small).not.toContain('Use tabs.');
    expect(told).toContain('instructions-left-out');
    const [large, untold] = await said(30);
    expect(large).toContain('Use tabs.');
    expect(untold).not.toContain('instructions-left-out');
  });

  it('sends no fenced instructions to the cloud', async () => {
    const cloud = {
      price: { input: 1, output: 2, source: 'test', date: '2026-11-21' },
      strategies: ['recipe' as const],
    };
    const kit = kitFor(
      async (context) => {
        await context.model.ask(question);
        return gaveUp;
      },
      {
        cloud,
        fences: { rules: [{ paths: ['AGENTS.md'], verdict: 'local-only' }] },
        sandbox: { files: { ...files, 'AGENTS.md': 'Use tabs.\n' } },
        replies: [{ text: 'x' }],
      },
    );
    await kit.runner.send('Do the work.', { ...turnOptions, policy: 'cloud', cloud: 'sky/model' });
    expect(ofType(kit.journal.events, 'call-fenced')[0]).toMatchObject({ outcome: 'refused' });
    expect(ofType(kit.journal.events, 'model-call-started')).toHaveLength(0);
  });

  it('knows the earlier conversation, and what it builds from that is fenced alike', async () => {
    const earlier: RecipeContext['earlier'][] = [];
    const localOnly = { rules: [{ paths: ['b.py'], verdict: 'local-only' as const }] };
    const cloud = {
      price: { input: 1, output: 2, source: 'test', date: '2026-11-21' },
      strategies: ['recipe' as const],
    };
    const run = async (context: RecipeContext): Promise<RecipeOutcome> => {
      earlier.push(context.earlier);
      if (context.earlier.length === 0) await context.world.read('b.py');
      else
        await context.model.ask({
          ...question,
          ...(context.task === 'And why?' ? { carriesConversation: true as const } : {}),
        });
      return { type: 'answered', text: `to ${context.task}` };
    };
    const kit = kitFor(run, { cloud, fences: localOnly, replies: [{ text: 'a' }, { text: 'a' }] });
    const ask = { ...turnOptions, mode: 'ask', strategy: 'recipe' } as const;
    await kit.runner.send('What is b?', ask);
    const up = { ...ask, policy: 'cloud', cloud: 'sky/model' } as const;
    await kit.runner.send('What else?', up);
    await kit.runner.send('And why?', up);
    expect(earlier.at(-1)).toEqual([
      { asked: 'What is b?', answered: 'to What is b?' },
      { asked: 'What else?', answered: 'to What else?' },
    ]);
    expect(ofType(kit.journal.events, 'model-call-started')).toHaveLength(1);
    expect(ofType(kit.journal.events, 'call-fenced')).toMatchObject([{ step: 2, outcome: 'refused' }]);
  });

  it('is believed when the check passes after its change', async () => {
    const kit = kitFor(async ({ world }) => {
      await world.read('a.py');
      expect(await world.apply([{ path: 'a.py', text: 'x = 2\n' }])).toBeNull();
      return { type: 'done', text: 'x is 2', confidence: 'weak-tests' };
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end).toMatchObject({ reason: 'done', confidence: 'weak-tests' });
    expect(ofType(kit.journal.events, 'file-changed')).toMatchObject([{ path: 'a.py', by: 'recipe' }]);
  });

  it('loses its change when the check then fails', async () => {
    const kit = kitFor(async ({ world }) => {
      await world.read('a.py');
      await world.apply([{ path: 'a.py', text: 'x = 3\n' }]);
      return { type: 'done', text: 'x is 3', confidence: 'high' };
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('check-failed');
    expect(kit.sandbox.text('a.py')).toBe('x = 1\n');
  });

  it('writes all files or none', async () => {
    const why: (string | null)[] = [];
    const kit: AgentKit = kitFor(async ({ world }) => {
      await world.read('a.py');
      await world.read('b.py');
      kit.sandbox.put('b.py', 'mine\n');
      why.push(
        await world.apply([
          { path: 'a.py', text: 'x = 2\n' },
          { path: 'b.py', text: 'y = 2\n' },
        ]),
      );
      return gaveUp;
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(why[0]).toContain('b.py was changed by someone else');
    expect([kit.sandbox.text('a.py'), kit.sandbox.text('b.py')]).toEqual(['x = 1\n', 'mine\n']);
  });

  it('reads no binary file, and overwrites no file that it could not read', async () => {
    const seen: unknown[] = [];
    const kit = kitFor(async ({ world }) => {
      seen.push(await world.read('x.bin'), await world.apply([{ path: 'x.bin', text: 'x = 2\n' }]));
      return gaveUp;
    });
    const binary = Uint8Array.from([0x78, 1, 2, 0xe9, 0]);
    kit.sandbox.put('x.bin', binary);
    await kit.runner.send('Do the work.', turnOptions);
    expect(seen).toEqual([null, expect.stringContaining('x.bin')]);
    expect(kit.sandbox.contents.get('x.bin')?.bytes).toEqual(binary);
  });

  it('cannot change guarded files, and asks nobody', async () => {
    const why: (string | null)[] = [];
    const kit = kitFor(async ({ world }) => {
      await world.read('tests/test_a.py');
      why.push(await world.apply([{ path: 'tests/test_a.py', text: '' }]));
      return gaveUp;
    });
    await kit.runner.send('Do the work.', { ...turnOptions, approve: 'allow' });
    expect(why[0]).toContain('guarded');
    expect(kit.sandbox.text('tests/test_a.py')).toBe(files['tests/test_a.py']);
  });

  // Bug: a recipe that named its new file "…_test.py" was not allowed to write it, and gave the whole task up.
  it('can write a new test file, but not overwrite one that it has not read', async () => {
    const why: (string | null)[] = [];
    const kit = kitFor(async ({ world }) => {
      why.push(await world.apply([{ path: 'tree_test.py', text: 'assert 1\n' }]));
      why.push(await world.apply([{ path: 'tests/test_a.py', text: '' }]));
      return gaveUp;
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(why).toEqual([null, expect.stringContaining('tests/test_a.py')]);
    expect(kit.sandbox.text('tree_test.py')).toBe('assert 1\n');
    expect(kit.sandbox.text('tests/test_a.py')).toBe(files['tests/test_a.py']);
  });

  it('that throws gives up, and the next stage goes on', async () => {
    const kit = kitFor(
      async () => {
        throw new Error('a bug');
      },
      { model: { strategies: ['recipe', 'loop'] }, replies: [{ text: 'Nothing to do.' }] },
    );
    await kit.runner.send('Do the work.', turnOptions);
    expect(ofType(kit.journal.events, 'stage-chosen').map((event) => event.stage.strategy)).toEqual(['recipe', 'loop']);
    expect(ofType(kit.journal.events, 'notice-added')[0]).toMatchObject({ code: 'recipe-failed' });
  });

  it('ends the turn with the limit that its question met', async () => {
    const kit = kitFor(
      async (context) => {
        for (;;) {
          const answer = await context.model.ask(question);
          if (!answer.ok) return answer.fatal ? gaveUp : { ...gaveUp, reason: 'not fatal' };
        }
      },
      { replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }] },
    );
    const end = await kit.runner.send('Do the work.', { ...turnOptions, maxSteps: 3 });
    expect(end.reason).toBe('step-limit');
  });

  it('is chosen when it fits best, and skipped when it does not fit', async () => {
    const recipe = (id: string, score: number | null): ReturnType<typeof defineRecipe> =>
      defineRecipe({
        id,
        label: id,
        fits: () => (score === null ? null : { score, reason: id }),
        run: async () => ({ type: 'answered', text: id }),
      });
    const chosen = async (...recipes: ReturnType<typeof recipe>[]): Promise<string> =>
      (
        await kitFor(async () => gaveUp, { recipes, replies: [{ text: 'by the loop' }] }).runner.send(
          'What is x?',
          turnOptions,
        )
      ).text;
    expect(await chosen(recipe('a', 0.3), recipe('b', 0.9), recipe('c', null))).toBe('b');
    expect(await chosen(recipe('b', 0.5), recipe('a', 0.5))).toBe('a');
    expect(await chosen(recipe('a', null))).toBe('by the loop');
  });

  it('is never run with --strategy loop', async () => {
    const kit = kitFor(async () => gaveUp, { replies: [call('task_complete', { summary: 'ok' })] });
    await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
    expect(ofType(kit.journal.events, 'stage-chosen').map((event) => event.stage.strategy)).toEqual(['loop']);
  });

  it('reports a refused key, and no other way is tried', async () => {
    const kit = kitFor(
      async (context) => {
        const answer = await context.model.ask(question);
        return { type: 'gave-up', reason: 'Nothing was found.', facts: answer.ok ? '' : answer.message };
      },
      {
        replies: [{ error: { code: 'auth', message: '401 no', retryable: false } }],
        model: { strategies: ['recipe', 'loop'] },
      },
    );
    const end = await kit.runner.send('Fix it', turnOptions);
    expect([end.reason, end.text, end.failure?.code, kit.requests.length]).toEqual([
      'missing',
      'fake refused the call: 401 no',
      'missing-key',
      1,
    ]);
  });
});
