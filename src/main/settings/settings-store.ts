import { join } from 'node:path';
import type { z } from 'zod';
import type { Reply } from '@shared/errors.ts';
import { failure, success, valueOf } from '@shared/errors.ts';
import { issuesText } from '../lib/issue-text.ts';
import { didYouMean } from '@shared/text/near-name.ts';
import type { SettingKey } from '@shared/contract/settings-contract.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { builtInProviders, knownProviderNames, SETTINGS_VERSION, settingsSchema } from '@shared/settings/settings.ts';
import { splitModelId } from '@shared/models/model-info.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { keyedNames, keyedSettings } from './keyed-settings.ts';

/** What a project has beside its settings. No setting has such a name. */
export type KeptBeside = 'knowledge' | 'memory' | 'skills';

/**
 * The settings file. Only values that differ from the defaults are written, so that a better default reaches everybody.
 */
export interface SettingsStore {
  readonly path: string;
  current(): Settings;
  /**
   * The value at a name (`limits.maxSteps`), null where it is not set, or all values without a name. Fails with
   * `not-found` for an unknown name.
   */
  get(key: SettingKey | undefined): Reply<unknown>;
  /** Sets one value and writes the file. A `bad-input` failure names what is wrong; then nothing was changed. */
  set(key: SettingKey, value: unknown): Promise<Reply<unknown>>;
  /** Restores the default value. */
  unset(key: SettingKey): Promise<Reply<unknown>>;
  /** Sets a value, or with null returns to the default. Rejects when that fails. */
  save(key: SettingKey, value: unknown): Promise<void>;
  /** Tells the listeners that something changed which is kept beside the settings. */
  tell(what: KeptBeside): void;
  /** Calls `listener` with the name of each changed setting, and of what `tell` told; the returned function ends it. */
  watch(listener: (key: string) => void): () => void;
}

export function settingsFileOf(home: string): string {
  return join(home, 'settings.json');
}

/** Opens the settings of a home. A damaged file, or one of a newer version, is an error and is left as it is. */
export async function openSettings(home: string): Promise<Reply<SettingsStore>> {
  const path = settingsFileOf(home);
  const file = await readJsonFile(path, (value) => value);
  if (file.type === 'damaged') {
    return failure(
      'bad-input',
      `The settings in ${path} cannot be read: ${file.reason}`,
      'Fix the file, or move it away to start with the defaults.',
    );
  }
  const written = file.type === 'missing' ? {} : file.value;
  if (!isRecord(written))
    return failure('bad-input', `The settings in ${path} are not an object.`, 'Fix the file, or move it away.');
  if (typeof written.version === 'number' && written.version > SETTINGS_VERSION) {
    return failure(
      'log-version',
      `A newer Dewpoint wrote the settings in ${path}.`,
      'Use that version, or move the file away.',
    );
  }
  const parsed = settingsSchema.safeParse(written);
  if (!parsed.success)
    return failure(
      'bad-input',
      `The settings in ${path} have an error: ${describe(parsed.error)}`,
      'Fix the file, or move it away.',
    );
  const keyed = await keyedSettings(written);
  return success(createStore(path, keyed, settingsSchema.parse(keyed)));
}

function createStore(path: string, initial: Readonly<Record<string, unknown>>, parsed: Settings): SettingsStore {
  let written = initial;
  let settings = parsed;
  const listeners = new Set<(key: string) => void>();
  const told = (name: string): void => {
    for (const listener of listeners) listener(name);
  };
  // Each change applies to the result of the one before.
  let last: Promise<unknown> = Promise.resolve();
  const change = (key: SettingKey, value: unknown): Promise<Reply<unknown>> => {
    const work = last.then(async (): Promise<Reply<unknown>> => {
      const names = await keyedNames(namesOf(key));
      const name = names.join('.');
      if (names.some((one) => one === '' || one === '__proto__' || one === 'constructor'))
        return failure('bad-input', `"${name}" is not a setting.`);
      const wanted = await keyedSettings(withValue(written, names, value));
      const checked = settingsSchema.safeParse(wanted);
      if (!checked.success && !isKnown(written, names)) return noSetting(settings, names);
      if (!checked.success) return failure('bad-input', `${name} was not changed: ${describe(checked.error, names)}`);
      const model = modelsIn(names, value)
        .map((id) => wrongModel(id, checked.data))
        .find((one) => one !== null);
      const order = name === 'modelOrder' && value !== undefined ? wrongOrder(modelsIn(names, value)) : null;
      if (order !== null) return failure('bad-input', `${name} was not changed: ${order}`);
      if (model !== undefined) return failure('bad-input', `${name} was not changed: ${model.what}`, model.hint);
      await writeJsonFile(path, { version: SETTINGS_VERSION, ...wanted });
      written = wanted;
      settings = checked.data;
      told(name);
      return success(lookUp(settings, names) ?? null);
    });
    // The caller of this change gets its error; the next change starts anew.
    last = work.catch(() => undefined);
    return work;
  };
  const unset: SettingsStore['unset'] = async (key) =>
    isKnown(written, namesOf(key)) ? change(key, undefined) : noSetting(settings, namesOf(key));
  return {
    path,
    current: () => settings,
    get(key) {
      if (key === undefined) return success(settings);
      const names = namesOf(key);
      const found = lookUp(settings, names);
      if (found !== undefined) return success(found);
      const around = lookUp(settings, names.slice(0, -1)) ?? {};
      return isRecord(around) && isKnown(written, names) ? success(null) : noSetting(settings, names);
    },
    set: change,
    unset,
    save: async (key, value) => void valueOf(await (value === null ? unset(key) : change(key, value))),
    tell: told,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The models that a setting of this name names. */
function modelsIn([name = '', ...rest]: readonly string[], value: unknown): readonly string[] {
  if (name === 'modelOrder' && Array.isArray(value)) return value.filter((one) => typeof one === 'string');
  // Inside a project or a kind of task, the models have the same names.
  if (['projectModels', 'kindWays'].includes(name)) return modelsBelow(rest.at(-1) ?? '', value);
  const isModel = rest.length === 0 && ['local', 'cloud', 'programReviewer'].includes(name);
  return isModel && typeof value === 'string' ? [value] : [];
}

function modelsBelow(name: string, value: unknown): readonly string[] {
  if (isRecord(value)) return Object.entries(value).flatMap(([inner, one]) => modelsBelow(inner, one));
  return ['local', 'cloud'].includes(name) && typeof value === 'string' ? [value] : [];
}

function wrongOrder(ids: readonly string[]): string | null {
  if (ids.length === 0) return 'it must name at least one model. To have no order, unset it.';
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  return twice === undefined ? null : `${seenName(twice)} stands in it more than once.`;
}

/** What is wrong with the name of a model, as far as that is known without a look at its provider. Null: nothing. */
function wrongModel(id: string, { providers }: Settings): { readonly what: string; readonly hint: string } | null {
  const list = 'Run `dewpoint models list` to see your models.';
  const provider = splitModelId(id)?.provider;
  if (id.trim() === '')
    return { what: 'the name of the model is empty.', hint: `A model is named PROVIDER/NAME. ${list}` };
  if (provider === undefined)
    return { what: `The model ${seenName(id)} was not found.`, hint: `A model is named PROVIDER/NAME. ${list}` };
  const known = [...new Set([...Object.keys({ ...providers, ...builtInProviders }), ...knownProviderNames])];
  if (known.includes(provider)) return null;
  return {
    what: `The provider ${seenName(provider)} was not found.`,
    hint: `Choose one of: ${known.join(', ')}. ${list}`,
  };
}

function noSetting(settings: Settings, names: readonly string[]): Reply<never> {
  return failure(
    'not-found',
    `The setting ${names.join('.')} was not found.`,
    `${nearSetting(settings, names)}Run \`dewpoint settings get\` to see all settings.`,
  );
}

/** Looks for names like the first unknown part. */
function nearSetting(settings: Settings, names: readonly string[]): string {
  const at = names.findIndex((_, index) => lookUp(settings, names.slice(0, index + 1)) === undefined);
  const before = names.slice(0, at);
  const beside = lookUp(settings, before);
  const known = isRecord(beside) ? Object.keys(beside).map((name) => [...before, name].join('.')) : [];
  return didYouMean(names.slice(0, at + 1).join('.'), known);
}

/** Whether a setting of this name exists, set or not. */
function isKnown(written: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const { error } = settingsSchema.safeParse(withValue(written, names, null));
  return error?.issues.every(({ code }) => code !== 'unrecognized_keys') ?? true;
}

function namesOf(key: SettingKey): readonly string[] {
  return typeof key === 'string' ? key.split('.') : key;
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
  const { [name]: inner, ...others } = record;
  if (rest.length > 0) return { ...others, [name]: withValue(isRecord(inner) ? inner : {}, rest, value) };
  return value === undefined ? others : { ...others, [name]: value };
}

/** `within`: the names of the setting that was to be changed, which are not said again. */
function describe(error: z.ZodError, within: readonly string[] = []): string {
  const isWithin = (path: readonly PropertyKey[]): boolean => within.every((name, index) => path[index] === name);
  const issues = error.issues.map((issue) =>
    isWithin(issue.path) ? { ...issue, path: issue.path.slice(within.length) } : issue,
  );
  return issuesText(issues, within.length === 0 ? 'settings' : '');
}
