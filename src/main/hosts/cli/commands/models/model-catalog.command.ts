import { resolve } from 'node:path';
import type { CatalogUpdate } from '@shared/contract/models-contract.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import { jsonLine } from '../../../text/terminal.ts';

interface CatalogArguments {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Uses a catalog from a file or an address. Null: uses the built-in one again. */
export const modelCatalog: Command<[string | null, CatalogArguments]> = (context, source, args) =>
  source === null ? resetCatalog(context, args) : updateCatalog(context, source, args);

/** Shows what a signed catalog changes, and uses it after a yes. Dewpoint never looks for catalogs by itself. */
const updateCatalog: Command<[string, CatalogArguments]> = async (context, given, { yes, json }) => {
  const { terminal, signal } = context;
  const { models } = await context.core();
  const source = /^[a-z]+:\/\//iu.test(given) ? given : resolve(given);
  const found = await models.updateCatalog({ source, apply: false }, { signal });
  const isAsked = found.changes.length > 0 && yes !== true;
  if (json !== true) terminal.out(describeCatalog(found));
  else if (isAsked) terminal.err(describeCatalog(found));
  const asking = { what: 'A new catalog', without: 'To use it without asking: --yes' };
  if (isAsked && !(await confirmAtTerminal('Use this catalog?', context, asking))) {
    terminal.err('Nothing was changed.\n');
    return 1;
  }
  const taken = await models.updateCatalog({ source, apply: true }, { signal });
  if (json === true) terminal.out(jsonLine({ ...taken, changes: found.changes }));
  else terminal.err('This catalog is in use.\n');
  return 0;
};

const resetCatalog: Command<[CatalogArguments]> = async ({ core, terminal }, { json }) => {
  const now = await (await core()).models.resetCatalog();
  terminal.out(json === true ? jsonLine(now) : describeCatalog(now));
  return 0;
};

function describeCatalog({ date, revision, models, changes }: CatalogUpdate): string {
  const which = revision === null ? 'The catalog that came with Dewpoint' : `Revision ${revision}`;
  const lines = changes.length === 0 ? ['nothing changes'] : changes;
  return `${which}, from ${date}, ${models} models:\n${lines.map((line) => `  ${seenWords(line)}\n`).join('')}`;
}
