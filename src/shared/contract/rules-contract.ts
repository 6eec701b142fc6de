import { expectedKinds, type Expectation, type LearnedReport } from '@shared/routing/outcomes.ts';
import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';
import type { RuleAnswer, RuleCheck, RuleReport } from '@shared/rules/rule-report.ts';
import { purposeSchema } from '@shared/events/call-events.ts';

const projectPath = z.string().min(1).max(4096).nullable();
const text = z.string().max(65_536);
const owner = z.enum(['own', 'project']);
const hash = z.string().length(64);

const questionSchema = z.object({
  projectPath,
  /** Relative to the project. Empty: no file. */
  path: z.string().max(4096).default(''),
  task: z.string().max(10_000).default(''),
  purpose: purposeSchema.default('act'),
  /** Rules to test instead of those in the file. */
  draft: z.object({ owner, text }).optional(),
});
export type RuleQuestion = z.infer<typeof questionSchema>;

const saveSchema = z.object({
  projectPath,
  owner,
  text,
  /** Hash of the text that this one replaces; null when there is no file yet. */
  hash: hash.nullable(),
  /** For a project's rules: also approves what is written. */
  approve: z.boolean().default(false),
});

/** The user's own rules, and those that a project contains (`parse-rules.ts`). */
export const rulesContract = {
  show: base.input(z.object({ projectPath })).output(type<RuleReport>()),
  check: base.input(z.object({ projectPath, owner, text })).output(type<RuleCheck>()),
  /** Rejects a text that has an error with `bad-input` and writes nothing. */
  save: base.input(saveSchema).output(type<RuleReport>()),
  test: base.input(questionSchema).output(type<RuleAnswer>()),
  /** Approves exactly these bytes. `conflict` when the rules have changed since. */
  approve: base.input(z.object({ projectPath: z.string().min(1).max(4096), hash })).output(type<RuleReport>()),
};

const place = projectPath.default(null);

/** What this machine has learned about its models, and what that says about the next task. */
export const routingContract = {
  /** What was learned, from which outcomes. With a project, also what its own record says. */
  learned: base.input(z.object({ projectPath: place })).output(type<LearnedReport>()),
  /** Forgets what was learned in a project; without one, everything. The caller has asked the user. */
  forget: base.input(z.object({ projectPath: place })).output(type<{ readonly forgotten: number }>()),
  /**
   * What a task of this kind is likely to bring on each way. Calls no model. Models that are not named are those of the
   * settings.
   */
  expect: base
    .input(
      z.object({
        projectPath: place,
        kind: z.enum(expectedKinds),
        policy: z.enum(['local', 'hybrid', 'cloud']).optional(),
        local: z.string().optional(),
        cloud: z.string().optional(),
      }),
    )
    .output(type<Expectation>()),
};
