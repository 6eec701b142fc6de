import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { KnownServer, ServerDefinition } from '@shared/tools/server-definition.ts';
import { serverNameSchema } from '@shared/tools/server-definition.ts';
import list from '../../../../resources/tool-servers.json';
import { serversInText } from './import-servers.ts';
import { withHome } from './program-needs.ts';

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
  const [found] = serversInText(known.line.replace(folderMark, folderWord), { where: known.where }).servers;
  if (found === undefined) throw new AppError('bad-input', `${name} cannot be used. Nothing was added.`);
  const { definition } = found;
  if (definition.kind !== 'stdio') return definition;
  // Only now, so that nothing in the name of a folder is read as a part of the line.
  return { ...definition, args: definition.args.map((word) => (word === folderWord ? withHome(folder ?? '') : word)) };
}

/** Stands for the folder until the line is read. */
const folderWord = 'dewpoint-folder';
