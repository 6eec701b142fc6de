import type { SessionFilter } from '@shared/session/session-filter.ts';
import { money } from '../text/format.ts';
import { plural, t } from '../text/translate.ts';

/** Filters of the list of sessions, besides the project and the search text. */
export interface ListFilter extends Omit<SessionFilter, 'project' | 'since'> {
  /** Worked on in this many last days. */
  readonly days?: number;
}

export const noFilter: ListFilter = {};

export const daySpans = [1, 7, 30, 90] as const;

/** US dollars. */
export const costSteps = [0.01, 0.1, 1, 10] as const;

const dayMs = 24 * 60 * 60 * 1000;

export function sessionFilterOf({ days, ...filter }: ListFilter, project: string | null, now: number): SessionFilter {
  return {
    ...filter,
    ...(project === null ? {} : { project }),
    ...(days === undefined ? {} : { since: now - days * dayMs }),
  };
}

export function daysText(days: number): string {
  return plural('filter.days', days);
}

export function costText(usd: number): string {
  return t('filter.atLeast', { money: money(usd) });
}

/** The filters, a few words each. */
export function filterTexts(filter: ListFilter): readonly string[] {
  const { archived, isPinned, tag, model, place, minUsd, days } = filter;
  return [
    ...(archived === undefined ? [] : [t(archived === 'only' ? 'filter.show.archived' : 'filter.show.all')]),
    ...(isPinned === true ? [t('filter.show.pinned')] : []),
    ...(tag === undefined ? [] : [`#${tag}`]),
    ...(model === undefined ? [] : [model]),
    ...(place === undefined ? [] : [t(`filter.place.${place}`)]),
    ...(minUsd === undefined ? [] : [costText(minUsd)]),
    ...(days === undefined ? [] : [daysText(days)]),
  ];
}
