import { createContext, use } from 'react';
import { t } from '../text/translate.ts';

/** A section of the settings, for the list beside them and the search. */
export interface SettingsSection {
  readonly title: string;
  /** The visible names of its settings. */
  readonly words: readonly string[];
}

interface Search {
  /** In lower case. Empty: everything is shown. */
  readonly text: string;
  readonly sections: readonly SettingsSection[];
}

export const SettingsSearch = createContext<Search>({ text: '', sections: [] });

function holds(words: readonly string[], text: string): boolean {
  return words.some((word) => word.toLowerCase().includes(text));
}

export function foundSections({ text, sections }: Search): readonly SettingsSection[] {
  return sections.filter(({ title, words }) => holds([title, ...words], text));
}

/** Whether a section of the settings is shown. Always true outside the settings. */
export function useIsSectionFound(title: string): boolean {
  const search = use(SettingsSearch);
  return search.text === '' || foundSections(search).some((section) => section.title === title);
}

/** Whether a setting is shown: its own words, or its section's title, contain the search text. */
export function useIsSettingFound(label: string, hint = ''): boolean {
  const { text, sections } = use(SettingsSearch);
  if (text === '' || holds([label, hint], text)) return true;
  return sections.some(({ title, words }) => title.toLowerCase().includes(text) && words.includes(label));
}

const look = ['theme', 'textSize', 'density', 'motion', 'steps'] as const;
const desktopSettings = ['tray', 'askKeys', 'askWithClipboard'] as const;
const work = ['policy', 'local', 'cloud', 'modelOrder', 'approve', 'editor'] as const;
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
  return [
    { title: t('settings.look'), words: wordsOf(look) },
    { title: t('settings.work'), words: [...wordsOf(work), t('settings.profiles')] },
    { title: t('settings.notify'), words: [t('settings.notify.of'), t('settings.notify.hint')] },
    ...(isWindow ? [{ title: t('settings.desktop'), words: wordsOf(desktopSettings) }] : []),
    { title: t('settings.limits'), words: wordsOf(turnLimits) },
    { title: t('rules.title'), words: [t('rules.about')] },
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
    {
      title: t('settings.web'),
      words: [
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
      ],
    },
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
    { title: t('settings.energy'), words: [t('settings.energy.text'), ...wordsOf(energySettings)] },
    { title: t('settings.machine'), words: [t('first.again')] },
    { title: t('kept.title'), words: [t('kept.text')] },
    { title: t('settings.shortcuts'), words: shortcuts },
    { title: t('about.title'), words: [t('about.showLog')] },
  ];
}
