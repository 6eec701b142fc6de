import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { openUserPrompter } from '../../../../../src/main/hosts/cli/questions/ask-user.ts';
import { safeWriting } from '../../../../../src/main/hosts/text/terminal.ts';

// Catches: a terminal that is closed at a question, and then fails to take its keys back, ends the program as a bug.
it('a question at the terminal ends, and stops the work, when the terminal is gone', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const writing = safeWriting({ out: () => undefined, err: () => undefined }, false);
  const terminal = { ...writing, isLive: false, isInteractive: true, columns: 80 };
  const stop = new AbortController();
  const asker = openUserPrompter({ terminal, signal: new AbortController().signal }, { input, output }, () =>
    stop.abort(),
  );
  const answer = asker.ask('Allow? [y/N] ');
  input.emit('error', new Error('setRawMode EIO'));
  await expect(answer).rejects.toThrow();
  input.emit('error', new Error('setRawMode EIO'));
  asker.close();
  expect(stop.signal.aborted).toBe(true);
});
