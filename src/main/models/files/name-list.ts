import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';

/** The user's own files that are used in place. Each has a name, and only the reference is stored. */
export interface NameList<T> {
  /** By name, as they were added. The files may be gone since. Empty if the list cannot be read. */
  list(): Promise<ReadonlyMap<string, T>>;
  /** Like `remove`, rejects with `bad-input` if the list is damaged, and leaves it unchanged. */
  add(name: string, value: T): Promise<void>;
  /** Returns false for a name that is not in the list. */
  remove(name: string): Promise<boolean>;
}

/** Paths of model files, by name. */
export type ImportedModels = NameList<string>;

export const createImportedModels = (path: string): ImportedModels =>
  createNameList(path, { entry: z.string(), what: 'imported models' });

interface NameListKind<T> {
  readonly entry: z.ZodType<T>;
  /** What the list contains, in the plural, for messages. */
  readonly what: string;
}

/** `path` is the JSON file of the list. Only the core of the home writes it. */
export function createNameList<T>(path: string, kind: NameListKind<T>): NameList<T> {
  let turn: Promise<unknown> = Promise.resolve();
  /** Makes one change after the other. `change` returns whether there is anything to write. */
  const edit = (change: (models: Map<string, T>) => boolean): Promise<boolean> => {
    const edited = turn.then(async () => {
      const models = new Map(await readAll(path, kind));
      const isChanged = change(models);
      if (isChanged) await writeJsonFile(path, { version: 1, models: Object.fromEntries(models) });
      return isChanged;
    });
    // The caller of this edit gets its error. The next edit is not affected.
    turn = edited.catch(() => undefined);
    return edited;
  };
  return {
    // A damaged list only hides the imported files. An edit reports the damage.
    list: () => readAll(path, kind).catch(orNoted('A list of models was not read', new Map<string, T>())),
    async add(name, value) {
      await edit((models) => models.get(name) !== value && models.set(name, value).size > 0);
    },
    remove: (name) => edit((models) => models.delete(name)),
  };
}

async function readAll<T>(path: string, { entry, what }: NameListKind<T>): Promise<ReadonlyMap<string, T>> {
  const schema = z.strictObject({ version: z.literal(1), models: z.record(z.string(), entry) });
  const file = await readJsonFile(path, (value) => schema.parse(value));
  if (file.type === 'missing') return new Map();
  if (file.type === 'value') return new Map(Object.entries(file.value.models));
  throw new AppError('bad-input', `The list of ${what} in ${path} cannot be read: ${file.reason}`, {
    hint: `Fix the file, or move it away and add the ${what} again.`,
  });
}
