import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modelOf, noTask } from '../../../../bench/lib/route-events.ts';
import { discoverRules } from '../../../../src/main/routing/registry.ts';
import { chooseModel } from '../../../../src/main/routing/choose-model.ts';
import { emptyTrajectory } from '../../../../src/main/routing/trajectory/trajectory.ts';
import { turnOptions } from '../../../../src/main/settings/turn-options.ts';
import { priorsOf } from '../../../../src/main/routing/record/count-outcomes.ts';
import { outcomesOfSession, type JudgedSession } from '../../../../src/main/routing/record/outcomes-of-session.ts';
import { createRouteRecord, versionOf } from '../../../../src/main/routing/record/route-record.ts';
import { madeOutcome } from '../../../fakes/made-outcomes.ts';
import type { Priors } from '../../../../src/shared/routing/priors.ts';
import { profiles } from '../../../../src/shared/routing/routing-profiles.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';

const day = 24 * 3600 * 1000;
type Turn = JudgedSession['turns'][number];
type Step = readonly [string, JudgedSession['steps'][number]['purpose']];

let made = 0;

/** A session whose only turn began with a failing check. */
function aSession(reason: Turn['reason'], steps: readonly Step[], more: Partial<Turn> = {}): JudgedSession {
  made += 1;
  const passed = (value: boolean) => ({ passed: value, exitCode: value ? 0 : 1, summary: '' });
  const turn: Turn = {
    id: 't',
    seq: 1,
    startedAt: 0,
    endedAt: 60_000,
    reason,
    before: passed(false),
    after: passed(reason === 'done'),
    steps: steps.length,
    ...more,
  };
  return {
    sessionId: `session ${made}`,
    projectPath: null,
    turns: [turn],
    steps: steps.map(([model, purpose]) => ({
      turnId: 't',
      purpose,
      stage: { strategy: 'loop', model, where: model === 'there' ? 'cloud' : 'local' },
      where: model === 'there' ? 'cloud' : 'local',
      end: null,
    })),
    changes: [],
  };
}

const noVersion = () => '';
const judgedIn = (session: JudgedSession) => outcomesOfSession(session, noVersion);

async function aRecord(
  more: Partial<Parameters<typeof createRouteRecord>[0]> = {},
): Promise<{ readonly home: string; readonly open: () => ReturnType<typeof createRouteRecord> }> {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-record-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const open = () =>
    createRouteRecord({ home, now: () => 60_000, version: async () => '', month: async () => null, ...more });
  return { home, open };
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

describe("the router's record of outcomes", () => {
  it('counts each kind of step once a turn, for the model that did it', () => {
    const steps: Step[] = [
      ['here', 'locate'],
      ['here', 'propose'],
      ['here', 'propose'],
      ['there', 'propose'],
      ['here', 'summarize'],
    ];
    const [outcome] = judgedIn(aSession('done', steps));
    expect(outcome).toMatchObject({ solved: true, by: 'check', kind: 'repair', hasCloudTried: true, seconds: 60 });
    expect(outcome?.work.map(({ model, purpose, solved, calls }) => [model, purpose, solved, calls])).toEqual([
      ['here', 'locate', true, 1],
      ['here', 'propose', false, 2],
      ['there', 'propose', true, 1],
    ]);
  });

  it('judges no work without a check or a decision, and leaves out a turn that a person ended', () => {
    const one: Step[] = [['here', 'act']];
    const passed = { passed: true, exitCode: 0, summary: '' };
    expect(judgedIn(aSession('done', one, { before: passed }))).toMatchObject([{ solved: null, kind: 'change' }]);
    expect([aSession('cancelled', one), aSession('cap', one)].flatMap(judgedIn)).toEqual([]);
    expect(judgedIn(aSession('answered', one))).toMatchObject([{ solved: null, kind: 'question' }]);
    expect(judgedIn(aSession('done', one, { mode: 'plan' }))).toEqual([]);
  });

  it('says how sure the votes were before the start, and what it took', () => {
    const session = aSession('gave-up', [['here', 'act']], { waitedMs: 20_000 });
    const steps = session.steps.map((step) => ({ ...step, fails: 0.3 }));
    expect(judgedIn({ ...session, steps })).toMatchObject([{ solved: false, fails: 0.3, seconds: 40, usd: null }]);
  });

  it('counts half as much a month later, and another version of a model as another model', () => {
    const first = madeOutcome({ solved: false, at: 0 });
    const second = madeOutcome({ solved: true, at: 30 * day });
    const place = { project: 'p', versionOf: noVersion };
    expect(priorsOf([first, second], place)).toEqual({
      here: { act: { tries: 1.5, solved: 1, calls: 3, written: 300, at: 30 * day } },
    });
    const q4 = { model: 'here', version: 'q4@8192', where: 'local' } as const;
    const small = madeOutcome({ first: q4 });
    expect(priorsOf([small], { ...place, versionOf: () => 'q8@8192' })).toEqual({});
    expect(priorsOf([small], { ...place, versionOf: () => 'q4@8192' }).here?.act?.tries).toBeCloseTo(1);
    expect(versionOf({ digest: 'sha256-abcdef', contextTokens: 8_100, where: 'local' })).toBe('sha256-abcdef@8192');
  });

  it('lends from projects in the same language before all others', () => {
    const own = madeOutcome({ language: 'ts' });
    const alike = Array.from({ length: 9 }, () => madeOutcome({ project: 'q', language: 'ts', solved: false }));
    const other = Array.from({ length: 9 }, () => madeOutcome({ project: 'r', language: 'py' }));
    const act = priorsOf([own, ...alike, ...other], { project: 'p', versionOf: noVersion }).here?.act;
    expect([act?.tries, act?.solved]).toEqual([7, 1]);
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

  it('keeps every session of several that end at the same moment', async () => {
    const { home, open } = await aRecord();
    const record = open();
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => record.learn(aSession('gave-up', [[`model ${index}`, 'act']]))),
    );
    const { outcomes } = JSON.parse(await readFile(join(home, 'route-record.json'), 'utf8'));
    expect(outcomes).toHaveLength(12);
  });

  it("judges a task anew when the person decides later, and never forgets a judgment for 'unknown'", async () => {
    const { open } = await aRecord();
    const record = open();
    const passed = { passed: true, exitCode: 0, summary: '' };
    const session = aSession('done', [['here', 'act']], { before: passed });
    await record.learn(session);
    const file = { kept: true, blob: { sha256: 'a', bytes: 1 }, mode: 0o644 } as const;
    const last = { seq: 2, side: 'workspace', isUndo: false, before: null, after: file } as const;
    const change = { path: 'src/add.ts', before: null, after: file, added: 1, removed: 0, seqs: [2], last };
    await record.learn({ ...session, changes: [{ ...change, reviewed: true, taken: null }] });
    const judged = async () => (await record.outcomes()).map(({ solved, by, language }) => [solved, by, language]);
    expect(await judged()).toEqual([[true, 'taken', 'ts']]);
    await record.learn(session);
    expect(await judged()).toEqual([[true, 'taken', 'ts']]);
    const undone = { ...change, after: null, seqs: [2, 3], last: { ...last, seq: 3, isUndo: true }, reviewed: false };
    await record.learn({ ...session, changes: [{ ...undone, taken: null }] });
    expect(await judged()).toEqual([[false, 'undone', 'ts']]);
  });

  it('takes over what was judged elsewhere once, and forgets a project or everything', async () => {
    const { home, open } = await aRecord();
    const record = open();
    const task = { model: 'here', language: 'ts', kind: 'repair', seconds: 9, usd: 0, calls: 2, written: 90 } as const;
    const of = (id: string, projectPath: string) => ({ ...task, id, projectPath, solved: true });
    await record.add([of('1', '/one'), of('2', '/one'), of('3', '/two')]);
    await record.add([of('3', '/two')]);
    expect((await record.priors()).here?.act?.tries).toBeCloseTo(3);
    expect(await readFile(join(home, 'route-record.json'), 'utf8')).not.toContain('/one');
    expect(await record.forget('/one')).toBe(2);
    expect(await open().outcomes()).toHaveLength(1);
    expect(await record.forget(null)).toBe(1);
    expect(await open().outcomes()).toEqual([]);
  });

  // Catches: a project that has to learn all anew because its folder was moved.
  it('goes along with a project whose folder was moved', async () => {
    const { open } = await aRecord();
    const record = open();
    const task = { model: 'here', language: 'ts', kind: 'repair', seconds: 9, usd: 0, calls: 2, written: 90 } as const;
    await record.add([{ ...task, id: '1', projectPath: '/one', solved: true }]);
    await record.moveProject('/one', '/two');
    expect(await open().forget('/one')).toBe(0);
    expect(await open().forget('/two')).toBe(1);
  });

  it("is used only for the models of a turn, and gives way to the person's settings", async () => {
    const { open } = await aRecord();
    await open().learn(aSession('gave-up', [['here', 'act']]));
    const again = open();
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
    const counted = { here: { act: { tries: 1, solved: 0, calls: 1, at: 60_000 } } };
    const found = [counted, mine, undefined, counted, counted, undefined];
    expect(given.map(({ routing }) => routing.numbers.priors)).toEqual(found);
    expect(given[0]?.routing.numbers.kept).toMatchObject({ model: 'here', tasks: 1, harms: 1, upTo: null });
  });

  it('takes over the counts of earlier versions, and forgets them with the rest', async () => {
    const { home, open } = await aRecord();
    const tally = (tries: number, solved: number) => ({ here: { act: { tries, solved, calls: tries, at: 60_000 } } });
    const older = { version: 2, priors: tally(40, 30), projects: { abc: tally(10, 0) } };
    await writeFile(join(home, 'route-priors.json'), JSON.stringify(older));
    const record = open();
    expect((await record.priors()).here?.act).toMatchObject({ tries: expect.closeTo(40), solved: expect.closeTo(30) });
    await record.forget(null);
    expect(await open().priors()).toEqual({});
  });
});
