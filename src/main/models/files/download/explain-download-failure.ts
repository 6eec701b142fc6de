import { failure } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';

/** Explains why a download by address failed, from the status in the error's text. */
export function explainDownloadFailure(uri: string, said: string): Reply<null> {
  const status = /\b(?:status(?: code)?:?\s*|http\s*)(4\d\d)\b/iu.exec(said)?.[1] ?? null;
  if (status === '401' || status === '403' || /gated|unauthorized|forbidden/iu.test(said)) {
    return failure(
      'network',
      `${uri} is gated: its source needs a token, and you must accept its terms.`,
      'Accept the terms at the source and set HF_TOKEN. Or download the file there and import it: dewpoint models import FILE',
    );
  }
  if (status === '404' || /not found/iu.test(said)) {
    return failure('not-found', `${uri} was not found.`, 'Look for its new address, or choose another model.');
  }
  return failure('network', `The model could not be downloaded: ${said}`, 'What was downloaded is kept. Try again.');
}
