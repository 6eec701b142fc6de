import type { ClientCore } from '../../../fakes/core-client.ts';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Comparison } from '../../../../src/shared/comparisons/comparison.ts';
import { comparisonInputSchema } from '../../../../src/shared/comparisons/comparison.ts';
import { comparisonVerdict } from '../../../../src/shared/comparisons/comparison-report.ts';
import { comparisonRows } from '../../../../src/shared/comparisons/comparison-table.ts';
import { success } from '../../../../src/shared/errors.ts';
import { routeRuleSchema } from '../../../../src/shared/routing/route-rules.ts';
import { routingSchema } from '../../../../src/shared/routing/routing.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { itemsOf, openClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const judgePrice = { input: 3, output: 15, source: 'test', date: '2026-11-22' };
const neverAborted = new AbortController().signal;
let folder: string;
let home: string;
let project: string;
let core: ClientCore;

function openCore(): Promise<ClientCore> {
  return openClientCore({
    home,
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () =>
      success(
        createMemorySandbox({
          files: { 'calc.py': 'def add(a, b):\n    return a - b\n' },
          exec: (_request, sandbox) =>
            sandbox.text('calc.py')?.includes('a + b') === true ? { exitCode: 0 } : { exitCode: 1, stdout: 'wrong' },
        }),
      ),
  });
}

const complete = { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] };
const repair = { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-compare-'));
  home = join(folder, 'home');
  project = join(folder, 'project');
  await mkdir(home);
  await mkdir(project);
  await writeFile(join(project, 'calc.py'), 'def add(a, b):\n    return a - b\n');
  core = await openCore();
  // The weak model only says that it is done, is sent back once with the evidence, and says it again.
  await core.client.settings.set({
    key: 'providers.weak',
    value: { kind: 'scripted', repeat: true, replies: [complete, complete] },
  });
  await core.client.settings.set({
    key: 'providers.strong',
    value: { kind: 'scripted', repeat: true, replies: [repair, complete] },
  });
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

const loop = (...policies: readonly string[]) => policies.map((policy) => ({ policy, strategy: 'loop' }));

const inputOf = (more: object) =>
  comparisonInputSchema.parse({
    tasks: [{ name: 'Repair', text: 'Repair add().' }],
    projectPath: project,
    ways: loop('local', 'cloud'),
    check: 'python3 check.py',
    local: 'weak/script',
    cloud: 'strong/script',
    ...more,
  });

/** Watches until the end and returns every state that was shown. */
async function carryOut(id: string, maxUsd?: number): Promise<readonly Comparison[]> {
  await core.client.comparisons.start({ id, maxUsd });
  return itemsOf(core.client.comparisons.watch({ id }));
}

async function watchUntil(id: string, isThere: (comparison: Comparison) => boolean): Promise<void> {
  for await (const comparison of await core.client.comparisons.watch({ id })) if (isThere(comparison)) return;
}

const startSchema = z.object({
  type: z.literal('tool-started'),
  tool: z.literal('gather_facts'),
  input: z.object({ options: z.object({ maxSteps: z.number(), routing: routingSchema }) }),
});
const factsSchema = z.object({
  type: z.literal('tool-ended'),
  tool: z.literal('gather_facts'),
  data: z.object({ routes: z.object({ rules: z.array(routeRuleSchema) }) }),
});

/** What the last turn of a session recorded: the options of its start and its routing rules. */
async function startOf(sessionId: string) {
  const text = await readFile(join(home, 'sessions', sessionId, 'events.jsonl'), 'utf8');
  const events: readonly unknown[] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const started = events.flatMap((event) => startSchema.safeParse(event).data ?? []).at(-1);
  const ended = events.flatMap((event) => factsSchema.safeParse(event).data ?? []).at(-1);
  if (started === undefined || ended === undefined) throw new Error('It found nothing out.');
  const rules = ended.data.routes.rules.map(({ where, kind }) => `${where} ${kind}`);
  return { ...started.input.options, rules };
}

describe('a comparison', () => {
  it('runs each way in its own copy, and the check decides, not the agent', async () => {
    const { id } = await core.client.comparisons.create(inputOf({ repeat: 2 }), { signal: neverAborted });
    const seen = await carryOut(id);
    const done = await core.client.comparisons.show({ id });
    expect(seen.at(-1)).toEqual(done);
    expect(done.runs.map(({ way, repeat, state, check }) => [way, repeat, state, check?.passed])).toEqual([
      ['local,strategy=loop', 1, 'ended', false],
      ['cloud,strategy=loop', 1, 'ended', true],
      ['local,strategy=loop', 2, 'ended', false],
      ['cloud,strategy=loop', 2, 'ended', true],
    ]);
    const rows = comparisonRows(done);
    expect(rows.map(({ way, runs, solved, steps, costUsd }) => [way, runs, solved, steps, costUsd])).toEqual([
      ['local,strategy=loop', 2, 0, { median: 2, least: 2, most: 2 }, { median: 0, least: 0, most: 0 }],
      ['cloud,strategy=loop', 2, 2, { median: 2, least: 2, most: 2 }, { median: 0, least: 0, most: 0 }],
    ]);
    const paths = await Promise.all(
      done.runs.map(async ({ sessionId }) => (await core.client.sessions.show({ sessionId: sessionId ?? '' })).state),
    );
    expect(new Set(paths.map((state) => state.workspace?.path)).size).toBe(4);
    expect(paths.map((state) => [state.projectPath, state.workspace?.mode])).toEqual(
      done.runs.map(() => [project, 'copy']),
    );
    // The common initial state is no longer needed. The copies stay, so that they can be looked at and taken.
    expect(await readdir(join(home, 'workspaces'))).toHaveLength(4);
  });

  it('shows what each run would have cost in the cloud, as an estimate or a bill', async () => {
    const price = { input: 3, output: 15, source: 'test', date: '2026-11-22' };
    await core.client.settings.set({
      key: 'providers.strong',
      value: { kind: 'scripted', where: 'cloud', price, replies: [repair, complete] },
    });
    const { id } = await core.client.comparisons.create(inputOf({}), { signal: neverAborted });
    await carryOut(id);
    const { runs } = await core.client.comparisons.show({ id });
    const [here, there] = runs.map(({ figures }) => figures);
    const guess = here?.elsewhere?.cloudUsd ?? { value: 0, low: 0, high: 0 };
    expect([here?.costUsd, guess.low > 0, guess.low < guess.value, guess.value < guess.high]).toEqual([
      0,
      true,
      true,
      true,
    ]);
    const bill = there?.costUsd ?? 0;
    expect(bill).toBeGreaterThan(0);
    expect(there?.elsewhere?.cloudUsd).toEqual({ value: bill, low: bill, high: bill });
  });

  it('keeps finished runs when it is stopped, and continues with the rest in any process', async () => {
    await core.client.settings.set({
      key: 'providers.strong',
      value: {
        kind: 'scripted',
        repeat: true,
        replies: [{ ...repair, delayMs: 60_000 }, complete],
      },
    });
    const { id } = await core.client.comparisons.create(inputOf({}), { signal: neverAborted });
    await core.client.comparisons.start({ id });
    await watchUntil(id, ({ runs }) => runs[1]?.state === 'running');
    await core.client.comparisons.cancel({ id });
    const stopped = await core.client.comparisons.show({ id });
    expect(stopped.runs.map(({ state, why }) => [state, why])).toEqual([
      ['ended', null],
      ['waiting', 'stopped'],
    ]);
    await core.client.settings.set({
      key: 'providers.strong',
      value: { kind: 'scripted', repeat: true, replies: [repair, complete] },
    });
    await core.dispose();
    // A change in the project meanwhile does not affect the remaining runs.
    await writeFile(join(project, 'calc.py'), 'nothing');
    core = await openCore();
    await carryOut(id);
    const done = await core.client.comparisons.show({ id });
    expect(done.runs[0]).toEqual(stopped.runs[0]);
    expect(done.runs[1]).toMatchObject({ state: 'ended', check: { passed: true } });
    expect(done.abandoned).toEqual([stopped.runs[1]?.sessionId]);
    // Nothing is left to do, so going on again changes nothing.
    await carryOut(id);
    expect(await core.client.comparisons.show({ id })).toEqual(done);
  });

  it('counts what a run that was cut off cost for the limit', async () => {
    const slow = { kind: 'scripted', where: 'cloud', price: judgePrice, repeat: true };
    await core.client.settings.set({
      key: 'providers.strong',
      value: { ...slow, replies: [repair, { ...complete, delayMs: 60_000 }] },
    });
    const { id } = await core.client.comparisons.create(inputOf({ ways: loop('cloud') }), { signal: neverAborted });
    await core.client.comparisons.start({ id, maxUsd: 1 });
    let cut = '';
    await watchUntil(id, ({ runs: [run] }) => (cut = run?.sessionId ?? '') !== '');
    const steps = async () => (await core.client.sessions.show({ sessionId: cut })).state.steps;
    await expect.poll(() => steps()).toHaveLength(2);
    await core.client.comparisons.cancel({ id });
    await core.client.settings.set({ key: 'providers.strong', value: { ...slow, replies: [repair, complete] } });
    await carryOut(id, 0.000001);
    const stopped = await core.client.comparisons.show({ id });
    expect(stopped.abandoned).toEqual([cut]);
    expect(stopped.abandonedUsd).toBeGreaterThan(0.000001);
    expect(stopped.runs).toMatchObject([{ state: 'skipped', sessionId: null }]);
    await carryOut(id, 1);
    expect((await core.client.comparisons.show({ id })).runs).toMatchObject([{ state: 'ended' }]);
  });

  it('starts no run when the money is used up, and goes on when there is more', async () => {
    const { id } = await core.client.comparisons.create(inputOf({}), { signal: neverAborted });
    await carryOut(id, 0);
    expect((await core.client.comparisons.show({ id })).runs.map(({ state }) => state)).toEqual(['ended', 'skipped']);
    await carryOut(id, 1);
    expect((await core.client.comparisons.show({ id })).runs.map(({ state }) => state)).toEqual(['ended', 'ended']);
  });

  it('uses the models that its project had at its start', async () => {
    await core.client.settings.set({
      key: 'projectModels',
      value: { [project]: { local: 'weak/script', cloud: 'strong/script' } },
    });
    const { id } = await core.client.comparisons.create(inputOf({ local: undefined, cloud: undefined }), {
      signal: neverAborted,
    });
    await core.client.settings.set({
      key: 'projectModels',
      value: { [project]: { local: 'strong/script', cloud: null } },
    });
    await carryOut(id);
    const { runs } = await core.client.comparisons.show({ id });
    expect(runs.map(({ figures, check }) => [figures?.status, check?.passed])).toEqual([
      ['gave-up', false],
      ['done', true],
    ]);
  });

  it('routes every run by the numbers and rules at its start, also when it goes on', async () => {
    const price = { input: 3, output: 15, source: 'test', date: '2026-11-22' };
    await core.client.settings.set({
      key: 'providers.strong',
      value: { kind: 'scripted', where: 'cloud', price, replies: [repair, complete] },
    });
    await core.client.settings.set({ key: 'routing.numbers', value: { valueUsd: 0 } });
    await writeFile(join(home, 'dewpoint.rules'), 'local task add\n');
    const { id } = await core.client.comparisons.create(inputOf({ ways: loop('hybrid', 'quality') }), {
      signal: neverAborted,
    });
    await core.client.settings.set({ key: 'routing.numbers', value: { valueUsd: 1000, weights: {} } });
    await core.client.settings.set({ key: 'limits', value: { maxSteps: 1, maxMinutes: 1, maxTokens: 1 } });
    await writeFile(join(home, 'dewpoint.rules'), 'cloud always\n');
    await core.dispose();
    core = await openCore();
    await carryOut(id);
    const { runs } = await core.client.comparisons.show({ id });
    const starts = await Promise.all(runs.map(async ({ sessionId }) => startOf(sessionId ?? '')));
    expect(starts.map(({ maxSteps, routing, rules }) => [maxSteps, routing.numbers.valueUsd, rules])).toEqual([
      [40, 0, ['local task']],
      [40, 5, ['local task']],
    ]);
    expect(runs.map(({ figures, why }) => [figures?.localSteps, why])).toEqual([
      [2, null],
      [2, null],
    ]);
    // A message to a run's session later is routed by the settings of that time.
    const [first] = runs;
    await core.client.sessions.send({
      sessionId: first?.sessionId ?? '',
      text: 'Again.',
      options: runOptionsSchema.parse({ policy: 'hybrid', local: 'weak/script' }),
    });
    await expect.poll(async () => (await startOf(first?.sessionId ?? '')).rules).toEqual(['cloud always']);
  });

  it('fences a run by the rules at its time, and says when they differ from other runs', async () => {
    const { id } = await core.client.comparisons.create(inputOf({ ways: loop('local'), repeat: 2 }), {
      signal: neverAborted,
    });
    const other = { rules: [{ paths: ['x/**'], verdict: 'local-only', project: join(folder, 'other') }] };
    await core.client.settings.set({ key: 'fences', value: other });
    await core.client.comparisons.start({ id });
    await watchUntil(id, ({ runs }) => runs[0]?.state === 'ended');
    await core.client.comparisons.cancel({ id });
    await writeFile(join(home, 'dewpoint.rules'), 'local-only path calc.py\n');
    await carryOut(id);
    expect((await core.client.comparisons.show({ id })).runs.map(({ state, why }) => [state, why])).toEqual([
      ['ended', null],
      ['ended', 'Privacy rules changed after the comparison started.'],
    ]);
  });

  it('gives every run the packages of the project, also ignored ones', async () => {
    await mkdir(join(project, 'node_modules', 'left'), { recursive: true });
    await writeFile(join(project, 'node_modules', 'left', 'index.js'), 'module.exports = 1;\n');
    await writeFile(join(project, '.gitignore'), 'node_modules/\n');
    const { id } = await core.client.comparisons.create(inputOf({}), { signal: neverAborted });
    await rm(join(project, 'node_modules'), { recursive: true });
    await carryOut(id);
    for (const { sessionId } of (await core.client.comparisons.show({ id })).runs) {
      const { state } = await core.client.sessions.show({ sessionId: sessionId ?? '' });
      const lib = join(state.workspace?.path ?? '', 'node_modules', 'left', 'index.js');
      expect(await readFile(lib, 'utf8')).toBe('module.exports = 1;\n');
    }
  });

  it('teaches the router once it is done, once for each task and way, and forgets with the rest', async () => {
    const { id } = await core.client.comparisons.create(inputOf({ repeat: 2 }), { signal: neverAborted });
    await core.client.comparisons.start({ id });
    const learned = (): Promise<readonly string[]> => readdir(home);
    await watchUntil(id, ({ runs }) => runs[2]?.state === 'running');
    expect(await learned()).not.toContain('route-record.json');
    await itemsOf(core.client.comparisons.watch({ id }));
    const text = await readFile(join(home, 'route-record.json'), 'utf8');
    const shown = z
      .object({
        outcomes: z.array(
          z.object({
            solved: z.boolean(),
            by: z.string(),
            kind: z.string(),
            weight: z.number(),
            first: z.object({ model: z.string() }),
          }),
        ),
      })
      .parse(JSON.parse(text)).outcomes;
    const one = { by: 'comparison', kind: 'repair', weight: 0.5 };
    const [weak, strong] = ['weak/script', 'strong/script'].map((model) => ({ ...one, first: { model } }));
    expect(shown).toEqual([
      { ...weak, solved: false },
      { ...strong, solved: true },
      { ...weak, solved: false },
      { ...strong, solved: true },
    ]);
    await carryOut(id);
    expect(await readFile(join(home, 'route-record.json'), 'utf8')).toBe(text);
    const { forgotten } = await core.client.routing.forget({ projectPath: project });
    expect(forgotten).toBe(4);
  });

  it('does not let earlier runs influence routing', async () => {
    const { id } = await core.client.comparisons.create(inputOf({ ways: loop('local', 'hybrid'), repeat: 2 }), {
      signal: neverAborted,
    });
    await core.client.comparisons.start({ id });
    await watchUntil(id, ({ runs }) => runs.at(-2)?.state === 'running');
    expect(await readdir(home)).not.toContain('route-record.json');
    await itemsOf(core.client.comparisons.watch({ id }));
    await core.client.routing.forget({ projectPath: null });
    // A message that the user sends is counted.
    const { sessionId: own } = await core.client.sessions.create({ projectPath: project });
    const options = { local: 'weak/script', strategy: 'loop', check: 'python3 check.py' };
    await core.client.sessions.send({
      sessionId: own,
      text: 'Repair add().',
      options: runOptionsSchema.parse(options),
    });
    await expect.poll(() => readdir(home)).toContain('route-record.json');
  });

  it('does a set of tasks in each way, each with its own check, and a model judges the answers in pairs', async () => {
    const verdict = { text: '{"verdict": "first", "why": "It is shorter."}' };
    await core.client.settings.set({
      key: 'providers.judge',
      value: { kind: 'scripted', where: 'cloud', price: judgePrice, repeat: true, replies: [verdict] },
    });
    const tasks = [
      { name: 'Repair', text: 'Repair add().' },
      { name: 'Say', text: 'Say hello.', check: 'true' },
    ];
    const judge = { model: 'judge/script', rubric: 'The shorter answer is better.' };
    const { id } = await core.client.comparisons.create(inputOf({ tasks, judge }), { signal: neverAborted });
    await carryOut(id);
    const done = await core.client.comparisons.show({ id });
    expect(done.runs.map(({ task, way, check }) => [task, way, check?.command])).toEqual([
      [0, 'local,strategy=loop', 'python3 check.py'],
      [0, 'cloud,strategy=loop', 'python3 check.py'],
      [1, 'local,strategy=loop', 'true'],
      [1, 'cloud,strategy=loop', 'true'],
    ]);
    expect(done.judgements.map(({ task, by, why }) => [task, by, why])).toEqual([
      [0, 'model', 'It is shorter.'],
      [1, 'model', 'It is shorter.'],
    ]);
    expect(done.judgements.every(({ costUsd }) => (costUsd ?? 0) > 0)).toBe(true);
    // Your own verdict stands beside it, and the last one counts.
    const pair = { task: 0, repeat: 1, left: 'local,strategy=loop', right: 'cloud,strategy=loop' };
    await core.client.comparisons.judge({ id, pair, verdict: 'same' });
    const { judgements } = await core.client.comparisons.judge({ id, pair, verdict: 'left' });
    expect(judgements.filter(({ by }) => by === 'you')).toMatchObject([{ verdict: 'left' }]);
    // Two keys in quick succession: neither verdict writes over the other.
    await Promise.all(
      [0, 1].map((task) => core.client.comparisons.judge({ id, pair: { ...pair, task }, verdict: 'right' })),
    );
    const quick = (await core.client.comparisons.show({ id })).judgements.filter(({ by }) => by === 'you');
    // Which of the two arrives first is left open.
    const byTask = quick.toSorted((left, right) => left.task - right.task);
    expect(byTask.map(({ task, verdict }) => [task, verdict])).toEqual([
      [0, 'right'],
      [1, 'right'],
    ]);
    const other = core.client.comparisons.judge({ id, pair: { ...pair, left: 'moon' }, verdict: 'left' });
    await expect(other).rejects.toMatchObject({ data: { code: 'not-found' } });
  });

  it('leaves an answer in words to a rubric or you, and lets no check of the whole set judge it', async () => {
    await core.client.settings.set({
      key: 'providers.strong',
      value: { kind: 'scripted', repeat: true, replies: [{ text: 'It is defined in calc.py.' }] },
    });
    const tasks = [
      { name: 'Own', text: 'Where is add defined?', check: 'python3 check.py' },
      { name: 'Ask', text: 'Where is add defined?' },
    ];
    const ways = loop('cloud');
    const { id } = await core.client.comparisons.create(inputOf({ tasks, ways }), { signal: neverAborted });
    await carryOut(id);
    const [own, asked] = (await core.client.comparisons.show({ id })).runs;
    expect(own).toMatchObject({ state: 'ended', figures: { reason: 'answered' }, check: { passed: false } });
    expect(asked).toMatchObject({ state: 'ended', figures: { reason: 'answered', passedBefore: null }, check: null });
  });

  it('takes back what a verdict taught once another one leaves it even, in any order', async () => {
    const says = { kind: 'scripted', repeat: true, replies: [{ text: 'It is defined in calc.py.' }] };
    for (const id of ['weak', 'strong', 'other'])
      await core.client.settings.set({ key: `providers.${id}`, value: says });
    const ways = ['weak', 'strong', 'other'].map((id) => ({
      policy: 'local',
      strategy: 'loop',
      local: `${id}/script`,
    }));
    const tasks = [{ name: 'Ask', text: 'Where is add defined?' }];
    const { id } = await core.client.comparisons.create(inputOf({ tasks, ways, check: undefined }), {
      signal: neverAborted,
    });
    await carryOut(id);
    const [weak = '', strong = '', other = ''] = (await core.client.comparisons.show({ id })).runs.map(
      ({ way }) => way,
    );
    const judge = (left: string, right: string, verdict: 'left' | 'right') =>
      core.client.comparisons.judge({ id, pair: { task: 0, repeat: 1, left, right }, verdict });
    const learned = async (): Promise<unknown> => {
      const outcome = z.object({ solved: z.boolean().nullable(), first: z.object({ model: z.string() }) });
      const { outcomes } = z
        .object({ outcomes: z.array(outcome) })
        .parse(JSON.parse(await readFile(join(home, 'route-record.json'), 'utf8')));
      return Object.fromEntries(outcomes.map(({ solved, first }) => [first.model, solved]));
    };
    await judge(weak, strong, 'left');
    expect(await learned()).toEqual({ 'weak/script': true, 'strong/script': false });
    await judge(weak, other, 'right');
    expect(await learned()).toEqual({ 'weak/script': null, 'strong/script': false, 'other/script': true });
    await judge(weak, other, 'left');
    expect(await learned()).toEqual({ 'weak/script': true, 'strong/script': false, 'other/script': false });
  });

  it('shows what an earlier version compared, as ways', async () => {
    const { id } = await core.client.comparisons.create(inputOf({}), { signal: neverAborted });
    const file = join(home, 'comparisons', `${id}.json`);
    const { tasks: _, ways: __, ...input } = (await core.client.comparisons.show({ id })).input;
    const run = {
      policy: 'cloud',
      repeat: 1,
      state: 'waiting',
      sessionId: null,
      why: null,
      check: null,
      figures: null,
    };
    const old = { ...input, task: 'Repair add().', policies: ['cloud'], strategy: 'loop' };
    await writeFile(file, JSON.stringify({ version: 1, id, createdAt: 1, input: old, runs: [run], abandoned: [] }));
    const shown = await core.client.comparisons.show({ id });
    expect(shown.input).toMatchObject({
      tasks: [{ name: 'Repair add().', text: 'Repair add().' }],
      ways: [{ policy: 'cloud', strategy: 'loop' }],
    });
    await carryOut(id);
    expect((await core.client.comparisons.show({ id })).runs).toMatchObject([
      { task: 0, way: 'cloud,strategy=loop', state: 'ended', check: { passed: true } },
    ]);
  });

  it('takes what the agent itself suggests for an answer, because nobody is asked', async () => {
    const ask = { name: 'ask_person', input: { question: 'Which sign?', choices: ['+', '-'], default: '+' } };
    await core.client.settings.set({
      key: 'providers.weak',
      value: { kind: 'scripted', repeat: true, replies: [{ toolCalls: [ask] }, repair, complete] },
    });
    const { id } = await core.client.comparisons.create(inputOf({ ways: loop('local') }));
    await carryOut(id);
    const [run] = (await core.client.comparisons.show({ id })).runs;
    expect(run).toMatchObject({ state: 'ended', check: { passed: true }, figures: { status: 'done' } });
  });

  it('does not count a run that found no model, and does it again', async () => {
    const ways = [{ policy: 'cloud', cloud: 'gone/script', strategy: 'loop' }, ...loop('local')];
    const gone = { kind: 'scripted', repeat: true, replies: [repair, complete] };
    await core.client.settings.set({ key: 'providers.gone', value: gone });
    const { id } = await core.client.comparisons.create(inputOf({ ways }));
    await core.client.settings.unset({ key: 'providers.gone' });
    await carryOut(id);
    const done = await core.client.comparisons.show({ id });
    expect(done.runs.map(({ state, figures }) => [state, figures?.status ?? null])).toEqual([
      ['waiting', null],
      ['ended', 'gave-up'],
    ]);
    expect(done.runs[0]?.why).toMatch(/^It did no step, so it is not judged: /u);
    expect(comparisonRows(done).map(({ runs, wanted, costUsd }) => [runs, wanted, costUsd?.median ?? null])).toEqual([
      [0, 1, null],
      [1, 1, 0],
    ]);
    expect(comparisonVerdict(done)).toBeNull();
    await core.client.settings.set({ key: 'providers.gone', value: gone });
    await carryOut(id);
    const again = (await core.client.comparisons.show({ id })).runs;
    expect(again.map(({ state, check }) => [state, check?.passed])).toEqual([
      ['ended', true],
      ['ended', false],
    ]);
  });

  it('refuses what cannot be carried out before it copies anything', async () => {
    const refused = (more: object) => core.client.comparisons.create(inputOf(more));
    await expect(refused({ cloud: undefined })).rejects.toMatchObject({ data: { code: 'missing-model' } });
    const hard = [{ policy: 'cloud', cloud: 'strong/script', effort: 'high' }, { policy: 'local' }];
    await expect(refused({ ways: hard })).rejects.toMatchObject({
      data: { code: 'bad-input', message: expect.stringContaining('cloud:strong/script,effort=high cannot run') },
    });
    await expect(refused({ tasks: [{ name: 'x', text: ' \n' }] })).rejects.toMatchObject({
      data: { code: 'bad-input' },
    });
    await expect(refused({ projectPath: join(folder, 'none') })).rejects.toMatchObject({ data: { code: 'not-found' } });
    await expect(core.client.comparisons.show({ id: '../settings' })).rejects.toMatchObject({
      data: { code: 'not-found' },
    });
    expect(await core.client.comparisons.list()).toEqual([]);
    expect(await readdir(home)).not.toContain('workspaces');
  });
});
