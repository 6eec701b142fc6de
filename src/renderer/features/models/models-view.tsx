import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { Empty } from '../../ui/layout/facts.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { Endpoints } from './endpoints.tsx';
import { GraphicsCards } from './graphics-cards.tsx';
import { HubModels } from './hub-models.tsx';
import { ImportModel } from './import-model.tsx';
import { ModelRow } from './model-row.tsx';
import { OwnLlamaServer } from './own-llama-server.tsx';
import { SuggestedModels } from './suggested-models.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import type { View } from '../../lib/window/use-view.ts';

/** Models that can be called and models that can be downloaded, by place. */
export default function ModelsView({ at }: { readonly at?: Extract<View, { readonly type: 'models' }>['at'] }) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('settings.set');
  const models = useModels();
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => client.settings.get({}, { signal }),
  });
  const [problem, setProblem] = useState<string | null>(null);
  const use = async ({ where, id }: Pick<ModelEntry, 'where' | 'id'>): Promise<void> => {
    setProblem(null);
    try {
      await client.settings.set({ key: where, value: id });
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(`${t('settings.notSaved')} ${failureText(error)}`);
    }
  };
  const reload = (): void => void queries.invalidateQueries({ queryKey: ['models'] });
  const all = models.data ?? [];
  const places = (['local', 'cloud'] as const).map((where) => ({
    where,
    models: all.filter((model) => model.where === where),
  }));
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-5 py-8">
        <ViewHeader title={t('models.title')} text={t('models.text')} />
        {isRefused && <ViewOnly text={t('models.refused')} />}
        {problem !== null && <Problem text={problem} />}
        <GraphicsCards />
        <SuggestedModels usedId={fieldOf(settings.data, 'local')} onUse={(id) => void use({ where: 'local', id })} />
        {models.isPending && <Empty>{t('models.loading')}</Empty>}
        {models.error !== null && (
          <Problem text={`${t('models.failed')} ${failureText(models.error)}`} onRetry={models.refetch} />
        )}
        {models.data !== undefined &&
          places.map((place) => (
            <Place key={place.where} {...place} settings={settings.data} onUse={use} onChanged={reload} />
          ))}
        <OwnLlamaServer isWanted={at === 'llama-server'} />
        <Endpoints isWanted={at === 'endpoints'} />
      </div>
    </div>
  );
}

interface PlaceProps {
  readonly where: ModelEntry['where'];
  readonly models: readonly ModelEntry[];
  readonly settings: unknown;
  readonly onUse: (model: Pick<ModelEntry, 'where' | 'id'>) => Promise<void>;
  readonly onChanged: () => void;
}

function Place({ where, models, settings, onUse, onChanged }: PlaceProps) {
  return (
    <section aria-label={t(`models.${where}`)}>
      <h2 className="mb-2 text-xs font-semibold text-soft">{t(`models.${where}`)}</h2>
      {models.length === 0 && (
        <p className="text-sm text-soft">{t(where === 'cloud' ? 'models.noCloud' : 'models.none')}</p>
      )}
      <ul className="divide-y divide-line rounded-xl border border-line empty:hidden">
        {models.map((model) => (
          <ModelRow
            key={model.id}
            model={model}
            isUsed={fieldOf(settings, where) === model.id}
            onUse={() => void onUse(model)}
            onChanged={onChanged}
          />
        ))}
      </ul>
      {where === 'local' && (
        <div className="mt-4 flex flex-col gap-5">
          <HubModels models={models} usedId={fieldOf(settings, where)} onUse={(id) => void onUse({ where, id })} />
          <ImportModel models={models} onDone={onChanged} />
        </div>
      )}
    </section>
  );
}
