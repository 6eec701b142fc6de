import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@shared/errors.ts';
import type { OpenCore } from './open-core.ts';

/** The core of one command: opened at the first use, and anew after the process that owned the home has gone. */
export interface CoreDoor {
  readonly open: () => Promise<OpenCore>;
  /** What to tell a person about an error of the command: a call that was cut off says nothing of the owner's end. */
  readonly explain: (error: unknown) => Promise<unknown>;
  /** Rejects with what closing failed with; a core that could not be opened has been reported already. */
  readonly close: () => Promise<void>;
}

export function createCoreDoor(openCore: () => Promise<OpenCore>): CoreDoor {
  let current: Promise<OpenCore> | null = null;
  let isOwnerGone = false;
  const openAnew = (): Promise<OpenCore> => {
    const opening = openCore();
    const forget = (): void => {
      isOwnerGone = true;
      if (current === opening) current = null;
    };
    opening.then(
      ({ closed }) => closed.then(forget),
      () => undefined,
    );
    return opening;
  };
  return {
    open: () => {
      current ??= openAnew();
      return current;
    },
    explain: async (error) => {
      // The connection's end is told to its calls first.
      await nextTurn();
      if (!isOwnerGone) return error;
      return new AppError('home-busy', 'The Dewpoint process that did the work for this one has ended.', {
        hint: 'What was done is in the log: dewpoint sessions show last. Start again to go on.',
        cause: error,
      });
    },
    close: async () => {
      await (await current)?.close();
    },
  };
}
