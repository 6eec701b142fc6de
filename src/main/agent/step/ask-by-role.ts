import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Decision } from '../../routing/define.ts';
import { passFencesAhead } from './pass-fences.ts';
import { routeStep } from './route-step.ts';
import type { StepReply } from './run-step.ts';
import { runStep } from './run-step.ts';
import type { ResolvedModel } from '../turn/agent-dependencies.ts';
import { resolveModel } from '../turn/agent-dependencies.ts';
import { promptBytes } from '../prompt/token-estimate.ts';
import type { StepRequest, Turn } from '../turn/turn.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** A model for one question outside the conversation, such as a search, an edit of a recipe or a summary. */
interface RoleCandidate {
  readonly stage: Stage;
  readonly model: ResolvedModel;
  readonly request: ModelRequest;
  /** Null: there was no choice. */
  readonly decision: Decision | null;
}

export interface RoleQuestion {
  readonly purpose: Purpose;
  /** The model of the stage. It answers unless the router prefers the other one. */
  readonly own: { readonly stage: Stage; readonly model: ResolvedModel };
  readonly request: (model: ResolvedModel) => ModelRequest;
  /** The reason in the log if there was no choice. */
  readonly reason: StepRequest['reason'];
  readonly carriesConversation?: boolean;
  readonly cut?: StepRequest['cut'];
}

/**
 * Asks one question of the model that suits its role best. If that is not the stage's own model and it fails, the
 * stage's own model is asked.
 */
export async function askByRole(turn: Turn, question: RoleQuestion): Promise<StepReply> {
  const { purpose, own, reason, carriesConversation, cut } = question;
  const conversation = {
    ...(carriesConversation === undefined ? {} : { carriesConversation }),
    ...(cut === undefined ? {} : { cut }),
  };
  const { decision, ...candidate } = await candidateForRole(turn, question);
  const isOwn = candidate.model === own.model;
  const routed = decision === null ? {} : { decision };
  const reply = await runStep(turn, { purpose, reason, ...conversation, ...candidate, ...routed, isOptional: !isOwn });
  if (reply.type === 'answered' || isOwn) return reply;
  return runStep(turn, { purpose, reason, ...conversation, ...own, request: question.request(own.model) });
}

/**
 * Chooses the model for one question by its role and the numbers of the profile. A model other than the stage's own is
 * chosen only if it can answer in the same form and no fence stops the call.
 */
async function candidateForRole(turn: Turn, question: RoleQuestion): Promise<RoleCandidate> {
  const { purpose, own, request, reason, carriesConversation } = question;
  const here: RoleCandidate = { ...own, request: request(own.model), decision: null };
  const other = otherModel(turn, own.model.info);
  const hasRoles = turn.options.routing.numbers.roles !== undefined && turn.options.policy === 'hybrid';
  if (other === null || !hasRoles || !canDoTheSame(here.request, own.model.info, other.info)) return here;
  const there: Pick<RoleCandidate, 'stage' | 'model'> = {
    stage: { strategy: own.stage.strategy, model: other.info.id, where: other.info.where },
    model: other,
  };
  // Both get the same question, so one size serves for both.
  const promptTokens = turn.tokens.countBytes(promptBytes(here.request));
  const candidates = [here, there].map(({ model, stage }) => ({
    info: model.info,
    promptTokens,
    maxOutputTokens: here.request.maxOutputTokens,
    canDrive: stage.strategy === 'loop' || model.info.strategies.includes(stage.strategy) || model === own.model,
  }));
  const decision = routeStep(turn, { purpose, strategy: own.stage.strategy, candidates, driver: own.model.info.id });
  if (decision.chosen?.info.id !== other.info.id) return { ...here, decision };
  const { stage, model } = there;
  const passage = await passFencesAhead(turn, {
    purpose,
    stage,
    model,
    request: request(other),
    reason,
    isOptional: true,
    ...(carriesConversation === undefined ? {} : { carriesConversation }),
  });
  return passage.type === 'passed' ? { ...there, request: passage.request, decision } : here;
}

function otherModel(turn: Turn, own: ModelInfo): ResolvedModel | null {
  const facts = turn.found.facts;
  const other = [facts?.local, facts?.cloud].find((one) => one !== undefined && one !== null && one.id !== own.id);
  return resolveModel(turn.dependencies, other);
}

/** A question with a prefilled answer or a required format goes only to a model that is equally capable of it. */
function canDoTheSame({ output, prefill }: ModelRequest, own: ModelInfo, other: ModelInfo): boolean {
  const sameForm = output.type === 'text' || own.capabilities.grammar === other.capabilities.grammar;
  return sameForm && (prefill === null || other.capabilities.prefill);
}
