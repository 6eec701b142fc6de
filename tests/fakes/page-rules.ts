import { createHash } from 'node:crypto';
import type { RuleCheck, RuleFile } from '@shared/rules/rule-report.ts';
import { contradictionsIn, parseRules } from '../../src/shared/rules/parse-rules.ts';
import type { SomeHandlers } from './fake-handlers.ts';
import type { Note } from './page-settings.ts';

/** A rules file of a person who wrote none. */
export const noRules: RuleFile = {
  owner: 'own',
  path: '/home/dewpoint.rules',
  text: null,
  hash: null,
  holds: 'none',
  problems: [],
  rules: [],
  errors: [],
  warnings: [],
};

function checked(text: string): RuleCheck {
  const { rules, errors } = parseRules(text, 'your rules');
  return { rules, errors, warnings: contradictionsIn(rules).map((one) => ({ line: one.line, text: one.text })) };
}

/** Answers about rules, and keeps what is saved. */
export function ruleHandlers(core: { rules: RuleFile }, note: Note): NonNullable<SomeHandlers['rules']> {
  const ofProject = (path: string): RuleFile => ({ ...noRules, owner: 'project', path: `${path}/dewpoint.rules` });
  return {
    show: ({ input: { projectPath } }) => ({
      files: projectPath === null ? [core.rules] : [core.rules, ofProject(projectPath)],
    }),
    check: ({ input }) => checked(input.text),
    save: ({ input: { text } }) => {
      note('rules', text);
      const hash = createHash('sha256').update(text).digest('hex');
      core.rules = { ...core.rules, ...checked(text), text, hash, holds: 'as-written', problems: [] };
      return { files: [core.rules] };
    },
    test: ({ input: { path, draft } }) => {
      const rule = checked(draft?.text ?? '').rules.find(({ value }) => value === path);
      return { place: null, fence: rule === undefined ? null : { verdict: 'local-only', text: rule.from }, mask: null };
    },
  };
}
