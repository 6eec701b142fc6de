import { AppError } from '@shared/errors.ts';
import { printable, seenName } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { readSecret } from '../questions/read-secret.ts';
import { usageError } from '../report-failure.ts';
import { jsonLine } from '../terminal/terminal.ts';
import type { KeyEntry } from '@shared/contract/keys-contract.ts';
import { padRight } from '../terminal/columns.ts';

/** Keys are read from the terminal or from stdin, never from the command line, where other users and the history see them. */
export const setKey: Command<[string, { readonly thisRun?: boolean }]> = async (context, provider, { thisRun }) => {
  const { terminal } = context;
  const core = await context.core();
  // A wrong name is found before a person types a key for it.
  await knownProvider(context, provider);
  const value = (await readSecret(context, `Key of ${seenName(provider)}`)).trim();
  if (value === '') throw usageError('No key was given.', `For example: dewpoint keys set ${provider} < FILE`);
  const outcome = await core.keys.set({ provider, value, forThisRun: thisRun === true });
  const place = outcome.kept === 'store' ? "in your system's key store" : 'in memory until Dewpoint quits';
  const open = outcome.test === 'open' ? ' It answers without a key, too. The key is checked with the first call.' : '';
  terminal.err(`The key of ${seenName(provider)} is kept ${place}. ${printable(outcome.text)}${open}\n`);
  if (outcome.test === 'refused') {
    throw new AppError('missing-key', `The provider ${provider} refused the key.`, {
      hint: 'The key is kept. Set another one, or remove it: dewpoint keys remove ' + provider,
    });
  }
  return 0;
};

export const listKeys: Command<[{ readonly json?: boolean }]> = async ({ core, terminal }, { json }) => {
  const report = await (await core()).keys.list();
  if (json === true) {
    terminal.out(jsonLine(report));
    return 0;
  }
  for (const entry of report.keys) terminal.out(`${padRight(seenName(entry.provider), 14)} ${sourceWords(entry)}\n`);
  if (report.store.type !== 'ready') {
    terminal.err(`${terminal.colors.yellow(printable(report.store.message))}\n  ${printable(report.store.hint)}\n`);
  }
  return 0;
};

export const removeKey: Command<[string]> = async ({ core, terminal }, provider) => {
  await (await core()).keys.remove({ provider });
  terminal.err(`The key of ${seenName(provider)} is removed.\n`);
  return 0;
};

function sourceWords({ source, variable }: KeyEntry): string {
  switch (source) {
    case 'environment':
      return `from the environment (${seenName(variable ?? '')})`;
    case 'this-run':
      return 'in memory until Dewpoint quits';
    case 'store':
      return 'in the key store';
    case null:
      return variable === null ? 'none' : `none (${seenName(variable)} is not set)`;
    default:
      return source satisfies never;
  }
}

async function knownProvider({ core }: CommandContext, provider: string): Promise<void> {
  const { keys } = await (await core()).keys.list();
  if (keys.some((entry) => entry.provider === provider)) return;
  throw new AppError('not-found', `The provider ${provider} was not found.`, {
    hint: `Choose one of: ${keys.map((entry) => entry.provider).join(', ')}. Add another: dewpoint settings set providers.NAME …`,
  });
}
