import type { FoundRepository } from '@shared/contract/models-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';

interface HubHitsProps {
  readonly hits: readonly FoundRepository[];
  readonly words: string;
  readonly onSee: (id: string) => void;
}

/** What a search by words found, with a guess of its size and fit. The files of one say exactly what fits. */
export function HubHits({ hits, words, onSee }: HubHitsProps) {
  if (hits.length === 0) return <p className="text-sm text-soft">{t('hub.noHits', { words })}</p>;
  return (
    <ul aria-label={t('hub.hits')} className="divide-y divide-line rounded-xl border border-line">
      {hits.map((hit) => (
        <Hit key={hit.id} hit={hit} onSee={onSee} />
      ))}
    </ul>
  );
}

function Hit({ hit, onSee }: { readonly hit: FoundRepository } & Pick<HubHitsProps, 'onSee'>) {
  const { id, downloads, isGated, sizeBytes, fits } = hit;
  const name = seenName(id.slice(3));
  const facts = [
    ...(sizeBytes === null ? [] : [t('hub.aboutSize', { size: bytes(sizeBytes) })]),
    ...(downloads === null ? [] : [plural('hub.downloads', downloads, { count: downloads.toLocaleString('en-US') })]),
    ...(isGated ? [t('hub.gated')] : []),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4" data-hit={id}>
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
          <span className="font-semibold wrap-anywhere">{name}</span>
          <span className={`text-xs font-semibold ${fits === null ? 'text-soft' : fits ? 'text-good' : 'text-warn'}`}>
            {t(fits === null ? 'hub.unknown' : fits ? 'hub.mayFit' : 'hub.tooLarge')}
          </span>
        </p>
        {facts.length > 0 && <p className="text-xs text-soft">{facts.join(' · ')}</p>}
      </div>
      <Button size="small" aria-label={t('hub.seeOne', { name })} onClick={() => onSee(id)}>
        {t('hub.see')}
      </Button>
    </li>
  );
}
