import { describe, expect, it } from 'vitest';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import type { MemoryExecHandler } from '../../../fakes/sandbox/memory-sandbox.ts';

const files = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
};
/** So dear that the cloud is the last resort. */
const price = { input: 30, cacheRead: 3, cacheWrite: 37.5, output: 150, source: 'test', date: '2026-11-21' };
const exec: MemoryExecHandler = (_request, box) =>
  box.text('calc.py')?.includes('a + b') === true
    ? { exitCode: 0, stdout: '1 passed' }
    : { exitCode: 1, stdout: 'E assert -1 == 3\n1 failed' };
const [small, large, cloud] = ['fake/model', 'fake/large', 'sky/model'] as const;
const largeModel = { id: large, name: 'large', label: 'Large model', parametersB: 120 };
const asked = (own: Partial<TurnOptions> = {}): TurnOptions => ({
  ...turnOptions,
  policy: 'hybrid',
  cloud,
  modelOrder: [small, large, cloud],
  // Reviews are tested in pass-gate.test.ts.
  // Waiting costs a little, as the larger one here is slow; else it would begin at once, since it is free as well.
  routing: routingOf('balanced', { advice: false, reviews: 0, minuteUsd: 0.002 }),
  ...own,
});
const look = call('read_file', { path: 'calc.py' });
const fix = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const done = call('task_complete', { summary: 'It adds now.' });
const miss = (what: string) => call('edit_file', { path: 'calc.py', old: what, new: 'x' });
const away = { error: { code: 'network', message: 'no route', retryable: false } } as const;

/** Two models here and one in the cloud, which answer in turn. */
function kitOf(replies: KitOptions['replies'], more: Partial<KitOptions> = {}): AgentKit {
  return createAgentKit({
    replies: replies ?? [],
    cloud: { price },
    others: [largeModel],
    sandbox: { files, exec },
    ...more,
  });
}

/** Who made each step, in order. */
const who = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'model-call-started').map(({ stage }) => stage.model);

const notices = (kit: AgentKit, code: string): readonly string[] =>
  ofType(kit.journal.events, 'notice-added').flatMap((event) => (event.code === code ? [event.text] : []));

describe('a task with two local models and one in the cloud', () => {
  it('begins with the first model of the order and stays there while it goes well', async () => {
    const kit = kitOf([look, fix, done]);
    const end = await kit.runner.send('Fix add().', asked());
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual([small, small, small]);
    await expectReplay(kit);
  });

  it('goes up one model at a time, the cloud last, and tells each who worked before', async () => {
    // Each says that it is done while the test fails, twice, and so gives up.
    const kit = kitOf([done, done, done, done, fix, done]);
    const end = await kit.runner.send('Fix add().', asked());
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual([small, small, large, large, cloud, cloud]);
    expect(notices(kit, 'handover').map((text) => text.split(' worked on this')[0])).toEqual([
      'Fake model (2 steps)',
      'Fake model (2 steps) and Large model (2 steps)',
    ]);
    await expectReplay(kit);
  });

  it('ends when each model has given up once', async () => {
    const kit = kitOf(Array.from({ length: 20 }, () => done));
    const end = await kit.runner.send('Fix add().', asked());
    expect(end.reason).not.toBe('done');
    expect(who(kit)).toEqual([small, small, large, large, cloud, cloud]);
    await expectReplay(kit);
  });

  it('is taken over by the larger local model after several bad signals', async () => {
    const kit = kitOf([look, miss('nothing like it'), miss('nothing there either'), fix, done]);
    const end = await kit.runner.send('Fix add().', asked());
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual([small, small, small, large, large]);
    await expectReplay(kit);
  });

  it('skips the middle model while its provider is away', async () => {
    const kit = kitOf([done, done, away, fix, done], {
      others: [{ ...largeModel, id: 'shed/large', provider: 'shed' }],
    });
    const end = await kit.runner.send('Fix add().', asked({ modelOrder: [small, 'shed/large', cloud] }));
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual([small, small, 'shed/large', cloud, cloud]);
    await expectReplay(kit);
  });

  it('ends when every model fails without an answer', async () => {
    const failed = { error: { code: 'overloaded', message: 'Too busy.', retryable: false } } as const;
    const kit = kitOf(Array.from({ length: 60 }, () => failed));
    const end = await kit.runner.send('Fix add().', asked());
    expect(end.reason).toBe('error');
    expect([...who(kit)].sort()).toEqual([large, small, cloud]);
    await expectReplay(kit);
  });

  it('goes to the larger local model when a spending limit closes the cloud', async () => {
    const kit = kitOf(
      Array.from({ length: 20 }, () => done),
      { caps: { session: 0.001 } },
    );
    const end = await kit.runner.send('Fix add().', asked());
    expect(end.reason).toBe('check-failed');
    expect(who(kit)).toEqual([small, small, large, large]);
    await expectReplay(kit);
  });

  // Bug: it said that the step ran on this machine, and offered a review by the service that hung.
  it('goes on in another service when one is silent, and does not call that this machine', async () => {
    const silent = { error: { code: 'stalled', message: 'Nothing came.', retryable: true } } as const;
    const star = { id: 'star/model', provider: 'star', label: 'Star model', where: 'cloud', price } as const;
    const kit = kitOf([silent, silent, fix, done], { others: [star] });
    const end = await kit.runner.send('Fix add().', asked({ policy: 'cloud', modelOrder: [star.id, cloud] }));
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual([cloud, cloud, star.id, star.id]);
    expect(notices(kit, 'route-degraded')).toEqual([]);
    await expectReplay(kit);
  });

  it('goes on with another service when one is down, and counts only the models that answered', async () => {
    const dear = { ...price, input: 60, output: 300 };
    const star = { id: 'star/model', provider: 'star', label: 'Star model', where: 'cloud', price: dear } as const;
    const kit = kitOf([done, done, away, fix, done], { others: [star] });
    const end = await kit.runner.send('Fix add().', asked({ modelOrder: [small, cloud, star.id] }));
    expect(end.reason).toBe('done');
    expect(who(kit)).toEqual([small, small, cloud, star.id, star.id]);
    const last = ofType(kit.journal.events, 'stage-chosen').at(-1);
    expect(last?.reason).toContain('Sky model does not answer, so Star model goes on');
    expect(notices(kit, 'handover').at(-1)).toContain('Fake model (2 steps) worked on this until here');
    await expectReplay(kit);
  });

  it.each([
    [0, large],
    [0.002, small],
  ])('begins, when a minute of waiting is worth $%d, with %s', async (minuteUsd, first) => {
    const kit = kitOf([look, fix, done]);
    const routing = routingOf('balanced', { advice: false, reviews: 0, minuteUsd });
    expect((await kit.runner.send('Fix add().', asked({ routing }))).reason).toBe('done');
    expect(who(kit)).toEqual([first, first, first]);
    await expectReplay(kit);
  });

  it('shows the provider beside models of the same name', async () => {
    const kit = kitOf([look, fix, done], { cloud: { price, label: 'Fake model' } });
    await kit.runner.send('Fix add().', asked({ modelOrder: [small, cloud] }));
    const [first] = ofType(kit.journal.events, 'route-decided');
    expect(first?.reason).toMatch(/^Fake model \(fake\) starts: Fake model \(sky\) would help/u);
    await expectReplay(kit);
  });

  it('leaves out a missing model of the order, and says so once', async () => {
    const kit = kitOf([look, fix, done]);
    const end = await kit.runner.send('Fix add().', asked({ modelOrder: [small, 'gone/model', large, cloud] }));
    expect(end.reason).toBe('done');
    expect(notices(kit, 'model-missing')).toEqual([expect.stringContaining('gone/model of your order')]);
    await expectReplay(kit);
  });

  it.each([
    ['local', [small, small, large, large]],
    ['cloud', [cloud, cloud]],
  ] as const)('works only where the policy %s allows', async (policy, models) => {
    const kit = kitOf(Array.from({ length: 20 }, () => done));
    await kit.runner.send('Fix add().', asked({ policy }));
    expect(who(kit)).toEqual(models);
    await expectReplay(kit);
  });
});
