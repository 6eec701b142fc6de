import { callFolder } from '@shared/sandbox/call-file.ts';
import { failure, success, type Reply } from '@shared/errors.ts';
import { isGitName } from '../../../lib/files/host-folder.ts';
import { workspaceRelative } from '../../files/workspace-relative.ts';
import type {
  FileContent,
  FileStat,
  ListOptions,
  Listing,
  ReadOptions,
  SandboxFiles,
  SearchQuery,
  SearchResult,
  ScannedFiles,
} from '../../sandbox.ts';
import { insideOf } from '../../workspace/still-hidden.ts';
import { workspaceInContainer } from '../container/container-create-body.ts';
import type { SessionContainer } from '../container/session-container.ts';
import type { ContainerFiles } from './container-files.ts';

/** The files of a session's container, without what is hidden from models, and without writing to the data of git. */
export class SessionFiles implements SandboxFiles {
  readonly #files: ContainerFiles;
  readonly #session: SessionContainer;

  constructor(files: ContainerFiles, session: SessionContainer) {
    this.#files = files;
    this.#session = session;
  }

  read(path: string, options: ReadOptions, signal: AbortSignal): Promise<Reply<FileContent>> {
    return this.#at(path, (inside) => this.#hidden(inside) ?? this.#files.read(inside, options, signal));
  }

  readMany(
    paths: readonly string[],
    options: ReadOptions,
    signal: AbortSignal,
  ): Promise<Reply<ReadonlyMap<string, FileContent>>> {
    const inside = paths.flatMap((path) => {
      const found = workspaceRelative(path, workspaceInContainer);
      return found.ok ? [found.value] : [];
    });
    return this.#files.readMany(inside, options, signal);
  }

  write(path: string, bytes: Uint8Array, expect: string | null | undefined, signal: AbortSignal): Promise<Reply<void>> {
    return this.#at(
      path,
      (inside) =>
        this.#hidden(inside) ??
        ofGit(inside) ??
        this.#files.write(inside, { bytes, expect }, signal).finally(() => void this.#session.guard.look()),
    );
  }

  delete(path: string, expect: string | undefined, signal: AbortSignal): Promise<Reply<void>> {
    return this.#at(
      path,
      (inside) => this.#hidden(inside) ?? ofGit(inside) ?? this.#files.delete(inside, expect, signal),
    );
  }

  realPath(path: string, signal: AbortSignal): Promise<Reply<string>> {
    return this.#at(path, (inside) => this.#files.realPath(inside, signal));
  }

  setMode(path: string, mode: number, signal: AbortSignal): Promise<Reply<void>> {
    return this.#at(
      path,
      (inside) => this.#hidden(inside) ?? ofGit(inside) ?? this.#files.setMode(inside, mode, signal),
    );
  }

  list(path: string, options: ListOptions, signal: AbortSignal): Promise<Reply<Listing>> {
    return this.#at(path, (inside) => this.#files.list(inside, options, signal));
  }

  search(query: SearchQuery, signal: AbortSignal): Promise<Reply<SearchResult>> {
    return this.#at(query.path ?? '.', (inside) => this.#files.search({ ...query, path: inside }, signal));
  }

  stat(path: string, signal: AbortSignal): Promise<Reply<FileStat>> {
    return this.#at(path, (inside) => this.#files.stat(inside, signal));
  }

  async scan(signal: AbortSignal): Promise<Reply<ScannedFiles>> {
    // They are empty in the container, which is no change of theirs.
    // Dewpoint writes into the folder of calls, also where it came after the container.
    const hidden = (): SessionContainer['masks'] => [
      ...this.#session.masks,
      { path: callFolder, kind: 'folder' as const },
    ];
    let left: SessionContainer['masks'] = [];
    const scanned = await this.#files.scan(() => insideOf((left = hidden())), signal);
    if (!scanned.ok) return scanned;
    return success({ ...scanned.value, hidden: left.map(({ path }) => path) });
  }

  // An error for a hidden path, or null. The mount hides the file in any case; this says why it is empty.
  #hidden(inside: string): Promise<Reply<never>> | null {
    const mask = this.#session.masks.find(({ path }) => inside === path || inside.startsWith(`${path}/`));
    if (mask === undefined) return null;
    return Promise.resolve(
      failure(
        'refused',
        `${inside} is hidden from models: it holds secrets, leads to a program of this machine, or a rule masks it.`,
        'Go on without it, or ask the person to show it.',
      ),
    );
  }

  async #at<T>(path: string, work: (inside: string) => Promise<Reply<T>>): Promise<Reply<T>> {
    const inside = workspaceRelative(path, workspaceInContainer);
    return inside.ok ? work(inside.value) : inside;
  }
}

/**
 * Git on the user's machine runs programs that its data names. So no file tool writes there, in any spelling of the
 * name.
 */
function ofGit(inside: string): Promise<Reply<never>> | null {
  if (!inside.split('/').some(isGitName)) return null;
  return Promise.resolve(
    failure('refused', `${inside} lies in the data of git and is not written.`, 'Use git itself, by a command.'),
  );
}
