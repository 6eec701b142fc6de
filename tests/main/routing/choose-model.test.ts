import { describe, expect, it } from 'vitest';
import { noTask, modelOf } from '../../../bench/lib/route-events.ts';
import { emptyFindings, generatedRun } from '../../generated/route-runs.ts';
import { bestGuessPlan, cheapestUsd, costOfPlan, drawTask, routedPlan } from '../../generated/route-schedule.ts';
import { sampled } from '../../fakes/sampled.ts';
import { seeded } from '../../../bench/lib/seeded.ts';
import type { ChoiceFacts, Rule, ModelOption } from '../../../src/main/routing/define.ts';
import { createRuleRegistry, discoverRules } from '../../../src/main/routing/registry.ts';
import { notePlanRole } from '../../../src/main/routing/choose-for-question.ts';
import { chooseModel } from '../../../src/main/routing/choose-model.ts';
import { emptyTrajectory } from '../../../src/main/routing/trajectory/trajectory.ts';
import { profiles } from '../../../src/shared/routing/routing-profiles.ts';
import { currentScore } from '../../../src/main/routing/learned-score.ts';

const runs = sampled(10_000, 400);
/** Of each prefix and each life of a cache. */
const tasksEach = sampled(100, 10);
const rules = discoverRules();
const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 };
const here: ModelOption = {
  info: modelOf('local', 32_768, null, false),
  promptTokens: 4_000,
  maxOutputTokens: 1_000,
  canDrive: true,
  strategy: 'loop',
};
const there: ModelOption = { ...here, info: modelOf('cloud', 200_000, price, true) };
const last = { model: 'local/model', where: 'local' } as const;
const facts = (own: Partial<ChoiceFacts> = {}): ChoiceFacts => ({
  purpose: 'act',
  policy: 'hybrid',
  numbers: { ...profiles.balanced, score: currentScore.digest },
  options: [here, there],
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
  ...own,
});
const say = (own: Partial<ChoiceFacts> = {}): string => {
  const { chosen, layer, code } = chooseModel(facts(own), rules);
  return `${chosen?.info.where ?? 'nobody'} ${layer} ${code}`;
};

describe('the hard rules of the router', () => {
  const taint = [{ rule: 'mine', verdict: 'local-only', path: 'a.txt', how: 'content' }] as const;
  const up = { where: 'cloud', text: 'You pinned it to the cloud.' } as const;

  it('decide in their order, whatever the failures and the score', () => {
    const consecutiveFailures = { ...emptyTrajectory, last, steps: 3, consecutiveFailures: 9, boundary: null };
    expect(say({ taint, trajectory: consecutiveFailures, budgetLeftUsd: 0 })).toBe('local L0 fence');
    expect(say({ budgetLeftUsd: 0.001, trajectory: consecutiveFailures })).toBe('local L0 budget');
    expect(say({ needs: { images: true } })).toBe('cloud L0 capability');
    expect(say({ pin: up })).toBe('cloud L0 pin');
    expect(say({ trajectory: { ...consecutiveFailures, services: { cloud: { failures: 2, at: 0 } } } })).toBe(
      'local L0 offline',
    );
  });

  it('keep a step that a person is asked about local until the work needs the cloud', () => {
    const asks = [{ rule: 'mine', verdict: 'ask', path: 'a.txt', how: 'content' }] as const;
    const consecutiveFailures = {
      ...emptyTrajectory,
      last,
      steps: 3,
      consecutiveFailures: 9,
      isAdvised: true,
      boundary: null,
    };
    expect(say({ taint: asks })).toBe('local L0 fence');
    expect(say({ taint: asks, trajectory: consecutiveFailures })).toBe('cloud L5 bad-signals');
    expect(say({ taint: asks, pin: up })).toBe('cloud L0 pin');
    expect(say({ taint: [...asks, ...taint], trajectory: consecutiveFailures })).toBe('local L0 fence');
  });

  it('choose nobody when they contradict each other', () => {
    expect(say({ taint, pin: up })).toBe('nobody L0 pin');
    const long = { ...here, promptTokens: 60_000 };
    expect(say({ options: [long, there], taint, pin: up })).toBe('nobody L0 context-fit');
  });

  it('avoid a window that is too small, or have the conversation shortened', () => {
    const long = { ...here, promptTokens: 60_000 };
    expect(say({ options: [long, there] })).toBe('cloud L0 context-fit');
    expect(say({ options: [long, there], taint })).toBe('local L0 context-fit');
  });

  it('leave a lack of money to the spending limit when nobody else can go on', () => {
    const alone = { options: [there], budgetLeftUsd: 0.001 };
    expect(say(alone)).toBe('cloud L0 budget');
    expect(say({ ...alone, trajectory: { ...emptyTrajectory, isCapped: true } })).toBe('cloud L0 budget');
    expect(say({ ...alone, taint })).toBe('nobody L0 fence');
    expect(say({ ...alone, pin: { where: 'local', text: 'You pinned it here.' } })).toBe('nobody L0 budget');
  });

  it('keep a turn in the cloud without money, but begin none there', () => {
    const up = { ...emptyTrajectory, last: { model: 'cloud/model', where: 'cloud' } as const };
    expect(say({ trajectory: { ...up, steps: 2, boundary: null, isLoopOpen: true }, budgetLeftUsd: 0.001 })).toMatch(
      /^cloud /u,
    );
    expect(say({ trajectory: up, budgetLeftUsd: 0.001 })).toBe('local L0 budget');
  });

  it('choose a local model or nobody when they fail themselves', () => {
    const broken = (options: readonly ModelOption[]): ChoiceFacts => ({
      ...facts({ options }),
      get taint(): never {
        throw new Error('broken');
      },
    });
    expect(chooseModel(broken([here, there]), rules).chosen?.info.where).toBe('local');
    expect(chooseModel(broken([there]), rules).chosen).toBeNull();
  });
});

describe('the score of the router', () => {
  it('keeps the model of a step when a rule fails', () => {
    const throws: Rule = {
      id: 'broken',
      vote: () => {
        throw new Error('broken');
      },
    };
    const decision = chooseModel(facts({ trajectory: { ...emptyTrajectory, last, steps: 2 } }), [throws]);
    expect([decision.chosen?.info.where, decision.code]).toEqual(['local', 'router-failed']);
  });

  it.each(['act', 'review', 'summarize'] as const)('keeps the model when a later layer fails for %s', (purpose) => {
    const trajectory = { ...emptyTrajectory, last: { model: there.info.id, where: 'cloud' }, steps: 2 } as const;
    const numbers = {
      ...profiles.balanced,
      score: currentScore.digest,
      get maxTakeovers(): never {
        throw new Error('broken');
      },
      get reviews(): never {
        throw new Error('broken');
      },
      get roles(): never {
        throw new Error('broken');
      },
    };
    const broken = facts({ purpose, trajectory, driver: here.info.id, numbers });
    const { chosen, code } = chooseModel(
      { ...broken, trouble: { model: here.info.id, strategy: 'loop', cause: 'checks', text: '' } },
      rules,
    );
    expect([chosen?.info.where, code]).toEqual(['cloud', 'router-failed']);
    expect(chooseModel({ ...broken, pin: { where: 'local', text: '' } }, rules).chosen?.info.where).toBe('local');
  });

  // Bug: the vote went by the record of searches, and the gain and the shown ability by that of the work.
  it('goes by the record of this kind of step in all of a decision', () => {
    const records = (searched: number) => ({
      act: { tries: 20, solved: 4, at: 0 },
      locate: { tries: 20, solved: searched, at: 0 },
    });
    const decide = (searched: number) => {
      const priors = { [here.info.id]: records(searched), [there.info.id]: records(19) };
      const numbers = { ...profiles.balanced, score: currentScore.digest, priors };
      return chooseModel(facts({ purpose: 'locate', driver: here.info.id, numbers }), rules);
    };
    for (const searched of [6, 18]) {
      const { options, votes } = decide(searched);
      const percent = Math.round(((searched + 2 * 0.65) / 22) * 100);
      expect(Math.round((options[0]?.ability?.chance ?? 0) * 100)).toBe(percent);
      expect(votes.map(({ reason }) => reason).join('\n')).toContain(`does about ${percent}% of usual tasks`);
    }
    expect(decide(6).gain).toBeGreaterThan(4 * (decide(18).gain ?? Number.NaN));
  });

  it('does not depend on the order of the rules', () => {
    const trajectory = {
      ...emptyTrajectory,
      last,
      steps: 5,
      counts: { ...emptyTrajectory.counts, sameErrors: 1, writes: 2 },
    };
    const forth = chooseModel(facts({ trajectory }), rules);
    const back = chooseModel(facts({ trajectory }), [...rules].reverse());
    expect(back.gain).toBeCloseTo(forth.gain ?? 0, 12);
    expect(back.code).toBe(forth.code);
  });

  // Bug: "why it ran in the cloud" was answered with "The model chooses the tools itself" under a policy of cloud only.
  it.each([
    ['local', here, 'Your policy keeps the work on this machine.'],
    ['cloud', there, 'Your policy sends the work to the cloud.'],
    // A spending limit put it there.
    ['cloud', here, 'No other model is available.'],
    ['hybrid', there, 'No other model is available.'],
  ] as const)('says why the only model works, under %s', (policy, option, text) => {
    expect(chooseModel(facts({ policy, options: [option] }), rules)).toMatchObject({ code: 'only-model', text });
  });

  it('is not computed for a single model, but its features are recorded', () => {
    const trajectory = { ...emptyTrajectory, last, steps: 3, consecutiveFailures: 1 };
    const alone = chooseModel(facts({ trajectory, options: [here] }), rules);
    expect([alone.code, alone.votes, alone.gain]).toEqual(['only-model', [], null]);
    expect(alone.features).toEqual(chooseModel(facts({ trajectory }), rules).features);
    expect(chooseModel(facts({ trajectory, options: [there] }), rules).features).toMatchObject({
      steps: 3,
    });
  });

  /** Catches: thirty steps that were counted for a plain question, which takes one or two. */
  it('says what the task is likely to cost by its kind where no record does', () => {
    const act = { tries: 8, solved: 8, calls: 120, at: 0 };
    const text = (own: Partial<ChoiceFacts>, known = {}) => {
      const numbers = { ...profiles.economy, priors: { 'cloud/model': known } };
      const { code, text, otherwise } = chooseModel(facts({ numbers, ...own }), rules);
      expect(code).toBe('local-first');
      return { said: text.replace(/^.*of such cases, /u, ''), otherwise };
    };
    const task = { ...noTask, isQuestion: true };
    const question =
      'and a question there is likely to cost $0.03 ($0.0031 to $0.31). In doubt, the work starts where it costs less.';
    expect(text({ task })).toEqual({ said: question, otherwise: 'cloud, if local gets stuck.' });
    // Only tasks with a check are in the record, so it says nothing about a question.
    expect(text({ task }, { act }).said).toBe(question);
    expect(text({}).said).toMatch(/^and a change there is likely to cost \$0\.\d\d \(/u);
    expect(text({ trajectory: { ...emptyTrajectory, last, steps: 3, wasGreenBefore: false } }).said).toMatch(
      /^and the rest of a repair there .* In doubt, the work stays where it costs less\.$/u,
    );
    expect(text({}, { act }).said).toMatch(/^but for \d+ steps it costs \$/u);
    const unpriced = { ...there, info: { ...there.info, price: null } };
    expect(chooseModel(facts({ task, options: [here, unpriced] }), rules).text).toMatch(/has no known price/u);
  });

  it('marks a step that would have gone to the cloud with a network', () => {
    const trajectory = {
      ...emptyTrajectory,
      last,
      steps: 3,
      consecutiveFailures: 2,
      services: { cloud: { failures: 2, at: 0 } },
    };
    expect(chooseModel(facts({ trajectory }), rules)).toMatchObject({ code: 'offline', isDegraded: true });
    expect(chooseModel(facts({ trajectory: { ...trajectory, consecutiveFailures: 0 } }), rules).isDegraded).toBe(false);
  });

  it('leaves out only the service that is down', () => {
    const other: ModelOption = { ...there, info: { ...there.info, id: 'sky/model', provider: 'sky', label: 'Sky' } };
    const services = { cloud: { failures: 2, at: 0 } };
    const options = [here, there, other];
    const found = chooseModel(facts({ options, trajectory: { ...emptyTrajectory, services } }), rules);
    expect(found.options.map(({ denied }) => denied?.code ?? null)).toEqual([null, 'offline', null]);
    expect(found.options[1]?.denied?.text).toBe('cloud cannot be reached: the network or cloud is down.');
    const policy = { policy: 'cloud', trajectory: { ...emptyTrajectory, services } } as const;
    expect(chooseModel(facts({ ...policy, options: [there, other] }), rules).chosen?.info.id).toBe('sky/model');
    // There is nothing else to try.
    expect(chooseModel(facts({ ...policy, options: [there] }), rules).chosen?.info.id).toBe('cloud/model');
  });

  it('lets a larger local model take over, and asks only the cloud for advice', () => {
    const large: ModelOption = { ...here, info: { ...here.info, id: 'local/large', label: 'large' } };
    const trajectory = { ...emptyTrajectory, last, steps: 3, consecutiveFailures: 2, boundary: null };
    expect(chooseModel(facts({ options: [here, large], trajectory }), rules)).toMatchObject({
      adviser: null,
      code: 'bad-signals',
      text: 'large takes over after 2 failures in a row, the last: .',
    });
    expect(chooseModel(facts({ options: [here, large, there], trajectory }), rules)).toMatchObject({
      code: 'advice',
      adviser: there,
      runnerUp: there,
    });
  });

  it('names a stronger model as reviewer of local work, whatever its own conversation costs', () => {
    const named = (own: Partial<ChoiceFacts>) => chooseModel(facts(own), rules).reviewer?.info.id ?? null;
    expect(named({})).toBe('cloud/model');
    expect(named({ budgetLeftUsd: 0.001 })).toBe('cloud/model');
    expect(named({ policy: 'local' })).toBeNull();
    expect(named({ shut: { code: 'fence', text: 'It stays here.' } })).toBeNull();
    expect(named({ options: [there, here] })).toBeNull();
  });

  it('tries the network again after its time, also when the clock jumps', () => {
    const trajectory = { ...emptyTrajectory, services: { cloud: { failures: 3, at: 1_000_000 } } };
    const back = { ...profiles.balanced, score: currentScore.digest }.offlineSeconds * 1000;
    expect(say({ trajectory, now: 1_000_000 + back })).toBe('local L1 local-first');
    expect(say({ trajectory, now: 1_000_000 - back })).toBe('local L1 local-first');
    expect(say({ trajectory, now: 1_000_000 - back + 1 })).toBe('local L0 offline');
  });
});

describe('the router in generated runs', () => {
  it('makes no unsafe switch, by an independent check', () => {
    const found = emptyFindings();
    for (let seed = 1; seed <= runs; seed += 1) generatedRun(seeded(seed * 7919), rules, found);
    const { decisions, switches, ...unsafe } = found;
    expect(decisions).toBeGreaterThan(2_000);
    expect(switches).toBeGreaterThan(50);
    expect(Object.values(unsafe)).toEqual(Object.values(unsafe).map(() => 0));
  });

  it('never costs more than the cloud alone, and little more than the best guess', () => {
    const random = seeded(5);
    const sum = { routed: 0, cheapest: 0 };
    for (const lifeMs of [300_000, 3_600_000]) {
      for (const prefix of [10_000, 30_000, 100_000, 300_000, 700_000]) {
        const group = { routed: 0, best: 0 };
        for (let count = 0; count < tasksEach; count += 1) {
          const task = drawTask(random, prefix, lifeMs);
          const inCloud = task.steps.map(() => true);
          const routed = costOfPlan(task, routedPlan(task));
          expect(routed).toBeLessThanOrEqual(costOfPlan(task, inCloud) * (1 + 1e-9));
          group.routed += routed;
          group.best += costOfPlan(task, bestGuessPlan(task));
          sum.routed += routed;
          sum.cheapest += cheapestUsd(task);
        }
        // Who knows how tasks are drawn, but not what comes next, is the best that a router can be.
        expect(group.routed).toBeLessThanOrEqual(group.best * 1.05);
      }
    }
    expect(sum.routed).toBeLessThanOrEqual(sum.cheapest * 1.05);
  });
});

describe('the registry of rules', () => {
  it('refuses a file without a rule, and a second rule of the same id', () => {
    const rule: Rule = { id: 'one', vote: () => [] };
    expect(() => createRuleRegistry({ 'a.rule.ts': {} })).toThrow('does not export a rule');
    expect(() => createRuleRegistry({ 'a.rule.ts': rule, 'b.rule.ts': rule })).toThrow('two rules');
  });
});

describe('a model that is there by its loop and by a recipe', () => {
  it.each([
    ['recipe first', [{ ...here, strategy: 'recipe' }, here, there]],
    ['loop first', [here, { ...here, strategy: 'recipe' }, there]],
  ] as const)('is no rival of itself (%s), so the decision weighs the other model', (_what, options) => {
    const { chosen, text, otherwise, runnerUp } = chooseModel(facts({ options }), rules);
    expect(chosen?.info.id).toBe(here.info.id);
    expect(runnerUp?.info.id).toBe(there.info.id);
    expect(text).toContain(`: ${there.info.label} would help`);
    expect(otherwise).toContain(`${there.info.label}, `);
  });

  it('names no model as the alternative where it is alone', () => {
    const { chosen, text, otherwise } = chooseModel(facts({ options: [{ ...here, strategy: 'recipe' }, here] }), rules);
    expect(chosen?.info.id).toBe(here.info.id);
    expect(text).not.toContain('would help');
    expect(otherwise).not.toContain(here.info.label);
  });
});

describe('the role that plans', () => {
  const roles = { plan: 'cloud' } as const;
  const numbers = { ...profiles.balanced, score: currentScore.digest, roles };
  const decide = (own: Partial<ChoiceFacts> = {}): string => {
    const { chosen, code, adviser } = chooseModel(facts({ numbers, ...own }), rules);
    return `${chosen?.info.where ?? 'nobody'} ${code}${adviser === null ? '' : ` asks ${adviser.info.where}`}`;
  };
  const planned = { ...emptyTrajectory, isPlanned: true };
  const recipe = { ...here, strategy: 'recipe' } as const;

  it.each([
    ['asks the cloud for a plan before the work, which stays here', {}, 'local plan asks cloud'],
    ['works here by the plan', { trajectory: planned }, 'local role'],
    ['plans in the cloud where only a plan is asked for', { purpose: 'plan' }, 'cloud role'],
    ['asks for no plan for a question', { task: { ...noTask, isQuestion: true } }, 'local local-first'],
    [
      'asks for no plan where tests judge each try',
      { options: [recipe, here, there], isRecipeChecked: true },
      'local role',
    ],
    [
      'leaves the work to the score once the cloud took over',
      { trajectory: { ...planned, takeovers: 1 } },
      'local local-first',
    ],
    [
      'asks nobody who may not see the task',
      { taint: [{ rule: 'mine', verdict: 'local-only', path: 'a.txt', how: 'content' }] },
      'local fence',
    ],
  ] as const)('%s', (_what, own, expected) => {
    expect(decide(own)).toBe(expected);
  });

  it('says that no model here may work by a plan, where the cloud does all of it', () => {
    const verdict = { chosen: there, layer: 'L2', code: 'gain', text: 'Sky does it.' } as const;
    const text = (own: Partial<ChoiceFacts>): string => notePlanRole(facts({ numbers, ...own }), verdict).text;
    expect(text({})).toBe('No model on this machine may work by a plan, as your roles say it. Sky does it.');
    expect(text({ trajectory: { ...emptyTrajectory, steps: 3 } })).toBe('Sky does it.');
    expect(text({ task: { ...noTask, isQuestion: true } })).toBe('Sky does it.');
  });
});
