import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

const fileSchema = z.strictObject({ version: z.literal(1), models: z.record(z.string(), z.string()) });

/** Model files that are used where they lie, each under a name; only the reference is ours. */
export interface ImportedModels {
  /** Paths by name, as they were imported; the files may have gone since. Empty where the list cannot be read. */
  list(): Promise<ReadonlyMap<string, string>>;
  /** Rejects with `bad-input` where the list is damaged; it is left as it is then, and so in `remove`. */
  add(name: string, path: string): Promise<void>;
  /** False for a name that is not in the list. */
  remove(name: string): Promise<boolean>;
}

/** `path`: the JSON file that holds the list. It has one writer, the core of the home. */
export function createImportedModels(path: string): ImportedModels {
  let turn: Promise<unknown> = Promise.resolve();
  /** One change after the other; `change` says whether there is one. */
  const edit = (change: (models: Map<string, string>) => boolean): Promise<boolean> => {
    const edited = turn.then(async () => {
      const models = new Map(await readAll(path));
      const isChanged = change(models);
      if (isChanged) await writeJsonFile(path, { version: 1, models: Object.fromEntries(models) });
      return isChanged;
    });
    // Who asked for this edit gets its error; the next one starts anew.
    turn = edited.catch(() => undefined);
    return edited;
  };
  return {
    // A damaged list hides imported models only. An edit of it reports what is wrong.
    list: () => readAll(path).catch(() => new Map<string, string>()),
    async add(name, file) {
      await edit((models) => models.get(name) !== file && models.set(name, file).size > 0);
    },
    remove: (name) => edit((models) => models.delete(name)),
  };
}

async function readAll(path: string): Promise<ReadonlyMap<string, string>> {
  const file = await readJsonFile(path, (value) => fileSchema.parse(value));
  if (file.type === 'missing') return new Map();
  if (file.type === 'value') return new Map(Object.entries(file.value.models));
  throw new AppError('bad-input', `The list of imported models in ${path} cannot be read: ${file.reason}`, {
    hint: 'Fix the file, or move it away and import the models again.',
  });
}
