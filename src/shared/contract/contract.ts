import { type } from '@orpc/contract';
import { z } from 'zod';
import {
  type CalibrationView,
  calibrationInputSchema,
  calibrationTimeSchema,
} from '@shared/calibration/calibration.ts';
import {
  type Comparison,
  comparisonInputSchema,
  runPairSchema,
  verdictSchema,
} from '@shared/comparisons/comparison.ts';
import type { DroppedTasks, EvalTasks, SessionTasks } from '@shared/comparisons/eval-tasks.ts';
import { base, byId, bySession } from './contract-base.ts';
import { capsulesContract } from './capsules-contract.ts';
import type { CostReport } from '@shared/money/cost-report.ts';
import { hostContract } from './host-contract.ts';
import { budgetContract } from './budget-contract.ts';
import type { PriceUpdate } from '@shared/money/price-changes.ts';
import type { MonthCosts } from '@shared/money/month-costs.ts';
import type { StepCost } from '@shared/money/step-costs.ts';
import type { TaskNeed } from '@shared/money/task-needs.ts';
import { gitContract } from './git-contract.ts';
import { documentsContract, knowledgeContract, projectsContract } from './projects-contract.ts';
import { routingContract, rulesContract } from './rules-contract.ts';
import {
  assistantsContract,
  settingsContract,
  skillsContract,
  memoryContract,
  templatesContract,
} from './settings-contract.ts';
import { sessionsContract, sandboxContract } from './sessions-contract.ts';
import { modelsContract } from './models-contract.ts';
import { keysContract } from './keys-contract.ts';
import { homeContract } from './home-contract.ts';
import { ownToolsContract, toolsContract, webContract } from './tools-contract.ts';
import { endpointContract } from './endpoint-contract.ts';
import { receiptsContract } from './receipts-contract.ts';

/** Every command and stream of the core: the same for the terminal, the window, the browser and a second process. */
export const contract = {
  ...sessionsContract,
  ...modelsContract,
  ...keysContract,
  ...homeContract,
  sandboxes: sandboxContract,
  /** Several ways do the same tasks (`comparison.ts`). */
  comparisons: {
    create: base.input(comparisonInputSchema).output(type<{ id: string }>()),
    /** Starts the runs that have not ended. From now on, `maxUsd` is the limit for all of them together. */
    start: base.input(byId.extend({ maxUsd: z.number().nonnegative().optional() })).output(type<void>()),
    /** The comparison as it is, then after each change. Ends when nothing runs. */
    watch: base.input(byId).output(type<AsyncIterable<Comparison>>()),
    cancel: base.input(byId).output(type<void>()),
    /** What you say about a pair of runs, in place of what you said before. */
    judge: base.input(byId.extend({ pair: runPairSchema, verdict: verdictSchema })).output(type<Comparison>()),
    show: base.input(byId).output(type<Comparison>()),
    list: base.output(type<readonly Comparison[]>()),
    /** The tasks of a folder or of a file of records. What has to be made for them is made in the home. */
    tasks: base
      .input(
        z.object({
          path: z.string().min(1),
          repos: z.string().min(1).nullable(),
          /** Takes experiments, too, in which a command answers falsely. */
          experiments: z.boolean().default(false),
          /** What was made for them stays until `dropTasks` is called for it. */
          isHeld: z.boolean().default(false),
        }),
      )
      .output(type<EvalTasks>()),
    /**
     * The first message of each session as a task, with its check and the files before it. `orNow`: with those of now
     * where they are gone. All are of one project.
     */
    sessionTasks: base
      .input(z.object({ sessionIds: z.array(z.string().min(1).max(200)).min(1).max(200), orNow: z.boolean() }))
      .output(type<SessionTasks>()),
    /** Whoever read these tasks is done with them: removes what was made for them and what no comparison goes on with. */
    dropTasks: base
      .input(z.object({ projectPaths: z.array(z.string().min(1)).max(100_000) }))
      .output(type<DroppedTasks>()),
  },
  capsules: capsulesContract,
  /** What models are worth in a repository, by tasks out of the repository itself (`calibration.ts`). */
  calibrations: {
    create: base.input(calibrationInputSchema).output(type<{ id: string }>()),
    /**
     * Makes the tasks that are missing, and carries out the runs that have not ended. A limit replaces the earlier one;
     * `time` counts for this start.
     */
    start: base
      .input(
        byId.extend({
          ...calibrationInputSchema.pick({ maxMinutes: true, maxUsd: true }).shape,
          time: calibrationTimeSchema.optional(),
        }),
      )
      .output(type<void>()),
    /** The calibration as it is, then after each change. Ends when nothing works on it. */
    watch: base.input(byId).output(type<AsyncIterable<CalibrationView>>()),
    cancel: base.input(byId).output(type<void>()),
    show: base.input(byId).output(type<CalibrationView>()),
    list: base.output(type<readonly CalibrationView[]>()),
  },
  /** What each step of a session cost, and what it would have cost in the other place. */
  stepCosts: base.input(bySession).output(type<readonly StepCost[]>()),
  /**
   * What a cloud model used for tasks that it did alone, oldest first. Estimates of a task's cloud cost are based on
   * this.
   */
  taskNeeds: base.input(z.object({ model: z.string() })).output(type<readonly TaskNeed[]>()),
  budget: budgetContract,
  /** The list of what cloud models cost. */
  prices: {
    /** The list in use. Sends no request. */
    show: base.output(type<PriceUpdate>()),
    /** Fetches the newest list from its publisher and says what would change. `apply` uses the list of the hash. */
    update: base
      .input(
        z.discriminatedUnion('apply', [
          z.object({ apply: z.literal(false) }),
          z.object({ apply: z.literal(true), hash: z.string().max(64) }),
        ]),
      )
      .output(type<PriceUpdate>()),
    /** Returns to the list that came with this version. */
    reset: base.output(type<PriceUpdate>()),
  },
  costs: base
    .input(
      z.object({
        by: z.enum(['day', 'model', 'project', 'session']).default('day'),
        since: z.iso.date().optional(),
        project: z.string().optional(),
      }),
    )
    .output(type<CostReport>()),
  /** What a month of the work of the last 90 days costs, as it was done, all in the cloud and all on this machine. */
  monthCosts: base.input(z.object({ project: z.string().optional() })).output(type<MonthCosts>()),
  receipts: receiptsContract,
  routing: routingContract,
  rules: rulesContract,
  tools: toolsContract,
  web: webContract,
  ownTools: ownToolsContract,
  settings: settingsContract,
  templates: templatesContract,
  assistants: assistantsContract,
  skills: skillsContract,
  memory: memoryContract,
  projects: projectsContract,
  documents: documentsContract,
  knowledge: knowledgeContract,
  git: gitContract,
  endpoint: endpointContract,
  host: hostContract,
};
