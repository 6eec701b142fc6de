import { failure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';

/** Why a download by address failed, from the words for it: they say the status that the source answered. */
export function explainDownloadFailure(uri: string, said: string): Reply<null> {
  const status = /\b(?:status(?: code)?:?\s*|http\s*)(4\d\d)\b/iu.exec(said)?.[1] ?? null;
  if (status === '401' || status === '403' || /gated|unauthorized|forbidden/iu.test(said)) {
    return failure(
      'network',
      `${uri} is gated: its source wants to know who asks, and that its terms were accepted.`,
      'Accept the terms at the source and set HF_TOKEN, or fetch the file there and use it: dewpoint models import FILE',
    );
  }
  if (status === '404' || /not found/iu.test(said)) {
    return failure('not-found', `${uri} is not there (any more).`, 'Look for its new place, or take another model.');
  }
  return failure('network', `The model could not be downloaded: ${said}`, 'Try again; what was fetched is kept.');
}
