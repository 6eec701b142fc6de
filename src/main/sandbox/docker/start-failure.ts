import { failure, messageOf, type Reply } from '@shared/errors.ts';
import { statusOf } from './deadline.ts';

/** Why a container could not be made or started, in words that say what to do. */
export function startFailure(error: unknown): Reply<never> {
  const message = messageOf(error);
  if (/bind source path does not exist|no such file or directory/i.test(message)) {
    return failure(
      'conflict',
      'The engine does not see the project folder.',
      'Share the folder with your container engine (its settings), or use a project elsewhere.',
    );
  }
  if (statusOf(error) === 404)
    return failure(
      'missing-sandbox',
      `The sandbox image is not there any more: ${message}`,
      'Start again: it is made anew, or you are told how to bring it.',
    );
  return failure(
    'missing-sandbox',
    `The sandbox could not be started: ${message}`,
    'dewpoint doctor says more about the engine.',
  );
}
