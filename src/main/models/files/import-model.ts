import { basename, isAbsolute } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { GgufHeader } from '../memory/gguf/read-gguf.ts';
import type { ReadHeader } from '../memory/gguf/gguf-header-reader.ts';
import type { ImportedModels } from './name-list.ts';
import type { FileToAdd } from './stored-model.ts';
import { partNameOf } from './split-model-files.ts';

export interface ImportDependencies {
  readonly readHeader: ReadHeader;
  readonly imported: ImportedModels;
  /**
   * The place of a model with this name that is not imported. Null: the name is free. Names in the catalog count as
   * taken, too.
   */
  readonly takenBy: (name: string) => Promise<string | null>;
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/**
 * Gives a name to a model file anywhere on the disk. Copies and changes nothing. Returns the name. Adding the same
 * file again without a name returns its existing one. Throws `AppError`: `bad-input` if the file is not a complete
 * model, `conflict` if the name is taken.
 */
export async function importModel(
  { path, name }: FileToAdd,
  { readHeader, imported, takenBy }: ImportDependencies,
): Promise<string> {
  if (!isAbsolute(path)) throw new AppError('bad-input', 'Use the full path of the model file.');
  const header = await readHeader(path);
  if (!header.ok) {
    const { code, message, hint } = header.error;
    // For a model in several files, the header reader's hint says which one to name.
    const named = partNameOf(path) === null ? undefined : hint;
    throw new AppError(code === 'not-found' ? 'not-found' : 'bad-input', message, {
      hint: named ?? 'Name a complete .gguf model file.',
    });
  }
  refuseParts(path, header.value);
  const known = await imported.list();
  const before = [...known].find(([, file]) => file === path)?.[0];
  if (before !== undefined && (name === null || name === before)) return before;
  const wanted = name ?? nameOfFile(path);
  if (!namePattern.test(wanted)) {
    throw new AppError('bad-input', `"${wanted}" cannot be the name of a model.`, {
      hint: 'Use lower-case letters, digits, dots, dashes and underscores: dewpoint models import FILE --name NAME',
    });
  }
  const other = known.get(wanted) ?? (await takenBy(wanted));
  if (other !== null) {
    throw new AppError('conflict', `The name ${wanted} is taken by ${other}.`, {
      hint: 'Choose another name: dewpoint models import FILE --name NAME',
    });
  }
  await imported.add(wanted, path);
  return wanted;
}

/** Refuses files that have a valid header but are not models. */
function refuseParts(path: string, { architecture, facts }: GgufHeader): void {
  const type = facts.keys['general.type'];
  const kind = typeof type === 'string' ? type : architecture === 'clip' ? architecture : 'model';
  if (kind !== 'model') {
    throw new AppError('bad-input', `${path} is only a part of a model (${kind}).`, {
      hint:
        architecture === 'clip'
          ? 'It lets a model see pictures. Add it to one: dewpoint models adapter FILE llama-cpp/NAME'
          : 'Name the file of the model itself.',
    });
  }
}

/** The name for an adapter. Throws if it is not valid. */
export function adapterName({ path, name }: FileToAdd): string {
  const wanted = name ?? nameOfFile(path);
  if (namePattern.test(wanted)) return wanted;
  throw new AppError('bad-input', `"${wanted}" cannot be the name of an adapter.`, {
    hint: 'Use lower-case letters, digits, dots, dashes and underscores, and --name NAME.',
  });
}

function nameOfFile(path: string): string {
  return basename(partNameOf(path)?.whole ?? path)
    .replace(/\.gguf$/iu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/gu, '-')
    .replace(/^[^a-z0-9]+|(?<!-)-+$/gu, '')
    .slice(0, 100);
}
