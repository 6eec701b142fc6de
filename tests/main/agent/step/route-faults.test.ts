import { describe, expect, it } from 'vitest';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import type { Budget } from '../../../../src/main/money/budget.ts';
import type { ProviderError, StreamPart } from '../../../../src/main/models/providers/define.ts';
import { createSessionRunner } from '../../../../src/main/agent/turn/session-runner.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ended, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { memoryBudget } from '../../../fakes/memory-reservations.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15, source: 'test', date: '2026-11-21' };
const look = call('read_file', { path: 'calc.py' });
const fix = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const done = call('task_complete', { summary: 'It adds now.' });
const routed = (own: Partial<TurnOptions> = {}): TurnOptions => ({
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  routing: routingOf('balanced', { advice: false }),
  ...own,
});

function kitOf(replies: readonly Reply[], more: Partial<KitOptions> = {}): AgentKit {
  return createAgentKit({
    replies,
    cloud: { price },
    sandbox: {
      files: { 'calc.py': 'def add(a, b):\n    return a - b\n', 'tests/test_calc.py': 'def test_add(): pass\n' },
      exec: (_request, box) =>
        box.text('calc.py')?.includes('a + b') === true ? { exitCode: 0 } : { exitCode: 1, stdout: '1 failed' },
    },
    ...more,
  });
}

const route = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'route-decided').map(
    ({ chosen, layer, reasonCode }) => `${chosen.where} ${layer} ${reasonCode}`,
  );

const fails = (code: ProviderError['code'], retryable: boolean): Reply => ({
  error: { code, message: `It says ${code}.`, retryable, ...(retryable ? { retryAfterMs: 10 } : {}) },
});
/** The first half of an answer, whose tool call never arrives. */
const half: Reply = { stream: [{ type: 'text-delta', text: 'I will ed' }] satisfies StreamPart[] };
const lasting: Reply = {
  error: { code: 'rate-limit', message: 'Too many.', retryable: true, retryAfterMs: 3_600_000 },
};
const broken: Reply = {
  stream: [
    { type: 'text-delta', text: 'I will ed' },
    { ...ended('error', 100), error: { code: 'overloaded', message: 'It is too much.', retryable: false } },
  ],
};
const thrice = (reply: Reply): readonly Reply[] => [reply, reply, reply];

describe('a switch to the cloud', () => {
  const faults: readonly (readonly [string, readonly Reply[]])[] = [
    ['too many calls', thrice(fails('rate-limit', true))],
    ['too many calls, and no word of when', thrice({ error: { code: 'rate-limit', message: 'No.', retryable: true } })],
    ['a wish to be left alone for an hour', [lasting]],
    ['a failure of the service', thrice(fails('overloaded', true))],
    ['an error inside an answer that had begun well', [broken]],
    ['a stream that is cut', [fails('cut', false)]],
    ['a revoked key', [fails('auth', false)]],
    ['a model that has vanished', [fails('missing-model', false)]],
    // A third try would use up the time of the turn, and no other model would have its chance.
    ['a service that stalls', thrice(fails('stalled', true)).slice(1)],
  ];

  it.each(faults)('that meets %s stays local, and the log has the reason', async (_name, replies) => {
    // The end is rejected twice. The cloud takes over and fails, and then the local model finishes.
    const kit = kitOf([done, done, ...replies, look, fix, done]);
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    const ran = route(kit);
    expect(ran.slice(0, 3)).toEqual(['local L1 local-first', 'local L4 retry-here', 'cloud L4 checks']);
    const after = ran.slice(2 + replies.length).filter((one) => one !== 'cloud L4 review');
    expect(after.every((one) => one.startsWith('local'))).toBe(true);
    const moved = ofType(kit.journal.events, 'stage-chosen').at(-1);
    expect(moved?.reason).toMatch(/Sky model (?:does not answer|cannot be reached|made no progress)/u);
    await expectReplay(kit);
  });

  it('stays local and pays nothing when another process has spent the money', async () => {
    const cap = { scope: 'day', limitUsd: 1, spentUsd: 1, heldUsd: 0, worstUsd: 0.1 } as const;
    const budget: Budget = {
      ...memoryBudget(),
      // There was enough money when the turn began.
      left: async () => [{ scope: 'day', limitUsd: 1, leftUsd: 1 }],
      reserve: async () => ({ type: 'refused', cap }),
    };
    const kit = kitOf([done, done, look, fix, done], { dependencies: { budget } });
    const end = await kit.runner.send('Fix add().', routed({ atCap: 'local' }));
    expect(end.reason).toBe('done');
    expect(ofType(kit.journal.events, 'cap-reached').map(({ scope }) => scope)).toEqual(['day']);
    expect(ofType(kit.journal.events, 'model-call-started').every(({ stage }) => stage.where === 'local')).toBe(true);
    expect(route(kit).at(-1)).toBe('local L0 budget');
    await expectReplay(kit);
  });

  it('that is cut in the middle of an answer acts on nothing of it', async () => {
    const kit = kitOf([done, done, half, half, half, look, fix, done]);
    const end = await kit.runner.send('Fix add().', routed());
    expect(end.reason).toBe('done');
    const cloud = ofType(kit.journal.events, 'model-call-started').filter(({ stage }) => stage.where === 'cloud');
    const asked = ofType(kit.journal.events, 'tool-call-requested').map(({ callId }) => callId);
    expect(cloud.some(({ callId }) => asked.includes(callId))).toBe(false);
    await expectReplay(kit);
  });
});

describe('a switch to a service that misreports its answer', () => {
  const editCall: StreamPart = {
    type: 'tool-call',
    call: { type: 'tool-call', id: 'c', name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } },
  };
  const endOf = (usage: object, more: object = {}): StreamPart[] => {
    const end = ended('tool-calls', 100);
    return [editCall, { ...end, usage: { ...end.usage, ...usage }, ...more }];
  };

  it('goes on with another model than was asked, and the log and a notice name it', async () => {
    const kit = kitOf([done, done, { stream: endOf({}, { model: 'lesser' }) }, done]);
    expect((await kit.runner.send('Fix add().', routed())).reason).toBe('done');
    const answered = ofType(kit.journal.events, 'model-call-ended').map(({ answeredBy }) => answeredBy);
    expect(answered[2]).toBe('lesser');
    const notices = ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'other-model');
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('lesser answered')]);
    await expectReplay(kit);
  });

  it('uses estimated tokens when it counted none, and every figure stays a number', async () => {
    const kit = kitOf([done, done, { stream: endOf({ freshInput: 0, output: 0, estimated: true }) }, look, done]);
    expect((await kit.runner.send('Fix add().', routed())).reason).toBe('done');
    const later = ofType(kit.journal.events, 'route-decided').slice(3);
    const figures = later.flatMap(({ options }) =>
      (options ?? []).map(({ costUsd, restUsd, seconds }) => [costUsd, restUsd, seconds]),
    );
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.flat().every((value) => value === null || (Number.isFinite(value) && value >= 0))).toBe(true);
    await expectReplay(kit);
  });
});

describe('a local engine that dies', () => {
  const dead = fails('engine-lost', false);

  it('leaves the work to the cloud, and ends the turn with both reasons when the caps forbid it', async () => {
    const kit = kitOf([look, dead, fix, done]);
    expect((await kit.runner.send('Fix add().', routed())).reason).toBe('done');
    expect(route(kit)[2]).toBe('cloud L5 transport');
    await expectReplay(kit);
    const poor = kitOf([look, dead], { caps: { day: 0.0001 } });
    const end = await poor.runner.send('Fix add().', routed());
    const both =
      /^It says engine-lost\. Even a short call could cost \$\S+, and \$0\.0001 is left of the limit for today\.$/u;
    expect(end).toMatchObject({ reason: 'error', text: expect.stringMatching(both) });
    expect(end.failure).toMatchObject({ code: 'engine-lost', message: expect.stringMatching(both) });
    expect(ofType(poor.journal.events, 'cap-reached')).toEqual([]);
    expect(ofType(poor.journal.events, 'model-call-started').every(({ stage }) => stage.where === 'local')).toBe(true);
    await expectReplay(poor);
  });
});

describe('a price list that changes during a turn', () => {
  it('does not affect the turn, and counts from the next turn on', async () => {
    let listed = price;
    const dearer: Reply = () => {
      listed = { ...price, input: 300, output: 1500 };
      return done;
    };
    const kit = kitOf([done, dearer, fix, done]);
    const { models } = kit.dependencies;
    const info: typeof models.info = async (id, signal) => {
      const known = await models.info(id, signal);
      return known === null || id !== 'sky/model' ? known : { ...known, price: listed };
    };
    const runner = createSessionRunner({ ...kit.dependencies, models: { ...models, info } });
    expect((await runner.send('Fix add().', routed())).reason).toBe('done');
    const billed = (): readonly unknown[] =>
      ofType(kit.journal.events, 'model-call-ended').map((event) => event.price?.input);
    expect(billed().slice(2)).toEqual([3, 3]);
    const before = billed().length;
    await runner.send('Is it right?', routed({ policy: 'cloud' }));
    expect(billed().slice(before)).toEqual([300]);
    await expectReplay(kit);
  });
});

describe('a probe of the local model', () => {
  it.each([
    ['was never made, or was of another digest', []],
    ['was passed for recipes only', ['recipe' as const]],
  ])('that %s keeps the model out of the free loop', async (_name, strategies) => {
    const kit = kitOf([look, fix, done], { model: { strategies } });
    expect((await kit.runner.send('Fix add().', routed())).reason).toBe('done');
    expect(route(kit)[0]).toBe('cloud L0 capability');
    await expectReplay(kit);
  });
});

describe('a clock that jumps', () => {
  it.each([
    ['back by a day', -86_400_000],
    ['ahead by a year', 31_536_000_000],
  ])('%s at every event leaves costs as numbers, and the same decisions in a replay', async (_name, jump) => {
    let ticks = 0;
    const now = (): number => 1_800_000_000_000 + (ticks++ % 3) * jump;
    const kit = kitOf([done, done, look, fix, call('run_tests', {}), done], { journal: { now } });
    await kit.runner.send('Fix add().', routed({ maxMinutes: 10_000_000 }));
    const figures = ofType(kit.journal.events, 'route-decided').flatMap(({ options, gain }) => [
      gain ?? 0,
      ...(options ?? []).flatMap(({ costUsd, restUsd, seconds }) => [costUsd ?? 0, restUsd ?? 0, seconds ?? 0]),
    ]);
    expect(figures.length).toBeGreaterThan(10);
    expect(figures.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
    await expectReplay(kit);
  });
});
