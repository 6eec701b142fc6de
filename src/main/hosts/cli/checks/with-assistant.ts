import type { Assistant } from '@shared/session/assistants.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { CommandContext } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';

/** A longer list of names does not help. */
const shownNames = 20;

/** One of the user's assistants. For an unknown name, throws an error that lists the existing ones. */
export async function findAssistant({ core }: CommandContext, name: string): Promise<Assistant> {
  const { assistants, broken, folder } = await (await core()).assistants.list();
  const found = assistants.find((one) => one.name === name);
  if (found !== undefined) return found;
  const why = broken.find((one) => one.name === name)?.why;
  if (why !== undefined) throw usageError(`The assistant "${name}" cannot be used. ${seenName(why)}`);
  const names = assistants.slice(0, shownNames).map((one) => one.name);
  const more = assistants.length > shownNames ? ', … See: dewpoint assistants list' : '';
  throw usageError(
    `The assistant "${name}" was not found.`,
    names.length === 0
      ? `You have none yet. Write one: ${seenName(folder)}/NAME.md`
      : `Yours: ${names.join(', ')}${more}`,
  );
}

/** Adds the assistant's model to the options, so that it is checked before the start. The core decides what runs. */
export async function withAssistant(context: CommandContext, options: RunOptions): Promise<RunOptions> {
  if (options.assistant === undefined) return options;
  const { model } = await findAssistant(context, options.assistant);
  if (model === undefined || options.local !== undefined || options.cloud !== undefined) return options;
  const client = await context.core();
  // Asks only the service of this model. Listing all models would contact every cloud service, even where nothing may
  // leave this machine.
  const where = await client.models.show({ id: model }, { signal: context.signal }).then(
    (shown) => shown.where,
    () => 'local' as const,
  );
  return { ...options, [where]: model };
}
