import { randomBytes } from 'node:crypto';
import { temporaryPrefix } from '../../files/skipped-folders.ts';

/**
 * The temporary files of writes under way. A look at the workspace that meets one leaves it out, by this list and not by
 * the form of its name: a command that takes such a name for a file of its own hides nothing.
 */
export class WritesUnderWay {
  readonly #names = new Set<string>();
  /** What each look that goes on has to leave out: also what ended meanwhile. */
  readonly #looks = new Set<Set<string>>();

  /** Does a write that needs a name for its temporary file. */
  async during<T>(write: (temporary: string) => Promise<T>): Promise<T> {
    const name = `${temporaryPrefix}${randomBytes(8).toString('hex')}`;
    for (const names of [this.#names, ...this.#looks]) names.add(name);
    try {
      return await write(name);
    } finally {
      this.#names.delete(name);
    }
  }

  /** Looks at the workspace. `isOurs`, for what was found: whether a file is the temporary one of a write meanwhile. */
  async around<T>(look: (isOurs: (path: string) => boolean) => Promise<T>): Promise<T> {
    const names = new Set(this.#names);
    this.#looks.add(names);
    try {
      return await look((path) => names.has(path.slice(path.lastIndexOf('/') + 1)));
    } finally {
      this.#looks.delete(names);
    }
  }
}
