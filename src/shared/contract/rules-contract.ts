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
  /** Relative to the project; empty: no file. */
  path: z.string().max(4096).default(''),
  task: z.string().max(10_000).default(''),
  purpose: purposeSchema.default('act'),
  /** In place of a file as it is. */
  draft: z.object({ owner, text }).optional(),
});
export type RuleQuestion = z.infer<typeof questionSchema>;

const saveSchema = z.object({
  projectPath,
  owner,
  text,
  /** Of what it is written in place of; null: of nothing. */
  hash: hash.nullable(),
  /** A project's: whoever writes it approves it. */
  approve: z.boolean().default(false),
});
export type RuleSaving = z.infer<typeof saveSchema>;

/** A person's rules, and those that a project brings along (`rules.ts`). */
export const rulesContract = {
  show: base.input(z.object({ projectPath })).output(type<RuleReport>()),
  check: base.input(z.object({ projectPath, owner, text })).output(type<RuleCheck>()),
  /** `bad-input` for a text with an error; then nothing was written. */
  save: base.input(saveSchema).output(type<RuleReport>()),
  test: base.input(questionSchema).output(type<RuleAnswer>()),
  /** Exactly these bytes: `conflict` when they are others by now. */
  approve: base.input(z.object({ projectPath: z.string().min(1).max(4096), hash })).output(type<RuleReport>()),
};
