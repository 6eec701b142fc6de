import { describe, expect, it } from 'vitest';
import { missingWishes } from '../../../../src/main/agent/gate/missing-wishes.ts';
import { wantsTests } from '../../../../src/shared/text/task-kind.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const before = 'def main():\n    print(1)\n';
const file = (after: string | null, path = 'tool.py') => ({ path, before, after });
const codes = (task: string, ...changed: ReturnType<typeof file>[]) =>
  missingWishes(task, changed).map(({ code }) => code);

describe('the check of a change against its task', () => {
  // Bugs: three changes were sent to a review: a rewrite that did nothing, a diff without "--json" for "add --json",
  // and one without a test file.
  it("finds that the change does nothing, lacks the task's words, or has no tests", () => {
    expect(codes('Add an option to main', file(`${before}\n`))).toEqual(['no-op']);
    expect(codes('Add a --json option.', file(`${before}x = 1\n`))).toEqual(['word-missing']);
    expect(codes('Add a function `median`', file(`${before}x = 1\n`))).toEqual(['word-missing']);
    expect(codes('Add median() with tests', file(`${before}def median(): pass\n`))).toEqual(['tests-missing']);
  });

  it.each<[string, string, ReturnType<typeof file>[]]>([
    [
      'what it has',
      'Add a --json option with unit tests.',
      [file('--json'), { ...file('x', 'tests/test_tool.py'), before: 'y' }],
    ],
    ['what goes away', 'Remove the --json option and call `old()` nowhere', [file('x = 1\n')]],
    ['what is about form', 'Add a comment to `main`', [file(`${before}\n`)]],
    ['a question', 'What does `nothing` do?', [file('x')]],
    ['a word of prose', 'Add the option json', [file('x')]],
  ])('finds nothing missing for %s', (_what, task, changed) => {
    expect(codes(task, ...changed)).toEqual([]);
  });
});

describe('the check whether a task wants tests', () => {
  it.each([
    'Build a stack with unit tests',
    'Create a tool, including tests',
    'Write a module and pytest tests',
    'Add some tests',
  ])('says yes for %s', (task) => expect(wantsTests(task)).toBe(true));
  it.each(['Fix the bug and the tests', 'Make the build and tests pass', 'Add a cache so that tests pass'])(
    'says no for %s',
    (task) => expect(wantsTests(task)).toBe(false),
  );
});

/** A recipe that writes `text`. */
function kitOf(text: string, replies: readonly Reply[], hasCloud: boolean): AgentKit {
  const recipe = defineRecipe({
    id: 'r',
    label: 'R',
    fits: () => ({ score: 1, reason: 'it fits' }),
    run: async ({ world }) => {
      await world.read('tool.py');
      await world.apply([{ path: 'tool.py', text }]);
      return { type: 'done', text: 'It was changed.', confidence: 'unchecked' };
    },
  });
  return createAgentKit({
    replies,
    recipes: [recipe],
    model: { strategies: ['recipe'] },
    ...(hasCloud ? { cloud: { price: { input: 3, output: 15, source: 't', date: '2026-11-21' } } } : {}),
    sandbox: { files: { 'tool.py': before } },
  });
}

describe('a change by a recipe', () => {
  it("that lacks the task's words is undone before any review, and the next worker is told what is missing", async () => {
    const write = { name: 'edit_file', input: { path: 'tool.py', old: 'print(1)', new: "print('--json')" } };
    const kit = kitOf(
      `${before}x = 1\n`,
      [
        { calls: [{ name: 'read_file', input: { path: 'tool.py' } }] },
        { calls: [write] },
        call('task_complete', { summary: 'Done.' }),
      ],
      true,
    );
    const end = await kit.runner.send('Add a --json option.', { ...turnOptions, policy: 'hybrid', cloud: 'sky/model' });
    expect(end.reason).toBe('done');
    expect(kit.sandbox.text('tool.py')).toContain('--json');
    expect(ofType(kit.journal.events, 'model-call-started').map(({ purpose }) => purpose)).not.toContain('review');
    const told = JSON.stringify(kit.requests[0]?.messages);
    expect(told).toContain('The task names --json; no changed file has it.');
    expect(told).toContain('what it changed is as it was: tool.py');
    await expectReplay(kit);
  });

  it('that lacks its tests is shown and kept when nobody else could write them', async () => {
    const kit = kitOf(`${before}def median(): pass\n`, [], false);
    const end = await kit.runner.send('Add median() with tests.', turnOptions);
    expect(end).toMatchObject({ reason: 'done', text: expect.stringContaining('no test file was written') });
    expect(kit.sandbox.text('tool.py')).toContain('median');
  });
});

describe('the question of a recipe', () => {
  // Bug: the same prompt was sent twice, at 61 s each.
  it('is not asked again when nothing in it has changed', async () => {
    const recipe = defineRecipe({
      id: 'r',
      label: 'R',
      fits: () => ({ score: 1, reason: 'it fits' }),
      run: async (context) => {
        const ask: typeof context.model.ask = (asked) => context.model.ask(asked);
        const question = { purpose: 'propose', label: 'a', system: 's', user: 'u', prefill: null } as const;
        const rest = {
          output: { type: 'text' },
          stop: [],
          temperature: 0,
          topP: 1,
          seed: null,
          maxOutputTokens: 10,
        } as const;
        const answers = [await ask({ ...question, ...rest }), await ask({ ...question, ...rest, label: 'b' })];
        const warm = { ...question, ...rest, temperature: 0.8 };
        const others = [await ask(warm), await ask(warm)];
        return { type: 'answered', text: [...answers, ...others].map((one) => (one.ok ? one.text : '')).join(' ') };
      },
    });
    const replies = ['one', 'two', 'three'].map((text) => ({ text }));
    const kit = createAgentKit({ replies, recipes: [recipe], model: { strategies: ['recipe'] } });
    const end = await kit.runner.send('Why?', turnOptions);
    expect(end.text).toBe('one one two three');
    await expectReplay(kit);
  });
});
