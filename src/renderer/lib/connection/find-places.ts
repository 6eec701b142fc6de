import { createContext, useMemo } from 'react';
import type { CitedPlace } from '@shared/documents/cited-part.ts';
import type { CoreClient } from './core-client.ts';
import { useClient } from './core-context.ts';
import { useStableCallback } from '../drawing/use-stable-callback.ts';

/** The places in documents that the answers of a session cite. */
export interface CitedPlaces {
  readonly sessionId: string;
  /** Whether the place is there. Places that are asked for at about the same time share a call. */
  readonly find: (place: CitedPlace) => Promise<boolean>;
  readonly show: (place: CitedPlace) => void;
}

/** Null: citations do not open here. */
export const CitedPlacesContext = createContext<CitedPlaces | null>(null);

export function useCitedPlaces(sessionId: string, onShow: (place: CitedPlace) => void): CitedPlaces {
  const client = useClient();
  const show = useStableCallback(onShow);
  return useMemo(() => ({ sessionId, show, find: placeFinder(client, sessionId) }), [client, sessionId, show]);
}

interface Asked {
  readonly place: CitedPlace;
  readonly resolve: (isThere: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const gatherMs = 30;
const mostAtOnce = 50;

export function placeFinder(client: Pick<CoreClient, 'documents'>, sessionId: string): CitedPlaces['find'] {
  let waiting: Asked[] = [];
  const ask = async (): Promise<void> => {
    const now = waiting.splice(0, mostAtOnce);
    if (waiting.length > 0) void ask();
    try {
      const found = await client.documents.find({ sessionId, places: now.map(({ place }) => place) });
      for (const [index, { resolve }] of now.entries()) resolve(found[index] === true);
    } catch (error) {
      for (const { reject } of now) reject(error);
    }
  };
  return (place) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(() => void ask(), gatherMs);
      waiting = [...waiting, { place, resolve, reject }];
    });
}
