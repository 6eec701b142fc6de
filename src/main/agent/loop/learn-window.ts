import { roomForAttached } from '../prompt/attached-parts.ts';
import type { StepError } from '../turn/turn.ts';
import type { LoopCandidates } from './loop-candidates.ts';
import { saidWindow } from './said-window.ts';

/**
 * Takes the context that a server names in its refusal for the model's own from here on. False: it names none, or none
 * that is smaller than known.
 */
export async function learnWindow(candidates: LoopCandidates, error: StepError): Promise<boolean> {
  const { turn, current } = candidates;
  const { config, effects, noteWindow } = turn.dependencies;
  const { info } = current.model;
  const said = (config.conduct ?? 1) >= 7 ? saidWindow(error.message) : null;
  if (said === null || said >= info.contextTokens) return false;
  const smaller = { ...info, contextTokens: said };
  const shape = { ...current.shape, roomForAttached: roomForAttached(smaller) };
  const now = { ...current, shape, model: { ...current.model, info: smaller } };
  candidates.all = candidates.all.map((one) => (one === current ? now : one));
  candidates.current = now;
  if (!effects.replaying) noteWindow?.(info.id, said);
  const text = `${info.label} takes ${said} tokens, not ${info.contextTokens}: its server said so. The request is made again, shorter.`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'window-learned', text });
  return true;
}
