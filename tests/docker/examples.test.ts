import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layersLimitMs, type LayersResult, runLayers } from './run-layers.ts';

const python = 'python3 -m pytest -q';
const examples = [
  { id: 'calculator', command: python, file: 'calculator.py', bug: 'float(text)', fix: 'float(text.replace(",", ""))' },
  { id: 'invoice', command: python, file: 'money.py', bug: '{rest}', fix: '{rest:02d}' },
  {
    id: 'word-count',
    command: 'node --test',
    file: 'src/words.js',
    bug: "text.split(' ').map(clean)",
    fix: 'text.split(/\\s+/).filter((word) => word).map(clean)',
  },
];

let folder = '';
let results: readonly LayersResult[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-examples-'));
  for (const { id, file, bug, fix } of examples) {
    await cp(join('examples', id), join(folder, id, 'project'), { recursive: true });
    const fixed = join(folder, id, 'fixed', file);
    await mkdir(dirname(fixed), { recursive: true });
    await writeFile(fixed, (await readFile(join('examples', id, file), 'utf8')).replace(bug, fix));
  }
  const plans = examples.map(({ id, command }) => ({
    id,
    steps: [
      { name: 'as it is', layers: ['project'], command },
      { name: 'fixed', layers: ['project', 'fixed'], command },
    ],
  }));
  results = await runLayers(folder, plans);
}, layersLimitMs);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(examples)('example $id', ({ id, file, bug }) => {
  const resultOf = (step: string) => results.find((result) => result.id === id && result.step === step);

  it('has exactly one bug, in one place', async () => {
    expect((await readFile(join('examples', id, file), 'utf8')).split(bug)).toHaveLength(2);
  });

  it('fails its tests as it is', () => expect(resultOf('as it is')).toMatchObject({ exitCode: 1 }));

  it('passes them when the bug is fixed', () => expect(resultOf('fixed')).toMatchObject({ exitCode: 0 }));

  it('is named in the README with its command', async () => {
    expect(await readFile('examples/README.md', 'utf8')).toContain(`npm start -- run --project examples/${id} "`);
  });
});

it('every example has its test', async () => {
  const entries = await readdir('examples', { withFileTypes: true });
  // The tasks of `dewpoint eval` are tried by tests/main/sessions/comparisons/eval.test.ts.
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'tasks').map((entry) => entry.name);
  expect(names.sort()).toEqual(examples.map(({ id }) => id));
});
