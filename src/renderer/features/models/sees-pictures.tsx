import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isRecord } from '@shared/unknown-value.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { t } from '../../lib/text/translate.ts';
import { Problem } from '../../ui/notices/problem.tsx';

interface SeesPicturesProps {
  /** What it is, for people who hear the page. */
  readonly name: string;
  readonly isOn: boolean;
  /** Where the settings keep it. */
  readonly settingKey: readonly string[];
}

/** Whether models see pictures, as the user says. It holds from the next message on. */
export function SeesPictures({ name, isOn, settingKey }: SeesPicturesProps) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('settings.set');
  const [problem, setProblem] = useState<string | null>(null);
  const change = async (value: boolean): Promise<void> => {
    setProblem(null);
    try {
      await client.settings.set({ key: [...settingKey], value });
    } catch (error) {
      setProblem(`${t('settings.notSaved')} ${failureText(error)}`);
    }
    for (const key of ['settings', 'models', 'attachments']) await queries.invalidateQueries({ queryKey: [key] });
  };
  return (
    <>
      <label className="flex w-fit items-center gap-2 text-xs text-soft">
        <input
          type="checkbox"
          checked={isOn}
          disabled={isRefused}
          aria-label={t('pictures.of', { name })}
          onChange={({ target }) => void change(target.checked)}
          className="size-4 shrink-0 accent-ink"
        />
        {t('pictures.sees')}
      </label>
      {problem !== null && <Problem className="w-full" text={problem} />}
    </>
  );
}

/** The switch of one model. Nothing for a model whose provider is not in the settings, or keeps no models there. */
export function ModelSeesPictures({ model: { id, label, info } }: { readonly model: ModelEntry }) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['settings', 'providers', 'whole'],
    queryFn: ({ signal }) => client.settings.get({ key: 'providers' }, { signal }),
  });
  const cut = id.indexOf('/');
  const provider = id.slice(0, cut);
  const own = isRecord(data) ? data[provider] : undefined;
  if (info === null || info.use !== undefined || !isRecord(own) || !isRecord(own.models)) return null;
  const settingKey = ['providers', provider, 'models', id.slice(cut + 1), 'images'];
  return <SeesPictures name={label} isOn={info.capabilities.images === true} settingKey={settingKey} />;
}
