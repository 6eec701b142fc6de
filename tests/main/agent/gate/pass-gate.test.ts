import { describe, expect, it } from 'vitest';
import { createHiddenValues } from '../../../../src/main/safety/hidden-values.ts';
import { readVerdict } from '../../../../src/main/agent/gate/ask-review.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = { 'calc.py': 'def add(a, b):\n    return a - b\n' };
const price = { input: 3, output: 15, source: 'test', date: '2026-11-21' };
const look = call('read_file', { path: 'calc.py' });
const fix = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
const done = call('task_complete', { summary: 'It adds now.' });
const gated = (own: Partial<TurnOptions> = {}): TurnOptions => ({
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  routing: routingOf('balanced', { advice: false }),
  ...own,
});
const alone = gated({ policy: 'local', cloud: null });

function kitOf(replies: NonNullable<KitOptions['replies']>, more: Partial<KitOptions> = {}): AgentKit {
  return createAgentKit({ replies, cloud: { price }, sandbox: { files }, ...more });
}

const checks = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'gate-checked').map(({ by, verdict }) => `${by} ${verdict}`);

const purposes = (kit: AgentKit): readonly string[] =>
  ofType(kit.journal.events, 'model-call-started').map(({ purpose, stage }) => `${stage.where} ${purpose}`);

describe('a task that is called done', () => {
  it('is asked for once more when words came in place of a change, and then a large model is believed', async () => {
    const said = { text: 'Replace a - b by a + b.' };
    const kit = kitOf([said, said]);
    const end = await kit.runner.send('Fix add().', alone);
    expect(end).toMatchObject({ reason: 'answered', text: said.text });
    expect(checks(kit)).toEqual(['changes redo']);
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('Make the change with the tools');
    await expectReplay(kit);
  });

  it('is given up when a small model gives only words again', async () => {
    const said = { text: 'Replace a - b by a + b.' };
    const kit = createAgentKit({ replies: [said, said], sandbox: { files }, model: { parametersB: 1.5 } });
    const end = await kit.runner.send('Fix add().', { ...alone, strategy: 'loop' });
    expect(end.reason).toBe('gave-up');
  });

  it('is done when the change follows, and answered when no change was asked for', async () => {
    const kit = kitOf([{ text: 'a + b, I would say.' }, look, fix, done]);
    expect((await kit.runner.send('Fix add().', alone)).reason).toBe('done');
    const other = kitOf([{ text: 'It subtracts.' }]);
    expect((await other.runner.send('Have a look at the sum.', alone)).reason).toBe('answered');
    expect(checks(other)).toEqual([]);
  });

  it('is handed back once when the change looks incomplete', async () => {
    const torn = call('write_file', {
      path: 'calc.py',
      content: 'def add(a, b:\n    # ... rest of the code unchanged\n',
    });
    const whole = call('write_file', { path: 'calc.py', content: 'def add(a, b):\n    return a + b\n' });
    const kit = kitOf([look, torn, done, whole, done]);
    expect((await kit.runner.send('Fix add().', alone)).reason).toBe('done');
    expect(ofType(kit.journal.events, 'gate-checked')[0]?.findings.map(({ code }) => code)).toEqual([
      'placeholder',
      'does-not-parse',
    ]);
    await expectReplay(kit);
    const stays = kitOf([look, torn, done, done]);
    expect((await stays.runner.send('Fix add().', alone)).reason).toBe('gave-up');
  });
});

describe('the review by a stronger model', () => {
  it('approves on a digest of the task, the diff and the facts', async () => {
    const kit = kitOf([look, fix, done, { text: 'APPROVE\nIt adds.' }]);
    expect((await kit.runner.send('Fix add().', gated())).reason).toBe('done');
    expect(purposes(kit)).toEqual(['local act', 'local act', 'local act', 'cloud review']);
    expect(checks(kit)).toEqual(['review pass']);
    const digest = JSON.stringify(kit.requests[3]?.messages);
    for (const part of ['Fix add().', '+    return a + b', 'It adds now.', '1 file differs from before the task.'])
      expect(digest).toContain(part);
    const decided = ofType(kit.journal.events, 'route-decided').at(-1);
    expect(decided).toMatchObject({ layer: 'L4', reasonCode: 'review' });
    expect(ofType(kit.journal.events, 'model-call-ended').at(-1)?.costUsd).toBeGreaterThan(0);
    await expectReplay(kit);
  });

  it('tells the worker once why the task must be redone', async () => {
    const kit = kitOf([look, fix, done, { text: 'REDO: the docstring is missing.' }, look, done]);
    expect((await kit.runner.send('Fix add().', gated())).reason).toBe('done');
    expect(checks(kit)).toEqual(['review redo', 'review none']);
    expect(JSON.stringify(kit.requests[4]?.messages.at(-1))).toContain('the docstring is missing');
    expect(purposes(kit).filter((one) => one === 'cloud review')).toHaveLength(1);
    await expectReplay(kit);
  });

  it('hands the work to the cloud when it asks the same worker twice', async () => {
    const redo = { text: 'REDO\nThe docstring is missing.' };
    const kit = kitOf([look, fix, done, redo, look, done, redo, look, done]);
    const options = gated({ routing: routingOf('quality', { consecutiveFailures: 3, marginUsd: 1 }) });
    expect((await kit.runner.send('Fix add().', options)).reason).toBe('done');
    expect(purposes(kit).slice(-2)).toEqual(['cloud act', 'cloud act']);
    await expectReplay(kit);
  });

  it('is reported as missing when it is unclear, unavailable or too expensive', async () => {
    const vague = kitOf([look, fix, done, { text: 'APPROVE or REDO? Hard to say.' }]);
    const away = { error: { code: 'auth', message: 'The key was revoked.', retryable: false } } as const;
    const revoked = kitOf([look, fix, done, away]);
    const dear = kitOf([look, fix, done], { cloud: { price: { ...price, input: 3000 } } });
    const capped = kitOf([look, fix, done]);
    const off = kitOf([look, fix, done]);
    const ends = [
      await vague.runner.send('Fix add().', gated()),
      await revoked.runner.send('Fix add().', gated()),
      await dear.runner.send('Fix add().', gated()),
      await capped.runner.send('Fix add().', gated({ maxUsd: 0.0001 })),
      await off.runner.send('Fix add().', gated({ routing: routingOf('economy', {}) })),
    ];
    expect(ends.map(({ reason }) => reason)).toEqual(['done', 'done', 'done', 'done', 'done']);
    const texts = [vague, revoked, dear, capped].map((kit) => ofType(kit.journal.events, 'gate-checked')[0]);
    expect(texts.map((check) => check?.verdict)).toEqual(['none', 'none', 'none', 'none']);
    expect(texts.map((check) => check?.text ?? '').join('\n')).toMatch(
      /not a clear verdict[\s\S]*key was revoked[\s\S]*A check by Sky model costs about[\s\S]*is left/u,
    );
    expect(checks(off)).toEqual([]);
    for (const kit of [vague, revoked, dear, capped]) await expectReplay(kit);
  });

  it('is not asked for when anything is fenced, and the person is not asked either', async () => {
    const hit = { rule: 'mine', verdict: 'ask', path: 'calc.py', how: 'content' } as const;
    const kit = kitOf([look, fix, done], {
      dependencies: {
        fences: {
          hidden: createHiddenValues(),
          check: async ({ info, request }) =>
            info.where === 'local'
              ? { type: 'free' }
              : { type: 'fenced', outcome: 'asked', hits: [hit], request, text: 'calc.py', manifest: null },
        },
      },
    });
    expect((await kit.runner.send('Fix add().', gated())).reason).toBe('done');
    expect(ofType(kit.journal.events, 'approval-requested')).toEqual([]);
    expect(ofType(kit.journal.events, 'gate-checked')[0]).toMatchObject({ verdict: 'none' });
    expect(purposes(kit)).toEqual(['local act', 'local act', 'local act']);
    await expectReplay(kit);
  });

  it('is cancelled with the turn', async () => {
    const kit: AgentKit = kitOf([look, fix, done], {
      cloudProvider: {
        id: 'sky',
        countTokens: async () => 10,
        async *stream(_request, signal) {
          kit.runner.cancel();
          const usage = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: true };
          const timings = { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 0 };
          const stopReason = signal.aborted ? 'cancelled' : 'stop';
          yield { type: 'ended', stopReason, usage, evaluatedTokens: null, timings, error: null };
        },
      },
    });
    expect((await kit.runner.send('Fix add().', gated())).reason).toBe('cancelled');
    expect(checks(kit)).toEqual([]);
  });
});

it('a verdict is read only when exactly one of its two words stands in the first line', () => {
  expect(readVerdict('**REDO** - it adds twice.')).toEqual({ verdict: 'redo', text: 'it adds twice.' });
  expect(readVerdict('Verdict: APPROVED')).toEqual({ verdict: 'pass', text: 'It was approved.' });
  expect(readVerdict('I would not APPROVE; REDO.')).toBeNull();
  expect(readVerdict('REDO')).toBeNull();
  expect(readVerdict('Looks fine.\nAPPROVE')).toBeNull();
});
