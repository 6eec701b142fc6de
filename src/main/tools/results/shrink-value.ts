import { isRecord } from '@shared/unknown-value.ts';

/** How much of a value is shown. */
export interface Level {
  /** Most characters of one text. */
  readonly text: number;
  /** Levels of nested objects. Deeper objects keep only the field that names them. */
  readonly depth: number;
  /** Most items of a nested list. */
  readonly items: number;
  readonly keys: number;
  /** Leaves out ids that only the service understands, and all addresses but the one for people. */
  readonly dropsLinks: boolean;
  /** Leaves out fields that are empty or `false`. */
  readonly dropsEmpty: boolean;
  /** Leaves out longer texts instead of cutting them. */
  readonly dropsLong: boolean;
}

const all: Level = {
  text: Infinity,
  depth: Infinity,
  items: Infinity,
  keys: Infinity,
  dropsLinks: false,
  dropsEmpty: false,
  dropsLong: false,
};

/** From everything to very little. The mildest level that leaves room for enough rows is used. */
export const levels: readonly Level[] = [
  all,
  { ...all, text: 1_000, depth: 8, items: 50, keys: 200, dropsLinks: true },
  { text: 300, depth: 2, items: 10, keys: 60, dropsLinks: true, dropsEmpty: true, dropsLong: false },
  { text: 120, depth: 0, items: 5, keys: 30, dropsLinks: true, dropsEmpty: true, dropsLong: false },
  { text: 120, depth: 0, items: 3, keys: 30, dropsLinks: true, dropsEmpty: true, dropsLong: true },
  { text: 60, depth: 0, items: 2, keys: 12, dropsLinks: true, dropsEmpty: true, dropsLong: true },
  { text: 40, depth: 0, items: 1, keys: 8, dropsLinks: true, dropsEmpty: true, dropsLong: false },
];

/** The paths of what was left out, without row numbers. */
export interface Trims {
  readonly left: Set<string>;
  readonly named: Set<string>;
  readonly lists: Set<string>;
  /** The path of the first text that was cut or left out. */
  cutText: string | null;
  hasCut: boolean;
  hasEmpty: boolean;
}

export function noTrims(): Trims {
  return { left: new Set(), named: new Set(), lists: new Set(), cutText: null, hasCut: false, hasEmpty: false };
}

interface Place {
  readonly level: Level;
  readonly trims: Trims;
  /** The path with its row number, by which the model can ask for the value. */
  readonly path: string;
  readonly generic: string;
  readonly depth: number;
}

/** Shortens a value to a level. `path`: its place in the result. */
export function shrinkValue(value: unknown, level: Level, trims: Trims, path: string): unknown {
  return shrink(value, { level, trims, path, generic: '', depth: 0 });
}

function shrink(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return shortText(value, place);
  if (Array.isArray(value)) return shortList(value, place);
  return isRecord(value) ? shortRecord(value, place) : value;
}

function shortText(value: string, { level, trims, path }: Place): string {
  if (value.length <= level.text || (isAddress(value) && value.length <= longestAddress)) return value;
  trims.hasCut = true;
  trims.cutText ??= path;
  // Does not cut a surrogate pair in half.
  const head = value.slice(0, level.text).replace(/[\uD800-\uDBFF]$/u, '');
  return `${head}… [${value.length - head.length} more characters]`;
}

function shortList(items: readonly unknown[], place: Place): readonly unknown[] {
  const { level, trims, path, generic } = place;
  if (items.length > level.items) trims.lists.add(generic);
  const shown = items.length > level.items ? items.slice(0, level.items) : items;
  return shown.map((item, at) => shrink(item, { ...place, path: `${path}[${at}]` }));
}

function shortRecord(record: Readonly<Record<string, unknown>>, place: Place): Readonly<Record<string, unknown>> {
  const { level, trims, path, generic, depth } = place;
  const keys = Object.keys(record);
  const isTooDeep = depth > level.depth;
  const naming = isTooDeep ? names.find((name) => isNaming(record[name])) : undefined;
  if (isTooDeep && keys.length > 1) trims.named.add(generic);
  const link = level.dropsLinks && depth === 0 ? linkOf(record) : null;
  const shown = isTooDeep
    ? naming === undefined
      ? []
      : [naming]
    : keys.filter((key) => !isNoise(key, record, link, place));
  for (const key of shown.slice(level.keys)) trims.left.add(inner(generic, key));
  const fields = shown.slice(0, level.keys).map((key): readonly [string, unknown] => {
    const at = {
      path: inner(path, key),
      generic: inner(generic, key),
      depth: frames.includes(key) ? depth : depth + 1,
    };
    return [key, shrink(record[key], { ...place, ...at })];
  });
  // Drops fields that became empty because they held only addresses.
  return Object.fromEntries(level.dropsEmpty ? fields.filter(([, value]) => !isEmpty(value)) : fields);
}

function inner(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** Fields in which some APIs wrap the record itself. */
const frames: readonly string[] = ['node', 'fields', 'attributes', 'item', 'resource'];

const names: readonly string[] = ['name', 'login', 'title', 'key', 'displayName', 'label', 'number', 'id', 'email'];

function isNaming(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

const links: readonly string[] = ['html_url', 'web_url', 'permalink', 'webUrl', 'htmlUrl', 'url', 'link', 'href'];
const forItsService: readonly string[] = ['node_id', 'gravatar_id', '_links'];

/** The address that is meant for people, if there is one. */
function linkOf(record: Readonly<Record<string, unknown>>): string | null {
  return links.find((key) => isAddress(record[key])) ?? null;
}

/** A shortened address leads nowhere, so addresses may be this long. */
const longestAddress = 300;

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//u.test(value);
}

function isNoise(
  key: string,
  record: Readonly<Record<string, unknown>>,
  link: string | null,
  { level, trims, path, generic }: Place,
): boolean {
  const value = record[key];
  if (level.dropsLinks && ((isAddress(value) && key !== link) || forItsService.includes(key))) {
    trims.left.add(inner(generic, key));
    return true;
  }
  if (level.dropsLong && typeof value === 'string' && value.length > level.text && !isAddress(value)) {
    trims.left.add(inner(generic, key));
    trims.cutText ??= inner(path, key);
    return true;
  }
  if (!level.dropsEmpty || !isEmpty(value)) return false;
  trims.hasEmpty = true;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
