import { lazy, Suspense, useRef, useState } from 'react';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import type { ListFilter } from '../../lib/session/list-filter.ts';
import { filterTexts, noFilter } from '../../lib/session/list-filter.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';

const FilterMenu = lazy(() => import('./filter-menu.tsx'));

interface FilterButtonProps {
  readonly sessions: readonly SessionSummary[];
  readonly filter: ListFilter;
  readonly onFilter: (filter: ListFilter) => void;
  /** Starts choosing several sessions. */
  readonly onSelect: () => void;
}

export function FilterButton({ sessions, filter, onFilter, onSelect }: FilterButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const isOn = Object.keys(filter).length > 0;
  return (
    <>
      <Button
        ref={button}
        look="quiet"
        size="icon"
        aria-label={t(isOn ? 'filter.labelOn' : 'filter.label')}
        title={t('filter.label')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={isOn ? 'text-ink' : 'text-soft'}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="filter" />
      </Button>
      {isOpen && (
        <Suspense>
          <FilterMenu
            {...{ sessions, filter, onFilter }}
            anchor={button}
            onSelect={() => {
              setIsOpen(false);
              onSelect();
            }}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

interface FilterLineProps {
  readonly filter: ListFilter;
  /** Number of sessions that match. */
  readonly count: number;
  readonly onFilter: (filter: ListFilter) => void;
}

/** The active filter, and a button to clear it. */
export function FilterLine({ filter, count, onFilter }: FilterLineProps) {
  const texts = filterTexts(filter);
  if (texts.length === 0) return null;
  return (
    <div className="flex items-center gap-1 rounded-md bg-chosen pl-2 text-xs">
      <output className="min-w-0 flex-1 py-1 wrap-anywhere">
        {t('filter.on', { count, filters: texts.join(' · ') })}
      </output>
      <Button
        look="quiet"
        size="icon"
        className="size-7!"
        aria-label={t('filter.clear')}
        title={t('filter.clear')}
        onClick={() => onFilter(noFilter)}
      >
        <Icon name="close" className="size-3.5" />
      </Button>
    </div>
  );
}
