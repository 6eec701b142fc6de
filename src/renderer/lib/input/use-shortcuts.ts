import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { announce } from '../notices/announce.ts';
import { useClient } from '../connection/core-context.ts';
import { failureText } from '../connection/failure-text.ts';
import { writeStoredText, readStoredText } from '../window/stored-value.ts';
import { t } from '../text/translate.ts';
import { jsonIn } from '@shared/text/json-in.ts';

/** Shortcuts by the id of the action. */
export type Shortcuts = Readonly<Record<string, string>>;

const none: Shortcuts = {};
const queryKey = ['settings', 'shortcuts'];
/** Their storage key from before they were settings. */
const oldPlace = 'dewpoint-shortcuts';

/** The user's own shortcuts, the same in every window and browser of this home. */
export function useShortcuts(): readonly [Shortcuts, (own: Shortcuts) => void] {
  const client = useClient();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => shortcutsOf(await client.settings.get({ key: 'shortcuts' }, { signal })),
  });
  const set = (own: Shortcuts): void => {
    const before = data;
    queries.setQueryData(queryKey, own);
    client.settings.set({ key: 'shortcuts', value: own }).catch((error: unknown) => {
      queries.setQueryData(queryKey, before);
      announce({ kind: 'error', text: `${t('settings.notSaved')} ${failureText(error)}` });
    });
  };
  useEffect(() => {
    const kept = data === undefined ? null : readStoredText(oldPlace);
    if (kept === null || data === undefined) return;
    writeStoredText(oldPlace, '');
    if (Object.keys(data).length === 0) set(shortcutsOf(jsonIn(kept)));
    // `set` changes with every render, and this must run once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [data]);
  return [data ?? none, set];
}

/** Entries of another shape are left out. */
function shortcutsOf(value: unknown): Shortcuts {
  if (typeof value !== 'object' || value === null) return none;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  return Object.fromEntries(entries.flatMap(([id, keys]) => (typeof keys === 'string' ? [[id, keys] as const] : [])));
}
