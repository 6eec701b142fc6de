import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { hubName } from '../../lib/models/hub-name.ts';
import { dropFailedDownloads, useModelDownloads } from '../../lib/models/model-downloads.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import { HubChoice } from './hub-choice.tsx';
import { HubHits } from './hub-hits.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

interface HubModelsProps {
  /** The models in the list above. */
  readonly models: readonly ModelEntry[];
  readonly usedId: unknown;
  readonly onUse: (id: string) => void;
}

/** Models from a hub by words or by their names. Says what fits on this machine before anything is downloaded. */
export function HubModels({ models, usedId, onUse }: HubModelsProps) {
  const client = useClient();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const [words, setWords] = useState<string | null>(null);
  const name = hubName(typed);
  const typedWords = typed.trim();
  const found = useQuery({
    queryKey: ['hub', asked],
    queryFn: ({ signal }) => client.models.show({ id: asked ?? '' }, { signal }),
    enabled: asked !== null,
    staleTime: 300_000,
  });
  const hits = useHits(words);
  // What names a repository wrongly, such as a path or another address, is not searched for.
  const isTypedWrong = name === null && /[/:\\]/u.test(typedWords);
  const isTyped = name !== null || (typedWords !== '' && typedWords.length <= 200 && !isTypedWrong);
  const look = (event: FormEvent): void => {
    event.preventDefault();
    if (!isTyped) return;
    dropFailedDownloads();
    if (name === null) {
      setAsked(null);
      if (typedWords === words) void hits.refetch();
      else setWords(typedWords);
    } else if (name === asked) void found.refetch();
    else setAsked(name);
  };
  const see = (id: string): void => {
    setTyped(id.slice(3));
    setAsked(id);
  };
  const isAsking = found.isFetching || hits.isFetching;
  // An error about one name is not shown beside the next one, nor beside an earlier result.
  const isAbout = name === asked && !found.isFetching;
  const entry = found.error === null ? found.data : undefined;
  const offered = entry?.choices?.map(({ id }) => id) ?? [];
  return (
    <section aria-label={t('hub.title')} className="flex flex-col gap-3">
      <form aria-label={t('hub.title')} onSubmit={look} className="grid items-end gap-3 sm:grid-cols-[1fr_auto]">
        <InputField
          label={t('hub.name')}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          placeholder={t('hub.example')}
          aria-invalid={isTypedWrong}
          onText={setTyped}
        />
        {/* Each button has its own key. A button that changes under a click would do the other one's action. */}
        {isAsking ? (
          <Button
            key="cancel"
            onClick={() => {
              setAsked(null);
              if (hits.isFetching) setWords(null);
            }}
          >
            {t('models.cancel')}
          </Button>
        ) : (
          <Button key="look" type="submit" disabled={!isTyped}>
            {t('hub.look')}
          </Button>
        )}
      </form>
      <output className="text-xs text-soft">
        {t(hubStatus({ isLooking: found.isFetching, isSearching: hits.isFetching, isTypedWrong }))}
      </output>
      {found.error !== null && isAbout && <Problem text={failureText(found.error)} onRetry={found.refetch} />}
      {entry !== undefined && <Found {...{ models, usedId, onUse }} entry={entry} />}
      {asked === null && words !== null && <WordHits {...{ words, hits }} onSee={see} />}
      <OtherPulls shown={offered} />
    </section>
  );
}

/** What the hub has for these words. Null: nothing is asked. */
function useHits(words: string | null) {
  const client = useClient();
  return useQuery({
    queryKey: ['hub-search', words],
    queryFn: ({ signal }) => client.models.search({ words: words ?? '' }, { signal }),
    enabled: words !== null,
    staleTime: 300_000,
  });
}

interface WordHitsProps {
  readonly words: string;
  readonly hits: ReturnType<typeof useHits>;
  readonly onSee: (id: string) => void;
}

function WordHits({ words, hits: { data, error, refetch }, onSee }: WordHitsProps) {
  if (error !== null) return <Problem text={failureText(error)} onRetry={refetch} />;
  return data === undefined ? null : <HubHits hits={data} words={words} onSee={onSee} />;
}

function hubStatus(is: {
  readonly isLooking: boolean;
  readonly isSearching: boolean;
  readonly isTypedWrong: boolean;
}): 'hub.looking' | 'hub.searching' | 'hub.wrongName' | 'hub.text' {
  if (is.isLooking) return 'hub.looking';
  if (is.isSearching) return 'hub.searching';
  return is.isTypedWrong ? 'hub.wrongName' : 'hub.text';
}

/** The files of a repository, smallest first. */
function Found({ entry, ...of }: HubModelsProps & { readonly entry: ModelEntry }) {
  const choices = entry.choices ?? [];
  return (
    <div className="rounded-xl border border-line" data-hub={entry.id}>
      <div className="border-b border-line p-4">
        <p className="font-semibold wrap-anywhere">{seenName(entry.id.slice(3))}</p>
        <p className="text-xs text-soft wrap-anywhere">
          {t('hub.license', { license: seenName(entry.license ?? t('hub.noLicense')) })}
          {entry.note !== null && ` · ${seenWords(entry.note)}`}
        </p>
        {choices.every(({ fits }) => fits === false) && (
          <p className="mt-1 text-xs font-semibold text-warn">{t('hub.nothingFits')}</p>
        )}
      </div>
      <ul className="divide-y divide-line">
        {choices.map((choice) => (
          <HubChoice key={choice.id} {...of} choice={choice} />
        ))}
      </ul>
    </div>
  );
}

/** Downloads go on when the user looks at another name. */
function OtherPulls({ shown }: { readonly shown: readonly string[] }) {
  const others = [...useModelDownloads().keys()].filter((id) => id.startsWith('hf:') && !shown.includes(id));
  if (others.length === 0) return null;
  return (
    <ul aria-label={t('hub.pulls')} className="divide-y divide-line rounded-xl border border-line">
      {others.map((id) => (
        <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4" data-pull={id}>
          <p className="min-w-0 flex-1 basis-48 font-mono text-xs wrap-anywhere">{seenName(id.slice(3))}</p>
          <DownloadControl id={id} />
        </li>
      ))}
    </ul>
  );
}
