import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { LongLines } from '../../ui/content/long-lines.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** The line between two licenses. */
const rule = /^={80}$/mu;

/** The license texts of all that Dewpoint holds, with a search for a package or a word. */
export function Licenses() {
  const client = useClient();
  const [wanted, setWanted] = useState('');
  const found = useQuery({
    queryKey: ['home', 'licenses'],
    queryFn: ({ signal }) => client.home.licenses(undefined, { signal }),
    staleTime: Infinity,
  });
  const lines = useMemo(() => linesWith(found.data?.text ?? '', wanted), [found.data, wanted]);
  const lengthOf = useCallback((index: number) => lines[index]?.length ?? 0, [lines]);
  if (found.error !== null) return <Problem text={failureText(found.error)} onRetry={found.refetch} />;
  if (found.data === undefined) return <p className="text-sm text-soft">{t('settings.checking')}</p>;
  return (
    <>
      <p className="text-sm text-soft wrap-anywhere">
        {found.data.folder === null ? (
          t('about.licenses.checkout')
        ) : (
          <>
            {t('about.licenses.text')} <span className="font-mono">{folderText(found.data.folder)}</span>
          </>
        )}
      </p>
      <input
        type="search"
        aria-label={t('about.licenses.search')}
        placeholder={t('about.licenses.search')}
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
        className="h-8 w-full rounded-md border border-line-strong bg-raised px-2.5 text-sm"
      />
      {lines.length === 0 ? (
        <p className="text-sm">{t('about.licenses.none', { text: wanted })}</p>
      ) : (
        <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
          <LongLines
            // Starts from the beginning for another search.
            key={wanted}
            count={lines.length}
            lengthOf={lengthOf}
            isWrapped
            className="max-h-120 px-3 py-2 whitespace-pre-wrap wrap-anywhere"
            draw={(index) => (lines[index] === '' ? <br /> : lines[index])}
          />
        </figure>
      )}
    </>
  );
}

/** The lines of the licenses that have a text in them; all for an empty one. */
function linesWith(text: string, wanted: string): readonly string[] {
  const needle = wanted.trim().toLowerCase();
  const sections = text.split(rule).map((section) => section.trim());
  const fitting = sections.filter((section) => section !== '' && section.toLowerCase().includes(needle));
  return fitting.flatMap((section, index) => [
    ...(index === 0 ? [] : ['', '─'.repeat(24), '']),
    ...section.split('\n'),
  ]);
}
