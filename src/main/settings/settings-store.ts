import { join } from 'node:path';
import type { z } from 'zod';
import type { Reply } from '@shared/errors.ts';
import { failure, success } from '@shared/errors.ts';
import type { Settings } from '@shared/settings.ts';
import { SETTINGS_VERSION, settingsSchema } from '@shared/settings.ts';
import { readJsonFile, writeJsonFile } from '../lib/json-file.ts';

/** The settings file: only what differs from the defaults is written, so that a better default reaches everybody. */
export interface SettingsStore {
  readonly path: string;
  current(): Settings;
  /** The value at a dotted name (`limits.maxSteps`); all of them without one. `not-found` for a name nobody knows. */
  get(key: string | undefined): Reply<unknown>;
  /** Sets one value and writes the file. `bad-input` names what is wrong; nothing was changed then. */
  set(key: string, value: unknown): Promise<Reply<unknown>>;
}

/** Opens the settings of a home. A damaged file, or one of a newer version, is an error and stays as it is. */
export async function openSettings(home: string): Promise<Reply<SettingsStore>> {
  const path = join(home, 'settings.json');
  const file = await readJsonFile(path, (value) => value);
  if (file.type === 'damaged') {
    return failure(
      'bad-input',
      `The settings in ${path} cannot be read: ${file.reason}`,
      'Mend the file, or move it away to begin with the defaults.',
    );
  }
  const written = file.type === 'missing' ? {} : file.value;
  if (!isRecord(written))
    return failure('bad-input', `The settings in ${path} are not an object.`, 'Mend the file, or move it away.');
  if (typeof written.version === 'number' && written.version > SETTINGS_VERSION) {
    return failure(
      'log-newer',
      `The settings in ${path} were written by a newer Dewpoint.`,
      'Use that version, or move the file away.',
    );
  }
  const parsed = settingsSchema.safeParse(written);
  if (!parsed.success)
    return failure(
      'bad-input',
      `The settings in ${path} are not right: ${describe(parsed.error)}`,
      'Mend the file, or move it away.',
    );
  return success(createStore(path, written, parsed.data));
}

function createStore(path: string, initial: Readonly<Record<string, unknown>>, parsed: Settings): SettingsStore {
  let written = initial;
  let settings = parsed;
  return {
    path,
    current: () => settings,
    get(key) {
      if (key === undefined) return success(settings);
      const found = lookUp(settings, key.split('.'));
      return found === undefined
        ? failure('not-found', `There is no setting ${key}.`, 'dewpoint settings get shows all of them.')
        : success(found);
    },
    async set(key, value) {
      const names = key.split('.');
      if (names.some((name) => name === '' || name === '__proto__' || name === 'constructor'))
        return failure('bad-input', `"${key}" is not a setting.`);
      const next = withValue(written, names, value);
      const checked = settingsSchema.safeParse(next);
      if (!checked.success) return failure('bad-input', `${key} was not changed: ${describe(checked.error)}`);
      await writeJsonFile(path, { version: SETTINGS_VERSION, ...next });
      written = next;
      settings = checked.data;
      return success(lookUp(settings, names) ?? null);
    },
  };
}

function lookUp(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

function withValue(
  record: Readonly<Record<string, unknown>>,
  names: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [name, ...rest] = names;
  if (name === undefined) return { ...record };
  const inner = record[name];
  return { ...record, [name]: rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'settings'}: ${issue.message}`)
    .join('; ');
}
