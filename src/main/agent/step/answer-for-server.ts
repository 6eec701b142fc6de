import { attachmentPart } from '@shared/attachments/attachment-text.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import { textOfPart } from '@shared/session/call-manifest.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { textMessage, textOf } from '@shared/models/model-messages.ts';
import { maxOutputTokens } from '@shared/models/prompt-room.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { worstCostOf } from '@shared/money/token-cost.ts';
import type { ConnectedToolSpec } from '../../tools/connected/connected-tool-spec.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { createLogFold } from '../../sessions/journal/log-fold.ts';
import type { ModelAnswer, ModelQuestion } from '../../tools/define.ts';
import { passOutgoingFences } from '../approval/pass-outgoing-fences.ts';
import { askApproval } from '../approval/request-approval.ts';
import { createTokenEstimate, promptBytes } from '../prompt/token-estimate.ts';
import { modelsOfTurn } from '../preparation/gather-turn-facts.ts';
import { resolveModel } from '../turn/agent-dependencies.ts';
import { createLimits } from '../turn/turn-limits.ts';
import type { StepRequest, Turn } from '../turn/turn.ts';
import { passFencesAhead } from './pass-fences.ts';
import { runStep } from './run-step.ts';

/** Limits for the questions of one server in a session, small because the user reads each question. */
const most = { answers: 20, characters: 50_000, messages: 40, outputTokens: 4_096, stops: 4 };

export interface ServerCall {
  readonly spec: ConnectedToolSpec;
  readonly toolCallId: string;
  /** Called with the number of tokens that were used. */
  readonly onTokens: (tokens: number) => void;
}

/**
 * Lets a model answer a question from the server of a tool. The fences check the question first. Then the user approves
 * it, seeing the question, the model and the highest possible cost. Then it takes the same way as every model call, and
 * the fences check the answer. Nobody is asked about a spending limit or a fence for it. Throws `cancelled`.
 */
export async function answerForServer(turn: Turn, call: ServerCall, question: ModelQuestion): Promise<ModelAnswer> {
  const { server } = call.spec;
  const hasPictures = question.messages.some(({ pictures = [] }) => pictures.length > 0);
  const model = modelFor(turn, hasPictures);
  if (model === null)
    return refused(hasPictures ? 'no model that sees images may answer it' : 'no model may answer it');
  const problem = await problemOf(turn, server, question);
  if (problem !== null) return refused(problem);
  const { info } = model;
  const shown = await keptPictures(turn, server, question);
  // Separate limits and estimate, because a replay does not see what is used here.
  const limits = createLimits({ maxSteps: 1, maxMinutes: 24 * 60, maxTokens: turn.limits.tokensLeft(), maxUsd: null });
  const asking: Turn = { ...turn, limits, prompt: { ...turn.prompt, tokens: createTokenEstimate() } };
  const step: StepRequest = {
    purpose: 'sample',
    stage: { strategy: 'recipe', model: info.id, where: info.where },
    model,
    reason: { code: 'server', text: `The server ${server} asked for it.` },
    request: requestOf(turn, info, { server, question, shown }),
    isOptional: true,
    isOnce: true,
    askedBy: { server, toolCallId: call.toolCallId },
  };
  const passage = await passFencesAhead(asking, step);
  if (passage.type === 'stopped') return refused(passage.stop.text);
  const { request } = passage;
  const said = await askApproval(turn, {
    kind: 'server-model',
    subject: `${server}: ${call.spec.tool}`,
    reason: reasonOf(server, info, request),
    toolCallId: call.toolCallId,
    shown: { sha256: sha256Of(JSON.stringify([server, info.id, request])), text: shownText(request), diff: null },
    pictures: shown.flat().map(({ attachment }) => attachment),
  });
  if (said !== 'allow') return refused(said === 'nobody' ? 'there was nobody to ask' : 'the person said no');
  const reply = await runStep(asking, { ...step, request });
  if (reply.type === 'stopped') return refused(reply.stop.text);
  if (reply.type === 'failed') return refused(reply.error.message);
  call.onTokens(reply.measured.promptTokens + reply.measured.outputTokens);
  const text = textOf(reply).trim();
  if (text === '') return refused('the model gave no answer');
  const sent = await passAnswer(turn, call, text);
  return sent === null
    ? refused('its answer may not leave this machine')
    : { type: 'answered', model: info.name, text: sent, isWhole: reply.complete };
}

function refused(why: string): ModelAnswer {
  return { type: 'refused', why };
}

/** The first model of the turn that is there. With images, only a model that supports them. */
function modelFor({ dependencies, options, found: { facts } }: Turn, hasPictures: boolean) {
  const models = facts === null ? [] : modelsOfTurn(options, facts).map((info) => resolveModel(dependencies, info));
  return models.find((one) => one !== null && (!hasPictures || one.info.capabilities.images === true)) ?? null;
}

type ShownPictures = readonly (readonly { readonly attachment: Attachment; readonly bytes: Uint8Array }[])[];

/** The images of each message, stored as blobs of the session, so that the user sees exactly what the model gets. */
function keptPictures(
  { dependencies: { journal } }: Turn,
  server: string,
  question: ModelQuestion,
): Promise<ShownPictures> {
  let number = 0;
  const kept = question.messages.map(({ pictures = [] }) =>
    Promise.all(
      pictures.map(async ({ bytes, ...facts }) => {
        const name = `${server} ${(number += 1)}`;
        return { attachment: { kind: 'image' as const, name, blob: await journal.putBlob(bytes), ...facts }, bytes };
      }),
    ),
  );
  return Promise.all(kept);
}

async function problemOf(
  { dependencies: { journal } }: Turn,
  server: string,
  { system, messages }: ModelQuestion,
): Promise<string | null> {
  const characters = messages.reduce((sum, { text }) => sum + text.length, system?.length ?? 0);
  if (messages.length === 0) return 'it is empty';
  if (characters > most.characters || messages.length > most.messages) return 'it is too long to be read';
  const answers = (await answersIn(journal)).get(server) ?? 0;
  return answers < most.answers ? null : `a server gets ${most.answers} answers in a session`;
}

/** The number of answers that each server got. */
const answersIn = createLogFold<Map<string, number>>(
  () => new Map(),
  (answers, event) => {
    const server = event.type === 'model-call-started' ? event.askedBy?.server : undefined;
    if (server !== undefined) answers.set(server, (answers.get(server) ?? 0) + 1);
  },
);

interface Asked {
  readonly server: string;
  readonly question: ModelQuestion;
  readonly shown: ShownPictures;
}

function requestOf(turn: Turn, info: ModelInfo, { server, question, shown }: Asked): ModelRequest {
  const { system, messages, maxTokens, temperature, stop } = question;
  const images = shown.map((all) => all.map(({ attachment, bytes }) => attachmentPart(attachment, bytes, inBase64)));
  return {
    model: info.name,
    messages: [
      ...(system === null || system === '' ? [] : [textMessage('system', system)]),
      ...messages.map(({ role, text }, at) => {
        const parts = images[at] ?? [];
        return text === '' && parts.length > 0
          ? { role, parts }
          : { role, parts: [{ type: 'text' as const, text }, ...parts] };
      }),
    ],
    tools: [],
    output: { type: 'text' },
    prefill: null,
    stop: stop.slice(0, most.stops),
    temperature: Math.min(1, Math.max(0, temperature ?? 0)),
    topP: 0.95,
    seed: turn.options.seed,
    maxOutputTokens: Math.max(1, Math.min(maxTokens, most.outputTokens, maxOutputTokens(info))),
    cacheKey: `${turn.dependencies.journal.sessionId}:server:${server}`,
    ...(info.effort === undefined ? {} : { effort: info.effort }),
  };
}

/** Says what the answer costs at most, assuming at least two bytes per token. */
function reasonOf(server: string, { label, where, price }: ModelInfo, request: ModelRequest): string {
  const worst = worstCostOf(Math.ceil(promptBytes(request) / 2) + 512, request.maxOutputTokens, price);
  const cost = worst === null ? 'its price is not known' : `at most ${moneyText(worst)}`;
  const by = where === 'local' ? `${label} answers it here` : `${label} answers it in the cloud (${cost})`;
  return `${by}, with at most ${request.maxOutputTokens} tokens. The answer goes to the server ${server}.`;
}

const inBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Everything that the model would get; images by their names. */
function shownText({ messages }: ModelRequest): string {
  return messages.map(({ role, parts }) => `${role}:\n${parts.map(textOfPart).join('\n')}`).join('\n\n');
}

/** Null: the answer may not leave this machine. */
async function passAnswer(turn: Turn, { spec, toolCallId }: ServerCall, text: string): Promise<string | null> {
  if (!spec.leaves) return text;
  const answer = await passOutgoingFences(turn, {
    to: { id: `tools/${spec.server}`, name: spec.tool, label: spec.server },
    toolCallId,
    input: { text },
    refusesFiles: true,
  });
  if (answer.type === 'denied') return null;
  const { text: clean } = Object(answer.input);
  return typeof clean === 'string' ? clean : null;
}
