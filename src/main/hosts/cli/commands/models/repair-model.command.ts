import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { jsonLine } from '../../../text/terminal.ts';
import type { ModelRepair } from '@shared/contract/models-contract.ts';

/** Shows what is wrong with a model of a server and what would repair it. Repairs it only after a yes. */
export const repairModel: Command<[string, { readonly yes?: boolean; readonly json?: boolean }]> = async (
  context,
  id,
  { yes, json },
) => {
  const { terminal, signal } = context;
  const { models } = await context.core();
  const found = await models.repair({ id, apply: false }, { signal });
  const say = (repair: ModelRepair): void => {
    if (json === true) terminal.out(jsonLine(repair));
  };
  if (found.problem === null || found.plan === null) {
    say(found);
    const why = found.problem === null ? 'nothing is wrong with it.' : `${found.problem}. It cannot be repaired here.`;
    terminal.err(`${seenName(id)}: ${seenWords(why)}\n`);
    return found.problem === null ? 0 : 1;
  }
  terminal.err(`${seenName(id)}: ${seenWords(found.problem)}.\nTo repair it, ${seenWords(found.plan)}.\n`);
  if (yes !== true && !(await isWanted(context))) {
    terminal.err('Nothing was changed.\n');
    return 1;
  }
  const done = await models.repair({ id, apply: true }, { signal });
  say(done);
  if (done.made !== null) terminal.err(`Use it with --local ${seenName(done.made)}\n`);
  return 0;
};

function isWanted(context: CommandContext): Promise<boolean> {
  return confirmAtTerminal('Repair it?', context, {
    what: 'Repairing a model',
    without: 'To repair it without asking: --yes',
  });
}
