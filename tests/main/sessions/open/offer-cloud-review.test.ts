import { describe, expect, it } from 'vitest';
import { offerCloudReview } from '../../../../src/main/sessions/open/offer-cloud-review.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import { createSessionRunner } from '../../../../src/main/agent/turn/session-runner.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const price = { input: 3, output: 15, source: 'test', date: '2026-11-21' };
const wrong = call('edit_file', { path: 'a.py', old: 'no such text', new: '' });
const alsoWrong = call('edit_file', { path: 'a.py', old: 'nor this one', new: '' });
const fix = call('edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 2' });
const done = call('task_complete', { summary: 'It is 2 now.' });
const options = {
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  routing: routingOf('balanced', { advice: false, consecutiveFailures: 2 }),
} as const;

type Reach = 'there' | 'away' | null;

/** `reaches`: the result of each check whether the service can be reached. The last one repeats. */
function offline(replies: readonly Reply[], reaches: readonly Reach[], more: Partial<KitOptions> = {}): AgentKit {
  const kit = createAgentKit({ replies, cloud: { price }, ...more });
  const { models } = kit.dependencies;
  let asked = 0;
  const info: typeof models.info = (id, signal) => {
    if (id === 'sky/model') asked += 1;
    return models.info(id, signal);
  };
  const provider: typeof models.provider = (id) => {
    const one = models.provider(id);
    if (one === null || id !== 'sky') return one;
    return { ...one, reach: () => reaches[Math.min(asked, reaches.length) - 1] ?? null };
  };
  const dependencies = { ...kit.dependencies, models: { ...models, info, provider } };
  return { ...kit, dependencies, runner: createSessionRunner(dependencies) };
}

const never = new AbortController().signal;
const notices = ({ journal }: AgentKit): readonly string[] =>
  ofType(journal.events, 'notice-added').map(({ code }) => code);

describe('a task while the network is away', () => {
  it('runs locally without cloud questions, and is offered for a cloud review', async () => {
    const kit = offline([wrong, alsoWrong, fix, done], ['away', 'away', 'there']);
    const end = await kit.runner.send('Set x to 2 in a.py.', options);
    expect(end.reason).toBe('done');
    const routes = ofType(kit.journal.events, 'route-decided');
    expect(routes.map(({ chosen, reasonCode, degraded }) => [chosen.where, reasonCode, degraded ?? false])).toEqual([
      ['local', 'offline', false],
      ['local', 'offline', false],
      ['local', 'offline', true],
      ['local', 'offline', true],
    ]);
    expect(notices(kit)).toEqual(['route-degraded']);
    await offerCloudReview(kit.dependencies, kit.journal, { cloud: 'sky/model', signal: never });
    expect(notices(kit)).toEqual(['route-degraded', 'network-back']);
    await expectReplay(kit);
  });

  it('says where the cloud would have helped, and does not try it', async () => {
    const kit = offline([{ text: '' }, { text: '' }, { text: '' }], ['away']);
    const end = await kit.runner.send('Set x to 2 in a.py.', options);
    expect(end.reason).toBe('gave-up');
    expect(ofType(kit.journal.events, 'model-call-started').map(({ stage }) => stage.where)).toEqual([
      'local',
      'local',
      'local',
    ]);
    const said = ofType(kit.journal.events, 'notice-added').find(({ code }) => code === 'route-degraded');
    expect(said?.text).toContain('Where this machine gave up, Sky model would have gone on, but could not be reached.');
    await expectReplay(kit);
  });

  it('does not use a recipe in the cloud either', async () => {
    const recipe = defineRecipe({
      id: 'test',
      label: 'Test',
      fits: () => ({ score: 1, reason: 'It fits.' }),
      run: async () => ({ type: 'gave-up', reason: 'Nothing that was tried held.', facts: '' }),
    });
    const model: KitOptions['model'] = { strategies: ['recipe'] };
    const cloud: KitOptions['cloud'] = { price, strategies: ['recipe', 'loop'] };
    const kit = offline([], ['away'], { recipes: [recipe], model, cloud });
    const end = await kit.runner.send('Set x to 2 in a.py.', options);
    expect(end.text).toBe('Nothing that was tried held. Sky model cannot be reached: the network or sky is down.');
    expect(ofType(kit.journal.events, 'stage-chosen').map(({ stage }) => stage.where)).toEqual(['local']);
    expect(notices(kit)).toEqual(['route-degraded']);
    await expectReplay(kit);
  });

  it('still tries the cloud when only the cloud was asked for', async () => {
    const kit = offline([fix, done], ['away']);
    const end = await kit.runner.send('Set x to 2 in a.py.', { ...options, policy: 'cloud' });
    expect(end.reason).toBe('done');
    expect(ofType(kit.journal.events, 'model-call-started').map(({ stage }) => stage.where)).toEqual([
      'cloud',
      'cloud',
    ]);
  });

  it('uses the cloud again when the network is back at its start', async () => {
    const away: Reply = { error: { code: 'network', message: 'no way', retryable: false } };
    const { title: _title, ...roles } = routingOf('balanced', {}).numbers.roles ?? {};
    const routing = routingOf('balanced', { advice: false, consecutiveFailures: 1, offlineAfter: 1, roles });
    const kit = offline([wrong, away, fix, done, wrong, fix, done], [null, 'there']);
    await kit.runner.send('Set x to 2 in a.py.', { ...options, routing });
    const before = ofType(kit.journal.events, 'model-call-started').length;
    await kit.runner.send('Set x to 3 in a.py.', { ...options, routing });
    const later = ofType(kit.journal.events, 'model-call-started').slice(before);
    expect(later.map(({ stage }) => stage.where)).toEqual(['local', 'cloud', 'cloud']);
  });
});

describe('the offer of a cloud review', () => {
  it('is not made when nobody knows whether the network is back', async () => {
    const kit = offline([wrong, alsoWrong, fix, done], ['away', null]);
    await kit.runner.send('Set x to 2 in a.py.', options);
    await offerCloudReview(kit.dependencies, kit.journal, { cloud: 'sky/model', signal: never });
    expect(notices(kit)).toEqual(['route-degraded']);
  });

  it('is not made for a turn without a missing cloud, or when another turn has begun', async () => {
    const fine = offline([fix, done], ['there']);
    await fine.runner.send('Set x to 2 in a.py.', options);
    await offerCloudReview(fine.dependencies, fine.journal, { cloud: 'sky/model', signal: never });
    expect(notices(fine)).toEqual([]);

    const kit = offline([wrong, alsoWrong, fix, done, fix, done], ['away', 'away', 'there']);
    await kit.runner.send('Set x to 2 in a.py.', options);
    const delay = async (): Promise<void> => void (await kit.runner.send('Set y to 2 in a.py.', options));
    const busy = { ...kit.dependencies, machine: { delay } };
    await offerCloudReview(busy, kit.journal, { cloud: 'sky/model', signal: never });
    await offerCloudReview(kit.dependencies, kit.journal, { cloud: 'sky/model', signal: AbortSignal.abort() });
    expect(notices(kit)).not.toContain('network-back');
  });
});
