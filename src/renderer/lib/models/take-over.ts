import { useQueryClient } from '@tanstack/react-query';
import type { CoreClient } from '../connection/core-client.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { failureText } from '../connection/failure-text.ts';
import { useClient } from '../connection/core-context.ts';
import { announce } from '../notices/announce.ts';
import { t } from '../text/translate.ts';
import { createSharedValue, setEntry, useSharedValue } from '../window/shared-value.ts';

/** A downloaded model that is about to become the local model. This goes on whatever the window shows. */
export type TakeOver =
  | { readonly state: 'testing' | 'not-passed' }
  | { readonly state: 'failed'; readonly why: string };

const takeOvers = createSharedValue<ReadonlyMap<string, TakeOver>>(new Map());

export function useTakeOvers(): ReadonlyMap<string, TakeOver> {
  return useSharedValue(takeOvers);
}

/** Makes a downloaded model the local model if it passes its probe. Then reloads everything on the page. */
export function useTakeOver(): (id: string) => Promise<void> {
  const client = useClient();
  const queries = useQueryClient();
  return async (id) => {
    await takeOver(client, id);
    await queries.invalidateQueries();
  };
}

/** Probes a downloaded model and makes it the local model if it passes. Returns true if it did. */
export async function takeOver(client: CoreClient, id: string): Promise<boolean> {
  if (takeOvers.get().get(id)?.state === 'testing') return false;
  setEntry(takeOvers, id, { state: 'testing' });
  try {
    let hasPassed = false;
    for await (const { card } of await client.models.probe({ id })) hasPassed = (card?.strategies.length ?? 0) > 0;
    if (hasPassed) {
      await client.settings.set({ key: 'local', value: id });
      announce({ kind: 'info', text: t('suggest.tookOver', { model: seenName(id.slice(id.indexOf('/') + 1)) }) });
    }
    setEntry(takeOvers, id, hasPassed ? null : { state: 'not-passed' });
    return hasPassed;
  } catch (error) {
    setEntry(takeOvers, id, { state: 'failed', why: failureText(error) });
    return false;
  }
}
