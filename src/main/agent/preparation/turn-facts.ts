import { sandboxTierSchema } from '@shared/events/sandbox-events.ts';
import { easeSchema } from '@shared/models/machine-strain.ts';
import { modelInfoSchema, whereSchema } from '@shared/models/model-info.ts';
import { routeRuleSchema } from '@shared/routing/route-rules.ts';
import { agentsOfferSchema } from '@shared/session/agent-tree.ts';
import { z } from 'zod';
import { languages, linters, testRunners, type ProjectFacts } from '../../projects/facts/project-facts.ts';
import { projectParts } from '../../tools/define.ts';
import { capsLeftSchema } from '@shared/events/approval-events.ts';
import { connectedToolSchema } from '../../tools/connected/connected-tool-spec.ts';

const projectFactsSchema = z.object({
  languages: z.array(
    z.object({
      language: z.enum(languages),
      files: z.number(),
      bytes: z.number(),
    }),
  ),
  fileCount: z.number(),
  sourceFiles: z.array(z.string()),
  testFiles: z.array(z.string()),
  otherFiles: z.array(z.string()).optional(),
  test: z
    .object({
      command: z.string(),
      runner: z.enum(testRunners),
      source: z.string(),
    })
    .nullable(),
  lint: z.object({ command: z.string(), runner: z.enum(linters), source: z.string() }).optional(),
  instructionFiles: z.array(z.string()),
  folderInstructions: z.array(z.string()).optional(),
  skillFiles: z.array(z.string()).optional(),
  git: z.boolean(),
  truncated: z.boolean(),
}) satisfies z.ZodType<ProjectFacts>;

export const turnFactsSchema = z.object({
  facts: projectFactsSchema,
  local: modelInfoSchema.nullable(),
  cloud: modelInfoSchema.nullable(),
  /** Further models that may work on this turn; absent: none. */
  others: z.array(modelInfoSchema).optional(),
  /** Models of the person's order that are not there; absent: all are. */
  absent: z.array(z.string()).optional(),
  routes: z.object({ rules: z.array(routeRuleSchema), problems: z.array(z.string()) }),
  /** What is left of the spending limits; absent if nothing can cost money. */
  caps: capsLeftSchema.optional(),
  /** The model that was not found, so that everything runs on the other; absent: both were found. */
  lacks: whereSchema.optional(),
  /** What the turn does differently because this machine is under strain; absent: nothing. */
  ease: easeSchema.optional(),
  /** Connected tools that this turn may be offered; absent: none. */
  connected: z.array(connectedToolSchema).optional(),
  /** Web tools that are switched on; absent: none. */
  web: z.array(z.string()).optional(),
  /** What the project has that some tools need; absent: nothing. */
  parts: z.array(z.enum(projectParts)).optional(),
  /** What the user noted for later tasks, as models read it; absent: nothing. */
  memory: z.string().optional(),
  /** Documents that are given whole, because they fit; absent: none. `mark` changes with the content. */
  knowledge: z.array(z.object({ path: z.string(), mark: z.string() })).optional(),
  /**
   * Skills, by name: those that models are told of, all that a message may name, and those of the project that nobody
   * has approved. Absent: there are none.
   */
  skills: z.object({ told: z.array(z.string()), all: z.array(z.string()), held: z.array(z.string()) }).optional(),
  /** The kinds of child agents that may be started; absent: none. */
  agents: agentsOfferSchema.optional(),
  /** Models may run programs that call tools; absent: no. */
  programs: z.literal(true).optional(),
  /**
   * The model that reviews programs before the user is asked; `info` is null if it is not available. Absent: none is
   * chosen.
   */
  reviewer: z.object({ model: z.string(), info: modelInfoSchema.nullable() }).optional(),
  /** This talk may use connected tools and web tools; absent: it may not, or an older log. */
  talksWithTools: z.literal(true).optional(),
  /** This talk may compute in the folder of its session; absent: it may not, or an older log. */
  computes: z.literal(true).optional(),
  /** Connected tools that take too much of a context are found on demand; absent in older logs. */
  findsTools: z.literal(true).optional(),
  /** More of a result can be read; absent if no tool has such results, and in older logs. */
  readsResults: z.literal(true).optional(),
  /** The user asked for a drawing; absent: no, or an older log. */
  draws: z.literal(true).optional(),
  /** Whether each service in the cloud could be reached, by provider; absent: nothing is known. */
  reach: z.record(z.string(), z.enum(['there', 'away'])).optional(),
  sandbox: z.object({
    tier: sandboxTierSchema,
    workspacePath: z.string(),
    scratchPath: z.string().nullable(),
    notes: z.array(z.string()).optional(),
    /** Packages of the project are not installed. */
    lacksPackages: z.literal(true).optional(),
    /** Why commands cannot run. */
    missing: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
    /** The number of files hard-linked to files elsewhere that the user was not asked about in this session. */
    hardLinks: z.number().int().positive().optional(),
  }),
});

/**
 * Everything that a turn takes from outside at its start. It is the data of an action, so that a replay decides by the
 * same facts without the project and the models.
 */
export type TurnFacts = z.infer<typeof turnFactsSchema>;

/** The part that follows from the models that were chosen. */
export const foundModelsSchema = turnFactsSchema.pick({
  local: true,
  cloud: true,
  others: true,
  absent: true,
  caps: true,
  lacks: true,
  ease: true,
  reach: true,
});
export type FoundModels = z.infer<typeof foundModelsSchema>;

export const emptyTurnFacts: TurnFacts = {
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
