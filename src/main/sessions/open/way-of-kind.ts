import { kindOfWork, wayForKind } from '@shared/routing/kind-ways.ts';
import { workKindNames } from '@shared/routing/work-kinds.ts';
import { wayName } from '@shared/comparisons/way-name.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { goesOn } from '@shared/text/task-kind.ts';
import { seenName } from '@shared/text/seen-text.ts';

interface OfKind {
  readonly settings: Settings;
  readonly run: RunOptions;
  /** What the decisions of the turn say about it. Null: no way was chosen for such a task. */
  readonly text: string | null;
  /** Whether the way cannot be gone, so that the usual models work. */
  readonly isMissing: boolean;
}

interface Message {
  /** Its text, and those before it, the latest first. */
  readonly texts: readonly string[];
  readonly projectPath: string | null;
  readonly run: RunOptions;
}

/**
 * The settings and options of a message with the way that the person chose for its kind. A message or session that
 * chose a policy or a model itself keeps that. A message that only says to go on is of the kind of the one before.
 */
export async function withWayOfKind(
  settings: Settings,
  { texts, projectPath, run }: Message,
  modelInfo: (id: string) => Promise<ModelInfo | null>,
): Promise<OfKind> {
  const none = { settings, run, text: null, isMissing: false };
  const text = texts.find((one) => !goesOn(one));
  const isChosen = [run.policy, run.local, run.cloud, run.modelOrder].some((one) => one !== undefined);
  if (isChosen || text === undefined) return none;
  const kind = kindOfWork(text, run.mode);
  const hasOwnModels = projectPath !== null && Object.hasOwn(settings.projectModels, projectPath);
  const way = wayForKind(settings.kindWays, { kind, projectPath, hasOwnModels });
  if (way === null) return none;
  const said = `Your choice for ${workKindNames[kind]}, ${seenName(wayName(way))}`;
  const { policy, local = settings.local, cloud = settings.cloud, effort, strategy } = way;
  const needed = [...(policy === 'cloud' ? [] : [local]), ...(policy === 'local' ? [] : [cloud])];
  for (const id of needed) {
    const isThere = id !== null && (await modelInfo(id).catch(() => null)) !== null;
    const why = id === null ? 'no cloud model is set up' : `the model ${seenName(id)} is not there`;
    if (!isThere) return { ...none, text: `${said}, is not used: ${why}. Your usual models work.`, isMissing: true };
  }
  return {
    settings: { ...settings, policy, local, cloud, modelOrder: undefined },
    run: {
      ...run,
      ...(effort === undefined || run.thinking !== undefined ? {} : { thinking: effort }),
      ...(strategy === undefined || run.strategy !== 'auto' ? {} : { strategy }),
    },
    text: `${said}.`,
    isMissing: false,
  };
}
