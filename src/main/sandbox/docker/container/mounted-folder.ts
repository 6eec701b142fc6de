import { failure, success, type Reply } from '@shared/errors.ts';
import { folderKey } from '../user/container-identity.ts';
import type { SessionContainerOptions } from './session-container-options.ts';

/**
 * The project folder of a container. You may move or delete it while it is mounted. Every later call would fail, so
 * this is told as a loss of the sandbox, and its return as well, once each.
 */
export class MountedFolder {
  readonly #options: Pick<SessionContainerOptions, 'workspacePath' | 'onLost'>;
  readonly #key: string;
  #isAway = false;

  private constructor(options: Pick<SessionContainerOptions, 'workspacePath' | 'onLost'>, key: string) {
    this.#options = options;
    this.#key = key;
  }

  static async of(options: Pick<SessionContainerOptions, 'workspacePath' | 'onLost'>): Promise<MountedFolder> {
    return new MountedFolder(options, await folderKey(options.workspacePath));
  }

  /** Fails with `conflict` while another folder, or none, is in its place. */
  async check(): Promise<Reply<null>> {
    const { workspacePath, onLost } = this.#options;
    const isThere = (await folderKey(workspacePath)) === this.#key;
    const what = `the project folder ${workspacePath} was moved, replaced or deleted`;
    if (isThere === this.#isAway) {
      this.#isAway = !isThere;
      onLost({ reason: isThere ? `${what}, and is back` : what, recreated: isThere });
    }
    if (isThere) return success(null);
    return failure(
      'conflict',
      `T${what.slice(1)} while the sandbox was using it.`,
      'Move it back, or start a new session in the new place.',
    );
  }
}
