import type { FenceRule } from '@shared/safety/fences.ts';
import { globMatcher } from '@shared/safety/fences.ts';
import type { RouteRule } from '@shared/routing/route-rules.ts';
import { ruleKinds, ruleVerdicts, type RuleKind, type RuleVerdict } from './rule-verdicts.ts';
import { purposeSchema } from '@shared/events/call-events.ts';

/** One rule of a file. */
export interface RuleLine {
  readonly line: number;
  readonly verdict: RuleVerdict;
  readonly kind: RuleKind;
  /** A glob, a part of the task's text, a purpose, or a regular expression; empty for `always`. */
  readonly value: string;
  /** Where the rule is, for people: `line 3 of your rules`. */
  readonly from: string;
}

export interface LineText {
  readonly line: number;
  readonly text: string;
}

export interface ParsedRules {
  readonly rules: readonly RuleLine[];
  readonly errors: readonly LineText[];
}

/** Examples of valid lines, for the author of an invalid one. */
const form =
  'A rule looks like this: local-only path plans/** · redact text ACME-[0-9]+ · mask path secrets/** · local path src/auth/** · cloud task migration · local purpose plan · local always';
const longestValue = 500;

/**
 * Reads a rules file, one rule on each line: verdict, kind and value. `#` begins a comment; in a rule for a text, only
 * at the beginning of the line, because the value may contain it. `name`: whose rules they are.
 */
export function parseRules(text: string, name: string): ParsedRules {
  const rules: RuleLine[] = [];
  const errors: LineText[] = [];
  for (const [index, whole] of text.split(/\r?\n/u).entries()) {
    const line = withoutNote(whole);
    if (line === '') continue;
    const number = index + 1;
    const found = ruleIn(line);
    if (typeof found === 'string') errors.push({ line: number, text: found });
    else rules.push({ ...found, line: number, from: `line ${number} of ${name}` });
  }
  return { rules, errors };
}

function withoutNote(whole: string): string {
  if (/^\s*#/u.test(whole)) return '';
  if (/^\s*\S+\s+text\s/u.test(whole)) return whole.trim();
  return whole.replace(/(?<!\s)\s+#[\s\S]*$/u, '').trim();
}

/** The rule, or why it is invalid. */
function ruleIn(line: string): Omit<RuleLine, 'line' | 'from'> | string {
  const [, first = '', second = '', value = ''] = /^(\S+)(?:\s+(\S+))?(?:\s+(\S[\s\S]*))?$/u.exec(line) ?? [];
  const verdict = ruleVerdicts.find((one) => one === first);
  if (verdict === undefined) return `"${line.slice(0, 60)}" is not a rule. ${form}`;
  const kinds: readonly RuleKind[] = ruleKinds[verdict];
  const kind = kinds.find((one) => one === second);
  if (kind === undefined) {
    const offered = kinds.length === 1 ? `"${kinds.join('')}"` : `one of ${kinds.join(', ')}`;
    return `After "${verdict}" comes ${offered}${second === '' ? '' : `, not "${second.slice(0, 40)}"`}.`;
  }
  return problemOf(kind, value) ?? { verdict, kind, value };
}

function problemOf(kind: RuleKind, value: string): string | null {
  if (kind === 'always') return value === '' ? null : '"always" takes nothing after it.';
  if (value === '') return `"${kind}" needs something after it. ${form}`;
  if (value.length > longestValue) return `This is longer than ${longestValue} characters.`;
  switch (kind) {
    case 'purpose':
      if (purposeSchema.safeParse(value).success) return null;
      return `"${value}" is not a purpose. Use one of ${purposeSchema.options.join(', ')}.`;
    case 'text':
      return problemOfPattern(value);
    case 'path':
      // It would match everything, which nobody who writes a name intends.
      return value.replace(/[./\\]/gu, '') === '' ? `"${value}" names no file.` : null;
    case 'task':
      return null;
    default:
      return kind satisfies never;
  }
}

function problemOfPattern(value: string): string | null {
  try {
    return new RegExp(value, 'u').test('') ? 'This regular expression matches every text.' : null;
  } catch (error) {
    return `This is not a regular expression: ${error instanceof Error ? error.message : ''}`;
  }
}

/** The rules on where steps run, in order. */
export function routeRules(rules: readonly RuleLine[]): readonly RouteRule[] {
  return rules.flatMap(({ verdict, kind, value, from }) =>
    (verdict === 'local' || verdict === 'cloud') && kind !== 'text' ? [{ where: verdict, kind, value, from }] : [],
  );
}

/**
 * The rules on what may leave this machine. Masked files may not leave either, because commands can see a file that
 * appears at such a path after the sandbox was started.
 */
export function fenceRules(rules: readonly RuleLine[]): readonly FenceRule[] {
  return rules.flatMap(({ verdict, kind, value, from }): FenceRule[] => {
    const name = `${value} (${from})`;
    if (verdict === 'local' || verdict === 'cloud') return [];
    if (verdict === 'mask') return [{ name, paths: [value], verdict: 'local-only' }];
    return kind === 'path' ? [{ name, paths: [value], verdict }] : [{ name, pattern: value, verdict }];
  });
}

/** Globs of files that commands in the sandbox see as empty. */
export function maskGlobs(rules: readonly RuleLine[]): readonly string[] {
  return rules.flatMap(({ verdict, value }) => (verdict === 'mask' ? [value] : []));
}

type Concern = 'place' | 'fence';

const concernOf = ({ verdict }: RuleLine): Concern => (verdict === 'local' || verdict === 'cloud' ? 'place' : 'fence');

/** Rules that contradict an earlier one or can never apply. `line` is that of the later rule. */
export function contradictionsIn(rules: readonly RuleLine[]): readonly (LineText & { readonly from: string })[] {
  return rules.flatMap((rule, at) => {
    const before = rules.slice(0, at);
    const text =
      before.map((first) => clash(first, rule)).find((one) => one !== null) ??
      // A fence overrides every rule on where a step runs, in any order.
      rules.map((fence) => fencedOff(fence, rule)).find((one) => one !== null) ??
      null;
    return text === null ? [] : [{ line: rule.line, text, from: rule.from }];
  });
}

function clash(first: RuleLine, later: RuleLine): string | null {
  if (concernOf(first) !== concernOf(later)) return null;
  const decides = `${first.from} comes first and wins`;
  if (first.kind === 'always') return `It never applies: ${decides}.`;
  if (first.kind !== later.kind || !covers(first, later)) return null;
  if (first.verdict === later.verdict) return `It adds nothing to ${first.from}.`;
  return `It says "${later.verdict}" where an earlier rule says "${first.verdict}": ${decides}.`;
}

function fencedOff(fence: RuleLine, rule: RuleLine): string | null {
  if (fence.verdict !== 'local-only' && fence.verdict !== 'mask') return null;
  if (rule.verdict !== 'cloud' || rule.kind !== 'path' || fence.kind !== 'path' || !covers(fence, rule)) return null;
  return `The cloud never gets these files: ${fence.from} keeps them here, and a fence wins over every other rule.`;
}

function covers(first: RuleLine, later: RuleLine): boolean {
  const same = (text: string): string => (first.kind === 'text' ? text : text.toLowerCase());
  if (same(first.value) === same(later.value)) return true;
  if (first.kind === 'task') return same(later.value).includes(same(first.value));
  if (first.kind !== 'path') return false;
  // Two globs that both have wildcards are not compared.
  const isPlain = !/[*?]/u.test(later.value.replace(/\/\*\*$/u, ''));
  return isPlain && globMatcher(first.value)(later.value.replace(/\/\*\*$/u, '/x'));
}
