import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modelOf, noTask } from '../../../bench/lib/route-events.ts';
import { createLearnedPriors } from '../../../src/main/routing/learned-priors.ts';
import { discoverRules } from '../../../src/main/routing/registry.ts';
import { chooseModel } from '../../../src/main/routing/choose-model.ts';
import { emptyTrajectory } from '../../../src/main/routing/trajectory/trajectory.ts';
import { turnOptions } from '../../../src/main/settings/turn-options.ts';
import { learnPriors } from '../../../src/main/routing/learn-priors.ts';
import type { Priors } from '../../../src/shared/routing/priors.ts';
import { profiles } from '../../../src/shared/routing/routing-profiles.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';

const day = 24 * 3600 * 1000;
type Work = Parameters<typeof learnPriors>[1];
type Step = readonly [string, Work['steps'][number]['purpose']];

/** A turn with these steps that began with a failing check. */
function aTurn(reason: Work['turns'][number]['reason'], steps: readonly Step[], endedAt = 0): Work {
  return {
    turns: [{ id: 't', endedAt, reason, before: { passed: false }, after: { passed: reason === 'done' } }],
    steps: steps.map(([model, purpose]) => ({ turnId: 't', purpose, stage: { model } })),
  };
}

const cloudPrice = { input: 3, output: 15 };

/** The route of a step that both models could take, by what is known about them. */
function routeBy(priors: Priors, promptTokens: number) {
  const seat = (name: 'local' | 'cloud') => ({
    info: modelOf(name, 32_768, name === 'cloud' ? cloudPrice : null, name === 'cloud'),
    promptTokens,
    maxOutputTokens: 500,
    canDrive: true,
    strategy: 'loop' as const,
  });
  return chooseModel(
    {
      purpose: 'act',
      policy: 'hybrid',
      numbers: { ...profiles.balanced, priors },
      options: [seat('local'), seat('cloud')],
      spent: [],
      isRecipeChecked: false,
      taint: [],
      shut: null,
      pin: null,
      needs: { images: false },
      budgetLeftUsd: null,
      task: noTask,
      trajectory: emptyTrajectory,
      trouble: null,
      now: 0,
    },
    discoverRules(),
  );
}

describe("the router's memory of two models", () => {
  it('counts each kind of step once a turn, for the model that did it', () => {
    const steps: Step[] = [
      ['here', 'locate'],
      ['here', 'propose'],
      ['here', 'propose'],
      ['there', 'propose'],
      ['here', 'summarize'],
    ];
    expect(learnPriors({}, aTurn('done', steps))).toEqual({
      here: { locate: { tries: 1, solved: 1, calls: 1, at: 0 }, propose: { tries: 1, solved: 0, calls: 2, at: 0 } },
      there: { propose: { tries: 1, solved: 1, calls: 1, at: 0 } },
    });
  });

  it('leaves out work without a check, and a turn that a person ended', () => {
    const one: Step[] = [['here', 'act']];
    const judged = aTurn('done', one);
    const passedBefore = { ...judged, turns: judged.turns.map((turn) => ({ ...turn, before: { passed: true } })) };
    expect([aTurn('cancelled', one), aTurn('cap', one), passedBefore].map((work) => learnPriors({}, work))).toEqual([
      {},
      {},
      {},
    ]);
  });

  it('counts half as much a month later', () => {
    const first = learnPriors({}, aTurn('gave-up', [['here', 'act']]));
    const second = learnPriors(first, aTurn('done', [['here', 'act']], 30 * day));
    expect(second).toEqual({ here: { act: { tries: 1.5, solved: 1, calls: 1.5, at: 30 * day } } });
  });

  it('has no number of calls for counts without one', () => {
    const before = { here: { act: { tries: 3, solved: 1, at: 0 } } };
    expect(learnPriors(before, aTurn('done', [['here', 'act']])).here?.act).toEqual({ tries: 4, solved: 2, at: 0 });
  });

  // Catches: a takeover that is estimated at thirty calls although it takes three (1.50 dollars instead of 0.05).
  it('estimates the cost of the cloud by its real calls in such tasks', () => {
    const restOf = (priors: Priors): number =>
      routeBy(priors, 3000).options.find(({ where }) => where === 'cloud')?.restUsd ?? 0;
    const known = (tries: number, calls: number): Priors => ({
      'cloud/model': { act: { tries, solved: tries, calls, at: 0 } },
    });
    /** The price of this many calls in one conversation that grows by 1,000 tokens each, with nothing cached. */
    const bill = (calls: number): number =>
      Array.from(
        { length: calls },
        (_, index) => (3000 + 1000 * index) * cloudPrice.input + 400 * cloudPrice.output,
      ).reduce((sum, one) => sum + one * 1e-6, 0);
    const guessed = restOf({});
    // By the kind of task alone: seven calls for a change, not thirty.
    expect(guessed).toBeGreaterThan(bill(4));
    expect(guessed).toBeLessThan(bill(9));
    expect(restOf(known(1, 3))).toBeLessThan(guessed);
    const often = restOf(known(12, 36));
    expect(often).toBeGreaterThan(bill(3) * 0.6);
    expect(often).toBeLessThan(bill(4) * 1.2);
    expect(restOf(known(12, 120))).toBeGreaterThan(often);
  });

  it('changes the expected gain of the cloud, and has no vote without data', () => {
    const decide = (priors: Priors) => routeBy(priors, 1000);
    const of = (solved: number, model = 'local/model') => decide({ [model]: { act: { tries: 10, solved, at: 0 } } });
    const [bad, unknown, good] = [of(0), decide({}), of(10)];
    expect(bad.gain).toBeGreaterThan(unknown.gain ?? 1);
    expect(good.gain).toBeLessThan(unknown.gain ?? 0);
    // A cloud model that does not solve such work either brings no gain.
    expect(of(0, 'cloud/model').gain).toBeLessThan(unknown.gain ?? 0);
    const said = bad.votes.filter(({ rule }) => rule === 'own-record').map(({ reason }) => reason);
    expect(said).toEqual([
      'By its record, this project first, local ended 0 of 10 checked tasks with such steps well (older ones count less).',
    ]);
    expect(unknown.votes.some(({ rule }) => rule === 'own-record')).toBe(false);
  });

  it('counts every session of several that end at the same moment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-priors-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'route-priors.json');
    const kept = createLearnedPriors(path);
    const works = Array.from({ length: 12 }, (_, index) => aTurn('gave-up', [[`model ${index}`, 'act']]));
    await Promise.all(works.map((work) => kept.learn({ ...work, projectPath: null })));
    const { priors } = JSON.parse(await readFile(path, 'utf8'));
    expect(Object.keys(priors)).toHaveLength(12);
  });

  it("is kept in its file, used only for its models, and gives way to the person's settings", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-priors-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'route-priors.json');
    await createLearnedPriors(path).learn({ ...aTurn('gave-up', [['here', 'act']]), projectPath: null });
    const again = createLearnedPriors(path);
    const asked = (own: object) =>
      turnOptions(settingsSchema.parse({ routing: own }), runOptionsSchema.parse({ policy: 'hybrid', local: 'here' }));
    const mine = { here: { act: { tries: 5, solved: 5, at: 0 } } };
    const told = [
      asked({}),
      asked({ numbers: { priors: mine } }),
      { ...asked({}), local: 'other' },
      { ...asked({}), local: 'other', modelOrder: ['other', 'here'] },
      // Several models of one place are compared, too.
      { ...asked({}), policy: 'cloud', cloud: 'other', modelOrder: ['other', 'here'] } as const,
      { ...asked({}), policy: 'local' } as const,
    ];
    const given = await Promise.all(told.map((one) => again.given(one, null)));
    expect(given.map(({ routing }) => routing?.numbers.priors)).toEqual([
      { here: { act: { tries: 1, solved: 0, calls: 1, at: 0 } } },
      mine,
      undefined,
      { here: { act: { tries: 1, solved: 0, calls: 1, at: 0 } } },
      { here: { act: { tries: 1, solved: 0, calls: 1, at: 0 } } },
      undefined,
    ]);
  });

  it('goes by the project first, by the home where the project has little, and reads older files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-priors-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'route-priors.json');
    const before = { here: { act: { tries: 40, solved: 40, calls: 40, at: 0 } } };
    await writeFile(path, JSON.stringify({ version: 1, priors: before }));
    const kept = createLearnedPriors(path);
    const asked = turnOptions(settingsSchema.parse({}), runOptionsSchema.parse({ policy: 'hybrid', local: 'here' }));
    const shareIn = async (project: string | null): Promise<number> => {
      const tally = (await kept.given(asked, project)).routing?.numbers.priors?.here?.act;
      return (tally?.solved ?? Number.NaN) / (tally?.tries ?? Number.NaN);
    };
    expect(await shareIn('/hard')).toBe(1);
    for (let turn = 0; turn < 12; turn += 1) {
      await kept.learn({ ...aTurn('gave-up', [['here', 'act']]), projectPath: '/hard' });
    }
    expect(await shareIn('/hard')).toBeLessThan(0.5);
    expect(await shareIn('/other')).toBeGreaterThan(0.7);
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('/hard');
    expect(JSON.parse(text)).toMatchObject({ version: 2 });
    expect(await createLearnedPriors(path).all()).toEqual(await kept.all());
  });
});
