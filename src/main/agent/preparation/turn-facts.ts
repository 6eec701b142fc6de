import { sandboxTierSchema } from '@shared/events/sandbox-events.ts';
import { easeSchema } from '@shared/models/machine-strain.ts';
import { modelInfoSchema, whereSchema } from '@shared/models/model-info.ts';
import { routeRuleSchema } from '@shared/routing/route-rules.ts';
import { agentsOfferSchema } from '@shared/session/agent-tree.ts';
import { z } from 'zod';
import type { ProjectFacts } from '../../projects/facts/project-facts.ts';
import { capScopeSchema } from '@shared/events/approval-events.ts';
import { foreignToolSchema } from '@shared/tools/foreign-tool-spec.ts';

const projectFactsSchema = z.object({
  languages: z.array(
    z.object({
      language: z.enum(['python', 'javascript', 'typescript', 'other']),
      files: z.number(),
      bytes: z.number(),
    }),
  ),
  fileCount: z.number(),
  sourceFiles: z.array(z.string()),
  testFiles: z.array(z.string()),
  test: z
    .object({
      command: z.string(),
      runner: z.enum(['pytest', 'unittest', 'node-test', 'npm', 'other']),
      source: z.string(),
    })
    .nullable(),
  lint: z.object({ command: z.string(), runner: z.enum(['npm', 'ruff', 'flake8']), source: z.string() }).optional(),
  instructionFiles: z.array(z.string()),
  git: z.boolean(),
  truncated: z.boolean(),
}) satisfies z.ZodType<ProjectFacts>;

export const turnFactsSchema = z.object({
  facts: projectFactsSchema,
  local: modelInfoSchema.nullable(),
  cloud: modelInfoSchema.nullable(),
  routes: z.object({ rules: z.array(routeRuleSchema), problems: z.array(z.string()) }),
  /** What the caps on money leave; absent where nothing may cost money. */
  caps: z.array(z.object({ scope: capScopeSchema, leftUsd: z.number() })).optional(),
  /** One of the two was not found, so that all runs on the other; absent where both are there. */
  lacks: whereSchema.optional(),
  /** What is otherwise because this machine is under strain; absent: nothing is. */
  ease: easeSchema.optional(),
  /** Tools of others that this turn may be offered; absent: there are none. */
  foreign: z.array(foreignToolSchema).optional(),
  /** Tools for the web that are switched on; absent: none is. */
  web: z.array(z.string()).optional(),
  /** Agents may be started, of these kinds; absent: none may. */
  agents: agentsOfferSchema.optional(),
  /** Programs that call tools may be run; absent: they may not. */
  programs: z.literal(true).optional(),
  /** Who reviews programs before a person is asked; `info` is null where it is not there. Absent: nobody was chosen. */
  reviewer: z.object({ model: z.string(), info: modelInfoSchema.nullable() }).optional(),
  /** Where they take too much of a window they are found on demand; absent in logs from before that. */
  findsTools: z.literal(true).optional(),
  /** More of their results can be read; absent where there are none, and in logs from before that. */
  readsResults: z.literal(true).optional(),
  /** Something is to be drawn, or was; absent where nobody asked, and in logs from before that. */
  draws: z.literal(true).optional(),
  /** Whether the service of the cloud model could be reached; absent where nobody knows. */
  network: z.enum(['there', 'away']).optional(),
  sandbox: z.object({
    tier: sandboxTierSchema,
    workspacePath: z.string(),
    scratchPath: z.string().nullable(),
    notes: z.array(z.string()).optional(),
    /** Why there are no commands. */
    missing: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
    /** Files that are also files elsewhere and that nobody was asked about yet in this session. */
    hardLinks: z.number().int().positive().optional(),
  }),
});

/**
 * All that a turn takes from outside at its start. It is the data of an action, so that a replay decides by the same
 * facts although neither the project nor the models are there.
 */
export type TurnFacts = z.infer<typeof turnFactsSchema>;

export const nothingKnown: TurnFacts = {
  facts: {
    languages: [],
    fileCount: 0,
    sourceFiles: [],
    testFiles: [],
    test: null,
    instructionFiles: [],
    git: false,
    truncated: false,
  },
  local: null,
  cloud: null,
  routes: { rules: [], problems: [] },
  sandbox: { tier: 'read-only', workspacePath: '/workspace', scratchPath: null },
};
