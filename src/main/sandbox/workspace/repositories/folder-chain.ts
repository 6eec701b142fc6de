import { openChildFolder, openHostFolder, type CallMode, type HostFolder } from '../../../lib/files/host-folder.ts';
import { hostNameOf } from './folder-names.ts';

/** Deeper folders are opened and closed when needed, because each open one takes a descriptor. */
const mostKept = 48;

/**
 * Opens the folders of a tree one after the other, name by name and without following links. It keeps parent folders
 * open, so that going through a tree in order opens each folder once.
 */
export class FolderChain {
  readonly #root: string;
  readonly #asking: CallMode;
  #open: { readonly name: string; readonly folder: HostFolder }[] = [];

  constructor(root: string, asking: CallMode) {
    this.#root = root;
    this.#asking = asking;
  }

  /**
   * Runs `work` with the folder, which stays open until `work` resolves. Returns its result. Rejects with the file
   * system's error.
   */
  async use<T>(names: readonly string[], work: (folder: HostFolder) => T | Promise<T>): Promise<T> {
    const way = ['', ...names];
    await this.#closeFrom(this.#open.findIndex(({ name }, index) => way[index] !== name));
    let folder = this.#open.at(-1)?.folder ?? null;
    const passing: HostFolder[] = [];
    try {
      for (const name of way.slice(this.#open.length)) {
        folder =
          folder === null
            ? await openHostFolder(this.#root, this.#asking)
            : await openChildFolder(folder, hostNameOf(name), this.#asking);
        if (this.#open.length < mostKept) {
          this.#open.push({ name, folder });
          continue;
        }
        await passing.pop()?.close();
        passing.push(folder);
      }
      if (folder === null) throw new Error('A tree has a root.');
      return await work(folder);
    } finally {
      for (const one of passing) await one.close();
    }
  }

  async close(): Promise<void> {
    await this.#closeFrom(0);
  }

  async #closeFrom(index: number): Promise<void> {
    if (index < 0) return;
    const closing = this.#open.splice(index);
    for (const { folder } of closing.reverse()) await folder.close();
  }
}
