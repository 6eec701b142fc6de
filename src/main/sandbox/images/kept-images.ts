import type { KeptItem } from '@shared/projects/project-preparation.ts';
import { withDeadline } from '../docker/engine/engine-deadline.ts';

const engineMs = 10_000;
/** The names of images that Dewpoint made: its own, those from projects' Dockerfiles, and imported ones. */
const ours = /^dewpoint-(?:sandbox|project|import):/;

export interface ImageQuery {
  /** The name of our own image for this version. */
  readonly own: string;
  /** The names in the settings. */
  readonly named: ReadonlySet<string>;
  /**
   * Set only when the user asks for it, because another version of Dewpoint on this machine may use an image that
   * this one does not.
   */
  readonly isRemoving: boolean;
}

/** The calls of an engine that are used here. */
interface ImageEngine {
  readonly listImages: () => Promise<
    readonly { readonly RepoTags?: readonly string[] | null | undefined; readonly Size: number }[]
  >;
  readonly getImage: (name: string) => { readonly remove: () => Promise<unknown> };
}

/** The images that Dewpoint made. An image in use by a container is not removed, and other names of an image stay. */
export async function keptImages(engine: ImageEngine, query: ImageQuery): Promise<readonly KeptItem[]> {
  const images = await withDeadline(engineMs, null, () => engine.listImages());
  const items: KeptItem[] = [];
  for (const { RepoTags, Size } of images) {
    const names = (RepoTags ?? []).filter((name) => ours.test(name));
    if (names.length === 0) continue;
    const isNeeded = names.some((name) => name === query.own || query.named.has(name));
    const unneeded = isNeeded
      ? null
      : names.some((name) => name.startsWith('dewpoint-sandbox:'))
        ? 'this version of Dewpoint does not use it'
        : 'your settings do not use it';
    const isRemoved = unneeded !== null && query.isRemoving && (await areRemoved(engine, names));
    items.push({ kind: 'image', name: names.join(', '), sizeBytes: Size, unneeded, isRemoved });
  }
  return items;
}

async function areRemoved(engine: ImageEngine, names: readonly string[]): Promise<boolean> {
  let isWhole = true;
  for (const name of names) {
    isWhole &&= await withDeadline(engineMs, null, () => engine.getImage(name).remove()).then(
      () => true,
      () => false,
    );
  }
  return isWhole;
}
