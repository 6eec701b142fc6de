import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { requireModels } from '../../../text/require-models.ts';
import type { Command } from '../../../text/command-context.ts';
import { cardRows } from '../../reports/probe-card-rows.ts';
import { jsonLine, oneLine } from '../../../text/terminal.ts';

/** Tests a model with small questions for about a minute and prints the findings. Ctrl-C cancels; nothing is kept. */
export const probeModel: Command<[string, { readonly json?: boolean }]> = async (context, id, { json }) => {
  const { core, terminal, signal } = context;
  await requireModels(context, { local: id, policies: ['local'] });
  let said = '';
  let isDone = false;
  for await (const { text, card } of await (await core()).models.probe({ id }, { signal })) {
    if (card !== null) {
      isDone = true;
      if (terminal.isLive) terminal.clear();
      if (json === true) terminal.out(jsonLine(card));
      else for (const [name, value] of cardRows(card)) terminal.out(`${name.padEnd(11)} ${seenWords(value)}\n`);
    } else if (text !== '' && text !== said) {
      const line = `probing ${seenName(id)}: ${text}`;
      if (terminal.isLive) terminal.clear();
      terminal.err(terminal.isLive ? oneLine(line, terminal.columns - 1) : `${line}\n`);
      said = text;
    }
  }
  if (isDone) return 0;
  return signal.aborted ? 130 : 1;
};
