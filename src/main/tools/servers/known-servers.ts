import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { KnownServer, ServerDefinition } from '@shared/tools/server-definition.ts';
import { serverNameSchema } from '@shared/tools/server-definition.ts';
import list from '../../../../resources/tool-servers.json';
import { serversInText } from './import-servers.ts';

const listSchema = z.array(
  z.strictObject({
    name: serverNameSchema,
    does: z.string().min(1).max(120),
    /** A command line or an address, with `<folder>` for a folder of the user. */
    line: z.string().min(1),
    where: z.enum(['container', 'host']),
    needs: z.string().nullable(),
  }),
);

const folderMark = '<folder>';

/** Well-known servers that start without an account, from `resources/tool-servers.json`. */
export function knownServers(): readonly KnownServer[] {
  return listSchema
    .parse(list)
    .map(({ name, does, line, needs }) => ({ name, does, line, needs, asksFolder: line.includes(folderMark) }));
}

/** What adding a well-known server would start or reach. Null: there is none of this name. */
export function knownDefinition(name: string, folder?: string): ServerDefinition | null {
  const known = listSchema.parse(list).find((one) => one.name === name);
  if (known === undefined) return null;
  if (known.line.includes(folderMark) && (folder ?? '').trim() === '') {
    throw new AppError('bad-input', `${name} works on a folder. Nothing was added.`, {
      hint: `Name it: dewpoint tools add ${name} ~/FOLDER`,
    });
  }
  const text = known.line.replace(folderMark, () => JSON.stringify(folder));
  const [found] = serversInText(text, { where: known.where }).servers;
  if (found === undefined) throw new AppError('bad-input', `${folder ?? ''} is no folder that can be used.`);
  return found.definition;
}
