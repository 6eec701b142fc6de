import type { Command } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';

/** Serves an editor on stdin and stdout, until the editor is gone. */
export const acp: Command<[]> = async (context) => {
  const { terminal } = context;
  if (process.stdin.isTTY === true)
    throw usageError(
      'dewpoint acp speaks to an editor, not to a terminal.',
      'Name this command in the settings of your editor; see docs/guide/editors.md.',
    );
  const { processStream, serveAcp } = await import('../../acp/serve-acp.ts');
  await serveAcp({ ...context, terminal: { ...terminal, out: terminal.err } }, processStream());
  return 0;
};
