import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { foundPlaces, foundSections, settingsSections } from '../../../../src/renderer/lib/input/settings-search.ts';
import { en } from '../../../../src/renderer/texts/en.ts';

const sections = settingsSections(['Open costs'], true);
const titles = (text: string): readonly string[] => foundSections({ text, sections }).map(({ title }) => title);

/** Catches: a setting that the search does not find by its name, by when to change it, or by its section. */
it('the search in the settings finds a section by its title and by each of its words', () => {
  expect(titles('')).toHaveLength(sections.length);
  expect(titles('proxy')).toEqual(['Network connection']);
  expect(titles('open costs')).toEqual(['Shortcuts']);
  expect(titles('nothing has this')).toEqual([]);
  for (const { title, words } of sections) {
    for (const word of [title, ...words]) expect(titles(word.toLowerCase())).toContain(title);
  }
});

/** Catches: a control in the settings without the sentence that says when to change it, or one that the search lacks. */
it('the search in the settings finds every setting, and each has a sentence', () => {
  const known = new Set(sections.flatMap(({ title, words }) => [title, ...words]));
  const named = Object.keys(en).filter((key) => key.startsWith('settings.') && `${key}.hint` in en);
  expect(named.length).toBeGreaterThan(15);
  const words: Readonly<Record<string, string>> = en;
  expect(named.filter((key) => !known.has(words[key] ?? '') || !known.has(words[`${key}.hint`] ?? ''))).toEqual([]);
  for (const file of ['settings-view.tsx', 'work-settings.tsx']) {
    const text = readFileSync(`src/renderer/features/settings/${file}`, 'utf8');
    const controls = text.split(/<(?=(?:Choice|NumberSetting|TextSetting)\s)/u).slice(1);
    expect(controls.length).toBeGreaterThan(3);
    expect(controls.filter((control) => !control.slice(0, 150).includes('hint='))).toEqual([]);
  }
});

/** The words that people type first. Where they are found: a section of the settings, or another page. */
const firstWords: readonly (readonly [word: string, where: string])[] = [
  ['dark mode', 'Appearance'],
  ['light', 'Appearance'],
  ['font', 'Appearance'],
  ['font size', 'Appearance'],
  ['zoom', 'Appearance'],
  ['language', 'Appearance'],
  ['animations', 'Appearance'],
  ['default model', 'Work'],
  ['auto', 'Work'],
  ['hybrid', 'Work'],
  ['permissions', 'Work'],
  ['auto approve', 'Work'],
  ['ide', 'Work'],
  ['sound', 'Notifications'],
  ['alerts', 'Notifications'],
  ['budget', 'Spending limits'],
  ['spending limit', 'Spending limits'],
  ['cost', 'Spending limits'],
  ['max tokens', 'Turn limits'],
  ['max steps', 'Turn limits'],
  ['api key', 'Keys'],
  ['openai', 'Keys'],
  ['account', 'Keys'],
  ['privacy', 'Rules'],
  ['firewall', 'Sandbox'],
  ['docker', 'Sandbox'],
  ['timeout', 'Sandbox'],
  ['proxy', 'Network connection'],
  ['web search', 'Web'],
  ['battery', 'Power and heat'],
  ['hotkeys', 'Shortcuts'],
  ['backup', 'Disk space'],
  ['storage', 'Disk space'],
  ['delete data', 'Disk space'],
  ['update', 'About Dewpoint'],
  ['telemetry', 'About Dewpoint'],
  ['temperature', 'models'],
  ['system prompt', 'models'],
  ['context length', 'models'],
  ['mcp', 'tools'],
];

it('the search in the settings knows the 40 words that people use first', () => {
  expect(firstWords).toHaveLength(40);
  const found = (text: string): readonly string[] => [
    ...titles(text),
    ...foundPlaces({ text, sections }).map(({ view }) => view.type),
  ];
  expect(firstWords.filter(([word, where]) => !found(word).includes(where))).toEqual([]);
});
