import { useQuery } from '@tanstack/react-query';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';

/** Whether the built-in engine uses this machine's graphics cards, why, and the library that is missing. */
export function GraphicsCards() {
  const client = useClient();
  const found = useQuery({
    queryKey: ['models', 'cards'],
    queryFn: ({ signal }) => client.models.cards({}, { signal }),
  });
  if (found.error !== null)
    return <Problem text={`${t('cards.failed')} ${failureText(found.error)}`} onRetry={found.refetch} />;
  if (found.data === undefined || (found.data.reason === null && found.data.cards.length === 0)) return null;
  const { cards, isUsed, reason, advice, library } = found.data;
  const missing = library === null || library.isHere ? null : library;
  return (
    <section aria-label={t('cards.title')}>
      <h2 className="mb-2 text-xs font-semibold text-soft">{t('cards.title')}</h2>
      <div className="flex flex-col gap-2 rounded-xl border border-line p-4">
        {cards.map(({ name, totalBytes, source }) => (
          <p key={`${name} ${source}`} className="font-semibold wrap-anywhere">
            {t('cards.card', { name: seenName(name), size: bytes(totalBytes) })}
          </p>
        ))}
        <p className="text-sm">{t(isUsed ? 'cards.used' : 'cards.unused')}</p>
        {reason !== null && <p className="text-xs text-soft wrap-anywhere">{seenWords(reason)}</p>}
        {advice !== null && (
          <p className="text-xs text-soft wrap-anywhere">
            <TextWithCode text={seenWords(advice)} />
          </p>
        )}
        {missing !== null && (
          <DownloadControl
            id={missing.id}
            label={t('cards.get', { label: missing.label, size: bytes(missing.bytes), license: missing.license })}
          />
        )}
      </div>
    </section>
  );
}
