import { isRecord } from '@shared/unknown-value.ts';

/**
 * Logs of before version 4 have other words for some facts. Every record of a log is read through here, so all else
 * knows the words of today only. The bytes of the log stay as they are.
 */
type Fields = Readonly<Record<string, unknown>>;

const olderEnds = { 'criterion-unmet': 'check-failed' };
const olderActions = { check_criterion: 'run_check' };

const rewrites: Readonly<Record<string, (record: Fields) => Fields>> = {
  'turn-started': (record) => withName(record, 'criterion', 'check'),
  'criterion-checked': (record) => ({ ...record, type: 'check-ended' }),
  'turn-ended': (record) => withValue(record, 'reason', olderEnds),
  'child-session-ended': (record) => withValue(record, 'reason', olderEnds),
  'tool-started': (record) => withName(withValue(record, 'tool', olderActions), 'foreign', 'connected'),
  'tool-ended': (record) => withValue(record, 'tool', olderActions),
  'approval-requested': (record) => withValue(record, 'kind', { 'foreign-tool': 'connected-tool' }),
  'history-copied': (record) => {
    const { dropped } = record;
    return isRecord(dropped) ? { ...record, dropped: withName(dropped, 'foreign-tool', 'connected-tool') } : record;
  },
};

/** A record in the words of today. Anything else, and a record that has them already, is returned as it is. */
export function withNewWords(record: unknown): unknown {
  if (!isRecord(record) || typeof record.type !== 'string') return record;
  const { type } = record;
  return Object.hasOwn(rewrites, type) ? (rewrites[type]?.(record) ?? record) : record;
}

function withName(fields: Fields, older: string, name: string): Fields {
  if (!Object.hasOwn(fields, older) || Object.hasOwn(fields, name)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key === older ? name : key, value]));
}

function withValue(fields: Fields, name: string, values: Readonly<Record<string, string>>): Fields {
  const value = fields[name];
  if (typeof value !== 'string' || !Object.hasOwn(values, value)) return fields;
  return { ...fields, [name]: values[value] };
}
