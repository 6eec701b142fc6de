import { expect, it } from 'vitest';
import { foundPlaces, foundSections, settingsSections } from '../../../../src/renderer/lib/input/settings-search.ts';

/**
 * Words of people who come from other programs, written down before the search was tried with them. It found 28 of
 * 40 of them then, and what it missed was added. Where they are found: a section of the settings, or another page.
 */
const words: readonly (readonly [word: string, where: string])[] = [
  ['night mode', 'Appearance'],
  ['color scheme', 'Appearance'],
  ['bigger text', 'Appearance'],
  ['compact', 'Appearance'],
  ['accessibility', 'Appearance'],
  ['reduce motion', 'Appearance'],
  ['show thinking', 'Appearance'],
  ['model', 'Work'],
  ['routing', 'Work'],
  ['local only', 'Work'],
  ['ask before', 'Work'],
  ['yolo', 'Work'],
  ['embedding', 'Work'],
  ['vscode', 'Work'],
  ['notify', 'Notifications'],
  ['menu bar', 'Desktop'],
  ['global shortcut', 'Desktop'],
  ['keyboard', 'Shortcuts'],
  ['keybindings', 'Shortcuts'],
  ['price limit', 'Spending limits'],
  ['billing', 'Spending limits'],
  ['iterations', 'Turn limits'],
  ['api token', 'Keys'],
  ['anthropic', 'Keys'],
  ['login', 'Keys'],
  ['confidential', 'Rules'],
  ['container', 'Sandbox'],
  ['ram', 'Sandbox'],
  ['internet', 'Web'],
  ['browse', 'Web'],
  ['certificate', 'Network connection'],
  ['power saving', 'Power and heat'],
  ['electricity', 'Energy'],
  ['cache', 'Disk space'],
  ['reset', 'Disk space'],
  ['version', 'About Dewpoint'],
  ['ollama', 'models'],
  ['download model', 'models'],
  ['plugins', 'tools'],
  ['persona', 'assistants'],
];

const sections = settingsSections([], true);
const found = (text: string): readonly string[] => [
  ...foundSections({ text, sections }).map(({ title }) => title),
  ...foundPlaces({ text, sections }).map(({ view }) => view.type),
];

it('the search in the settings knows 40 more words, of people who come from other programs', () => {
  expect(words).toHaveLength(40);
  expect(words.filter(([word, where]) => !found(word).includes(where)).map(([word]) => word)).toEqual([]);
});

// Bug: of 24 other words, 7 were found. No one name had all the words of the others.
it('the search in the settings shows what shares the most words when no name has all of them', () => {
  const others: readonly (readonly [word: string, where: string])[] = [
    ['euro', 'Your currency'],
    ['currency', 'Your currency'],
    ['exchange rate', 'Your currency'],
    ['max cost', 'Spending limits'],
    ['monthly budget', 'Spending limits'],
    ['keyboard shortcuts', 'Shortcuts'],
    ['secret key', 'Keys'],
    ['search provider', 'Web'],
    ['gpu layers', 'models'],
    ['context size', 'models'],
    ['system message', 'models'],
    ['proxy server', 'Network connection'],
    ['memory limit', 'Sandbox'],
    ['notifications off', 'Notifications'],
    ['custom model', 'models'],
  ];
  expect(others.filter(([word, where]) => !found(word).includes(where)).map(([word]) => word)).toEqual([]);
  expect(found('keyboard shortcuts')).toEqual(['Shortcuts']);
  expect(found('nothing has this')).toEqual([]);
  expect(found('xylophone')).toEqual([]);
  expect(found('no such thing')).toEqual([]);
});
