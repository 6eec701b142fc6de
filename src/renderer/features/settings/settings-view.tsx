import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { use, useMemo, useState } from 'react';
import type { Action } from '../../lib/input/actions.ts';
import type { View } from '../../lib/window/use-view.ts';
import { useIsCommandRefused, useIsWindow } from '../../lib/connection/use-host-info.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Empty } from '../../ui/layout/facts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { AboutProgram } from './about-program.tsx';
import { StoredData } from './stored-data.tsx';
import { ApiKeys } from './api-keys.tsx';
import { EndpointKeys } from './endpoint-keys.tsx';
import { MachineChecks } from './machine-checks.tsx';
import { ShortcutSettings } from './shortcut-settings.tsx';
import { TechnicalSettings, WorkSettings } from './work-settings.tsx';
import {
  areStepsShown,
  densities,
  density,
  motion,
  motions,
  textSize,
  textSizes,
  theme,
  themes,
} from '../../lib/window/preferences.ts';
import type { SettingsSection } from '../../lib/input/settings-search.ts';
import { foundPlaces, foundSections, SettingsSearch, settingsSections } from '../../lib/input/settings-search.ts';
import { useStoredValue } from '../../lib/window/stored-value.ts';
import { AreSettingsViewOnly, Choice, Group } from '../../ui/controls/settings-parts.tsx';
import { SpendingLimits } from '../../ui/figures/spending-limits.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';

interface SettingsViewProps {
  readonly view: Extract<View, { readonly type: 'settings' }>;
  /** Shown with their shortcuts. */
  readonly actions: readonly Action[];
  /** The rules, and settings that other features provide. */
  readonly children: ReactNode;
}

export default function SettingsView({ view: { at }, actions, children }: SettingsViewProps) {
  const [typed, setTyped] = useState('');
  const isWindow = useIsWindow();
  const sections = useMemo(
    () =>
      settingsSections(
        actions.map(({ label }) => label),
        isWindow,
      ),
    [actions, isWindow],
  );
  const text = typed.trim().toLowerCase();
  const search = useMemo(() => ({ text, sections }), [text, sections]);
  const found = foundSections(search);
  return (
    <SettingsSearch value={search}>
      <div className="h-full overflow-y-auto">
        <div className="mx-auto flex w-full max-w-4xl gap-8 px-5 py-8">
          <SectionList sections={found} />
          <div className="flex min-w-0 flex-1 flex-col gap-8">
            <ViewHeader title={t('settings.title')}>
              <input
                type="search"
                aria-label={t('settings.search')}
                placeholder={t('settings.search')}
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
                className="h-8 w-56 max-w-full rounded-md border border-line-strong bg-raised px-2.5"
              />
            </ViewHeader>
            <OtherPlaces />
            {found.length === 0 && foundPlaces(search).length === 0 && (
              <Empty>
                {t('settings.noMatch', { text: typed })}{' '}
                <button type="button" className="underline" onClick={() => setTyped('')}>
                  {t('settings.showAll')}
                </button>
              </Empty>
            )}
            <LookSettings />
            <CoreSettings>
              <SpendingLimits />
              {children}
              <ApiKeys isWanted={at === 'keys'} />
              <EndpointKeys />
            </CoreSettings>
            <MachineChecks isWanted={at === 'machine'} />
            <StoredData />
            <ShortcutSettings actions={actions} isWanted={at === 'shortcuts'} />
            <AboutProgram />
          </div>
        </div>
      </div>
    </SettingsSearch>
  );
}

/** What people look for here and find on another page. */
function OtherPlaces() {
  const navigate = useNavigate();
  const places = foundPlaces(use(SettingsSearch));
  if (places.length === 0) return null;
  return (
    <section aria-label={t('settings.places')} className="flex flex-col gap-2">
      <h2 className="border-b border-line pb-1.5 text-sm font-semibold">{t('settings.places')}</h2>
      <ul className="flex flex-col gap-1">
        {places.map(({ title, view }) => (
          <li key={title}>
            <button type="button" className="text-left text-sm underline" onClick={() => navigate(view)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The list of sections, shown beside the settings if there is room. A click scrolls to a section. */
function SectionList({ sections }: { readonly sections: readonly SettingsSection[] }) {
  const show = (list: HTMLElement, title: string): void => {
    const parts = list.parentElement?.querySelectorAll('section') ?? [];
    const part = [...parts].find((one) => one.getAttribute('aria-label') === title);
    part?.focus({ preventScroll: true });
    part?.scrollIntoView();
  };
  return (
    <ul aria-label={t('settings.sections')} className="sticky top-8 w-44 shrink-0 self-start max-lg:hidden">
      {sections.map(({ title }) => (
        <li key={title}>
          <button
            type="button"
            className="w-full rounded-md px-2 py-1 text-left text-soft hover:bg-chosen hover:text-ink"
            onClick={({ currentTarget }) => {
              const list = currentTarget.closest('ul');
              if (list !== null) show(list, title);
            }}
          >
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Settings that the core stores. `children` come between the common and the technical ones. */
function CoreSettings({ children }: { readonly children: ReactNode }) {
  const client = useClient();
  const queries = useQueryClient();
  const isViewOnly = useIsCommandRefused('settings.set');
  const [problem, setProblem] = useState<string | null>(null);
  const settings = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => client.settings.get({}, { signal }) });
  const path = useQuery({
    queryKey: ['settings', 'path'],
    queryFn: ({ signal }) => client.settings.path(undefined, { signal }),
  });
  const save = async (key: string, value: unknown): Promise<void> => {
    setProblem(null);
    try {
      await client.settings.set({ key, value });
    } catch (error) {
      setProblem(`${t('settings.notSaved')} ${failureText(error)}`);
    }
    await queries.invalidateQueries({ queryKey: ['settings'] });
    await queries.invalidateQueries({ queryKey: ['models'] });
  };
  const onSave = (key: string, value: unknown): void => void save(key, value);
  return (
    <>
      {settings.isPending && <Empty>{t('settings.loading')}</Empty>}
      {settings.error !== null && (
        <Problem text={`${t('settings.failed')} ${failureText(settings.error)}`} onRetry={settings.refetch} />
      )}
      {/* The setting that was not saved may be far down the page. */}
      {problem !== null && <Problem className="sticky top-2 z-10 max-md:top-12" text={problem} />}
      {isViewOnly && <ViewOnly text={t('settings.refused')} />}
      <AreSettingsViewOnly value={isViewOnly}>
        {settings.data !== undefined && <WorkSettings settings={settings.data} onSave={onSave} />}
      </AreSettingsViewOnly>
      {children}
      <AreSettingsViewOnly value={isViewOnly}>
        {settings.data !== undefined && <TechnicalSettings settings={settings.data} onSave={onSave} />}
      </AreSettingsViewOnly>
      {path.data !== undefined && (
        <p className="-mt-4 text-sm text-soft wrap-anywhere">
          {t('settings.file')}: <span className="font-mono">{folderText(path.data.path)}</span>
        </p>
      )}
    </>
  );
}

export function LookSettings() {
  const [chosenTheme, setTheme] = useStoredValue(theme);
  const [size, setSize] = useStoredValue(textSize);
  const [chosenDensity, setDensity] = useStoredValue(density);
  const [chosenMotion, setMotion] = useStoredValue(motion);
  const [isShown, setIsShown] = useStoredValue(areStepsShown);
  return (
    <Group title={t('settings.look')}>
      <Choice
        label={t('settings.theme')}
        hint={t('settings.theme.hint')}
        value={chosenTheme}
        options={themes.map((value) => ({ value, text: t(`settings.theme.${value}`) }))}
        onChange={setTheme}
      />
      <Choice
        label={t('settings.textSize')}
        hint={t('settings.textSize.hint')}
        value={size}
        options={textSizes.map((value) => ({ value, text: t(`settings.textSize.${value}`) }))}
        onChange={setSize}
      />
      <Choice
        label={t('settings.density')}
        hint={t('settings.density.hint')}
        value={chosenDensity}
        options={densities.map((value) => ({ value, text: t(`settings.density.${value}`) }))}
        onChange={setDensity}
      />
      <Choice
        label={t('settings.motion')}
        hint={t('settings.motion.hint')}
        value={chosenMotion}
        options={motions.map((value) => ({ value, text: t(`settings.motion.${value}`) }))}
        onChange={setMotion}
      />
      <Choice
        label={t('settings.steps')}
        hint={t('settings.steps.hint')}
        value={isShown ? 'always' : 'folded'}
        options={(['folded', 'always'] as const).map((value) => ({ value, text: t(`settings.steps.${value}`) }))}
        onChange={(value) => setIsShown(value === 'always')}
      />
    </Group>
  );
}
