import { AppError } from '@shared/errors.ts';
import { didYouMean } from '@shared/text/near-name.ts';
import { printable, seenName } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { keyboardOf, openAddressText, readAddresses } from '../questions/read-address.ts';
import { readSecret } from '../questions/read-secret.ts';
import { usageError } from '../../text/report-failure.ts';
import { jsonLine } from '../../text/terminal.ts';
import type { KeyEntry, KeyOutcome, KeyReport } from '@shared/contract/keys-contract.ts';
import { padRight } from '../../text/columns.ts';
import type { KnownProvider } from '@shared/models/known-providers.ts';
import { knownProviders } from '@shared/models/known-providers.ts';

/** Keys come from the terminal or stdin, never from the command line, which other users and the history can see. */
export const setKey: Command<[string, { readonly thisRun?: boolean }]> = async (context, provider, { thisRun }) => {
  const core = await context.core();
  // Finds a wrong name, and a missing key store, before the user types a key.
  const { variable, store } = await knownProvider(context, provider);
  if (store.type === 'unavailable' && thisRun !== true) {
    const instead = variable === null ? 'Add --this-run.' : `Or put the key into ${variable} of the environment.`;
    throw new AppError('missing-key', `The key could not be kept: ${store.message}`, {
      hint: `${store.hint} ${instead}`,
    });
  }
  const value = (await readSecret(context, `Key of ${seenName(provider)}`)).trim();
  if (value === '') throw usageError('No key was given.', `For example: dewpoint keys set ${provider} < FILE`);
  const outcome = await core.keys.set({ provider, value, forThisRun: thisRun === true });
  return tellOutcome(context, provider, outcome);
};

/** Prints the address, opens nothing, and waits for the result of the browser. Ctrl-C ends it. */
export const signInForKey: Command<[string, { readonly thisRun?: boolean }, (NodeJS.ReadableStream | null)?]> = async (
  context,
  provider,
  { thisRun },
  keyboard = keyboardOf(context),
) => {
  const { terminal, signal } = context;
  const { keys } = await context.core();
  await knownProvider(context, provider);
  let stopReading: () => void = () => undefined;
  try {
    for await (const progress of await keys.signIn({ provider, forThisRun: thisRun === true }, { signal })) {
      if (progress.type === 'done') return tellOutcome(context, provider, progress.outcome);
      const by = `${seenName(new URL(progress.url).host)} signs you in, and makes a key for Dewpoint.`;
      terminal.err(openAddressText(provider, progress.url, { by, canPaste: keyboard !== null }));
      stopReading = readAddresses(context, keyboard, (address) => keys.finishSignIn({ provider, address }));
    }
    return 0;
  } finally {
    stopReading();
  }
};

function tellOutcome({ terminal }: CommandContext, provider: string, outcome: KeyOutcome): number {
  const place = outcome.kept === 'store' ? "in your system's key store" : 'in memory until Dewpoint quits';
  const open = outcome.test === 'open' ? ' It answers without a key, too. The key is checked with the first call.' : '';
  terminal.err(`The key of ${seenName(provider)} is kept ${place}. ${printable(outcome.text)}${open}\n`);
  if (outcome.test === 'refused') {
    throw new AppError('missing-key', `The provider ${provider} refused the key.`, {
      hint: 'The key is kept. Set another one, or remove it: dewpoint keys remove ' + provider,
    });
  }
  return 0;
}

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
  terminal.err(`The key of ${seenName(provider)} is removed.${whatRemains(provider)}\n`);
  return 0;
};

const known: Readonly<Record<string, KnownProvider>> = knownProviders;

/** The user may never have seen a key that a sign-in created. */
function whatRemains(provider: string): string {
  const signIn = known[provider]?.signIn;
  return signIn === undefined ? '' : ` It stays valid at the service until you delete it there: ${signIn.keys}`;
}

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

async function knownProvider(
  { core }: CommandContext,
  provider: string,
): Promise<Pick<KeyReport, 'store'> & Pick<KeyEntry, 'variable'>> {
  const { keys, store } = await (await core()).keys.list();
  const found = keys.find((entry) => entry.provider === provider);
  if (found !== undefined) return { store, variable: found.variable };
  const names = keys.map((entry) => entry.provider);
  throw new AppError('not-found', `The provider ${provider} was not found.`, {
    hint: `${didYouMean(provider, names)}Choose one of: ${names.join(', ')}. Add another: dewpoint settings set providers.NAME …`,
  });
}
