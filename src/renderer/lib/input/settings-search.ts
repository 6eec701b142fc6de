import { createContext, use } from 'react';
import { t } from '../text/translate.ts';
import type { View } from '../window/use-view.ts';

/** A section of the settings, for the list beside them and the search. */
export interface SettingsSection {
  readonly title: string;
  /** The visible names of its settings. */
  readonly words: readonly string[];
  /** What people call its settings, by the setting's visible name; under its title, what they call the whole. */
  readonly alsoCalled?: Readonly<Record<string, string>>;
}

/** Something that people look for in the settings and that is on another page. */
export interface SettingsPlace {
  readonly title: string;
  readonly view: View;
}

interface Search {
  /** In lower case. Empty: everything is shown. */
  readonly text: string;
  readonly sections: readonly SettingsSection[];
}

export const SettingsSearch = createContext<Search>({ text: '', sections: [] });

/** Whether one of them has each typed word in it. */
function holds(names: readonly string[], text: string): boolean {
  const typed = text.split(' ').filter((word) => word !== '');
  return names.some((name) => {
    const known = name.toLowerCase();
    return typed.every((word) => known.includes(word));
  });
}

/** All that is written in a section, and what people call it. */
function textsOf({ title, words, alsoCalled = {} }: SettingsSection): readonly string[] {
  return [title, ...words, ...Object.values(alsoCalled)];
}

/** Labels and what people call them. A sentence that only explains is no name. */
function namesOf({ words, ...section }: SettingsSection): readonly string[] {
  return textsOf({ ...section, words: words.filter((word) => word.length <= longestName) });
}

const longestName = 40;
const smallWords = new Set([
  'the',
  'this',
  'that',
  'has',
  'have',
  'for',
  'and',
  'not',
  'how',
  'set',
  'with',
  'from',
  'nothing',
]);

/** How many of the typed words are in the names, each without the mark of a plural. */
function sharedWords(names: readonly string[], text: string): number {
  const known = names.join(' ').toLowerCase();
  const typed = text.split(' ').filter((word) => word.length > 2 && !smallWords.has(word));
  return typed.filter((word) => known.includes(word.replace(/(?<=\w{3})s$/u, ''))).length;
}

function isExact(text: string, sections: readonly SettingsSection[]): boolean {
  return holds([...sections.flatMap(textsOf), ...places.flatMap(placeWords)], text);
}

/** The most words that one section or page shares with what was typed. */
function mostShared(text: string, sections: readonly SettingsSection[]): number {
  return Math.max(0, ...[...sections.map(namesOf), ...places.map(placeWords)].map((names) => sharedWords(names, text)));
}

/** Sections where one name has every typed word. Where nothing has, those that share the most words. */
export function foundSections({ text, sections }: Search): readonly SettingsSection[] {
  if (isExact(text, sections)) return sections.filter((section) => holds(textsOf(section), text));
  const most = mostShared(text, sections);
  return sections.filter((section) => most > 0 && sharedWords(namesOf(section), text) === most);
}

const places = ['models', 'tools', 'assistants', 'costs', 'receipt', 'bin'] as const;

function placeWords(place: (typeof places)[number]): readonly string[] {
  return t(`settings.place.${place}.words`).split(', ');
}

/** Pages outside the settings that the words lead to. None without words. */
export function foundPlaces({ text, sections }: Search): readonly SettingsPlace[] {
  if (text === '') return [];
  const most = isExact(text, sections) ? null : mostShared(text, sections);
  const isFound = (names: readonly string[]): boolean =>
    most === null ? holds(names, text) : most > 0 && sharedWords(names, text) === most;
  return places
    .filter((place) => isFound(placeWords(place)))
    .map((place) => ({ title: t(`settings.place.${place}`), view: { type: place } }));
}

/** Whether a section of the settings is shown. Always true outside the settings. */
export function useIsSectionFound(title: string): boolean {
  const search = use(SettingsSearch);
  return search.text === '' || foundSections(search).some((section) => section.title === title);
}

/** Whether a setting of a section that is found is shown: its own words, or its section's title, have the search text. */
export function useIsSettingFound(label: string, hint = ''): boolean {
  const { text, sections } = use(SettingsSearch);
  if (text === '' || holds([label, hint], text)) return true;
  const section = sections.find(({ words }) => words.includes(label));
  if (section === undefined) return false;
  const { title, alsoCalled = {} } = section;
  // Nothing has all words, so the whole section is shown.
  if (!isExact(text, sections)) return true;
  return holds([title, alsoCalled[title] ?? '', alsoCalled[label] ?? ''], text);
}

const look = ['theme', 'textSize', 'density', 'motion', 'steps'] as const;
const desktopSettings = ['tray', 'askKeys', 'askWithClipboard'] as const;
const work = ['policy', 'local', 'cloud', 'modelOrder', 'approve', 'searchModel', 'editor'] as const;
export const turnLimits = ['maxSteps', 'maxMinutes', 'maxTokens', 'maxCalls'] as const;
export const energySettings = ['watts', 'usdPerKwh', 'hardwareUsd'] as const;
export const sandboxLimits = ['memoryMb', 'pids', 'commandTimeoutSeconds', 'engineWaitSeconds'] as const;

type Setting =
  | (typeof look)[number]
  | (typeof desktopSettings)[number]
  | (typeof work)[number]
  | (typeof turnLimits)[number]
  | (typeof energySettings)[number]
  | (typeof sandboxLimits)[number];

function wordsOf(settings: readonly Setting[]): readonly string[] {
  return settings.flatMap((name) => [t(`settings.${name}`), t(`settings.${name}.hint`)]);
}

/** All sections, in order. */
export function settingsSections(shortcuts: readonly string[], isWindow: boolean): readonly SettingsSection[] {
  const also = othersWords();
  return allSections(shortcuts, isWindow).map((section) => ({ ...section, alsoCalled: also[section.title] ?? {} }));
}

/** By the title of a section and the name of a setting in it. */
function othersWords(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    [t('settings.look')]: {
      [t('settings.look')]: t('search.look'),
      [t('settings.theme')]: t('search.theme'),
      [t('settings.textSize')]: t('search.textSize'),
      [t('settings.motion')]: t('search.motion'),
      [t('settings.steps')]: t('search.steps'),
    },
    [t('settings.work')]: {
      [t('settings.policy')]: t('search.policy'),
      [t('settings.local')]: t('search.model'),
      [t('settings.cloud')]: t('search.model'),
      [t('settings.approve')]: t('search.approve'),
      [t('settings.searchModel')]: t('search.searchModel'),
      [t('settings.editor')]: t('search.editor'),
    },
    [t('settings.desktop')]: { [t('settings.desktop')]: t('search.desktop') },
    [t('settings.connection')]: { [t('settings.connection')]: t('search.connection') },
    [t('power.title')]: { [t('power.title')]: t('search.power') },
    [t('settings.currency')]: { [t('settings.currency')]: t('search.currency') },
    [t('settings.energy')]: { [t('settings.energy')]: t('search.energy') },
    [t('settings.notify')]: { [t('settings.notify')]: t('search.notify') },
    [t('settings.spending')]: { [t('settings.spending')]: t('search.spending') },
    [t('settings.limits')]: { [t('settings.limits')]: t('search.limits') },
    [t('rules.title')]: { [t('rules.title')]: t('search.rules') },
    [t('project.memory')]: { [t('project.memory')]: t('search.memory') },
    [t('keys.title')]: { [t('keys.title')]: t('search.keys') },
    [t('settings.sandbox')]: { [t('settings.sandbox')]: t('search.sandbox') },
    [t('settings.web')]: { [t('settings.web')]: t('search.web') },
    [t('settings.computing')]: { [t('settings.computing')]: t('search.computing') },
    [t('settings.shortcuts')]: { [t('settings.shortcuts')]: t('search.shortcuts') },
    [t('kept.title')]: { [t('kept.title')]: t('search.kept') },
    [t('about.title')]: { [t('about.title')]: t('search.about') },
  };
}

function roleWords(): readonly string[] {
  const names = ['plan', 'context', 'edit', 'answer', 'summary', 'title'] as const;
  return [t('settings.roles'), t('settings.roles.plan.hint'), ...names.map((name) => t(`settings.roles.${name}`))];
}

function webWords(): readonly string[] {
  return [
    t('settings.web.text'),
    t('settings.web.read'),
    t('settings.web.read.hint'),
    t('settings.web.search'),
    t('settings.web.search.hint'),
    t('settings.web.searxng'),
    t('settings.web.searxng.hint'),
    t('settings.web.brave'),
    t('settings.web.brave.hint'),
    t('settings.web.request'),
    t('settings.web.request.hint'),
  ];
}

function allSections(shortcuts: readonly string[], isWindow: boolean): readonly SettingsSection[] {
  return [
    { title: t('settings.look'), words: wordsOf(look) },
    { title: t('settings.work'), words: [...wordsOf(work), t('settings.profiles'), ...roleWords()] },
    { title: t('settings.notify'), words: [t('settings.notify.of'), t('settings.notify.hint')] },
    ...(isWindow ? [{ title: t('settings.desktop'), words: wordsOf(desktopSettings) }] : []),
    { title: t('settings.limits'), words: wordsOf(turnLimits) },
    { title: t('settings.spending'), words: [t('settings.spending.text')] },
    { title: t('rules.title'), words: [t('rules.about')] },
    { title: t('project.memory'), words: [t('project.memory.text'), t('project.memory.new')] },
    { title: t('keys.title'), words: [t('keys.provider'), t('keys.value'), t('settings.keys.words')] },
    {
      title: t('endpoint.title'),
      words: [
        t('endpoint.text'),
        t('endpoint.switch'),
        t('endpoint.switch.hint'),
        t('endpoint.name'),
        t('endpoint.reach'),
      ],
    },
    { title: t('settings.sandbox'), words: wordsOf(sandboxLimits) },
    { title: t('settings.web'), words: webWords() },
    { title: t('settings.computing'), words: [t('settings.calculate'), t('settings.calculate.hint')] },
    {
      title: t('settings.programs'),
      words: [
        t('settings.programs.use'),
        t('settings.programs.hint'),
        t('settings.programReviewer'),
        t('settings.programReviewer.hint'),
      ],
    },
    {
      title: t('settings.connection'),
      words: [
        t('settings.proxy'),
        t('settings.proxy.hint'),
        t('settings.certificates'),
        t('settings.certificates.hint'),
      ],
    },
    {
      title: t('power.title'),
      words: [
        t('power.text'),
        t('power.battery'),
        t('power.battery.hint'),
        t('power.heat'),
        t('power.heat.hint'),
        t('power.memory'),
        t('power.memory.hint'),
      ],
    },
    {
      title: t('settings.currency'),
      words: [
        t('settings.currency.text'),
        t('settings.currency.code'),
        t('settings.currency.code.hint'),
        t('settings.currency.perUsd'),
        t('settings.currency.perUsd.hint'),
      ],
    },
    { title: t('settings.energy'), words: [t('settings.energy.text'), ...wordsOf(energySettings)] },
    { title: t('settings.machine'), words: [t('first.again'), t('setup.try.title'), t('setup.try.text')] },
    { title: t('kept.title'), words: [t('kept.text')] },
    { title: t('settings.shortcuts'), words: shortcuts },
    { title: t('about.title'), words: [t('about.showLog')] },
  ];
}
