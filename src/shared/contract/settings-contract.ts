import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';

/** A name with dots, or its parts where one of them has dots itself (a path, the id of a model). */
const key = z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(8)]);
export type SettingKey = z.infer<typeof key>;

export const settingsContract = {
  get: base.input(z.object({ key: key.optional() })).output(type<unknown>()),
  set: base.input(z.object({ key, value: z.unknown() })).output(type<unknown>()),
  /** The usual value again, or the entry gone. */
  unset: base.input(z.object({ key })).output(type<void>()),
  path: base.output(type<{ path: string }>()),
  /** The names of what was changed, by whomever, for as long as somebody listens; the first says only that it listens. */
  watch: base.output(type<AsyncIterable<{ readonly keys: readonly string[] }>>()),
};
