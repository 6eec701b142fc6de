import { createInterface } from 'node:readline';
import { seenName } from '@shared/text/seen-text.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { reportFailure } from '../../text/report-failure.ts';

/** The keyboard. Null: nobody can type. */
export function keyboardOf({ terminal }: CommandContext): NodeJS.ReadableStream | null {
  return terminal.isInteractive ? process.stdin : null;
}

/** What the user does with the address of a sign-in. Dewpoint prints it and opens nothing. */
export function openAddressText(
  name: string,
  url: string,
  { by, canPaste }: { by: string; canPaste: boolean },
): string {
  const elsewhere = canPaste
    ? 'If that browser runs on another machine, paste the address that it ends at (http://127.0.0.1…) here.\n'
    : '';
  return `To sign in to ${seenName(name)}, open this address in your browser. ${by}\n\n  ${seenName(url)}\n\n${elsewhere}Waiting. Ctrl-C cancels.\n`;
}

/** Takes each line as the final address of a browser. An invalid line gets a message, and the sign-in keeps waiting. */
export function readAddresses(
  { terminal }: CommandContext,
  keyboard: NodeJS.ReadableStream | null,
  deliver: (address: string) => Promise<void>,
): () => void {
  if (keyboard === null) return () => undefined;
  const reader = createInterface({ input: keyboard });
  reader.on('line', (line) => {
    const address = line.trim();
    if (address === '') return;
    void deliver(address).catch((error: unknown) => void reportFailure(error, terminal));
  });
  // A closed terminal cannot take its keys back.
  reader.on('error', () => undefined);
  return () => reader.close();
}
