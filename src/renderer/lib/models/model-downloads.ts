import { createDownloadTimeLeft } from '@shared/models/download-time-left.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { failureText } from '../connection/failure-text.ts';
import { createSharedValue, setEntry, useSharedValue } from '../window/shared-value.ts';
import type { PullProgress } from '@shared/contract/models-contract.ts';

/** A download of a model. It goes on whatever the window shows. */
export interface ModelDownload {
  readonly progress: PullProgress | null;
  /** Milliseconds that are left; null when not known yet. */
  readonly leftMs: number | null;
  /** Why it stopped; null while it runs. */
  readonly problem: string | null;
}

const downloads = createSharedValue<ReadonlyMap<string, ModelDownload>>(new Map());
const stops = new Map<string, AbortController>();

export function useModelDownloads(): ReadonlyMap<string, ModelDownload> {
  return useSharedValue(downloads);
}

/** Resolves when the download has ended; true: the model is here. A second call during the download does nothing. */
export async function startModelDownload(client: CoreClient, id: string): Promise<boolean> {
  if (stops.has(id)) return false;
  const stop = new AbortController();
  stops.set(id, stop);
  const timeLeft = createDownloadTimeLeft();
  setEntry(downloads, id, { progress: null, leftMs: null, problem: null });
  try {
    for await (const progress of await client.models.pull({ id }, { signal: stop.signal })) {
      setEntry(downloads, id, { progress, leftMs: timeLeft(progress, performance.now()), problem: null });
    }
    setEntry(downloads, id, null);
    return true;
  } catch (error) {
    setEntry(downloads, id, stop.signal.aborted ? null : { progress: null, leftMs: null, problem: failureText(error) });
    return false;
  } finally {
    stops.delete(id);
  }
}

export function cancelModelDownload(id: string): void {
  stops.get(id)?.abort();
}

/** Removes failed downloads when the user asks for something else. */
export function dropFailedDownloads(): void {
  for (const [id, { problem }] of downloads.get()) if (problem !== null) setEntry(downloads, id, null);
}
