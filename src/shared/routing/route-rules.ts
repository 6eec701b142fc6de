import { z } from 'zod';
import { globMatcher } from '@shared/safety/fences.ts';
import { whereSchema } from '@shared/models/model-info.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** A user's rule on where steps run (`parse-rules.ts` reads it). The first one that matches overrides every score. */
export const routeRuleSchema = z.object({
  where: whereSchema,
  kind: z.enum(['always', 'path', 'task', 'purpose']),
  /** A glob, a part of the task's text, or a purpose; empty for `always`. */
  value: z.string(),
  /** Where the rule is, for people: `line 3 of your rules`. */
  from: z.string(),
});
export type RouteRule = z.infer<typeof routeRuleSchema>;

export interface RuleSubject {
  readonly purpose: Purpose;
  readonly task: string;
  /** Files that the turn has read or changed so far, relative to the workspace. */
  readonly paths: readonly string[];
}

/** The first rule that matches; null when none does. */
export function matchingRule(rules: readonly RouteRule[], subject: RuleSubject): RouteRule | null {
  return rules.find((rule) => fits(rule, subject)) ?? null;
}

/** A rule as a sentence for people. */
export function ruleText({ where, kind, value, from }: RouteRule): string {
  return `A rule says so: ${where} ${kind === 'always' ? 'always' : `${kind} ${value}`} (${from}).`;
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
