import { z } from 'zod';
import type { Purpose } from './events.ts';
import { purposeSchema } from './events.ts';
import { globMatcher } from './fences.ts';
import { whereSchema } from './models.ts';

/** A person's rule on where steps run. The first one that fits decides, and no score goes over it. */
export const routeRuleSchema = z.object({
  where: whereSchema,
  kind: z.enum(['always', 'path', 'task', 'purpose']),
  /** A glob, a piece of the task's text, or a purpose; empty for `always`. */
  value: z.string(),
  /** Where it stands, for people: `line 3 of your rules`. */
  from: z.string(),
});
export type RouteRule = z.infer<typeof routeRuleSchema>;

export interface ParsedRules {
  readonly rules: readonly RouteRule[];
  readonly errors: readonly { readonly line: number; readonly text: string }[];
}

const form = 'A rule looks like this: local path secrets/** · cloud task migration · local purpose plan · local always';

/** Reads rules, one a line; `#` begins a note. `name`: whose rules they are. */
export function parseRouteRules(text: string, name: string): ParsedRules {
  const rules: RouteRule[] = [];
  const errors: { line: number; text: string }[] = [];
  for (const [index, whole] of text.split(/\r?\n/u).entries()) {
    const line = whole.replace(/^\s*#.*$|\s+#.*$/u, '').trim();
    if (line === '') continue;
    const [where, kind, ...rest] = line.split(/\s+/u);
    const rule = routeRuleSchema.safeParse({
      where,
      kind,
      value: rest.join(' '),
      from: `line ${index + 1} of ${name}`,
    });
    const problem = rule.success ? problemOf(rule.data) : `"${line.slice(0, 60)}" is no rule. ${form}`;
    if (problem !== null) errors.push({ line: index + 1, text: problem });
    else if (rule.success) rules.push(rule.data);
  }
  return { rules, errors };
}

function problemOf({ kind, value }: RouteRule): string | null {
  if (kind === 'always') return value === '' ? null : '"always" takes nothing after it.';
  if (value === '') return `"${kind}" needs something after it. ${form}`;
  if (kind === 'purpose' && !purposeSchema.safeParse(value).success) {
    return `"${value}" is no purpose; there are ${purposeSchema.options.join(', ')}.`;
  }
  return null;
}

export interface RuleSubject {
  readonly purpose: Purpose;
  readonly task: string;
  /** Files that the turn has read or changed so far, relative to the workspace. */
  readonly paths: readonly string[];
}

/** The first rule that fits; null: none does. */
export function fittingRule(rules: readonly RouteRule[], subject: RuleSubject): RouteRule | null {
  return rules.find((rule) => fits(rule, subject)) ?? null;
}

function fits({ kind, value }: RouteRule, { purpose, task, paths }: RuleSubject): boolean {
  switch (kind) {
    case 'always':
      return true;
    case 'purpose':
      return value === purpose;
    case 'task':
      return task.toLowerCase().includes(value.toLowerCase());
    case 'path':
      return paths.some(globMatcher(value));
    default:
      return kind satisfies never;
  }
}
