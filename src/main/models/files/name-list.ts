import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

/** Files of the user's own that are used where they lie, each under a name; only the reference is ours. */
export interface NameList<T> {
  /** By name, as they were imported; the files may have gone since. Empty where the list cannot be read. */
  list(): Promise<ReadonlyMap<string, T>>;
  /** Rejects with `bad-input` where the list is damaged; it is left as it is then, and so in `remove`. */
  add(name: string, value: T): Promise<void>;
  /** False for a name that is not in the list. */
  remove(name: string): Promise<boolean>;
}

/** Paths of model files, by name. */
export type ImportedModels = NameList<string>;

export const createImportedModels = (path: string): ImportedModels =>
  createNameList(path, { entry: z.string(), what: 'imported models' });

interface NameListKind<T> {
  readonly entry: z.ZodType<T>;
  /** What is listed, in the plural. */
  readonly what: string;
}

/** `path`: the JSON file that holds the list. It has one writer, the core of the home. */
export function createNameList<T>(path: string, kind: NameListKind<T>): NameList<T> {
  let turn: Promise<unknown> = Promise.resolve();
  /** One change after the other; `change` says whether there is one. */
  const edit = (change: (models: Map<string, T>) => boolean): Promise<boolean> => {
    const edited = turn.then(async () => {
      const models = new Map(await readAll(path, kind));
      const isChanged = change(models);
      if (isChanged) await writeJsonFile(path, { version: 1, models: Object.fromEntries(models) });
      return isChanged;
    });
    // Who asked for this edit gets its error; the next one starts anew.
    turn = edited.catch(() => undefined);
    return edited;
  };
  return {
    // A damaged list hides what is imported only. An edit of it reports what is wrong.
    list: () => readAll(path, kind).catch(() => new Map<string, T>()),
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
