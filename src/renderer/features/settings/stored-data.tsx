import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { KeptItem } from '@shared/projects/project-preparation.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';

const keptKey = ['kept'];

/**
 * What Dewpoint stores besides models, and buttons to remove what is not needed, as in `dewpoint clean`. Measuring can
 * take a while, so it starts only on request.
 */
export function StoredData() {
  const client = useClient();
  const queries = useQueryClient();
  const kept = useQuery({
    queryKey: keptKey,
    queryFn: ({ signal }) => client.clean({ remove: 'nothing' }, { signal }),
    enabled: false,
  });
  const remove = useMutation({
    mutationFn: (images: boolean) => client.clean({ remove: 'unneeded', images }),
    onSuccess: (items) => {
      queries.setQueryData(
        keptKey,
        items.filter(({ isRemoved }) => !isRemoved),
      );
      const gone = items.filter(({ isRemoved }) => isRemoved);
      announce({
        kind: 'info',
        text: t('kept.removed', { items: plural('kept.items', gone.length), size: sizeOf(gone) }),
      });
    },
  });
  const isBusy = kept.isFetching || remove.isPending;
  return (
    <Group title={t('kept.title')}>
      <p className="text-sm text-soft">{t('kept.text')}</p>
      {kept.error !== null && <Problem text={failureText(kept.error)} onRetry={kept.refetch} />}
      {remove.error !== null && <Problem text={failureText(remove.error)} />}
      {kept.data !== undefined && <KeptItems items={kept.data} />}
      <div className="flex flex-wrap gap-2">
        <Button size="small" disabled={isBusy} onClick={() => void kept.refetch()}>
          {t(kept.isFetching ? 'settings.checking' : 'kept.look')}
        </Button>
        <RemoveButtons items={kept.data ?? []} isBusy={isBusy} onRemove={(images) => remove.mutate(images)} />
      </div>
    </Group>
  );
}

interface RemoveButtonsProps {
  readonly items: readonly KeptItem[];
  readonly isBusy: boolean;
  readonly onRemove: (images: boolean) => void;
}

/** Images take long to download or build again, so removing them has its own button. */
function RemoveButtons({ items, isBusy, onRemove }: RemoveButtonsProps) {
  const unneeded = items.filter(({ unneeded: why }) => why !== null);
  const others = unneeded.filter(({ kind }) => kind !== 'image');
  const hasImages = others.length < unneeded.length;
  return (
    <>
      {others.length > 0 && (
        <Button size="small" look="danger" disabled={isBusy} onClick={() => onRemove(false)}>
          {t('kept.remove', { size: sizeOf(others) })}
        </Button>
      )}
      {hasImages && (
        <Button size="small" look="danger" disabled={isBusy} onClick={() => onRemove(true)}>
          {t('kept.removeImages', { size: sizeOf(unneeded) })}
        </Button>
      )}
    </>
  );
}

function KeptItems({ items }: { readonly items: readonly KeptItem[] }) {
  if (items.length === 0) return <p className="text-sm">{t('kept.nothing')}</p>;
  return (
    <ul aria-label={t('kept.list')} className="flex flex-col divide-y divide-line text-sm">
      {items.map(({ kind, name, sizeBytes, unneeded }) => (
        <li key={`${kind} ${name}`} className="flex flex-wrap gap-x-4 py-1.5">
          <span className="min-w-0 flex-1 basis-64 wrap-anywhere">
            {seenName(name)}
            <span className="block text-xs text-soft">
              {unneeded === null ? t('kept.needed') : t('kept.unneeded', { why: seenWords(unneeded) })}
            </span>
          </span>
          <span className="shrink-0 tabular-nums">{sizeBytes === null ? t('kept.unknown') : bytes(sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}

function sizeOf(items: readonly KeptItem[]): string {
  return bytes(items.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0));
}
