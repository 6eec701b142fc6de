import type Dockerode from 'dockerode';
import { AppError, failure, messageOf, toFailure, type Reply } from '@shared/errors.ts';
import { ContainerGoneError } from '../exec/container-process.ts';
import { statusOf, withDeadline } from '../engine/engine-deadline.ts';
import { orNoted } from '../../../lib/log.ts';

const lookMs = 5_000;

export const engineFailure = failure(
  'sandbox-lost',
  'The container engine does not answer, so nothing can run or change.',
  'The session is saved. Start the engine (Linux: sudo systemctl start docker), then send "continue".',
);

/** Explains why a container could not be made or started, and what to do. */
export function startFailure(error: unknown): Reply<never> {
  // A deliberate refusal has its own text.
  if (error instanceof AppError) return { ok: false, error: toFailure(error) };
  const message = messageOf(error);
  if (/no space left on device|disk quota exceeded/i.test(message)) {
    return failure(
      'missing-sandbox',
      `The sandbox could not be started: the disk of the container engine is full (${message}).`,
      'Free some space there: `dewpoint clean` shows what Dewpoint keeps, and `docker system df` shows the rest.',
    );
  }
  const isMount = /bind source path does not exist|mounts denied|not shared from the host/i.test(message);
  if (isMount || (/no such file or directory/i.test(message) && !/exec: /.test(message))) {
    return failure(
      'conflict',
      'The container engine cannot see the project folder.',
      'Share the folder in the settings of your container engine, or use a project elsewhere.',
    );
  }
  if (statusOf(error) === 404)
    return failure(
      'missing-sandbox',
      `The sandbox image was removed: ${message}`,
      'Start again: Dewpoint builds it, or tells you how to get it.',
    );
  return failure(
    'missing-sandbox',
    `The sandbox could not be started: ${message}`,
    'Run `dewpoint doctor` to check the engine.',
  );
}

/** Adds the engine's reason why a container ended at once, if it has one. The connection only shows that it ended. */
export async function withReason(error: unknown, container: Pick<Dockerode.Container, 'inspect'>): Promise<unknown> {
  if (!(error instanceof ContainerGoneError)) return error;
  // Without a reason from the engine, the first error is returned.
  const found = await withDeadline(lookMs, null, () => container.inspect()).catch(
    orNoted('sandbox: a container that did not start could not be examined', null),
  );
  const said = found?.State.Error ?? '';
  return said === '' ? error : new ContainerGoneError(said);
}

/** A container that showed what must stay hidden could not be ended. A new one would have to hide what it still copies. */
export function stillRunsFailure(path: string): Reply<never> {
  return failure(
    'sandbox-lost',
    `A container that may have seen ${path}, which must stay hidden, could not be ended. So no other one is started.`,
    'Restart your container engine, and try again.',
  );
}
