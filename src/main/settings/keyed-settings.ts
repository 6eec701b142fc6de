import { isAbsolute } from 'node:path';
import { isRecord } from '@shared/unknown-value.ts';
import { byProjectKey, projectKey } from '../lib/files/project-key.ts';

type Written = Readonly<Record<string, unknown>>;
type Change = (value: unknown) => Promise<unknown>;

/** The settings that name folders of projects, and what makes their names keys. */
const places: readonly (readonly [names: readonly string[], change: Change])[] = [
  [['sandbox', 'projects'], keyed(both)],
  [['network', 'projects'], keyed(both)],
  [['network', 'trusted'], eachKey],
  // The lower limit, and the later removal.
  [['budget', 'projects'], keyed((real, other) => (Number(other) < Number(real) ? other : real))],
  [['projects', 'removed'], keyed((real, other) => (Number(other) > Number(real) ? other : real))],
  [['projects', 'added'], eachKey],
  [['projectModels'], keyed(both)],
  [['kindWays', 'projects'], keyed(both)],
  [['projectTools'], keyed(both)],
  [['rules', 'approved'], keyed((real) => real)],
  [['fences', 'rules'], rulesKeyed],
];

/**
 * Settings with each project under its one key. A project that has several names here gets all that was said of it;
 * where they contradict each other, its own key wins, of spending limits the lower.
 */
export async function keyedSettings(written: Written): Promise<Written> {
  let keyedSoFar = written;
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

function keyed(merge: (real: unknown, other: unknown) => unknown): Change {
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
