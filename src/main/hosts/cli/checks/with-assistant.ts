import type { Assistant } from '@shared/session/assistants.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { CommandContext } from '../command-context.ts';
import { usageError } from '../report-failure.ts';

/** More names are no help. */
const shownNames = 20;

/** One of the person's assistants. Fails for a name that is none, and says which there are. */
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

/** With the model that the assistant names, to look for it before anything begins; which one runs is the core's matter. */
export async function withAssistant(context: CommandContext, options: RunOptions): Promise<RunOptions> {
  if (options.assistant === undefined) return options;
  const { model } = await findAssistant(context, options.assistant);
  if (model === undefined || options.local !== undefined || options.cloud !== undefined) return options;
  const client = await context.core();
  // Only its own service is asked: a list of all would go to every cloud service, also where nothing is to leave.
  const where = await client.models.show({ id: model }, { signal: context.signal }).then(
    (shown) => shown.where,
    () => 'local' as const,
  );
  return { ...options, [where]: model };
}
