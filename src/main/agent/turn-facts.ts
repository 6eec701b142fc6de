import { capScopeSchema } from '@shared/events.ts';
import { sandboxTierSchema } from '@shared/sandbox-events.ts';
import type { ModelInfo } from '@shared/models.ts';
import { modelInfoSchema } from '@shared/models.ts';
import { routeRuleSchema } from '@shared/route-rules.ts';
import { z } from 'zod';
import type { ProjectFacts } from '../projects/project-facts.ts';
import { takeAction } from './take-action.ts';
import type { Turn } from './turn.ts';

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
  /** Absent in logs from before there were such rules. */
  routes: z.object({ rules: z.array(routeRuleSchema), problems: z.array(z.string()) }).optional(),
  /** What the caps on money leave; absent where nothing may cost money, and in older logs. */
  caps: z.array(z.object({ scope: capScopeSchema, leftUsd: z.number() })).optional(),
  sandbox: z.object({
    tier: sandboxTierSchema,
    workspacePath: z.string(),
    scratchPath: z.string().nullable(),
    notes: z.array(z.string()).optional(),
  }),
});

/**
 * All that a turn takes from outside at its start. It is the data of an action, so that a replay decides by the same
 * facts although neither the project nor the models are there.
 */
export type TurnFacts = z.infer<typeof turnFactsSchema>;

export async function gatherTurnFacts(turn: Turn): Promise<TurnFacts> {
  const { services, options } = turn;
  const found = await takeAction<TurnFacts | null>(
    turn,
    {
      tool: 'gather_facts',
      label: 'look at the project',
      input: { options, config: services.config },
      run: async () => {
        const { sandbox } = services;
        const data: TurnFacts = turnFactsSchema.parse({
          facts: await services.gatherFacts(sandbox, turn.signal),
          local: needsLocal(options) ? await services.modelInfo(options.local, turn.signal) : null,
          cloud: await cloudModel(turn),
          routes: await services.routeRules(),
          ...(await capsLeft(turn)),
          sandbox: {
            tier: sandbox.tier,
            workspacePath: sandbox.workspacePath,
            scratchPath: sandbox.scratchPath,
            ...(sandbox.description.notes === undefined ? {} : { notes: [...sandbox.description.notes] }),
          },
        });
        return { status: 'ok', output: [brief(data.facts), ...(data.sandbox.notes ?? [])].join('\n'), data };
      },
    },
    (data) => {
      const parsed = turnFactsSchema.nullable().parse(data);
      // Also when the turn was cancelled meanwhile: its start is to say what was found.
      if (parsed !== null) turn.found.facts = parsed;
      return parsed;
    },
  );
  return found ?? nothingKnown;
}

/** Also where all is to run in the cloud: at a cap the work may go on locally. */
function needsLocal({ policy, atCap }: Turn['options']): boolean {
  return policy !== 'cloud' || atCap !== 'stop';
}

/** A purse that cannot be looked into says so at the first call that would cost money. */
async function capsLeft({ id, options, services }: Turn): Promise<Pick<TurnFacts, 'caps'>> {
  if (options.policy === 'local' || options.cloud === null) return {};
  try {
    return { caps: [...(await services.budget.left(id, options.maxUsd))] };
  } catch {
    return {};
  }
}

async function cloudModel(turn: Turn): Promise<ModelInfo | null> {
  const { policy, cloud } = turn.options;
  return policy === 'local' || cloud === null ? null : turn.services.modelInfo(cloud, turn.signal);
}

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
  sandbox: { tier: 'read-only', workspacePath: '/workspace', scratchPath: null },
};

const SHOWN_FILES = 30;

/** What opens the task for a model in the loop: enough to know where to look first. */
function brief(facts: ProjectFacts): string {
  const sources = listed(facts.sourceFiles);
  const tests = listed(facts.testFiles);
  return [
    `The project has ${facts.fileCount} files${facts.truncated ? ' or more' : ''}.`,
    sources === '' ? '' : `Source: ${sources}`,
    tests === '' ? '' : `Tests: ${tests}`,
    facts.test === null ? '' : `Test command: ${facts.test.command}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function listed(paths: readonly string[]): string {
  const more = paths.length > SHOWN_FILES ? ` … and ${paths.length - SHOWN_FILES} more` : '';
  return paths.slice(0, SHOWN_FILES).join(', ') + more;
}
