import { describe, expect, it } from 'vitest';
import type { SessionMachine } from '../../../../src/main/agent/turn/agent-dependencies.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import { emptyMoney, reduceMoney } from '../../../../src/shared/money/session-money.ts';
import type { AgentKit, KitOptions, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ended, loopModel, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

/**
 * Catches: work that goes to the cloud because of strain, against a policy, a limit or a fence; a model that is
 * replaced without notice; and a night's sleep that counts towards a limit or looks like a slow answer.
 */
const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15, source: 'test', date: '2026-11-21' };
const hybrid: TurnOptions = {
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  routing: routingOf('balanced', { advice: false, reviews: 0 }),
};
const done = call('task_complete', { summary: 'It is said.' });
const toCloud: SessionMachine['ease'] = async () => ({ ease: { act: 'cloud', causes: ['battery'] }, model: null });

function kitOf(machine: Partial<SessionMachine>, more: Partial<KitOptions> = {}): AgentKit {
  return createAgentKit({ replies: [done], cloud: { price }, dependencies: { machine }, ...more });
}

const route = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'route-decided').map(({ chosen, reasonCode }) => `${chosen.where} ${reasonCode}`);

describe('a turn on a machine under strain', () => {
  it('goes to the cloud if the policy leaves the choice, and says why', async () => {
    const kit = kitOf({ ease: toCloud });
    await kit.runner.send('What is in a.py?', hybrid);
    expect(route(kit)).toEqual(['cloud strain']);
    expect(ofType(kit.journal.events, 'route-decided')[0]?.reason).toBe(
      'Sky model does it, because the machine runs on battery.',
    );
    await expectReplay(kit);
  });

  it.each<[string, Partial<TurnOptions>, Partial<KitOptions>]>([
    ['the policy is local', { policy: 'local' }, {}],
    ['a cap is in the way', { maxUsd: 0.000_001 }, {}],
    ['a fence keeps the conversation here', {}, { fences: { rules: [{ path: '**', action: 'local-only' }] } }],
    ['nobody knows the price', {}, { cloud: { price: null } }],
  ])('stays local where %s', async (_name, own, more) => {
    const isFenced = more.fences !== undefined;
    const replies = isFenced ? [call('read_file', { path: 'a.py' }), done] : [done];
    const kit = kitOf({ ease: toCloud }, { ...more, replies });
    await kit.runner.send('What is in a.py?', { ...hybrid, ...own });
    expect(route(kit).at(-1)).toMatch(/^local /u);
  });

  it('runs on the next smaller model, and says so before the first step', async () => {
    const small = { ...loopModel, id: 'fake/small', name: 'small', label: 'Small model', parametersB: 3 };
    const kit = kitOf({ ease: async () => ({ ease: { act: 'smaller', causes: ['battery', 'heat'] }, model: small }) });
    await kit.runner.send('What is in a.py?', turnOptions);
    expect(ofType(kit.journal.events, 'model-call-started')[0]?.model).toBe('fake/small');
    const notice = ofType(kit.journal.events, 'notice-added').find(({ code }) => code === 'model-eased');
    expect(notice?.text).toBe(
      'This message runs on Small model instead of fake/model, because the machine runs on battery and the machine is hot. Settings, "Power and heat", has the choice.',
    );
    await expectReplay(kit);
  });
});

describe('a turn that the machine slept through', () => {
  const night = 8 * 3_600_000;

  it('does not count the sleep as time, and says so', async () => {
    let [slept, at] = [0, 0];
    const sleeps = (): void => {
      slept += night;
      at += night;
    };
    const replies = [call('read_file', { path: 'a.py' }), done];
    const kit = kitOf({ sleptMs: () => slept }, { journal: { now: () => at }, replies });
    const provider = kit.dependencies.models.provider('fake');
    const stream = provider?.stream.bind(provider);
    if (provider === null || stream === undefined) throw new Error('The kit has no provider.');
    Object.assign(provider, {
      stream: async function* (...given: Parameters<typeof stream>) {
        for await (const part of stream(...given)) {
          if (part.type === 'ended') sleeps();
          yield part.type === 'ended' ? { ...part, timings: { ...part.timings, totalMs: night + 10 } } : part;
        }
      },
    });
    const end = await kit.runner.send('What is in a.py?', { ...turnOptions, maxMinutes: 5 });
    expect(end.reason).not.toBe('time-limit');
    const timings = ofType(kit.journal.events, 'model-call-ended').map(({ timings }) => timings);
    expect(timings.map(({ sleptMs, totalMs }) => [sleptMs, totalMs])).toEqual([
      [night, 10],
      [night, 10],
    ]);
    expect(ofType(kit.journal.events, 'notice-added').map(({ code }) => code)).toContain('machine-slept');
    await expectReplay(kit);
  });

  it('asks a service again whose call was lost in the sleep, and counts each call once', async () => {
    let slept = 0;
    const usage = { freshInput: 1_000, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0, estimated: true };
    const lost = { code: 'stalled', message: 'Nothing came for 30 seconds.', retryable: true } as const;
    const replies: Reply[] = [{ stream: [{ ...ended('error', 0), error: lost, usage }] }, done];
    const kit = kitOf({ sleptMs: () => (slept += 60_000) }, { replies });
    const end = await kit.runner.send('What is in a.py?', { ...turnOptions, policy: 'cloud', cloud: 'sky/model' });
    expect(end.reason).toBe('answered');
    const costs = ofType(kit.journal.events, 'model-call-ended').map(({ costUsd }) => costUsd ?? 0);
    expect(costs).toHaveLength(2);
    expect(costs[0]).toBeCloseTo((1_000 * 3 + 10 * 15) / 1e6, 9);
    const money = kit.journal.events.reduce(reduceMoney, emptyMoney);
    expect(money.costUsd).toBeCloseTo((costs[0] ?? 0) + (costs[1] ?? 0), 9);
    await expectReplay(kit);
  });

  it('does not count the sleep inside a tool for a limit', async () => {
    let [slept, at] = [0, 0];
    const kit = kitOf(
      { sleptMs: () => slept },
      {
        journal: { now: () => at },
        replies: [call('run_command', { command: 'make' }), done],
        sandbox: {
          files: { 'a.py': 'x = 1\n' },
          exec: () => {
            slept += night;
            at += night;
            return { exitCode: 0, stdout: 'built' };
          },
        },
      },
    );
    const end = await kit.runner.send('Build it.', { ...turnOptions, approve: 'allow', maxMinutes: 5 });
    expect(end.reason).not.toBe('time-limit');
    const ends = ofType(kit.journal.events, 'tool-ended');
    expect(ends.find(({ tool }) => tool === 'run_command')?.waitedMs).toBe(night);
    await expectReplay(kit);
  });
});
