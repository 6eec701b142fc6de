import { useEffect, useRef } from 'react';
import { IconButton } from './icon-button.tsx';
import { t } from '../../lib/text/translate.ts';

interface OrderedItem {
  readonly id: string;
  readonly name: string;
  /** Its state, shown beside the name. Empty: nothing. */
  readonly note: string;
}

interface OrderedListProps {
  readonly label: string;
  readonly items: readonly OrderedItem[];
  /** The ids in their new order. Absent: the list cannot be changed. */
  readonly onChange?: (ids: readonly string[]) => void;
}

/** A list whose order the user sets with buttons. The button that was pressed keeps the focus as its row moves. */
export function OrderedList({ label, items, onChange }: OrderedListProps) {
  const place = useRef<HTMLOListElement>(null);
  const moved = useRef<{ readonly id: string; readonly way: Way } | null>(null);
  const ids = items.map(({ id }) => id);
  useEffect(() => {
    if (moved.current === null) return;
    const { id, way } = moved.current;
    moved.current = null;
    const row = [...(place.current?.children ?? [])].find((one) => one.getAttribute('data-id') === id);
    row?.querySelector<HTMLElement>(`[data-way=${way}]`)?.focus();
  }, [items]);
  const move = (id: string, way: Way): void => {
    const from = ids.indexOf(id);
    const to = way === 'up' ? from - 1 : from + 1;
    const other = ids[to];
    if (other === undefined) return;
    moved.current = { id, way };
    onChange?.(ids.map((one, at) => (at === from ? other : at === to ? id : one)));
  };
  return (
    <ol ref={place} aria-label={label} className="flex flex-col divide-y divide-line rounded-md border border-line">
      {items.map(({ id, name, note }, at) => (
        <li key={id} data-id={id} className="flex min-h-9 items-center gap-2.5 py-1 pr-1 pl-3 text-sm">
          <span aria-hidden="true" className="w-4 shrink-0 text-soft tabular-nums">
            {at + 1}
          </span>
          <span className="min-w-0 flex-1 wrap-anywhere">
            {name} {note !== '' && <span className="text-soft">{note}</span>}
          </span>
          {onChange !== undefined && (
            <span className="flex shrink-0">
              {ways.map((way) => (
                <IconButton
                  key={way}
                  icon={way}
                  data-way={way}
                  label={t(`order.${way}`, { name })}
                  // Not `disabled`, so that the focus stays on it at the end of the list.
                  aria-disabled={at === (way === 'up' ? 0 : items.length - 1)}
                  onClick={() => move(id, way)}
                />
              ))}
              <IconButton
                icon="close"
                label={t('order.remove', { name })}
                onClick={() => onChange(ids.filter((one) => one !== id))}
              />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

const ways = ['up', 'down'] as const;
type Way = (typeof ways)[number];
