import { afterEach, beforeAll, expect, test } from 'vitest';
import { findSpans, type Span } from '../../../../../src/main/recipes/code/code-spans.ts';
import { loadSyntax, type Syntax } from '../../../../../src/main/recipes/code/code-syntax.ts';
import { emptyReport } from '../../../../../src/main/lib/test-output/test-report.ts';
import { acceptBest } from '../../../../../src/main/recipes/fix/outcome/accept-best.ts';
import type { RecipeOutcome } from '../../../../../src/main/recipes/define.ts';
import type { Origin } from '../../../../../src/main/recipes/trial/candidate-change.ts';
import type { Judge, Verdict } from '../../../../../src/main/recipes/fix/judge/judge-candidate.ts';
import type { SearchResult } from '../../../../../src/main/recipes/fix/search/search-result.ts';
import { makeHarness, type HarnessOptions, type RecipeHarness } from '../../fakes/recipe-context.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});
let harness: RecipeHarness | null = null;
let outcome: RecipeOutcome | null = null;
afterEach(() => harness?.dispose());

const before = 'def net(x):\n    return tax(x) - 1\n\n\ndef tax(x):\n    y = x * 2\n    return y\n';

/**
 * The text of m.py after the best of several candidates was accepted. All pass the tests. `name` is the function that a
 * candidate changes.
 */
async function taken(
  passing: readonly {
    readonly origin: Origin;
    readonly name: string;
    readonly text: string;
    readonly path?: string;
  }[],
  newErrors?: HarnessOptions['newErrors'],
) {
  harness = await makeHarness({
    files: { 'm.py': before, 'deep.py': before },
    task: 'Fix it.',
    command: 'python3 -m pytest',
    ...(newErrors === undefined ? {} : { newErrors }),
  });
  const spans = findSpans(syntax, { path: 'm.py', language: 'python', text: before });
  const span = (name: string): Span | null => spans.find((one) => one.name === name) ?? null;
  const accepted = passing.map(({ origin, name, text, path = 'm.py' }): Verdict => ({
    candidate: { files: [{ path, text }], origin, label: origin, span: span(name) },
    type: 'accepted',
    report: emptyReport,
    gained: 1,
    output: '',
  }));
  const judge: Judge = {
    baseline: () => ({ exitCode: 1, report: emptyReport, output: '', durationMs: 1 }),
    roots: [],
    paths: { trial: '', workFolder: '' },
    try: () => Promise.resolve([]),
    keep: () => Promise.reject(new Error('not kept')),
    read: () => Promise.resolve(before),
    passesRerun: () => Promise.resolve(true),
  };
  const distance = new Map([
    ['m.py', 1],
    ['deep.py', 2],
  ]);
  const failing = { path: 'test_m.py', language: 'python', text: '', names: new Set(''), first: '' } as const;
  const evidence = {
    failures: [],
    coverage: null,
    testNames: new Set(''),
    task: '',
    distance,
    missing: [],
    reach: null,
  };
  const failureContext = {
    evidence,
    suspects: [],
    insertions: [],
    tests: [failing],
    files: [],
  };
  const rest = {
    kept: new Map(),
    failureContext,
    tried: [],
    variations: { tried: 0, of: 0 },
    near: [],
    isCut: false,
    isAmbiguous: false,
    fatal: null,
  };
  const result: SearchResult = { ...rest, accepted, confer: () => Promise.resolve(null) };
  outcome = await acceptBest({ context: harness.context, syntax, judge, secondsLeft: () => 60 }, result);
  return harness.text('m.py');
}

const rewrite = before
  .replace('tax(x) - 1', 'x - tax(x)\n    # Without the tax.')
  .replace('def net(x):', 'def net(x):\n    x = x + 0');
const small = (text: string) => ({ origin: 'mechanical', name: 'net', text: before.replace('- 1', text) }) as const;
const written = { origin: 'fix', name: 'net', text: rewrite } as const;

test('one small change that passes is taken before a larger rewrite', async () => {
  expect(await taken([written, small('- 2')])).toBe(small('- 2').text);
});

test('the origin of the accepted change is reported', async () => {
  await taken([written, small('- 2')]);
  expect(harness?.told).toEqual([{ phase: 'accept', data: { origin: 'mechanical' } }]);
});

test('a rewrite is preferred to several small changes that pass by chance', async () => {
  expect(await taken([written, small('- 2'), small('+ 1')])).toBe(rewrite);
});

test('the callee is repaired rather than its caller', async () => {
  const callee = { origin: 'fix', name: 'tax', text: before.replace('x * 2', 'x * 3') } as const;
  const caller = { origin: 'fix', name: 'net', text: before.replace('- 1', '- 2') } as const;
  expect(await taken([caller, callee])).toBe(callee.text);
  expect(await taken([callee, caller])).toBe(callee.text);
});

test('the file further from the tests is repaired, unless that needs a much larger change', async () => {
  const nearer = { origin: 'fix', name: 'net', text: before.replace('- 1', '- 2') } as const;
  const further = { origin: 'fix', name: 'tax', text: rewrite, path: 'deep.py' } as const;
  // The file nearer to the tests stays as it was.
  expect(await taken([nearer, further])).toBe(before);
  const large = { ...further, text: `${rewrite}${'x = 1\n'.repeat(9)}` };
  expect(await taken([nearer, large])).toBe(nearer.text);
});

test('a comment does not make a change larger', async () => {
  const noted = { origin: 'body', name: 'net', text: before.replace('- 1', '- 2  # two\n    # of them') } as const;
  const larger = {
    origin: 'fix',
    name: 'net',
    text: before.replace('- 1', '- 3\n').replace('tax(x)', 'tax(x + 0)\n    x = 1'),
  } as const;
  expect(await taken([larger, noted])).toBe(noted.text);
});

// Catches: a language server that decides what passes, although it may be wrong.
test('a change with a new error comes after one without, and is taken where there is no other', async () => {
  const errorsOf = (text: string) => (text === small('- 2').text ? 2 : null);
  const inFirst: HarnessOptions['newErrors'] = ([file]) => errorsOf(file?.text ?? '');
  expect(await taken([written, small('- 2')], inFirst)).toBe(rewrite);
  expect(outcome).toMatchObject({ type: 'done', text: expect.not.stringContaining('language server') });
  expect(await taken([small('- 2')], inFirst)).toBe(small('- 2').text);
  expect(outcome).toMatchObject({ type: 'done', text: expect.stringContaining('finds 2 new errors') });
});
