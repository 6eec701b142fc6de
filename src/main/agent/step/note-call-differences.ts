import type { EngineReport, Timings } from '@shared/events/call-report.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { memo } from '../../lib/memo.ts';
import type { StreamEnded } from '../../models/providers/define.ts';
import type { CallingTurn } from '../turn/turn.ts';

/** Notices that a turn has already given. */
const noticesGiven = memo((_turn: CallingTurn) => new Set<string>());

/** Tells the user when the model, or how it runs, differs from what was asked for. */
export async function noteDifferences(
  turn: CallingTurn,
  info: ModelInfo,
  { model, engine }: Pick<StreamEnded, 'model' | 'engine'>,
): Promise<void> {
  await noteOtherModel(turn, info, model);
  await noteUnloaded(turn, info, engine?.unloaded ?? []);
  await noteEngine(turn, engine);
}

/** Explains why a call that the machine slept through took so long. */
export async function noteSleep(turn: CallingTurn, { sleptMs = 0 }: Timings): Promise<void> {
  if (sleptMs === 0) return;
  const text = `The machine slept for ${spanText(sleptMs)} during this step. That time counts for no limit.`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'machine-slept', text });
}

function spanText(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 1 ? `${Math.round(milliseconds / 1000)} seconds` : `${minutes} min`;
}

/** Tells which models were unloaded, because their next call takes longer to load. */
async function noteUnloaded(turn: CallingTurn, info: ModelInfo, unloaded: readonly string[]): Promise<void> {
  if (unloaded.length === 0) return;
  await turn.log.append({
    type: 'notice-added',
    level: 'info',
    code: 'model-unloaded',
    text: `Unloaded ${unloaded.join(' and ')} to make room for ${info.id}.`,
  });
}

/**
 * Tells the user once per turn that a server deviated from the request, so that nobody has to search the events for it.
 */
async function noteEngine(turn: CallingTurn, engine: EngineReport | undefined): Promise<void> {
  const names = engine?.findings ?? [];
  if (engine === undefined || engine.why === null || names.length === 0) return;
  const key = names.join(' ');
  if (noticesGiven(turn).has(key)) return;
  noticesGiven(turn).add(key);
  await turn.log.append({
    type: 'notice-added',
    level: 'warning',
    code: 'engine-differs',
    text: `The model does not run as planned: ${engine.why}.`,
  });
}

/**
 * Tells the user once per turn that a service answered with a different model, which may be weaker or cost more. The
 * event of every call has the name. Local servers are left out: they may call their only model anything.
 */
async function noteOtherModel(turn: CallingTurn, info: ModelInfo, answered: string | undefined): Promise<void> {
  if (answered === undefined || info.where === 'local' || isSameModel(info.name, answered)) return;
  const key = `${info.id} ${answered}`;
  if (noticesGiven(turn).has(key)) return;
  noticesGiven(turn).add(key);
  await turn.log.append({
    type: 'notice-added',
    level: 'warning',
    code: 'other-model',
    text: `${info.id} was requested, but ${answered} answered. Costs use the price of the requested model.`,
  });
}

/** Whether the answering model is the requested one, ignoring a date or place that the service adds. */
export function isSameModel(asked: string, answered: string): boolean {
  return asked.endsWith('-latest') || bare(asked) === bare(answered);
}

function bare(name: string): string {
  const last = name.toLowerCase().replace(/^.*\//, '');
  return last.replace(/:[\s\S]*/, '').replace(/[-@](\d{8}|\d{6}|\d{4}-\d{2}-\d{2}|\d{3,4})$/, '');
}
