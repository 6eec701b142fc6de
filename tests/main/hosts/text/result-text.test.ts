import { expect, it } from 'vitest';
import type { RunResult } from '../../../../src/shared/session/run-result.ts';
import { showResult } from '../../../../src/main/hosts/text/result-text.ts';
import { safeWriting } from '../../../../src/main/hosts/text/terminal.ts';

const none = { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: false };

function shown(
  own: Pick<RunResult, 'status' | 'reason' | 'text'> & Partial<RunResult>,
  isJson = false,
  flags = '',
): string {
  const lines: string[] = [];
  const writing = safeWriting({ out: (text) => lines.push(text), err: (text) => lines.push(text) }, false);
  const result: RunResult = {
    session: 'abc',
    confidence: null,
    steps: 1,
    actions: 0,
    tokens: none,
    costUsd: 0,
    seconds: 1,
    energyWh: null,
    check: null,
    routing: { policy: 'local', hasCloud: false },
    counterfactual: { allLocal: null, allCloud: null, reason: '' },
    byStep: [],
    workspace: { mode: 'in-place', path: '/w' },
    changes: [],
    ...own,
  };
  showResult(
    result,
    { ...writing, isLive: false, isInteractive: false, columns: 80 },
    { isJson, flags, currency: null },
  );
  return lines.join('');
}

// Catches: "limit: step-limit" at the end of a run, and the same sentence twice, one below the other.
it.each([
  [{ status: 'limit', reason: 'step-limit', text: 'The limit of 2 tool calls was reached.' }, 'stopped at a limit'],
  [{ status: 'cap', reason: 'cap', text: 'It could cost more.' }, 'stopped at the spending limit'],
  [{ status: 'waiting', reason: 'waiting', text: 'Which one?' }, 'waiting for your answer'],
  [{ status: 'error', reason: 'error: It failed. Try again.', text: 'It failed.' }, 'failed: Try again.'],
  // Bug: "failed: . Try again."
  [{ status: 'error', reason: 'error: 429 busy. Try again.', text: '429 busy' }, 'failed: Try again.'],
  [{ status: 'error', reason: 'error: It failed.', text: 'It failed.' }, 'failed'],
  [{ status: 'missing', reason: 'missing: No key.', text: '' }, 'cannot work yet: No key.'],
] as const)('the result of a run says in words how it ended, and nothing twice: %j', (own, headline) => {
  expect(
    shown(own)
      .split('\n')
      .slice(own.text === '' ? 0 : 1)[0],
  ).toBe(headline);
});

// Bugs: "done (not tested)" beside a check that ran and failed as before, and beside work that wrote nothing.
it.each([
  [{ confidence: 'unchecked' }, 'done (no files changed)'],
  [{ confidence: 'unchecked', changes: [{ path: 'a.js', added: 1, removed: 0 }] }, 'done (not tested)'],
  [{ confidence: 'unchecked', tests: 'the tests fail as they did before' }, 'done (the tests fail as they did before)'],
])('the result of a run says what is known of work that no test judged: %j', (own, headline) => {
  expect(shown({ status: 'done', reason: 'done', text: 'Sorted.', ...own }).split('\n')[1]).toBe(headline);
});

it('the result of a run gives the whole reason beside JSON', () => {
  expect(shown({ status: 'error', reason: 'error: It failed. Try again.', text: 'It failed.' }, true)).toContain(
    'failed: It failed. Try again.',
  );
});

it('the result of a run says how to go on only at a limit', () => {
  const how = 'dewpoint run --session abc "go on"';
  expect(shown({ status: 'limit', reason: 'time-limit', text: 'Late.' })).toContain(how);
  expect(shown({ status: 'done', reason: 'done', text: 'Done.' })).not.toContain(how);
});

// Bug: a run in the cloud that gave up before its first step was told to get a local model and to allow the cloud.
it.each([
  ['cloud', true, { larger: false, hybrid: false }],
  ['hybrid', true, { larger: true, hybrid: false }],
  ['local', false, { larger: true, hybrid: false }],
  ['local', true, { larger: true, hybrid: true }],
] as const)('the advice of a run without a step fits its policy: %s, cloud model %s', (policy, hasCloud, advised) => {
  const text = shown({ status: 'gave-up', reason: 'gave-up: No way.', text: '', routing: { policy, hasCloud } });
  expect(text).toContain('next: name the function');
  expect({ larger: text.includes('larger local model'), hybrid: text.includes('--policy hybrid') }).toEqual(advised);
});

// Bug: a check that could not run was followed by the advice to name a function.
it('the result of a run that names a command gives no other advice', () => {
  const text = 'The check cannot run. Add Ruby with `dewpoint sandbox image use DIR`.';
  expect(shown({ status: 'gave-up', reason: `gave-up: ${text}`, text })).not.toContain('next:');
});

// Bug: after a plan nothing said how to carry it out, and the next message made another plan.
it('the result of a run says how to start a plan', () => {
  const how = 'dewpoint run --session abc --mode work';
  expect(shown({ status: 'done', reason: 'planned', text: '1. Trim it.' })).toContain(how);
  expect(shown({ status: 'done', reason: 'answered', text: 'It trims.' })).not.toContain(how);
});

it('the result of a run names only the first of many changed files, and counts the others', () => {
  const changes = Array.from({ length: 200 }, (_, at) => ({ path: `f${at}.txt`, added: 1, removed: 1 }));
  const text = shown({ status: 'done', reason: 'done', text: 'Done.', changes });
  expect(text).toContain('f19.txt  +1 -1\n  and 180 more files\n');
  expect(text).not.toContain('f20.txt');
});

// Bug: "3 steps" with `--max-steps 1`, and no word of the two that a busy server refused.
it.each([
  [{ steps: 3, retries: 2 }, '3 steps (2 failed and were tried again), '],
  [{ steps: 2, retries: 1 }, '2 steps (1 failed and was tried again), '],
  [{ steps: 3 }, '3 steps, '],
])('the result of a run says which steps only failed: %j', (own, words) => {
  expect(shown({ status: 'done', reason: 'done', text: 'Sorted.', ...own })).toContain(words);
});

// Catches: lines of the memory that only the window names.
it('the result of a run names the lines of the memory that were of use', () => {
  const own = {
    status: 'done',
    reason: 'answered',
    text: 'On 2026-11-30.',
    memory: ['We write dates as 2026-11-29.'],
  } as const;
  expect(shown(own)).toContain('On 2026-11-30.\nFrom memory:\n  We write dates as 2026-11-29.\n');
  expect(shown(own, true)).not.toContain('From memory');
});

// Bug: who followed the hint gave the limit that had stopped the task, and was stopped by it again.
it.each([
  ['task', ' --max-usd MORE --approve allow'],
  ['day', ' --max-usd 0.02 --approve allow'],
] as const)('the hint after a spending limit of one %s says which limit to raise', (scope, flags) => {
  const limit = { scope, limitUsd: 0.02, spentUsd: 0 };
  const text = shown({ status: 'cap', reason: 'cap', text: '', limit }, false, ' --max-usd 0.02 --approve allow');
  expect(text).toContain(`dewpoint run --session abc${flags} "go on"`);
});

// Bug: "about under $0.0001 less than all cloud".
it('the result of a run says a tiny difference in digits', () => {
  const against = { usd: { way: 'less', by: 0.000_001 }, seconds: null } as const;
  const counterfactual = { allLocal: null, allCloud: null, reason: '', against };
  const said = shown({ status: 'done', reason: 'done', text: 'Done.', energyWh: 1, counterfactual });
  expect(said).toContain('about $0.0001 less than all cloud');
});
