import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { SignInProgress, SignOutRevocation } from '@shared/tools/server-definition.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { keyboardOf, openAddressText, readAddresses } from '../questions/read-address.ts';

export interface SignInWays {
  readonly byCode?: boolean;
  /** Where addresses are pasted. Null: nowhere. */
  readonly keyboard?: NodeJS.ReadableStream | null;
}

/** `dewpoint tools sign-in`: prints the address, opens nothing, and waits for the browser. Ctrl-C ends it. */
export async function signInToServer(
  context: CommandContext,
  name: string,
  { byCode = false, keyboard = keyboardOf(context) }: SignInWays = {},
): Promise<number> {
  const { terminal, signal } = context;
  const { tools } = await context.core();
  let stopReading: () => void = () => undefined;
  try {
    for await (const progress of await tools.signIn({ name, byCode }, { signal })) {
      if (progress.type === 'open') {
        terminal.err(openText(name, progress, keyboard !== null));
        if (progress.code === null)
          stopReading = readAddresses(context, keyboard, (address) => tools.finishSignIn({ name, address }));
      } else {
        const { problem } = progress.server;
        terminal.err(`You are signed in to ${seenName(name)}.${problem === null ? '' : ` ${seenWords(problem)}`}\n`);
      }
    }
    return 0;
  } finally {
    stopReading();
  }
}

function openText(
  name: string,
  { url, issuer, scopes, code }: Extract<SignInProgress, { type: 'open' }>,
  canPaste: boolean,
): string {
  const rights = scopes.length === 0 ? '' : ` It asks for: ${seenName(scopes.join(' '))}.`;
  if (code !== null)
    return `To sign in to ${seenName(name)}, open this address on any device and type the code. ${seenName(issuer)} signs you in.${rights}\n\n  ${seenName(url)}\n  Code: ${seenName(code)}\n\nWaiting. Ctrl-C cancels.\n`;
  return openAddressText(name, url, { by: `${seenName(issuer)} signs you in.${rights}`, canPaste });
}

/** `dewpoint tools sign-out`. */
export async function signOutOfServer({ core, terminal }: CommandContext, name: string): Promise<number> {
  const { revocation } = await (await core()).tools.signOut({ name });
  terminal.err(`${signedOutText(seenName(name), revocation)}\n`);
  return 0;
}

function signedOutText(name: string, revocation: SignOutRevocation | null): string {
  switch (revocation) {
    case null:
      return `You are not signed in to ${name}. Nothing was changed.`;
    case 'done':
      return `You are signed out of ${name}.`;
    case 'unsaid':
      return `The sign-in to ${name} is deleted here. Its service cannot be told; there it ends by itself.`;
    case 'failed':
      return `The sign-in to ${name} is deleted here. Its service did not confirm it; there it may hold until it runs out.`;
    default:
      return revocation satisfies never;
  }
}
