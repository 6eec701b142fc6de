import { describe, expect, it } from 'vitest';
import { isCutFrom, readTitle } from '../../../../src/main/agent/turn/name-session.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { createSessionRunner } from '../../../../src/main/agent/turn/session-runner.ts';
import type { LanguageModel } from '../../../../src/main/models/providers/define.ts';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import type { RoutingNumbers } from '../../../../src/shared/routing/routing.ts';
import { profiles } from '../../../../src/shared/routing/routing-profiles.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions, Reply } from '../../../fakes/agent-kit.ts';
import { createAgentKit, ended, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const task =
  'Good morning! Since we went over to the new calendar last week the reports show the wrong day; why does parseDate() take the month first?';
const firstWords = `${task.slice(0, 79)}…`;
const price = { input: 3, output: 15, source: 'test', date: '2026-11-21' };
const answer: Reply = { text: 'Because its pattern begins with the month.' };
const named: Reply = { text: '"Month before day in parseDate()".\n' };

interface Session extends AgentKit {
  /** Resolves when `count` events of this type are written, one by default. */
  readonly until: (type: SessionEvent['type'], count?: number) => Promise<void>;
  /** How often the code waited before asking for a name. */
  readonly waits: () => number;
}

/** A session titled with the first words of its message. `wrap` changes the scripted local model. */
async function session(replies: readonly Reply[], wrap = keepsTalks, more: Partial<KitOptions> = {}): Promise<Session> {
  const seen: SessionEvent['type'][] = [];
  const waiting = new Set<() => void>();
  const onEvent = ({ type }: SessionEvent): void => {
    seen.push(type);
    for (const look of waiting) look();
  };
  const kit = createAgentKit({ replies, cloud: { price }, journal: { onEvent }, ...more });
  await kit.journal.append({ type: 'session-renamed', title: firstWords });
  let waits = 0;
  const { models, machine } = kit.dependencies;
  const provider: typeof models.provider = (id) => {
    const one = models.provider(id);
    return one === null || id !== 'fake' ? one : wrap(one);
  };
  const delay = async (): Promise<void> => {
    waits += 1;
  };
  const dependencies = {
    ...kit.dependencies,
    models: { ...models, provider },
    machine: { ...machine, delay },
  };
  const until: Session['until'] = (type, count = 1) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (seen.filter((one) => one === type).length >= count) resolve();
      };
      waiting.add(look);
      look();
    });
  return { ...kit, dependencies, runner: createSessionRunner(dependencies), until, waits: () => waits };
}

/** Behaves as the app's engine does: one conversation does not push out another. */
function keepsTalks(provider: LanguageModel): LanguageModel {
  return { ...provider, prefill: async () => ({ promptTokens: 0, evaluatedTokens: 0, error: null }) };
}

/** A model that does not answer a request for a title until it is stopped. */
function neverNames(provider: LanguageModel): LanguageModel {
  return {
    ...keepsTalks(provider),
    async *stream(request, signal) {
      if (!request.cacheKey.endsWith(':title')) {
        yield* provider.stream(request, signal);
        return;
      }
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      yield ended('cancelled', 7);
    },
  };
}

const asked = (roles: RoutingNumbers['roles'], own: Partial<TurnOptions> = {}): TurnOptions => ({
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  routing: routingOf('balanced', { roles }),
  ...own,
});
const here = asked({ title: 'local' });
const { roles: _roles, ...beforeRoles } = profiles.balanced;

function purposes({ journal }: AgentKit): readonly string[] {
  return ofType(journal.events, 'model-call-started').map(({ purpose, stage }) => `${purpose} ${stage.where}`);
}

describe('a session whose first words are cut off', () => {
  it('gets a title from the local model that worked, in a step outside any turn', async () => {
    const kit = await session([answer, named]);
    await kit.runner.send(task, here);
    await kit.until('session-renamed', 2);
    const { title, turns, totals } = kit.journal.state();
    expect(title).toBe('Month before day in parseDate()');
    expect([turns.map(({ steps }) => steps), totals.steps]).toEqual([[1], 2]);
    expect(purposes(kit)).toEqual(['act local', 'title local']);
    expect(ofType(kit.journal.events, 'route-decided')[1]).toMatchObject({
      reasonCode: 'role',
      reason: 'A title goes to Fake model in this profile.',
    });
    expect(kit.requests.at(-1)?.messages.at(-1)?.parts).toEqual([{ type: 'text', text: task }]);
    expect(kit.journal.money()).toMatchObject({ calls: 2, costUsd: 0 });
    await expectReplay(kit);
  });

  it('is named once, and its next prompt does not hold the title', async () => {
    const kit = await session([answer, named, answer]);
    await kit.runner.send(task, here);
    await kit.until('session-renamed', 2);
    await kit.runner.send('And where?', here);
    expect(purposes(kit)).toEqual(['act local', 'title local', 'act local']);
    const shown = JSON.stringify(kit.requests.at(-1)?.messages);
    expect([shown.includes('And where?'), shown.includes('Month before day')]).toEqual([true, false]);
    expect(kit.waits()).toBe(1);
    await expectReplay(kit);
  });

  it('answers a new message at once while a title is being made', async () => {
    const kit = await session([answer, answer], neverNames);
    await kit.runner.send(task, here);
    await kit.until('model-call-started', 2);
    const end = await kit.runner.send('And where?', here);
    expect(end.reason).toBe('answered');
    expect(purposes(kit)).toEqual(['act local', 'title local', 'act local']);
    const ends = ofType(kit.journal.events, 'model-call-ended').map(({ stopReason }) => stopReason);
    expect(ends).toEqual(['stop', 'cancelled', 'stop']);
    expect(JSON.stringify(kit.requests.at(-1)?.messages)).toContain('And where?');
    expect(kit.journal.state().title).toBe(firstWords);
    await expectReplay(kit);
  });

  it('is closed without waiting for its title', async () => {
    const kit = await session([answer], neverNames);
    await kit.runner.send(task, here);
    await kit.until('model-call-started', 2);
    await kit.runner.dispose();
    expect(kit.journal.state().steps.map(({ end }) => end?.stopReason)).toEqual(['stop', 'cancelled']);
  });

  it('keeps a name that the person gave it meanwhile', async () => {
    const kit = await session([answer, named]);
    kit.journal.append({ type: 'session-renamed', title: 'Mine' }).catch(() => undefined);
    await kit.runner.send(task, here);
    expect(kit.journal.state().title).toBe('Mine');
    expect(kit.waits()).toBe(0);
  });

  it('gets a title from a service only if the person allows that', async () => {
    const kit = await session([answer, named]);
    const cloud: Partial<TurnOptions> = { policy: 'cloud' };
    await kit.runner.send(task, asked({ title: 'own' }, cloud));
    await kit.until('session-renamed', 2);
    expect(purposes(kit)).toEqual(['act cloud', 'title cloud']);
    expect(kit.journal.state().steps.map(({ end }) => (end?.costUsd ?? 0) > 0)).toEqual([true, true]);
    await expectReplay(kit);
  });

  it.each<readonly [string, TurnOptions, typeof keepsTalks]>([
    ['only the cloud worked', asked({ title: 'local' }, { policy: 'cloud' }), keepsTalks],
    ['the model keeps one conversation only', here, (provider) => provider],
    ['its owner wants that', asked({ title: 'none' }), keepsTalks],
    ['its log has no role for titles', { ...here, routing: { profile: 'balanced', numbers: beforeRoles } }, keepsTalks],
  ])('keeps its first words as the title where %s', async (_why, options, wrap) => {
    const kit = await session([answer, named], wrap);
    await kit.runner.send(task, options);
    await kit.runner.idle();
    expect([kit.waits(), purposes(kit).length]).toEqual([0, 1]);
  });
});

describe('a title', () => {
  it('is asked for only where the first words are cut off', () => {
    expect(isCutFrom(firstWords, task)).toBe(true);
    expect(isCutFrom('Fix this:', 'Fix this:\nTraceback …')).toBe(true);
    expect(isCutFrom('Fix the test', 'Fix  the\ttest\n')).toBe(false);
    expect(isCutFrom('Mine', task)).toBe(false);
    expect(isCutFrom('', task)).toBe(false);
  });

  it.each([
    ['Title: **Wrong month in reports**\nThat is it.', 'Wrong month in reports'],
    ['# parseDate() takes the month first.', 'parseDate() takes the month first'],
    ['«Неверный день в reports»', 'Неверный день в reports'],
    // A title about something else, an empty one, and a conversation instead of a title.
    ['Hello world', null],
    ['  \n', null],
    [`The reports show ${'the wrong day and '.repeat(9)}so on`, null],
  ])('is read from %j as %j', (said, title) => {
    expect(readTitle(said, task)).toBe(title);
  });

  it('can be checked against the words of a language without spaces', () => {
    const asked = '为什么这个项目的测试失败？请修复路径分隔符的问题，并解释原因';
    expect(readTitle('路径分隔符问题。', asked)).toBe('路径分隔符问题');
    expect(readTitle('天气预报', asked)).toBeNull();
  });
});
