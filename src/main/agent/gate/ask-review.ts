import type { GateCheck } from '@shared/events/gate-check.ts';
import { askCloudModel } from '../step/ask-cloud-model.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { handoffSummary } from '../prompt/handoff-summary.ts';
import type { ChangesOverview } from './changes-overview.ts';
import type { TaskWork, Worker } from '../turn/task-work.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import { routeStep } from '../step/route-step.ts';
import type { Claim } from '../turn/turn-baseline.ts';

const MAX_VERDICT_TOKENS = 400;

/**
 * Asks a stronger model for APPROVE or REDO, with a handoff, if the router finds that worth its price. Null: no review
 * applies (there is no stronger model, the cloud did the work itself, or the profile has no reviews).
 */
export async function askReview(
  work: TaskWork,
  { model, reviewer }: Worker,
  { look, claim }: { readonly look: ChangesOverview; readonly claim: Claim },
): Promise<GateCheck | null> {
  const { turn, door } = work;
  const most = turn.options.routing.numbers.reviews ?? 0;
  if (reviewer === null || most === 0) return null;
  const handoff = `${handoffSummary(turn, look)}\n\nWhat the smaller model says at its end:\n${claim.text.slice(0, 2_000)}`;
  const promptTokens = turn.prompt.tokens.count(handoff) + turn.prompt.tokens.count(promptTexts.review);
  const decision = routeStep(turn, {
    purpose: 'review',
    shut: door.shut,
    ...(claim.isDoubtful === undefined ? {} : { isDoubtful: claim.isDoubtful }),
    options: [model.info, reviewer.model.info].map((info) => ({
      info,
      strategy: 'loop',
      promptTokens,
      maxOutputTokens: Math.min(MAX_VERDICT_TOKENS, maxOutputTokens(info)),
      canDrive: true,
    })),
  });
  const none = (text: string): GateCheck => ({ by: 'review', verdict: 'none', text, findings: [], callId: null });
  if (decision.chosen?.info.where !== 'cloud')
    return none(`${reviewer.model.info.label} did not review it. ${decision.text}`);
  const said = await askCloudModel(turn, reviewer, {
    purpose: 'review',
    reason: { code: decision.code, text: decision.text },
    system: promptTexts.review,
    handoff,
    maxTokens: MAX_VERDICT_TOKENS,
    decision,
  });
  if (said.type === 'unsaid') return none(`${reviewer.model.info.label} was to review it and could not: ${said.why}`);
  const verdict = readVerdict(said.text);
  const { callId } = said;
  if (verdict === null) {
    const text = `What ${reviewer.model.info.label} said is not a clear verdict, so it does not count.`;
    return { ...none(text), callId };
  }
  return { by: 'review', verdict: verdict.verdict, text: verdict.text, findings: [], callId };
}

/**
 * Reads the verdict from the first line, which must have exactly one of the two words. Null: the verdict is unclear.
 */
export function readVerdict(text: string): { readonly verdict: 'pass' | 'redo'; readonly text: string } | null {
  const [first = '', ...rest] = text.trim().split('\n');
  const words = new Set([...first.matchAll(/\b(?:APPROVED?|REDO)\b/gu)].map((match) => match[0].slice(0, 4)));
  const isRedo = words.has('REDO');
  if (words.size !== 1) return null;
  const why = [first.replace(/^.*?\b(?:APPROVED?|REDO)\b[\s:.,;!*-]*/u, ''), ...rest].join('\n').trim();
  if (isRedo && why === '') return null;
  return { verdict: isRedo ? 'redo' : 'pass', text: why === '' ? 'It was approved.' : why };
}
