import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../faults/program.ts';
import type { ScriptLine } from './aloud/play-script.ts';
import { playScript, scriptsOf } from './aloud/play-script.ts';
import { startReader } from './aloud/screen-reader.ts';
import { openBed } from './journeys/journey-bed.ts';
import type { JourneyBed } from './journeys/journey-bed.ts';
import { reload } from './launch.ts';

const scripts = scriptsOf(readFileSync('docs/accessibility.md', 'utf8'));
const write = (path: string, content: string): Answer => ({
  toolCalls: [{ name: 'write_file', input: { path, content } }],
});

/** The answers of the model in each journey. */
const answers: Readonly<Record<string, readonly Answer[]>> = {
  'A first answer': [{ text: 'Paris.' }],
  'A repair, watched, reviewed and undone': [
    { toolCalls: [{ name: 'read_file', input: { path: 'cart.py' } }] },
    write('cart.py', 'def total(prices):\n    return sum(prices)\n'),
    { text: 'The total has all prices now.' },
  ],
  'A question, answered': [write('package-lock.json', '{}\n'), { text: 'It was added.' }],
};

let bed: JourneyBed;

beforeAll(async () => {
  bed = await openBed();
});

afterAll(async () => {
  await bed?.close();
});

/**
 * Catches: a step that a screen reader does not announce, a control without a name, a lost focus, and a page that
 * differs from the documented script.
 */
it.for(Object.entries(scripts))('a screen reader says, line by line: %s', async ([name, lines]) => {
  const { page } = bed.served;
  const model = await bed.script('aloud', answers[name] ?? []);
  await bed.core.client.settings.set({ key: 'local', value: model });
  await page.evaluate(() => sessionStorage.removeItem('dewpoint-view'));
  await reload(page);
  await page.getByRole('textbox', { name: 'Task', exact: true }).waitFor();
  const reader = await startReader(page);
  expect(await playScript(page, reader, withProject(lines, bed.project))).toEqual([]);
});

it('a screen reader follows three journeys, each with a model that answers', () => {
  expect(Object.keys(scripts)).toEqual(Object.keys(answers));
});

const withProject = (lines: readonly ScriptLine[], project: string): readonly ScriptLine[] =>
  lines.map((line) => ({ ...line, press: line.press.replace('PROJECT', project) }));
