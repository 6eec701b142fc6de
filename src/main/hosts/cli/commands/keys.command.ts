import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { AppError } from '@shared/errors.ts';
import { printable, seenName } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../command-context.ts';
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
  const value = (await readKey(context, provider)).trim();
  if (value === '') throw usageError('No key was given.', `For example: dewpoint keys set ${provider} < FILE`);
  const outcome = await core.keys.set({ provider, value, forThisRun: thisRun === true });
  const place = outcome.kept === 'store' ? "in this system's key store" : 'in memory, until Dewpoint ends';
  const open =
    outcome.test === 'open' ? ' It does so for whoever asks: whether the key is right, its first call says.' : '';
  terminal.err(`The key of ${seenName(provider)} is kept ${place}. ${printable(outcome.text)}${open}\n`);
  if (outcome.test === 'refused') {
    throw new AppError('missing-key', `The service refused the key of ${provider}.`, {
      hint: 'It is kept all the same. Set another one, or remove it: dewpoint keys remove ' + provider,
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
  terminal.err(`The key store has no key of ${seenName(provider)} any more.\n`);
  return 0;
};

function sourceWords({ source, variable }: KeyEntry): string {
  switch (source) {
    case 'environment':
      return `from the environment (${seenName(variable ?? '')})`;
    case 'this-run':
      return 'in memory, until Dewpoint ends';
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
  throw new AppError('not-found', `There is no provider ${provider}.`, {
    hint: `There are: ${keys.map((entry) => entry.provider).join(', ')}. Others are added with: dewpoint settings set providers.NAME …`,
  });
}

async function readKey({ terminal, signal }: CommandContext, provider: string): Promise<string> {
  if (!terminal.isInteractive) return readAll(process.stdin);
  terminal.err(`Key of ${seenName(provider)} (it is not shown): `);
  // Echo goes through `output`; without one nothing of the key appears.
  const reader = createInterface({ input: process.stdin, terminal: true });
  try {
    return await new Promise((resolve) => {
      reader.once('line', resolve);
      reader.once('close', () => resolve(''));
      signal.addEventListener('abort', () => reader.close(), { once: true });
    });
  } finally {
    reader.close();
    terminal.err('\n');
  }
}
