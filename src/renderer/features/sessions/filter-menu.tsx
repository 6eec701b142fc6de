import { Popover } from 'radix-ui';
import type { RefObject } from 'react';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { allTags } from '@shared/session/session-filter.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { ListFilter } from '../../lib/session/list-filter.ts';
import { costSteps, costText, daySpans, daysText, noFilter } from '../../lib/session/list-filter.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';

interface FilterMenuProps {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly sessions: readonly SessionSummary[];
  readonly filter: ListFilter;
  readonly onFilter: (filter: ListFilter) => void;
  readonly onSelect: () => void;
  readonly onClose: () => void;
}

/** All filters of the list in one place. */
export default function FilterMenu({ anchor, sessions, filter, onFilter, onSelect, onClose }: FilterMenuProps) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Popover.Anchor virtualRef={anchor} />
      <Popover.Content
        side="bottom"
        align="start"
        sideOffset={6}
        collisionPadding={8}
        aria-label={t('filter.label')}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          anchor.current?.focus();
        }}
        onInteractOutside={(event) => {
          // The button itself closes the menu.
          if (event.target instanceof Node && anchor.current?.contains(event.target) === true) event.preventDefault();
        }}
        className="z-40 flex max-h-(--radix-popover-content-available-height) w-[min(18rem,calc(100vw-1rem))] flex-col gap-2.5 overflow-y-auto rounded-xl border border-line bg-raised p-3 pr-0.5 text-sm shadow-float"
      >
        <Picks sessions={sessions} filter={filter} onFilter={onFilter} />
        <div className="flex flex-wrap justify-between gap-2 border-t border-line pt-3">
          <Button size="small" onClick={onSelect}>
            {t('action.select')}
          </Button>
          <Button
            size="small"
            look="quiet"
            disabled={Object.keys(filter).length === 0}
            onClick={() => onFilter(noFilter)}
          >
            {t('filter.clear')}
          </Button>
        </div>
      </Popover.Content>
    </Popover.Root>
  );
}

function Picks({ sessions, filter, onFilter }: Pick<FilterMenuProps, 'sessions' | 'filter' | 'onFilter'>) {
  const models = [...new Set(sessions.flatMap((session) => session.models))].sort();
  const { archived, isPinned, tag, model, place, minUsd, days, ...others } = filter;
  const now = { archived, isPinned, tag, model, place, minUsd, days };
  const set = (change: { readonly [Name in keyof ListFilter]?: ListFilter[Name] | undefined }): void => {
    const all = Object.entries({ ...others, ...now, ...change }).filter(([, value]) => value !== undefined);
    onFilter(Object.fromEntries(all));
  };
  return (
    <>
      <Pick
        label={t('filter.show')}
        value={archived ?? (isPinned === true ? 'pinned' : null)}
        none={t('filter.show.active')}
        options={[
          { value: 'pinned', text: t('filter.show.pinned') },
          { value: 'only', text: t('filter.show.archived') },
          { value: 'too', text: t('filter.show.all') },
        ]}
        onPick={(value) =>
          set({
            archived: value === 'only' || value === 'too' ? value : undefined,
            isPinned: value === 'pinned' ? true : undefined,
          })
        }
      />
      <Pick
        label={t('filter.tag')}
        value={tag ?? null}
        options={allTags(sessions).map((value) => ({ value, text: `#${value}` }))}
        onPick={(value) => set({ tag: value ?? undefined })}
      />
      <Pick
        label={t('filter.model')}
        value={model ?? null}
        options={models.map((value) => ({ value, text: seenName(value) }))}
        onPick={(value) => set({ model: value ?? undefined })}
      />
      <Pick
        label={t('filter.place')}
        value={place ?? null}
        options={(['local', 'cloud'] as const).map((value) => ({ value, text: t(`filter.place.${value}`) }))}
        onPick={(value) => set({ place: value === 'local' || value === 'cloud' ? value : undefined })}
      />
      <Pick
        label={t('filter.cost')}
        value={minUsd === undefined ? null : String(minUsd)}
        options={costSteps.map((usd) => ({ value: String(usd), text: costText(usd) }))}
        onPick={(value) => set({ minUsd: value === null ? undefined : Number(value) })}
      />
      <Pick
        label={t('filter.used')}
        value={days === undefined ? null : String(days)}
        options={daySpans.map((span) => ({ value: String(span), text: daysText(span) }))}
        onPick={(value) => set({ days: value === null ? undefined : Number(value) })}
      />
    </>
  );
}

interface PickProps {
  readonly label: string;
  /** Null: no filter. */
  readonly value: string | null;
  readonly none?: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onPick: (value: string | null) => void;
}

function Pick({ label, value, none = t('filter.any'), options, onPick }: PickProps) {
  // Values without a session are not offered, except the current one, so that it can be removed.
  const all =
    value === null || options.some((one) => one.value === value) ? options : [...options, { value, text: value }];
  return (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          value={value ?? ''}
          disabled={all.length === 0}

          onChange={({ target }) => onPick(target.value === '' ? null : target.value)}
        >
          <option value="">{none}</option>
          {all.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
