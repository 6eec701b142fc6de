import { escapedJson, seenName } from '@shared/text/seen-text.ts';
import { jsonOrText } from '@shared/text/json-in.ts';
import { findDataFolders } from '../../../lib/files/data-folders.ts';
import { openSettings, settingsFileOf } from '../../../settings/settings-store.ts';
import type { Command } from '../../text/command-context.ts';
import { indentText } from '../../text/terminal.ts';
import { usageError } from '../../text/report-failure.ts';

const getSettings: Command<[string | undefined]> = async ({ core, terminal }, key) => {
  const value = await (await core()).settings.get(key === undefined ? {} : { key });
  terminal.out(`${typeof value === 'string' ? value : escapedJson(JSON.stringify(value, null, 2))}\n`);
  return 0;
};

/** The value is JSON if it parses as such, otherwise text. */
const setSetting: Command<[string, string]> = async ({ core, terminal }, key, text) => {
  const read = jsonOrText(text);
  // As with --model-order: the models may be separated by commas.
  const isList = key === 'modelOrder' && typeof read === 'string' && !/^\s*[[{]/u.test(text);
  const wanted = isList ? listOf(read) : read;
  const isBroken = typeof wanted === 'string' && /^\s*[[{]/u.test(text);
  const value = await (await core()).settings.set({ key, value: wanted }).catch((error: unknown) => {
    throw isBroken ? usageError(`${key} was not changed: the value is not valid JSON.`) : error;
  });
  terminal.err(`${seenName(key)} = ${escapedJson(JSON.stringify(value))}\n`);
  return 0;
};

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Restores the default value. */
const unsetSetting: Command<[string]> = async ({ core, terminal }, key) => {
  await (await core()).settings.unset({ key });
  terminal.err(`${seenName(key)} has its default value again.\n`);
  return 0;
};

/** Needs no core: none starts with a broken file, and the person who mends the file needs its path. */
const settingsPath: Command<[]> = async ({ terminal }) => {
  const { home } = findDataFolders(process.env, process.platform);
  terminal.out(`${settingsFileOf(home)}\n`);
  const read = await openSettings(home);
  if (!read.ok) terminal.err(`${indentText(read.error.message)}\n`);
  return 0;
};

/** Shows or changes the settings. */
export const settings: Command<
  ['get' | 'set' | 'unset' | 'path', readonly [key: string | undefined, value: string | undefined]]
> = (context, action, [key, value]) => {
  switch (action) {
    case 'get':
      return getSettings(context, key);
    case 'set':
      return setSetting(context, key ?? '', value ?? '');
    case 'unset':
      return unsetSetting(context, key ?? '');
    case 'path':
      return settingsPath(context);
    default:
      return action satisfies never;
  }
};
