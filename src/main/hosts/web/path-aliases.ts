import { createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { escapeHtml } from '@shared/text/escape-html.ts';
import { mapStrings } from '../../lib/map-strings.ts';

/** A folder of this machine that the page may know about. */
export interface AliasedFolder {
  /** The real path first, then other paths to the same folder. */
  readonly paths: readonly string[];
  /** A label for people. It does not reveal where the folder is. */
  readonly label: string;
}

/**
 * The kind of text. `session`: paths in it are those of the sandbox, except for known folders. `sentence`: Dewpoint's
 * own words; every path of this machine is hidden, and the text is never sent back. `data`: like `sentence`, but it may
 * be sent back.
 */
type TextKind = 'session' | 'sentence' | 'data';

/**
 * Names that replace paths of this machine for the page: `~ID/LABEL/rest`, in texts without the id. The id is a keyed
 * hash: it stays the same as long as the key does, and does not reveal the path.
 */
export interface PathAliases {
  aliasOf(place: AliasedFolder): string;
  /** Replaces all paths in the value by names. */
  hide<T>(value: T, speech: TextKind): T;
  /** Replaces names by paths again, in data that the page received and sends back changed. */
  reveal<T>(value: T): T;
  /** How much of a text can be checked by itself. Then a known path may begin that continues in the next piece. */
  safeLength(text: string): number;
}

const idLength = 16;
/** Properties of sessions that only hold a path of this machine. */
const ofMachine: ReadonlySet<string> = new Set(['projectPath', 'project', 'target', 'movedTo']);

/** Of nested places, the inner one gives the name. */
export function createPathAliases(key: Uint8Array, places: readonly AliasedFolder[]): PathAliases {
  const aliasOf = ({ paths: [path = ''], label }: AliasedFolder): string =>
    `~${createHmac('sha256', key).update(path).digest('hex').slice(0, idLength)}/${label}`;
  const names = new Map<string, string>();
  const paths = new Map<string, string>();
  let patterns: { readonly path: RegExp; readonly name: RegExp } | null = null;
  const learn = (place: AliasedFolder): string => {
    const name = aliasOf(place);
    for (const spelling of place.paths.flatMap(spellings)) if (!names.has(spelling)) names.set(spelling, name);
    if (!paths.has(name)) paths.set(name, place.paths[0] ?? '');
    patterns = null;
    return name;
  };
  for (const place of places) learn(place);
  const find = (): { readonly path: RegExp; readonly name: RegExp } => {
    if (patterns === null) {
      // A folder at the top has its own path in its name: `/root` in `~ID/root`. Such a name is hidden already.
      const hidden = [...paths.keys()].map((name) => name.slice(0, name.indexOf('/')));
      patterns = { path: anyOf([...names.keys()], `(?<!${hidden.join('|')})`), name: anyOf([...paths.keys()]) };
    }
    return patterns;
  };
  const withNames = (text: string): string =>
    text.includes('/') ? text.replace(find().path, (path) => names.get(path) ?? path) : text;
  const elsewhere = pathsOfMachine();
  const nameOfPath = (path: string): string => names.get(path) ?? learn({ paths: [path], label: basename(path) });
  const hideIn: Readonly<Record<TextKind, (text: string, property: string | null) => string>> = {
    session: (text, property) => {
      const hidden = withNames(text);
      if (!ofMachine.has(property ?? '')) return withoutIds(hidden);
      return hidden.startsWith('/') ? nameOfPath(hidden) : hidden;
    },
    sentence: (text) => withoutIds(withNames(text).replace(elsewhere, nameOfPath)),
    data: (text) => withNames(text).replace(elsewhere, nameOfPath),
  };
  return {
    aliasOf,
    hide: (value, speech) => mapStrings(value, hideIn[speech]),
    reveal: (value) =>
      mapStrings(value, (text) =>
        text.includes('~') ? text.replace(find().name, (name) => paths.get(name) ?? name) : text,
      ),
    safeLength: (text) => safeLength(text, [...names.keys()]),
  };
}

function withoutIds(text: string): string {
  return text.includes('~') ? text.replaceAll(/~[0-9a-f]{16}\//gu, '') : text;
}

/** The path as it is, as JSON and HTML escape it, and as an address encodes it. */
function spellings(path: string): readonly string[] {
  const json = JSON.stringify(path).slice(1, -1);
  return [...new Set([path, json, escapeHtml(path), escapeHtml(json), encodeURI(path), escapeHtml(encodeURI(path))])];
}

/** The longest first, and only up to the end of a folder's name. */
function anyOf(texts: readonly string[], before = ''): RegExp {
  const longestFirst = [...texts].sort((left, right) => right.length - left.length);
  return new RegExp(`${before}(?:${longestFirst.map(escaped).join('|')})(?![\\w-]|\\.\\w)`, 'gu');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

/** At least two names, the first of which exists here: `/v1/models` in an address is not a path of this machine. */
function pathsOfMachine(): RegExp {
  const first = readdirSync('/').map(escaped).join('|');
  const name = String.raw`[^\s/"'\x60<>|:;,()[\]{}\\]+`;
  return new RegExp(String.raw`(?<![\w.~])(?:(?<!/)|(?<=\w://))/(?:${first})(?:/${name})+(?<![.!?])`, 'gu');
}

function safeLength(text: string, known: readonly string[]): number {
  const longest = Math.max(...known.map((path) => path.length));
  for (let at = text.indexOf('/', Math.max(0, text.length - longest)); at >= 0; at = text.indexOf('/', at + 1)) {
    const tail = text.slice(at);
    // The first name alone reveals nothing, and a user who types it in a terminal wants to see it.
    if (tail.indexOf('/', 1) < 0) continue;
    if (known.some((path) => path.length > tail.length && path.startsWith(tail))) return at;
  }
  return text.length;
}
