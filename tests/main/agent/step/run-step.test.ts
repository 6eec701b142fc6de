import { describe, expect, it } from 'vitest';
import { suggestedRaiseUsd } from '../../../../src/shared/money/limit-raise.ts';
import { routingOf } from '../../../../src/main/settings/profile-routing.ts';
import type { CapDecision } from '../../../../src/main/money/budget.ts';
import type { Reply, ReplyParts } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ended, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import { memoryBudget } from '../../../fakes/memory-reservations.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';

const price = { input: 1000, output: 2000, source: 'test', date: '2026-11-21' };
const cloud = { where: 'cloud', price } as const;
const options = { ...turnOptions, policy: 'cloud', cloud: 'sky/model' } as const;

describe('a model call', () => {
  it('keeps its exact request beside the log, and its tokens, price and cost in the log', async () => {
    const kit = createAgentKit({ cloud, replies: [call('task_complete', { summary: 'ok' })], countTokens: () => 120 });
    await kit.runner.send('Do the work.', options);
    const started = ofType(kit.journal.events, 'model-call-started')[0];
    const request = kit.journal.blobs.get(started?.request.sha256 ?? '');
    expect(JSON.parse(Buffer.from(request ?? []).toString('utf8'))).toEqual(kit.requests[0]);
    expect(started?.promptTokens).toBe(120);
    const ended = ofType(kit.journal.events, 'model-call-ended')[0];
    const tokens = ended?.usage.freshInput ?? 0;
    expect(ended?.costUsd).toBeCloseTo((tokens * 1000 + 5 * 2000) / 1e6);
    expect(ended?.price).toEqual(price);
  });

  it('is not made when its worst case would pass the cap', async () => {
    const kit = createAgentKit({ cloud, replies: [call('task_complete', { summary: 'ok' })], countTokens: () => 1000 });
    const end = await kit.runner.send('Do the work.', { ...options, maxUsd: 1 });
    expect(end.reason).toBe('cap');
    expect(kit.requests).toEqual([]);
  });

  it('is not made under a cap when its price is unknown', async () => {
    const kit = createAgentKit({ cloud: { where: 'cloud', price: null }, replies: [] });
    const end = await kit.runner.send('Do the work.', { ...options, maxUsd: 1 });
    expect(end).toMatchObject({ reason: 'cap', text: expect.stringContaining('no known price') });
  });

  it('goes on with the local model at the cap when that was chosen', async () => {
    const kit = createAgentKit({ cloud, replies: [call('task_complete', { summary: 'by the local one' })] });
    const end = await kit.runner.send('Do the work.', {
      ...options,
      local: 'fake/model',
      maxUsd: 0.000_001,
      atCap: 'local',
    });
    expect(end).toMatchObject({ reason: 'answered', text: 'by the local one' });
    expect(ofType(kit.journal.events, 'model-call-started').map((event) => event.stage.where)).toEqual(['local']);
  });

  it('waits at a cap for a person, and goes on when the cap was raised enough', async () => {
    const asked: string[] = [];
    const ask = async (capId: string): Promise<CapDecision> => {
      asked.push(capId);
      return { answer: 'raise', usd: asked.length === 1 ? 0.1 : 60 };
    };
    const kit = createAgentKit({
      cloud,
      replies: [call('task_complete', { summary: 'ok' })],
      countTokens: () => 1000,
      dependencies: { budget: memoryBudget({ day: 1 }, { ask }) },
    });
    const end = await kit.runner.send('Do the work.', { ...options, atCap: 'ask', routing: routingOf('balanced', {}) });
    expect(end.reason).toBe('answered');
    const limits = ofType(kit.journal.events, 'cap-reached').map(({ scope, limitUsd }) => [scope, limitUsd]);
    expect(limits).toEqual([
      ['day', 1],
      ['day', 1.1],
    ]);
    expect(ofType(kit.journal.events, 'cap-answered').map(({ by, raisedUsd }) => [by, raisedUsd])).toEqual([
      ['person', 0.1],
      ['person', 60],
    ]);
    expect(kit.journal.state().cap).toBeNull();
    // The route was chosen before the limit was raised, so its text says both.
    expect(ofType(kit.journal.events, 'route-decided')[0]?.reason).toMatch(/left of the limit.*raised by \$60\.1000/u);
  });

  it('has a shorter answer when the limit leaves less, so that two cents buy two steps of one cent', async () => {
    const usual = { input: 3, output: 15, source: 'test', date: '2026-11-28' };
    const paid = { freshInput: 2_100, cacheRead: 0, cacheWrite: 0, output: 180, reasoning: 0, estimated: false };
    const step = (path: string): ReplyParts => ({
      stream: [
        { type: 'tool-call', call: { type: 'tool-call', id: path, name: 'read_file', input: { path } } },
        { ...ended('tool-calls', 2_100), usage: paid },
      ],
    });
    const kit = createAgentKit({
      cloud: { where: 'cloud', price: usual },
      replies: ['a.py', 'b.py', 'c.py', 'd.py'].map(step),
      countTokens: () => 2_100,
    });
    const end = await kit.runner.send('Read all of it.', { ...options, maxUsd: 0.02 });
    expect(end).toMatchObject({ reason: 'cap', text: expect.stringMatching(/could exceed your limit of \$0\.0200/u) });
    expect(end.text).toMatch(/To go on for about 5 more steps, raise it to \$0\.0[6-9]/u);
    expect(kit.requests).toHaveLength(2);
    const told = kit.requests.map(({ messages }) =>
      JSON.stringify(messages).includes('leaves about 1 more step. Finish'),
    );
    expect(told).toEqual([false, true]);
    const limited = ofType(kit.journal.events, 'output-limited');
    expect(limited.map((event) => event.maxOutputTokens)).toEqual(kit.requests.map((one) => one.maxOutputTokens));
    // A prompt of $0.0063 and an answer for the rest.
    expect(limited[0]).toMatchObject({ scope: 'task', wantedTokens: 8192, maxOutputTokens: 913 });
    expect(limited.every(({ worstUsd, limitUsd, spentUsd }) => spentUsd + worstUsd <= limitUsd)).toBe(true);
    expect(ofType(kit.journal.events, 'route-decided')[0]?.reason).toContain('at most 913 tokens');
    const [reached] = ofType(kit.journal.events, 'cap-reached');
    expect(reached === undefined ? 0 : suggestedRaiseUsd(reached)).toBeGreaterThan(5 * 0.009);
    // Bug: the next message, with more money, was still told to finish at once.
    await kit.runner.send('Go on.', { ...options, maxUsd: 5 });
    expect(JSON.stringify(kit.requests[2]?.messages)).not.toContain('Finish the most important part');
  });

  it('tells the person and the model when the spending limit cut the answer', async () => {
    const cut: ReplyParts = { stream: [{ type: 'text-delta', text: 'I will' }, ended('length', 10)] };
    const small = { input: 3, output: 15, source: 'test', date: '2026-11-28' };
    const kit = createAgentKit({
      cloud: { where: 'cloud', price: small },
      replies: [cut, call('task_complete', { summary: 'ok' })],
      countTokens: () => 1_000,
    });
    await kit.runner.send('Do the work.', { ...options, maxUsd: 0.02 });
    const notices = ofType(kit.journal.events, 'notice-added').map(({ text }) => text);
    expect(notices).toContainEqual(expect.stringMatching(/cut off by the spending limit/u));
    const chat = createAgentKit({
      cloud: { where: 'cloud', price: small },
      replies: [cut],
      countTokens: () => 1_000,
    });
    const end = await chat.runner.send('Tell me a story.', { ...options, mode: 'auto', maxUsd: 0.02 });
    expect(end).toMatchObject({ reason: 'incomplete', text: 'I will' });
    expect(end.failure?.message).toMatch(/limit of \$0\.0200 for this task/u);
  });

  it.each([
    [{ step: 1 }, 'for one step'],
    [{ task: 1 }, 'for this task'],
    [{ session: 1 }, 'for this session'],
    [{ day: 1 }, 'for today'],
    [{ project: 1 }, 'for this project'],
    [{ month: 1 }, 'for this month'],
  ])('is not made at the cap %o of the settings', async (caps, words) => {
    const kit = createAgentKit({ cloud, replies: [], countTokens: () => 1000, caps });
    const end = await kit.runner.send('Do the work.', options);
    expect(end).toMatchObject({ reason: 'cap', text: expect.stringContaining(words) });
    expect(kit.requests).toEqual([]);
  });

  it('that broke off counts in full against the cap, because its bill may be higher than our guess', async () => {
    const broken = (): ReplyParts => ({
      stream: [
        {
          ...ended('error', 10),
          usage: { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: true },
          error: { code: 'cut', message: 'cut', retryable: false },
        },
      ],
    });
    const kit = createAgentKit({ cloud, replies: [broken, broken], countTokens: () => 1000, caps: { session: 18 } });
    await kit.runner.send('Do the work.', options);
    const end = await kit.runner.send('Again.', options);
    expect(end.reason).toBe('cap');
    const [reached] = ofType(kit.journal.events, 'cap-reached');
    // 1,000 tokens of the prompt and 8,192 of the answer.
    expect(reached?.spentUsd).toBeCloseTo(17.384);
    expect(kit.requests).toHaveLength(1);
  });

  it('waits as long as the service wishes, and says so', async () => {
    const waits: number[] = [];
    const kit = createAgentKit({
      replies: [
        { error: { code: 'rate-limit', message: 'slow down', retryable: true, retryAfterMs: 7000 } },
        { text: 'Yes.' },
      ],
      dependencies: {
        machine: { delay: async (ms) => void waits.push(ms) },
      },
    });
    await kit.runner.send('Is it?', turnOptions);
    expect(waits[0]).toBeGreaterThanOrEqual(7000);
    expect(waits[0]).toBeLessThanOrEqual(7700);
    const texts = ofType(kit.journal.events, 'notice-added').map((event) => event.text);
    expect(texts).toEqual([expect.stringContaining('in 7 seconds')]);
  });

  // Bug: all sessions that a service turned away together came back at the same moment.
  it('is retried after a different delay in each session, and after the same in a replay', async () => {
    const waitsOf = async (sessionId: string): Promise<readonly number[]> => {
      const waits: number[] = [];
      const error = { code: 'overloaded', message: 'busy', retryable: true } as const;
      const kit = createAgentKit({
        replies: [{ error }, { error }, { text: 'Yes.' }],
        dependencies: {
          journal: { ...createMemoryJournal(), sessionId },
          machine: { delay: async (ms) => void waits.push(ms) },
        },
      });
      await kit.runner.send('Is it?', turnOptions);
      return waits;
    };
    const [first, again, other] = [await waitsOf('a'), await waitsOf('a'), await waitsOf('b')];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    for (const [attempt, ms] of first.entries()) {
      expect(ms).toBeGreaterThanOrEqual(500 * 2 ** (attempt + 1) * 0.75);
      expect(ms).toBeLessThanOrEqual(500 * 2 ** (attempt + 1) * 1.25);
    }
  });

  it('is not retried early when the service asks to be left alone for hours', async () => {
    const error = { code: 'rate-limit', message: 'come tomorrow', retryable: true, retryAfterMs: 3_600_000 } as const;
    const kit = createAgentKit({ replies: [{ error }, { text: 'too early' }] });
    await kit.runner.send('Is it?', turnOptions);
    expect(kit.requests).toHaveLength(1);
    expect(ofType(kit.journal.events, 'model-call-ended')[0]?.error).toEqual({
      ...error,
      message: 'come tomorrow (It asks to wait 1 h.)',
      retryable: false,
    });
  });

  // Bug: a service that hung was waited for three times 300 s: the turn ended at its 15 minutes, and no other model began.
  it('is tried twice with a silent service, and its failure says what to do', async () => {
    const error = { code: 'stalled', message: 'Nothing came for 300 seconds.', retryable: true } as const;
    const kit = createAgentKit({ cloud, replies: [{ error }, { error }, { text: 'too late' }] });
    const end = await kit.runner.send('Is it?', options);
    expect(kit.requests).toHaveLength(2);
    expect(end).toMatchObject({
      reason: 'error',
      text: 'sky did not answer: Nothing came for 300 seconds.',
      failure: { hint: 'Send it again later, or choose another model. What was done so far is kept.' },
    });
  });

  it('records which model answered, and says once that it is another than was asked', async () => {
    const stream = (model: string): ReplyParts => ({
      stream: [
        { type: 'text-delta', text: 'Hm.' },
        { ...ended('stop', 10), model },
      ],
    });
    const kit = createAgentKit({ cloud, replies: [stream('model-2026-11-01'), stream('lesser'), stream('lesser')] });
    for (const text of ['One?', 'Two?', 'Three?']) await kit.runner.send(text, options);
    const answered = ofType(kit.journal.events, 'model-call-ended').map((event) => event.answeredBy);
    expect(answered.slice(0, 2)).toEqual(['model-2026-11-01', 'lesser']);
    const notices = ofType(kit.journal.events, 'notice-added').filter((event) => event.code === 'other-model');
    expect(notices[0]?.text).toContain('lesser answered');
  });

  it('shortens the longest answer to what the window has left', async () => {
    const kit = createAgentKit({
      model: { contextTokens: 4096 },
      replies: [call('task_complete', { summary: 'ok' })],
      countTokens: () => 3900,
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.requests[0]?.maxOutputTokens).toBe(196);
  });

  it('streams the words as they come, and writes the whole at its end', async () => {
    const kit = createAgentKit({ replies: [{ text: 'The moon is far.' }] });
    await kit.runner.send('How far is the moon?', turnOptions);
    expect(kit.journal.transients).toContainEqual({ type: 'text-delta', callId: 'call-1', text: 'The moon is far.' });
    expect(ofType(kit.journal.events, 'model-call-ended')[0]?.parts).toEqual([
      { type: 'text', text: 'The moon is far.' },
    ]);
  });

  it('notes the wait for the engine beside the call', async () => {
    const kit = createAgentKit({
      replies: [
        {
          stream: [
            { type: 'progress', phase: 'waiting', done: 0, total: null },
            { type: 'text-delta', text: 'Yes.' },
            {
              type: 'ended',
              stopReason: 'stop',
              usage: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false },
              evaluatedTokens: 1,
              timings: { queuedMs: 300, prefillMs: 1, decodeMs: 1, totalMs: 2 },
              error: null,
            },
          ],
        },
      ],
    });
    await kit.runner.send('Is it?', turnOptions);
    expect(ofType(kit.journal.events, 'engine-waited')[0]).toMatchObject({ callId: 'call-1', waitedMs: 300 });
  });
});

describe('the limits of a turn', () => {
  it.each([
    ['step-limit', { maxSteps: 2 }],
    ['token-limit', { maxTokens: 50 }],
  ])('end it with %s', async (reason, limits) => {
    const kit = createAgentKit({
      replies: Array.from({ length: 9 }, (_, index) => call('search', { pattern: `p${index}` })),
    });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, ...limits });
    expect(end.reason).toBe(reason);
  });

  // Bug: with `--max-steps 3` and a server that was busy twice, the task ended after its first look.
  it('count no step for a call that failed and was tried again', async () => {
    const busy: Reply = { error: { code: 'rate-limit', message: '429', retryable: true, retryAfterMs: 1_000 } };
    const kit = createAgentKit({
      replies: [busy, busy, call('search', { pattern: 'a' }), busy, { text: 'Found it.' }],
    });
    const end = await kit.runner.send('Where is it?', { ...turnOptions, maxSteps: 2 });
    expect(end).toMatchObject({ reason: 'answered', text: 'Found it.' });
    expect(kit.journal.state().turns[0]).toMatchObject({ steps: 5, retries: 3 });
    await expectReplay(kit);
  });

  it('count one step for a call that failed each time', async () => {
    const busy: Reply = { error: { code: 'rate-limit', message: '429', retryable: true, retryAfterMs: 1_000 } };
    const kit = createAgentKit({ replies: Array.from({ length: 9 }, () => busy) });
    const end = await kit.runner.send('Where is it?', { ...turnOptions, maxSteps: 2 });
    const [notice] = ofType(kit.journal.events, 'notice-added');
    expect(notice?.text).toBe('The model did not answer: 429. Trying again in 1 second, as requested: attempt 2 of 3.');
    expect(end).toMatchObject({ reason: 'error', failure: { hint: expect.stringContaining('Send it again later') } });
    expect(kit.journal.state().turns[0]).toMatchObject({ steps: 3, retries: 2 });
  });

  it('end it with time-limit in the middle of a command that runs on', async () => {
    const kit = createAgentKit({
      journal: { now: () => Date.now() },
      replies: [call('run_command', { command: 'sleep' })],
      sandbox: {
        exec: (_request, _sandbox, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ outcome: 'cancelled', exitCode: null }));
          }),
      },
    });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, maxMinutes: 0.002 });
    expect(end.reason).toBe('time-limit');
  });

  it.each([
    ['repeated-call', ['a', 'a', 'a']],
    ['alternating-calls', ['a', 'b', 'a', 'b']],
  ])('end the loop with %s', async (reason, patterns) => {
    const kit = createAgentKit({ replies: patterns.map((pattern) => call('search', { pattern })) });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe(reason);
  });

  it.each([
    ['the same call again', ['a', 'a', 'b'], [0, 0, 0.7, 0], 1],
    ['another call', ['a', 'b', 'c'], [0, 0, 0, 0], 0],
  ])(
    'come nearer with %s, and the model is told and asked differently',
    async (_what, patterns, temperatures, told) => {
      const unsticking = { ...turnOptions, strategy: 'loop' as const };
      const replies = patterns.map((pattern) => call('search', { pattern }));
      const kit = createAgentKit({ replies: [...replies, call('task_complete', { summary: 'ok' })] });
      expect((await kit.runner.send('Do the work.', unsticking)).reason).toBe('answered');
      expect(kit.requests.map(({ temperature }) => temperature)).toEqual(temperatures);
      expect(ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'same-call')).toHaveLength(told);
      const last = JSON.stringify(kit.requests.at(-1)?.messages);
      expect(last.includes('You made that call before')).toBe(told > 0);
    },
  );

  it('come nearer with a refused edit, and the next answer is not the greedy one again', async () => {
    const edit = call('edit_file', { path: 'a.py', old: 'not there', new: 'x' });
    const kit = createAgentKit({ replies: [edit, call('task_complete', { summary: 'ok' })] });
    await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
    expect(kit.requests.map(({ temperature }) => temperature)).toEqual([0, 0.7]);
  });

  it('are reached despite writing the same text again, because that changes nothing', async () => {
    const write = call('write_file', { path: 'new.py', content: 'x = 1\n' });
    const kit = createAgentKit({ replies: Array.from({ length: 9 }, () => write) });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
    expect(end.reason).toBe('repeated-rejection');
    expect(kit.requests.map(({ temperature }) => temperature)).toEqual([0, 0, 0.7]);
    const said = ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'write_file');
    expect(said.map(({ status }) => status)).toEqual(['ok', 'error', 'error']);
  });

  it('are silent about a call that worked the second time', async () => {
    const write = call('write_file', { path: 'a.py', content: 'x = 2\n' });
    const replies = [write, call('read_file', { path: 'a.py' }), write, call('task_complete', { summary: 'ok' })];
    const files = { 'a.py': new TextEncoder().encode('x = 1\n') };
    const kit = createAgentKit({ replies, sandbox: { files, exec: () => ({}) } });
    await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
    expect(kit.requests.map(({ temperature }) => temperature)).toEqual([0, 0.7, 0, 0]);
    expect(ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'same-call')).toEqual([]);
  });

  it('end the loop with repeated-rejection', async () => {
    const edit = call('edit_file', { path: 'a.py', old: 'not there', new: 'x' });
    const kit = createAgentKit({ replies: [edit, edit] });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('repeated-rejection');
  });
});
