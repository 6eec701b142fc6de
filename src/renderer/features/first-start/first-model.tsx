import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { SuggestedModel } from '@shared/models/model-suggestion.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { startModelDownload, useModelDownloads } from '../../lib/models/model-downloads.ts';
import { useTakeOver, useTakeOvers } from '../../lib/models/take-over.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { isBetterModelWanted } from '../../lib/window/preferences.ts';
import { useStoredValue } from '../../lib/window/stored-value.ts';
import { Button } from '../../ui/controls/button.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TakeOverState } from '../../ui/notices/take-over-state.tsx';

interface FirstModelProps {
  /** The model in the settings. */
  readonly id: string;
  /** Null: no provider knows it. */
  readonly model: ModelEntry | null;
}

/** One button: use a model that is already here, or download the small one and then the better one. */
export function FirstModel({ id, model }: FirstModelProps) {
  const models = useModels().data ?? [];
  const better = useBetterModel(model);
  const isDownloading = useModelDownloads().has(id);
  const isRefused = useIsCommandRefused('settings.set');
  if (model === null) return <p className="text-sm">{t('first.model.none', { id: seenName(id) })}</p>;
  if (model.state === 'ready') {
    return (
      <>
        <p className="flex items-center gap-2 text-sm">
          <Icon name="check" className="size-4" /> {t('first.model.ready', { label: seenName(model.label) })}
        </p>
        {better !== null && <BetterModel better={better} />}
      </>
    );
  }
  const other = models.find(({ where, state }) => where === 'local' && state === 'ready') ?? null;
  if (other !== null && !isDownloading && !isRefused) return <ModelThatIsHere other={other} starter={model} />;
  return <Starter model={model} better={better} />;
}

/**
 * The best model for this machine, if it is larger than the current one and not downloaded yet. Null where the page
 * cannot make it the model of the settings.
 */
function useBetterModel(model: ModelEntry | null): SuggestedModel | null {
  const client = useClient();
  const suggested = useQuery({
    queryKey: ['models', 'suggested'],
    queryFn: ({ signal }) => client.models.suggest({}, { signal }),
  });
  const isRefused = useIsCommandRefused('settings.set');
  const best = suggested.data?.models[0] ?? null;
  if (isRefused || best === null || best.readyAs !== null || best.sizeBytes === null) return null;
  return best.sizeBytes > (model?.sizeBytes ?? 0) ? best : null;
}

/** Downloads the better model and switches to it once it has passed its test, whatever the window shows by then. */
function useFetchBetter(): (better: SuggestedModel) => Promise<void> {
  const client = useClient();
  const queries = useQueryClient();
  const takeOver = useTakeOver();
  return async (better) => {
    if (!(await startModelDownload(client, better.source))) return;
    await queries.invalidateQueries({ queryKey: ['models'] });
    await takeOver(better.model);
  };
}

function Starter({ model, better }: { readonly model: ModelEntry; readonly better: SuggestedModel | null }) {
  const [isBetterWanted, setIsBetterWanted] = useStoredValue(isBetterModelWanted);
  const fetch = useFetchBetter();
  const navigate = useNavigate();
  /** Whether the pressed button named the better model. A later suggestion is offered afterwards. */
  const [wasNamed, setWasNamed] = useState(true);
  const hasFailed = typeof useModelDownloads().get(model.id)?.problem === 'string';
  const size = model.sizeBytes === null ? '?' : bytes(model.sizeBytes);
  const then = async (): Promise<void> => {
    if (better !== null && isBetterModelWanted.get()) await fetch(better);
  };
  return (
    <div className="flex flex-col items-start gap-3">
      <DownloadControl
        id={model.id}
        label={
          better !== null && isBetterWanted
            ? t('first.model.getBoth', { size, better: sizeOf(better) })
            : t('first.model.get', { size })
        }
        isFirst
        onStart={() => setWasNamed(better !== null)}
        onHere={then}
      />
      {hasFailed && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          {t('first.model.without')}
          <Button size="small" onClick={() => navigate({ type: 'models' })}>
            {t('hint.models')}
          </Button>
        </p>
      )}
      <p className="text-sm text-soft">{t('first.model.about', { label: seenName(model.label) })}</p>
      {better !== null && wasNamed && (
        <label className="flex items-start gap-2 text-sm text-soft">
          <input
            type="checkbox"
            checked={isBetterWanted}
            onChange={({ target }) => setIsBetterWanted(target.checked)}
            className="mt-0.5 size-4 shrink-0 accent-ink"
          />
          {t('first.better', { label: seenName(better.label), size: sizeOf(better) })}
        </label>
      )}
    </div>
  );
}

function BetterModel({ better }: { readonly better: SuggestedModel }) {
  const state = useTakeOvers().get(better.model);
  const isDownloading = useModelDownloads().has(better.source);
  const takeOver = useTakeOver();
  const name = { label: seenName(better.label), size: sizeOf(better) };
  return (
    <div className="flex flex-col items-start gap-2 text-sm text-soft">
      <p>{t(isDownloading ? 'first.better.coming' : 'first.better.offer', name)}</p>
      {state !== undefined && <TakeOverState state={state} />}
      {state === undefined && (
        <DownloadControl
          id={better.source}
          label={t('suggest.get', { model: name.label })}
          onHere={() => takeOver(better.model)}
        />
      )}
    </div>
  );
}

/** No download is needed: Ollama or another server has a model. */
function ModelThatIsHere({ other, starter }: { readonly other: ModelEntry; readonly starter: ModelEntry }) {
  const client = useClient();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const use = async (): Promise<void> => {
    setProblem(null);
    try {
      await client.settings.set({ key: 'local', value: other.id });
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(`${t('settings.notSaved')} ${failureText(error)}`);
    }
  };
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <Button look="primary" className="max-w-full" onClick={() => void use()}>
        <span className="truncate">{t('first.model.use', { label: seenName(other.label) })}</span>
      </Button>
      <p className="text-soft">{t('first.model.here')}</p>
      {problem !== null && <Problem text={problem} />}
      <DownloadControl
        id={starter.id}
        label={t('first.model.instead', {
          label: seenName(starter.label),
          size: starter.sizeBytes === null ? '?' : bytes(starter.sizeBytes),
        })}
      />
    </div>
  );
}

function sizeOf({ sizeBytes, isSizeExact }: SuggestedModel): string {
  const size = bytes(sizeBytes ?? 0);
  return isSizeExact ? size : t('suggest.about', { value: size });
}
