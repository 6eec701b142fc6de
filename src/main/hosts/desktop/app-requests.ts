import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seenText } from '@shared/text/seen-text.ts';

/** `dewpoint://session/ID` opens a session. `dewpoint://new?text=…` fills in the text of a new task. */
export const linkScheme = 'dewpoint';

/** A request of the system: by a link, by *Open with*, or by a drop on the app's icon. */
export type AppRequest =
  | { readonly type: 'session'; readonly sessionId: string }
  /** Text from the author of the link: untrusted, and shown as such. `isCut`: there was more. */
  | { readonly type: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly type: 'path'; readonly path: string };

/** The rest of a longer text is cut off. */
const mostCharacters = 8_000;

/** The request in a link. Null: it is not Dewpoint's. Links are untrusted, so only an id or a text is read. */
export function requestOfLink(link: string): AppRequest | null {
  const sessionId = /^dewpoint:\/\/session\/([a-z0-9][a-z0-9-]{0,99})\/?$/u.exec(link)?.[1];
  if (sessionId !== undefined) return { type: 'session', sessionId };
  const query = /^dewpoint:\/\/new\/?\?(.*)$/su.exec(link)?.[1];
  const given = query === undefined ? null : new URLSearchParams(query).get('text');
  if (given === null || given.trim() === '') return null;
  const isCut = given.length > mostCharacters;
  // Invisible characters are written out, so that the user sees everything that the model will read.
  return { type: 'text', text: seenText(given.slice(0, mostCharacters).replaceAll('\r\n', '\n')), isCut };
}

export interface Arguments {
  readonly args: readonly string[];
  /** The folder in which they were typed. */
  readonly folder: string;
  /** The file that is run, as it appears among the arguments in a checkout. */
  readonly mainFile: string;
  /** In a checkout, only arguments after the main file count: those before it start the program. */
  readonly isInstalled: boolean;
}

/** The request in the arguments of a start: the first argument that is not an option. Null: there is none. */
export function requestInArguments({ args, folder, mainFile, isInstalled }: Arguments): AppRequest | null {
  const app = args.findLastIndex((arg) => resolve(folder, arg) === mainFile);
  const hasPaths = isInstalled || app >= 0;
  const given = args.slice(Math.max(app, 0) + 1).filter((arg) => arg !== '' && !arg.startsWith('-'));
  for (const arg of given) {
    const request = arg.startsWith(`${linkScheme}:`)
      ? requestOfLink(arg)
      : hasPaths
        ? requestOfPath(arg, folder)
        : null;
    if (request !== null) return request;
  }
  return null;
}

function requestOfPath(arg: string, folder: string): AppRequest | null {
  if (!/^[a-z][a-z0-9+.-]+:/iu.test(arg)) return { type: 'path', path: resolve(folder, arg) };
  try {
    // Linux desktops pass the address of a file, not its path.
    return arg.startsWith('file:') ? { type: 'path', path: fileURLToPath(arg) } : null;
  } catch {
    return null;
  }
}
