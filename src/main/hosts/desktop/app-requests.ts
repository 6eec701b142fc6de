import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seenText } from '@shared/text/seen-text.ts';

/** `dewpoint://session/ID` opens a session, `dewpoint://new?text=…` fills the field of a new task. */
export const linkScheme = 'dewpoint';

/** What the system asks of the app: by a link, by *open with*, or by a drop on its icon. */
export type AppRequest =
  | { readonly type: 'session'; readonly sessionId: string }
  /** Written by whoever made the link: it is data, and is shown as that. `isCut`: there was more. */
  | { readonly type: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly type: 'path'; readonly path: string };

/** More of a link's text is not taken. */
const mostCharacters = 8_000;

/** What a link asks; null for what is none of ours. Links come from anywhere: nothing but an id or a text is taken out. */
export function requestOfLink(link: string): AppRequest | null {
  const sessionId = /^dewpoint:\/\/session\/([a-z0-9][a-z0-9-]{0,99})\/?$/u.exec(link)?.[1];
  if (sessionId !== undefined) return { type: 'session', sessionId };
  const query = /^dewpoint:\/\/new\/?\?(.*)$/su.exec(link)?.[1];
  const given = query === undefined ? null : new URLSearchParams(query).get('text');
  if (given === null || given.trim() === '') return null;
  const isCut = given.length > mostCharacters;
  // What cannot be seen in a field is written out: the reader judges what the model will read.
  return { type: 'text', text: seenText(given.slice(0, mostCharacters).replaceAll('\r\n', '\n')), isCut };
}

export interface Arguments {
  readonly args: readonly string[];
  /** Where they were typed. */
  readonly folder: string;
  /** What is run, where it stands among them: in a checkout. */
  readonly mainFile: string;
  /** In a checkout paths count only behind what is run: before it stands what runs it. */
  readonly isInstalled: boolean;
}

/** What the arguments of a start ask: the first that is no option. Null: nothing. */
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
    // The desktops of Linux name what is opened by its address.
    return arg.startsWith('file:') ? { type: 'path', path: fileURLToPath(arg) } : null;
  } catch {
    return null;
  }
}
