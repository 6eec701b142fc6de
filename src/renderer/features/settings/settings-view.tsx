import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Action } from '../../lib/input/actions.ts';
import type { View } from '../../lib/window/use-view.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Empty } from '../../ui/layout/facts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { StoredData } from './stored-data.tsx';
import { ApiKeys } from './api-keys.tsx';
import { MachineChecks } from './machine-checks.tsx';
import { ShortcutSettings } from './shortcut-settings.tsx';
import { WorkSettings } from './work-settings.tsx';
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
import { useStored } from '../../lib/window/stored-value.ts';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';

interface SettingsViewProps {
  readonly view: Extract<View, { readonly type: 'settings' }>;
  /** Shown with their keys. */
  readonly actions: readonly Action[];
  /** The rules, and what other features have of settings. */
  readonly children: ReactNode;
}

export function SettingsView({ view: { at }, actions, children }: SettingsViewProps) {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-5 py-8">
        <ViewHeader title={t('settings.title')} />
        <LookSettings />
        <CoreSettings />
        {children}
        <ApiKeys isWanted={at === 'keys'} />
        <MachineChecks isWanted={at === 'machine'} />
        <StoredData />
        <ShortcutSettings actions={actions} isWanted={at === 'shortcuts'} />
      </div>
    </div>
  );
}

function CoreSettings() {
  const client = useClient();
  const queries = useQueryClient();
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
  if (settings.isPending) return <Empty>{t('settings.loading')}</Empty>;
  if (settings.error !== null) {
    return <Problem text={`${t('settings.failed')} ${failureText(settings.error)}`} onRetry={settings.refetch} />;
  }
  return (
    <>
      {/* What was not saved may be far down. */}
      {problem !== null && <Problem className="sticky top-2 z-10 max-md:top-12" text={problem} />}
      <WorkSettings settings={settings.data} onSave={(key, value) => void save(key, value)} />
      {path.data !== undefined && (
        <p className="-mt-4 text-sm text-soft wrap-anywhere">
          {t('settings.file')}: <span className="font-mono">{folderText(path.data.path)}</span>
        </p>
      )}
    </>
  );
}

export function LookSettings() {
  const [chosenTheme, setTheme] = useStored(theme);
  const [size, setSize] = useStored(textSize);
  const [chosenDensity, setDensity] = useStored(density);
  const [chosenMotion, setMotion] = useStored(motion);
  const [isShown, setIsShown] = useStored(areStepsShown);
  return (
    <Group title={t('settings.look')}>
      <Choice
        label={t('settings.theme')}
        value={chosenTheme}
        options={themes.map((value) => ({ value, text: t(`settings.theme.${value}`) }))}
        onChange={setTheme}
      />
      <Choice
        label={t('settings.textSize')}
        value={size}
        options={textSizes.map((value) => ({ value, text: t(`settings.textSize.${value}`) }))}
        onChange={setSize}
      />
      <Choice
        label={t('settings.density')}
        value={chosenDensity}
        options={densities.map((value) => ({ value, text: t(`settings.density.${value}`) }))}
        onChange={setDensity}
      />
      <Choice
        label={t('settings.motion')}
        value={chosenMotion}
        options={motions.map((value) => ({ value, text: t(`settings.motion.${value}`) }))}
        onChange={setMotion}
      />
      <Choice
        label={t('settings.steps')}
        value={isShown ? 'always' : 'folded'}
        options={(['folded', 'always'] as const).map((value) => ({ value, text: t(`settings.steps.${value}`) }))}
        onChange={(value) => setIsShown(value === 'always')}
      />
    </Group>
  );
}
