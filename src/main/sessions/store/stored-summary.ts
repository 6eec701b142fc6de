import { z } from 'zod';
import { type Failure, toFailure } from '@shared/errors.ts';
import { whereSchema } from '@shared/models/model-info.ts';
import { runStatusSchema } from '@shared/session/run-options.ts';
import { type MoneyState, totalCostUsd } from '@shared/money/session-money.ts';
import { type SessionState, sessionStatus, STATE_VERSION, usualPlace } from '@shared/session/session-state.ts';
import { hasUnseenEnd } from '@shared/session/session-news.ts';
import { waitingTurn } from '@shared/session/waiting-turn.ts';
import { readJsonFile, writeFileAtomic } from '../../lib/files/json-file.ts';
import { workspaceModeSchema } from '@shared/events/session-events.ts';
import { treePlaceSchema } from '@shared/session/agent-tree.ts';

const summarySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  projectPath: z.string().nullable(),
  /** The id of the project that it was moved into or begun in; null: none. */
  project: z.string().nullable(),
  workspace: z.strictObject({ mode: workspaceModeSchema, path: z.string() }).nullable(),
  parentId: z.string().nullable(),
  groupId: z.string().nullable(),
  branchOf: z.string().nullable(),
  /** Null: the session is the root of its own tree. */
  tree: treePlaceSchema.nullable(),
  createdAt: z.number(),
  lastAt: z.number(),
  /** Also `running` for a session that was cut off in a turn and not opened since. */
  status: z.union([runStatusSchema, z.enum(['running', 'new'])]),
  /** Its task waits for the person, whatever came after the question. */
  isWaiting: z.boolean(),
  /** Its last turn has ended, and the person did not look at the end yet. */
  isUnseen: z.boolean(),
  turns: z.number(),
  steps: z.number(),
  actions: z.number(),
  /** Null: a part of it is unpriced. */
  costUsd: z.number().nullable(),
  isPinned: z.boolean(),
  isArchived: z.boolean(),
  tags: z.array(z.string()).readonly(),
  models: z.array(z.string()).readonly(),
  places: z.array(whereSchema).readonly(),
  logBytes: z.number(),
  stateVersion: z.number(),
});

/** One line of the list of sessions. `problem` says why the session could not be read. */
export interface StoredSummary extends z.infer<typeof summarySchema> {
  readonly problem?: Failure;
}

export function summaryOf(
  id: string,
  folded: { readonly state: SessionState; readonly money: MoneyState },
  logBytes: number,
): StoredSummary {
  const { state, money } = folded;
  const {
    title,
    projectPath,
    project = null,
    workspace,
    parentId,
    groupId,
    branchOf = null,
    tree = null,
    createdAt,
    lastAt,
    totals,
  } = state;
  const { turns, steps, actions } = totals;
  const status = sessionStatus(state);
  const costUsd = totalCostUsd(money);
  return {
    id,
    title,
    projectPath,
    project,
    workspace: workspace === null ? null : { mode: workspace.mode, path: workspace.path },
    parentId,
    groupId,
    branchOf,
    tree,
    createdAt,
    lastAt,
    status,
    isWaiting: waitsForPerson(state),
    isUnseen: hasUnseenEnd(state),
    turns,
    steps,
    actions,
    costUsd,
    ...placeOf(state),
    ...calledIn(state, money),
    logBytes,
    stateVersion: STATE_VERSION,
  };
}

/** Also for a session that was cut off at a question of the agent and not opened since. */
function waitsForPerson(state: Pick<SessionState, 'turns' | 'approvals' | 'restores'>): boolean {
  return waitingTurn(state) !== null || state.approvals.some(({ kind }) => kind === 'question');
}

function placeOf({ organized = usualPlace }: SessionState): Pick<StoredSummary, 'isPinned' | 'isArchived' | 'tags'> {
  const { isPinned, isArchived, tags } = organized;
  return { isPinned, isArchived, tags };
}

/** The models and places that worked on the session, including the part that a fork copied from its parent. */
export function calledIn(
  { steps }: Pick<SessionState, 'steps'>,
  { byModel, local, cloud }: Pick<MoneyState, 'byModel' | 'local' | 'cloud'>,
): Pick<StoredSummary, 'models' | 'places'> {
  const models = new Set([...Object.keys(byModel), ...steps.map(({ stage }) => stage.model)]);
  const isIn = { local: local.calls > 0, cloud: cloud.calls > 0 };
  for (const { where } of steps) isIn[where] = true;
  return { models: [...models].sort(), places: whereSchema.options.filter((where) => isIn[where]) };
}

/** The entry of a log that cannot be read, so that the list shows it with the reason. */
export function failedSummary(id: string, logBytes: number, error: unknown): StoredSummary {
  return {
    id,
    title: '',
    projectPath: null,
    project: null,
    workspace: null,
    parentId: null,
    groupId: null,
    branchOf: null,
    tree: null,
    createdAt: 0,
    lastAt: 0,
    status: 'error',
    isWaiting: false,
    isUnseen: false,
    turns: 0,
    steps: 0,
    actions: 0,
    costUsd: null,
    ...usualPlace,
    models: [],
    places: [],
    logBytes,
    stateVersion: STATE_VERSION,
    problem: toFailure(error),
  };
}

/** The stored summary. Null if it is missing, damaged, of another version, or older than the log. */
export async function loadSummary(path: string, id: string, logBytes: number): Promise<StoredSummary | null> {
  const file = await readJsonFile(path, (value) => summarySchema.parse(value));
  if (file.type !== 'value') return null;
  const { value } = file;
  return value.id === id && value.logBytes === logBytes && value.stateVersion === STATE_VERSION ? value : null;
}

export async function saveSummary(path: string, summary: StoredSummary): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(summary)}\n`, { sync: false });
}
