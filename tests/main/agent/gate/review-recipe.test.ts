import { describe, expect, it } from 'vitest';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import type { TurnOptions } from '../../../../src/main/settings/turn-options.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import type { Confidence } from '../../../../src/shared/events/turn-events.ts';

const bug = 'def add(a, b):\n    return a - b\n';
const price = { input: 3, output: 15, source: 'test', date: '2026-11-21' };
const look = call('read_file', { path: 'calc.py' });
const done = call('task_complete', { summary: 'It adds now.' });
const options: TurnOptions = {
  ...turnOptions,
  policy: 'hybrid',
  cloud: 'sky/model',
  routing: routingOf('balanced', { advice: false }),
};

/** A recipe that writes `a * b` and reports the given confidence. */
function kitOf(replies: readonly Reply[], confidence: Confidence = 'weak-tests'): AgentKit {
  const recipe = defineRecipe({
    id: 'r',
    label: 'R',
    fits: () => ({ score: 1, reason: 'it fits' }),
    run: async ({ world }) => {
      await world.read('calc.py');
      await world.apply([{ path: 'calc.py', text: bug.replace('a - b', 'a * b') }]);
      return { type: 'done', text: 'It was rewritten.', confidence };
    },
  });
  return createAgentKit({
    replies,
    recipes: [recipe],
    model: { strategies: ['recipe'] },
    cloud: { price, strategies: ['loop'] },
    sandbox: { files: { 'calc.py': bug } },
  });
}

async function play(kit: AgentKit, own: Partial<TurnOptions> = {}) {
  const { reason, text, confidence } = await kit.runner.send('Fix add().', { ...options, ...own });
  await expectReplay(kit);
  const calls = ofType(kit.journal.events, 'model-call-started').map(
    ({ purpose, stage }) => `${stage.where} ${purpose}`,
  );
  return { reason, text, confidence, calls, file: await fileOf(kit) };
}

async function fileOf(kit: AgentKit): Promise<string> {
  const read = await kit.sandbox.files.read('calc.py', { maxBytes: 1000 }, new AbortController().signal);
  return read.ok ? Buffer.from(read.value.bytes).toString() : read.error.message;
}

describe('a result of which a recipe is not sure', () => {
  it('stays when a stronger model approves it on a digest, and the end says so', async () => {
    const kit = kitOf([{ text: 'APPROVE' }]);
    expect(await play(kit)).toEqual({
      reason: 'done',
      text: 'It was rewritten.\n\nSky model reviewed the change and approves.',
      confidence: 'reviewed',
      calls: ['cloud review'],
      file: bug.replace('a - b', 'a * b'),
    });
    const digest = JSON.stringify(kit.requests[0]?.messages);
    for (const part of ['Fix add().', '+    return a * b', 'It was rewritten.']) expect(digest).toContain(part);
  });

  it('is undone when the reviewer rejects it, and the cloud does the work', async () => {
    const fix = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' });
    const kit = kitOf([{ text: 'REDO: it multiplies.' }, look, fix, done]);
    const end = await play(kit);
    expect(end).toMatchObject({ reason: 'done', file: bug.replace('a - b', 'a + b') });
    expect(end.calls).toEqual(['cloud review', 'cloud act', 'cloud act', 'cloud act']);
    const [, up] = ofType(kit.journal.events, 'stage-chosen');
    expect(up).toMatchObject({
      cause: 'checks',
      reason: expect.stringContaining('asked for changes: it multiplies.'),
    });
  });

  it.each<[string, readonly Reply[], Partial<TurnOptions>]>([
    ['the cloud changes nothing', [{ text: 'I do not know.' }, { text: 'I do not know.' }], {}],
    ['it cannot be asked', [{ error: { code: 'auth', message: 'The key was revoked.', retryable: false } }], {}],
  ])('is made again when %s, and the end repeats the objection', async (_why, replies, own) => {
    const kit = kitOf([{ text: 'REDO: it multiplies.' }, ...replies]);
    const end = await play(kit, own);
    expect(end).toMatchObject({ reason: 'done', confidence: 'weak-tests', file: bug.replace('a - b', 'a * b') });
    expect(end.text).toMatch(/asked for changes: it multiplies\.\nNothing better was found, so the change stays\./u);
  });

  it('is made again without what the cloud left behind', async () => {
    const other = call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a // b' });
    const kit = kitOf([{ text: 'REDO: it multiplies.' }, look, other, look, done]);
    const end = await play(kit, { maxSteps: 3 });
    expect(end).toMatchObject({ reason: 'step-limit', file: bug.replace('a - b', 'a * b') });
    expect(end.text).toContain('so the change stays');
  });

  it('is not reviewed when it is sure, when nobody is stronger, or when the profile has no reviews', async () => {
    const ends = [
      await play(kitOf([], 'high')),
      await play(kitOf([]), { policy: 'local', cloud: null }),
      await play(kitOf([]), { routing: routingOf('economy', {}) }),
    ];
    expect(ends.map(({ reason, text, calls }) => [reason, text, calls])).toEqual(
      ends.map(() => ['done', 'It was rewritten.', []]),
    );
  });
});
