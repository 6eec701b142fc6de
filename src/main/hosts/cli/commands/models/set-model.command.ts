import type { ModelInfo } from '@shared/models/model-info.ts';
import { drivingSchema, effortOfWord, thinkingInWords } from '@shared/models/model-info.ts';
import { didYouMean } from '@shared/text/near-name.ts';
import { printable } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { isRecord } from '@shared/unknown-value.ts';

const names = [...Object.keys(drivingSchema.shape), 'strategies', 'contextTokens'];

/** Sets how a model is driven. The user's settings come before the findings of its probe. `NAME=` removes one. */
export const setModel: Command<[string, { readonly words?: readonly string[]; readonly json?: boolean }]> = async (
  { core, terminal },
  id,
  { words = [], json },
) => {
  const { settings, models } = await core();
  // Nothing is stored for an unknown model, whose name is probably misspelled.
  const { info } = await models.show({ id });
  const own = new Map(Object.entries(await ownModelSettings(settings, id)));
  for (const word of words) {
    const { name, value } = read(word);
    if (name === 'contextTokens' && !id.startsWith('llama-cpp/'))
      throw usageError('Only a model file has its own contextTokens. Nothing was changed.', 'Name it: llama-cpp/NAME');
    if (name === 'thinking' && value !== null && info !== null) refuseUnknownStep(info, value);
    if (value === null) own.delete(name);
    else own.set(name, value);
  }
  const key = ['models', id];
  if (own.size === 0) await settings.unset({ key });
  else await settings.set({ key, value: Object.fromEntries(own) });
  if (json === true) terminal.out(jsonLine(Object.fromEntries(own)));
  else
    terminal.err(
      `${printable(id)}: ${own.size === 0 ? 'default settings' : modelSettingsText(Object.fromEntries(own))}\n`,
    );
  return 0;
};

type Core = Awaited<ReturnType<CommandContext['core']>>;

/** The user's settings for a model. Empty: none. */
export async function ownModelSettings(
  settings: Core['settings'],
  id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const all = await settings.get({ key: 'models' });
  const own: unknown = Object.entries(isRecord(all) ? all : {}).find(([name]) => name === id)?.[1];
  return isRecord(own) ? own : {};
}

export function modelSettingsText(own: Readonly<Record<string, unknown>>): string {
  return Object.entries(own)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(' · ');
}

/** A step that the model does not have would be stored without any effect. */
function refuseUnknownStep(info: ModelInfo, value: unknown): void {
  if (info.efforts?.some((effort) => effort === value) === true) return;
  throw usageError(`${printable(thinkingInWords(info))}. Nothing was changed.`, 'See: dewpoint models show MODEL');
}

/** Null: use the default again. */
function read(word: string): { readonly name: string; readonly value: unknown } {
  const at = word.indexOf('=');
  const name = word.slice(0, Math.max(0, at));
  if (!names.includes(name)) {
    throw usageError(
      at > 0 ? `A model has no setting ${name}.` : `"${word}" is not NAME=VALUE.`,
      `${didYouMean(name, names)}The names are ${names.join(', ')}. For example: dewpoint models set llama-cpp/my-model calls=text`,
    );
  }
  return { name, value: valueOf(name, word.slice(at + 1)) };
}

function valueOf(name: string, text: string): unknown {
  if (text === '') return null;
  if (name === 'strategies') return text.split(',');
  if (name === 'systemText') return text;
  if (name === 'thinking') return effortOfWord(text) ?? text;
  const number = Number(text);
  // The settings check the value, because they know what is valid.
  return Number.isNaN(number) ? text : number;
}
