import { askCloudModel } from '../step/ask-cloud-model.ts';
import { handoffSummary } from '../prompt/handoff-summary.ts';
import { readChangesOverview } from '../gate/changes-overview.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import type { LoopCandidates } from './loop-candidates.ts';

const MAX_ADVICE_TOKENS = 500;

/**
 * Asks the model in the cloud what to do next, from a handoff instead of the whole conversation: that costs a few cents where a
 * take-over reads everything. What it says is put into the conversation; where it could not be asked, the log says so.
 */
export async function askAdvice(candidates: LoopCandidates): Promise<void> {
  const { turn, all } = candidates;
  const candidate = all.find(({ stage }) => stage.where === 'cloud');
  if (candidate === undefined) return;
  const look = await readChangesOverview(turn);
  const said = await askCloudModel(candidates, candidate, {
    purpose: 'advise',
    reason: { code: 'advice', text: 'The local model makes no progress, so a stronger one gives advice.' },
    system: promptTexts.advise,
    handoff: handoffSummary(turn, look),
    maxTokens: MAX_ADVICE_TOKENS,
  });
  if (said.type === 'said') {
    const text = `Advice of a stronger model that has seen what you did:\n${said.text}`;
    await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice', text });
    return;
  }
  const text = `No advice was available: ${said.why}`;
  await turn.log.append({ type: 'notice-added', level: 'info', code: 'advice-failed', text });
}
