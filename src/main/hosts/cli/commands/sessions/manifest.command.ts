import { AppError } from '@shared/errors.ts';
import { summarizeManifest } from '@shared/session/call-manifest.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine, oneLine } from '../../../text/terminal.ts';

/** Exactly what one step sent to its model or, if a fence stopped it, would have sent. */
export const manifest: Command<[string, string, { readonly json?: boolean }]> = async (
  { core, terminal },
  id,
  stepText,
  { json },
) => {
  const step = Number(stepText);
  if (!Number.isInteger(step) || step < 1) throw usageError(`A step is a number from 1, not "${stepText}".`);
  const client = await core();
  const { sessionId } = await client.sessions.find({ id });
  const found = await client.sessions.manifest({ sessionId, step });
  if (found === null)
    throw new AppError('not-found', `Session ${sessionId} has no step ${step}, or its content is no longer stored.`);
  if (json === true) terminal.out(jsonLine(found));
  else {
    for (const { role, kind, bytes, origin, text, hits } of found.parts) {
      const fenced = hits.map(({ path, rule }) => path ?? rule).join(', ');
      const marks = fenced === '' ? '' : terminal.colors.yellow(`  [fenced: ${oneLine(seenName(fenced), 60)}]`);
      const from = origin === null ? '' : `  ${oneLine(seenName(origin), 60)}`;
      terminal.out(`${role.padEnd(9)} ${kind.padEnd(11)} ${String(bytes).padStart(8)}${from}${marks}\n`);
      terminal.out(terminal.colors.dim(`          ${oneLine(text, 100)}\n`));
    }
    terminal.out(`${oneLine(summarizeManifest(found), 400)}\n`);
  }
  return 0;
};
