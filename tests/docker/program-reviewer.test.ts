import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnOptions } from '../../src/main/settings/turn-options.ts';
import { foldPrograms } from '../../src/shared/session/program-reports.ts';
import type { KitOptions, Reply } from '../fakes/agent-kit.ts';
import { call, ofType, turnOptions } from '../fakes/agent-kit.ts';
import type { DockerUnderTest } from './docker-kit.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';
import { program, programScene, replays, type Scene } from './program-kit.ts';

let session: DockerUnderTest;
const cloud: TurnOptions = { ...turnOptions, mode: 'auto', strategy: 'loop', policy: 'cloud', cloud: 'sky/model' };
const sky = { price: { input: 2, output: 10, source: 'list', date: '2026-11-21' } } as const;
const done = call('task_complete', { summary: 'ok' });
const looks = [{ tool: 'shop__look_up', most: 3 }];
const plain = program('result = tools.shop__look_up(id=1)', looks);
/** A program that a rule flags because it encodes data. */
const odd = program('import base64\nresult = tools.shop__look_up(id=len(base64.b64encode(b"ab")))', looks);
const words = 'Line 2 sends a number to the shop. Nothing else leaves.';

function scene(
  replies: readonly Reply[],
  { reviewer = 'sky/model', ...options }: KitOptions & { readonly reviewer?: string } = {},
): Scene {
  const dependencies = { tools: { programReviewer: () => reviewer } };
  return programScene(session, [], 'allow', { cloud: sky, replies: [...replies, done], dependencies, ...options });
}

const questionOf = ({ kit }: Scene) => ofType(kit.journal.events, 'approval-requested')[0];
const callsOf = ({ kit }: Scene) =>
  ofType(kit.journal.events, 'model-call-started').filter(({ purpose }) => purpose === 'review');

describe.skipIf(isWithoutEngine)('a model that reviews programs', () => {
  beforeAll(async () => {
    session = await startSandbox();
  }, 120_000);

  afterAll(async () => {
    await session.close();
  });

  it('is asked when the rules found something, and its words stand in the question with their cost', async () => {
    const one = scene([odd, { text: words }]);
    await one.kit.runner.send('Look.', cloud);
    const [asked] = callsOf(one);
    expect(asked?.purpose).toBe('review');
    const [system, user] = one.kit.requests[1]?.messages ?? [];
    expect(JSON.stringify(system)).toContain('Do not approve and do not forbid');
    expect(JSON.stringify(user)).toContain('A review by rules found');
    expect(questionOf(one)).toMatchObject({
      review: {
        findings: [expect.stringContaining('it encodes')],
        model: { label: 'Sky model', text: words, costUsd: expect.any(Number) },
      },
    });
    expect(questionOf(one)?.reason).toMatch(/Sky model reviewed it \(\$0\.\d+\)\. What it says is a model's word/u);
    // Catches: a model's words where Dewpoint speaks, or where the program could have written them.
    expect(`${questionOf(one)?.reason} ${questionOf(one)?.text}`).not.toContain(words);
    expect(one.sent).toEqual([{ id: 4 }]);
    const [report] = await foldPrograms(one.kit.journal.read());
    expect(report?.review?.model).toMatchObject({ text: words });
    await replays(one);
  });

  it('is not asked when the rules found nothing or nobody chose a reviewer', async () => {
    const calm = scene([plain]);
    await calm.kit.runner.send('Look.', cloud);
    expect([callsOf(calm), questionOf(calm)?.review]).toEqual([[], undefined]);
    const nobody = scene([odd], { dependencies: {} });
    await nobody.kit.runner.send('Look.', cloud);
    expect([callsOf(nobody).length, questionOf(nobody)?.review?.model]).toEqual([0, undefined]);
  });

  it.each([
    ['its service fails', [odd, { error: { code: 'bad-request', message: 'No.', retryable: false } }], {}, 'No.'],
    ['it is not there', [odd], { reviewer: 'sky/other' }, 'It is not there.'],
    ['the message stays here', [odd], { policy: 'local' }, 'stays on this machine'],
    ['the money is at its limit', [odd], { policy: 'hybrid', maxUsd: 0.000_001 }, 'could exceed your limit'],
  ] as readonly (readonly [string, readonly Reply[], Partial<TurnOptions> & { reviewer?: string }, string])[])(
    'holds nothing up when %s, and the question says so',
    async (_name, replies, { reviewer = 'sky/model', ...turn }, why) => {
      const one = scene(replies, { reviewer });
      await one.kit.runner.send('Look.', { ...cloud, ...turn });
      const question = questionOf(one);
      expect(question?.review?.model).toMatchObject({ text: null, why: expect.stringContaining(why) });
      expect(question?.reason).toContain('was to review it and did not: ');
      expect(one.sent).toEqual([{ id: 4 }]);
      await replays(one);
    },
  );

  // Catches: a reviewer in the cloud that receives content which must not leave.
  it('gets nothing that a fence holds', async () => {
    const secret = 'The launch of the blue rocket is on Tuesday the fourth of May.';
    const carrying = program(`import base64\nnote = "${secret}"\nresult = tools.shop__look_up(id=4)`, looks);
    const one = scene([call('read_file', { path: 'plans.md' }), carrying], {
      fences: { rules: [{ paths: ['plans.md'], verdict: 'local-only' }] },
      sandbox: { files: { 'plans.md': `${secret}\n` } },
    });
    await session.put('plans.md', `${secret}\n`);
    await one.kit.runner.send('Look.', { ...cloud, policy: 'hybrid' });
    expect(callsOf(one)).toEqual([]);
    expect(questionOf(one)?.review?.model).toMatchObject({
      text: null,
      why: expect.stringContaining('plans.md must not leave this machine'),
    });
    await replays(one);
  });
});
