import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { Decision } from '../../routing/define.ts';
import { passFencesAhead } from './pass-fences.ts';
import { routeStep } from './route-step.ts';
import type { StepReply } from './run-step.ts';
import { runStep } from './run-step.ts';
import type { ResolvedModel } from '../turn/agent-dependencies.ts';
import { resolveModel } from '../turn/agent-dependencies.ts';
import { modelsOfTurn } from '../preparation/gather-turn-facts.ts';
import { promptBytes } from '../prompt/token-estimate.ts';
import type { StepRequest, Turn } from '../turn/turn.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** A model for one question outside the conversation, such as a search, an edit of a recipe or a summary. */
interface RoleModel {
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
  const { decision, ...chosen } = await modelForRole(turn, question);
  const isOwn = chosen.model === own.model;
  const routed = decision === null ? {} : { decision };
  const reply = await runStep(turn, { purpose, reason, ...conversation, ...chosen, ...routed, isOptional: !isOwn });
  if (reply.type === 'answered' || isOwn) return reply;
  return runStep(turn, { purpose, reason, ...conversation, ...own, request: question.request(own.model) });
}

/**
 * Chooses the model for one question by its role and the numbers of the profile. A model other than the own one is
 * chosen only if it can answer in the same form and no fence stops the call.
 */
async function modelForRole(turn: Turn, question: RoleQuestion): Promise<RoleModel> {
  const { purpose, own, request, reason, carriesConversation } = question;
  const { strategy } = own.stage;
  const asked = request(own.model);
  const here: RoleModel = { ...own, request: asked, decision: null };
  const hasRoles = turn.options.routing.numbers.roles !== undefined && turn.options.policy === 'hybrid';
  const models = hasRoles ? modelsForRole(turn, own.model, asked) : [];
  if (models.length < 2) return here;
  // All get the same question, so one size serves for each.
  const promptTokens = turn.prompt.tokens.countBytes(promptBytes(asked));
  const options = models.map(({ info }) => ({
    info,
    strategy,
    promptTokens,
    maxOutputTokens: asked.maxOutputTokens,
    canDrive: strategy === 'loop' || info.strategies.includes(strategy) || info.id === own.model.info.id,
  }));
  const isRecipeChecked = strategy === 'recipe';
  const decision = routeStep(turn, { purpose, options, driver: own.model.info.id, isRecipeChecked });
  const model = models.find(({ info }) => info.id === decision.chosen?.info.id);
  if (model === undefined || model.info.id === own.model.info.id) return { ...here, decision };
  const stage: Stage = { strategy, model: model.info.id, where: model.info.where };
  const passage = await passFencesAhead(turn, {
    purpose,
    stage,
    model,
    request: request(model),
    reason,
    isOptional: true,
    ...(carriesConversation === undefined ? {} : { carriesConversation }),
  });
  return passage.type === 'passed' ? { stage, model, request: passage.request, decision } : here;
}

/** The models of the turn that can answer in the same form, in their order. */
function modelsForRole(turn: Turn, own: ResolvedModel, request: ModelRequest): readonly ResolvedModel[] {
  const { facts } = turn.found;
  if (facts === null) return [];
  return modelsOfTurn(turn.options, facts).flatMap((info) => {
    if (info.id === own.info.id) return [own];
    const model = canDoTheSame(request, own.info, info) ? resolveModel(turn.dependencies, info) : null;
    return model === null ? [] : [model];
  });
}

/** A question with a prefilled answer or a required format goes only to a model that is equally capable of it. */
function canDoTheSame({ output, prefill }: ModelRequest, own: ModelInfo, other: ModelInfo): boolean {
  const sameForm = output.type === 'text' || own.capabilities.grammar === other.capabilities.grammar;
  return sameForm && (prefill === null || other.capabilities.prefill);
}
