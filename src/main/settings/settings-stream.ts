import type { CoreApi } from '../server/core-api.ts';
import { createPushQueue } from '../lib/async/push-queue.ts';

/** The names of settings as they are changed, until `signal` is aborted; first an empty list: from now on none is missed. */
export async function* settingsStream(
  core: Pick<CoreApi, 'watchSettings'>,
  signal: AbortSignal,
): AsyncGenerator<{ readonly keys: readonly string[] }> {
  const queue = createPushQueue<string>(signal, Number.POSITIVE_INFINITY);
  const end = core.watchSettings((key) => void queue.push(key));
  try {
    yield { keys: [] };
    for (let keys = await queue.take(); keys !== null; keys = await queue.take()) yield { keys };
  } finally {
    end();
  }
}
