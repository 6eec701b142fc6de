import { isAbsolute, join, relative } from 'node:path';
import { keyOfRecord } from '@shared/projects/project-keys.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { isWithin } from '../lib/files/is-within.ts';
import { byProjectKey, projectKey } from '../lib/files/project-key.ts';

type Written = Readonly<Record<string, unknown>>;
type Change = (value: unknown) => Promise<unknown>;
type Merge = (real: unknown, other: unknown) => unknown;

/** The settings that name folders of projects, and what makes their names keys. */
const places: readonly (readonly [names: readonly string[], change: Change, merge: Merge])[] = [
  [['sandbox', 'projects'], keyed(both), both],
  [['network', 'projects'], keyed(both), both],
  [['network', 'trusted'], eachKey, first],
  // The lower limit, and the later removal.
  [['budget', 'projects'], keyed(lower), lower],
  [['projects', 'removed'], keyed(later), later],
  [['projects', 'added'], eachKey, first],
  [['projectModels'], keyed(both), both],
  [['kindWays', 'projects'], keyed(both), both],
  [['projectTools'], keyed(both), both],
  [['projectFolders'], keyed(both), both],
  [['rules', 'approved'], keyed(first), first],
  [['fences', 'rules'], rulesKeyed, first],
];

/**
 * Settings with each project under its one key. A project that has several names here gets all that was said of it;
 * where they contradict each other, its own key wins, of spending limits the lower.
 */
export async function keyedSettings(written: Written): Promise<Written> {
  const projects = isRecord(written.projects) ? written.projects : {};
  const records = await recordsKeyed(projects.records);
  let keyedSoFar = records === null ? written : { ...written, projects: { ...projects, records } };
  keyedSoFar = records === null ? keyedSoFar : withFolders(keyedSoFar, records);
  for (const [names, change] of places) keyedSoFar = await changedAt(keyedSoFar, names, change);
  return keyedSoFar;
}

/** The name of a setting, with folders of projects in it by their keys. */
export async function keyedNames(names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(names.map(async (name, index) => (index > 0 && isAbsolute(name) ? projectKey(name) : name)));
}

async function changedAt(record: Written, [name, ...rest]: readonly string[], change: Change): Promise<Written> {
  if (name === undefined || !Object.hasOwn(record, name)) return record;
  const before = record[name];
  if (rest.length === 0) return { ...record, [name]: await change(before) };
  return isRecord(before) ? { ...record, [name]: await changedAt(before, rest, change) } : record;
}

/** Null: there are none. */
async function recordsKeyed(value: unknown): Promise<Written | null> {
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).map(async ([id, record]): Promise<[string, unknown]> => {
    if (!isRecord(record) || typeof record.folder !== 'string') return [id, record];
    return [id, { ...record, folder: await projectKey(record.folder) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * What was set for a project without a folder goes along when it gets one, and what was set for a folder goes along when
 * it lies elsewhere, with the same write.
 */
function withFolders(written: Written, records: Written): Written {
  const folders = new Map(
    Object.entries(records).flatMap(([id, record]) =>
      isRecord(record) && typeof record.folder === 'string'
        ? [keyOfRecord(id, { folder: null }), record.movedFrom].flatMap((key): [string, string][] =>
            typeof key === 'string' && typeof record.folder === 'string' ? [[key, record.folder]] : [],
          )
        : [],
    ),
  );
  const keyOf = (key: string): string => folders.get(key) ?? key;
  const settled = places.reduce((so, [names, , merge]) => renamedAt(so, names, { keyOf, merge }), written);
  const pathOf = (path: string): string => {
    const [from, to] = [...folders].find(([one]) => isAbsolute(one) && isWithin(path, one)) ?? [path, path];
    return join(to, relative(from, path));
  };
  return withShownFiles(settled, pathOf);
}

/** Files that commands may see are named by their whole paths, or by paths in every project. */
function withShownFiles(written: Written, pathOf: (path: string) => string): Written {
  const { sandbox } = written;
  if (!isRecord(sandbox) || !Array.isArray(sandbox.unmask)) return written;
  const unmask = sandbox.unmask.map((path: unknown) =>
    typeof path === 'string' && isAbsolute(path) ? pathOf(path) : path,
  );
  return { ...written, sandbox: { ...sandbox, unmask } };
}

interface Renaming {
  readonly keyOf: (key: string) => string;
  readonly merge: Merge;
}

/** The projects that a setting names, under their new keys: as names, in a list, or in rules. */
function renamedAt(record: Written, [name, ...rest]: readonly string[], renaming: Renaming): Written {
  if (name === undefined || !Object.hasOwn(record, name)) return record;
  const before = record[name];
  if (rest.length > 0) return isRecord(before) ? { ...record, [name]: renamedAt(before, rest, renaming) } : record;
  const { keyOf, merge } = renaming;
  if (isRecord(before)) return { ...record, [name]: renamed(before, keyOf, merge) };
  if (!Array.isArray(before)) return record;
  const all = before.map((one: unknown) => {
    if (typeof one === 'string') return keyOf(one);
    return isRecord(one) && typeof one.project === 'string' ? { ...one, project: keyOf(one.project) } : one;
  });
  return { ...record, [name]: all };
}

function renamed(record: Written, keyOf: (key: string) => string, merge: Merge): Written {
  const all = new Map<string, unknown>();
  // Those that have their key come first, so that the others join them.
  const entries = Object.entries(record).sort(
    ([left], [right]) => Number(keyOf(left) !== left) - Number(keyOf(right) !== right),
  );
  for (const [key, own] of entries) {
    const to = keyOf(key);
    all.set(to, all.has(to) ? merge(all.get(to), own) : own);
  }
  return Object.fromEntries(all);
}

function keyed(merge: Merge): Change {
  return async (value) => (isRecord(value) ? byProjectKey(value, merge) : value);
}

async function eachKey(value: unknown): Promise<unknown> {
  if (!Array.isArray(value)) return value;
  const keys = await Promise.all(value.map((one: unknown) => (typeof one === 'string' ? projectKey(one) : one)));
  return [...new Set(keys)];
}

async function rulesKeyed(value: unknown): Promise<unknown> {
  if (!Array.isArray(value)) return value;
  return Promise.all(
    value.map(async (rule: unknown) =>
      isRecord(rule) && typeof rule.project === 'string' ? { ...rule, project: await projectKey(rule.project) } : rule,
    ),
  );
}

function first(real: unknown): unknown {
  return real;
}

function later(real: unknown, other: unknown): unknown {
  return Number(other) > Number(real) ? other : real;
}

function lower(real: unknown, other: unknown): unknown {
  return Number(other) < Number(real) ? other : real;
}

function both(real: unknown, other: unknown): unknown {
  if (Array.isArray(real) && Array.isArray(other)) return [...new Set<unknown>([...real, ...other])];
  if (!isRecord(real) || !isRecord(other)) return real;
  const names = new Set([...Object.keys(other), ...Object.keys(real)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      !(name in real) ? other[name] : name in other ? both(real[name], other[name]) : real[name],
    ]),
  );
}
