import { describe, expect, it } from 'vitest';
import { parseBenchOptions } from '../../bench/lib/options.ts';
import { keyOf } from '../../bench/lib/results.ts';
import {
  describeSwitches,
  isPlainRun,
  parseTaskOptions,
  selectTasks,
  starterModel,
} from '../../bench/lib/task-options.ts';
import { UsageError } from '../../bench/lib/usage-error.ts';

const names = ['log', 'start', 'tasks', 'all'];

describe('the options of every benchmark', () => {
  it('are found anywhere in the arguments, and the rest is handed on', () => {
    expect(parseBenchOptions(['--json', 'a.json', 'tasks', '--no-fail', '--limit', '2'], names)).toEqual({
      name: 'tasks',
      args: ['--limit', '2'],
      json: 'a.json',
      noFail: true,
    });
    expect(parseBenchOptions(['log', '--json=b.json'], names)).toMatchObject({ json: 'b.json', noFail: false });
  });

  it.each([
    ['no name', []],
    ['an option in place of a name', ['--limit']],
    ['an unknown name', ['lag']],
    ['a file name that is missing', ['log', '--json']],
    ['arguments that the benchmark does not have', ['log', '--limit', '2']],
  ])('are refused with %s', (_name, argv) => {
    expect(() => parseBenchOptions(argv, names)).toThrow(UsageError);
  });
});

describe('the options of the tasks', () => {
  it('default to what users get, on the development half', () => {
    const options = parseTaskOptions([]);
    expect(options).toMatchObject({
      models: [starterModel],
      strategies: ['recipe'],
      split: 'dev',
      kinds: ['small', 'two-file', 'planted', 'question'],
      recipe: { seed: 1 },
      passCheck: true,
      limit: null,
    });
    expect(isPlainRun(options)).toBe(true);
    expect(describeSwitches(options)).toBe('');
  });

  it('can leave out what is known of a project, and such a run is not a plain one', () => {
    const options = parseTaskOptions(['--without', 'names,diagnostics', '--paired', '--image', 'own']);
    expect(options).toMatchObject({ without: ['names', 'diagnostics'], isPaired: true, image: 'own' });
    expect(describeSwitches(options)).toBe('image own, without names, without diagnostics');
    expect(isPlainRun(options)).toBe(false);
    expect(() => parseTaskOptions(['--without', 'map'])).toThrow('names, diagnostics');
    expect(() => parseTaskOptions(['--paired'])).toThrow('--without');
  });

  it('can drive a model differently, and such a run is not a plain one', () => {
    const options = parseTaskOptions(['--drive', 'edits=whole-file,temperature=0.3']);
    expect(options.drive).toEqual({ edits: 'whole-file', temperature: 0.3 });
    expect(describeSwitches(options)).toBe('edits whole-file, temperature 0.3');
    expect(isPlainRun(options)).toBe(false);
    expect(() => parseTaskOptions(['--drive', 'edits'])).toThrow('NAME=VALUE');
  });

  it('can keep the replies of models, and such a run is not a plain one', () => {
    const options = parseTaskOptions(['--replies', 'answers']);
    expect(options.replies).toBe('answers');
    expect(isPlainRun(options)).toBe(false);
    const job = { task: 't', model: 'm', strategy: 'recipe' } as const;
    expect(keyOf(job, options)).not.toBe(keyOf(job, parseTaskOptions([])));
  });

  it('are read as lists, numbers and names of files', () => {
    const args = '--models a/b,c/d --strategies recipe,loop --split held --kinds small,two-file --only py-* --limit 3';
    const more = '--seed 7 --max-minutes 2.5 --total-minutes 60 --resume r.jsonl --report r.md';
    expect(parseTaskOptions(`${args} ${more}`.split(' '))).toMatchObject({
      models: ['a/b', 'c/d'],
      strategies: ['recipe', 'loop'],
      split: 'held',
      kinds: ['small', 'two-file'],
      only: 'py-*',
      limit: 3,
      seed: 7,
      recipe: { seed: 7 },
      maxMinutes: 2.5,
      totalMinutes: 60,
      resume: 'r.jsonl',
      report: 'r.md',
    });
  });

  it.each([
    ['--no-mechanical', 'no-mechanical', { mechanicalChanges: false }],
    ['--no-agreement', 'no-agreement', { agreement: false }],
    ['--no-coverage', 'no-coverage', { locate: { coverage: false } }],
  ])('that contain %s switch off one part and nothing else', (argument, words, change) => {
    const options = parseTaskOptions(argument.split(' '));
    expect(options.recipe).toEqual({ ...change, seed: 1 });
    expect(describeSwitches(options)).toBe(words);
    expect(isPlainRun(options)).toBe(false);
  });

  it('tell a plain run from a run of only some tasks or without the check', () => {
    expect(isPlainRun(parseTaskOptions(['--limit', '2']))).toBe(false);
    expect(isPlainRun(parseTaskOptions(['--only', 'py-*']))).toBe(false);
    expect(isPlainRun(parseTaskOptions(['--no-check']))).toBe(false);
    expect(isPlainRun(parseTaskOptions(['--seed', '5']))).toBe(true);
  });

  it.each(['--split both', '--strategies robot', '--kinds big', '--limit 0', '--limit 1.5', '--nope', 'word'])(
    'are refused when they contain %s',
    (argument) => {
      expect(() => parseTaskOptions(argument.split(' '))).toThrow(UsageError);
    },
  );
});

describe('the choice of tasks', () => {
  const task = (id: string, kind: 'small' | 'question', split: 'dev' | 'held') => ({ id, kind, split });
  const tasks = [
    task('js-a', 'small', 'dev'),
    task('py-a', 'small', 'held'),
    task('py-b', 'small', 'dev'),
    task('q-a', 'question', 'dev'),
  ];
  const ids = (args: string): readonly string[] =>
    selectTasks(tasks, parseTaskOptions(args.split(' ').filter((word) => word !== ''))).map(({ id }) => id);

  it('can be made by half, kind, name and number', () => {
    expect(ids('')).toEqual(['js-a', 'py-b', 'q-a']);
    expect(ids('--split held')).toEqual(['py-a']);
    expect(ids('--split all --kinds small')).toEqual(['js-a', 'py-a', 'py-b']);
    expect(ids('--split all --only py-*')).toEqual(['py-a', 'py-b']);
    expect(ids('--split all --only {js-a,q-?}')).toEqual(['js-a', 'q-a']);
    expect(ids('--limit 2')).toEqual(['js-a', 'py-b']);
  });

  it('draws the tasks of pairs, so that the first of them are no choice', () => {
    const drawn = ids('--split all --paired --without names');
    expect([...drawn].sort()).toEqual(['js-a', 'py-a', 'py-b', 'q-a']);
    expect(drawn).not.toEqual([...drawn].sort());
    expect(ids('--split all --paired --without names --limit 2')).toEqual(drawn.slice(0, 2));
  });

  it('reads a dot in a name as a dot, not as a pattern', () => {
    expect(ids('--only .s-a')).toEqual([]);
  });
});
