import { resolve } from 'node:path';
import { seenName } from '@shared/text/seen-text.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { describeModel } from './models.command.ts';
import { jsonLine } from '../../../text/terminal.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

/** Adds the user's own model file under a name. The file stays where it is. */
export const importModel: Command<[string, { readonly name?: string; readonly json?: boolean }]> = async (
  { core, terminal },
  file,
  { name, json },
) => {
  const model = await (await core()).models.import({ path: resolve(file), name: name ?? null });
  if (json === true) terminal.out(jsonLine(model));
  else terminal.out(describeModel(model));
  terminal.err(`Use it with --local ${seenName(model.id)}\n`);
  return 0;
};

/** Adds a LoRA adapter for an installed model, under its own name. */
export const addAdapter: Command<
  [string, { readonly model?: string; readonly name?: string; readonly json?: boolean }]
> = async ({ core, terminal }, file, { model = '', name, json }) => {
  terminal.err('Checking both files…\n');
  const made = await (await core()).models.addAdapter({ path: resolve(file), model, name: name ?? null });
  if (json === true) terminal.out(jsonLine(made));
  else terminal.out(describeModel(made));
  terminal.err(`Use it with --local ${seenName(made.id)}, or choose it in the settings of a project.\n`);
  return 0;
};

/** Downloaded files, here or on a server, are deleted only after a yes. Imported ones only leave the list. */
export const removeModel: Command<[string, { readonly yes?: boolean; readonly json?: boolean }]> = async (
  context,
  id,
  { yes, json },
) => {
  const { terminal } = context;
  const core = await context.core();
  const model = await core.models.show({ id });
  const isDeleted = model.file === undefined || model.file.isOurs;
  if (isDeleted && yes !== true && !(await isWanted(context, model))) {
    terminal.err('Nothing was removed.\n');
    return 1;
  }
  const removal = await core.models.remove({ id });
  if (json === true) terminal.out(jsonLine(removal));
  else if (removal.done === 'deleted') terminal.out(`Deleted ${seenName(id)}, ${sizeText(removal.bytes)} freed.\n`);
  else terminal.out(`Forgot ${seenName(id)}. Its file is kept: ${seenName(removal.path)}\n`);
  return 0;
};

async function isWanted(context: CommandContext, { id, file }: ModelEntry): Promise<boolean> {
  if (file?.hereBytes === 0) return true;
  const what =
    file === undefined ? `${seenName(id)} from its server` : `${seenName(file.path)} (${sizeText(file.hereBytes)})`;
  return confirmAtTerminal(`Delete ${what}?`, context, {
    what: `Deleting ${id}`,
    without: 'To delete it without asking: --yes',
  });
}
