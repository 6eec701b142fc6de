import { rm } from 'node:fs/promises';
import type { ModelRemoval } from '@shared/contract/models-contract.ts';
import { AppError } from '@shared/errors.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import { dirname, join } from 'node:path';
import { projectorNameFor } from './projectors.ts';
import type { ImportedModels, NameList } from './name-list.ts';
import type { StoredModel } from './stored-model.ts';

export interface RemoveDependencies {
  readonly imported: ImportedModels;
  readonly adapters: Pick<NameList<unknown>, 'remove'>;
  readonly projectors: Pick<NameList<unknown>, 'remove'>;
  /** Makes the engine release a file. */
  readonly release: (path: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The files that an incomplete download leaves beside the final path. */
export const leftovers = (path: string): readonly string[] => [`${path}.partial`, `${path}.download`];

/**
 * Forgets an imported model, or deletes a model in our folder, with all its files and partial downloads. Waits for a
 * running download of it. Throws `AppError`: `bad-input` for a file that is named by its path.
 */
export async function removeModel(model: StoredModel, dependencies: RemoveDependencies): Promise<ModelRemoval> {
  const { imported, adapters, projectors, release, signal } = dependencies;
  if (model.origin !== 'adapter') await projectors.remove(model.name);
  switch (model.origin) {
    case 'imported':
      if (model.path !== null) await release(model.path);
      await imported.remove(model.name);
      return { done: 'forgotten', path: model.path ?? model.place, bytes: 0 };
    case 'adapter':
      if (model.path !== null) await release(model.path);
      await adapters.remove(model.name);
      return { done: 'forgotten', path: model.place, bytes: 0 };
    case 'path':
      throw new AppError(
        'bad-input',
        `${model.place} is a file of your own. Dewpoint removes only models with a name.`,
      );
    case 'folder': {
      await release(model.place);
      return withFileLock(`${model.place}.lock`, { signal, onWait: () => undefined }, async () => {
        // Deletes the first file first, because without it the others are no longer a model.
        const files = [...model.files, join(dirname(model.place), projectorNameFor(model.name))];
        for (const path of files.flatMap((file) => [file, ...leftovers(file)])) await rm(path, { force: true });
        return { done: 'deleted', path: model.place, bytes: model.hereBytes };
      });
    }
    default:
      return model.origin satisfies never;
  }
}
