import type { SessionEvent } from '@shared/events/events.ts';
import type { FenceHit, FenceSources } from '@shared/safety/fences.ts';
import { fenceVerdict, keyOfHit } from '@shared/safety/fences.ts';
import type { Manifest } from '@shared/session/call-manifest.ts';
import { manifestOf, summarizeManifest } from '@shared/session/call-manifest.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { leavesMachine } from '@shared/models/model-info.ts';
import type { TaintScope } from './taint.ts';
import type { ModelRequest } from '../models/providers/define.ts';
import type { ProjectFences, ProjectFencesOptions } from './project-fences.ts';
import { openProject, rememberProject } from './project-fences.ts';
import { createWrittenCalls } from './hidden-values.ts';
import type { HiddenValues, WrittenCalls } from './hidden-values.ts';
import type { LookedAt } from './request-texts.ts';
import { besidesMessages, hitsInPart, hitsInValue, redactRequest } from './request-texts.ts';
import { noteFailure } from '../lib/log.ts';

/** A model call, before it is made. */
export interface FencedCall {
  readonly info: ModelInfo;
  readonly purpose: string;
  readonly scope: TaintScope;
  readonly request: ModelRequest;
}

export type FenceAnswer =
  /** The call may be made unchanged. */
  | { readonly type: 'free' }
  | {
      readonly type: 'fenced';
      /** `asked`: the call may be made with `request` if the user allows it. */
      readonly outcome: 'refused' | 'redacted' | 'asked';
      readonly hits: readonly FenceHit[];
      /** What may be sent, after redaction. */
      readonly request: ModelRequest;
      /** One line on what `request` carries, or what a refused call would have carried. */
      readonly text: string;
      /** The same in full. Null in a replay, or if it could not be found out. */
      readonly manifest: Manifest | null;
    };

/**
 * Decides what may leave the machine in the calls of one session. Used before every call, and by the router before it
 * chooses.
 */
export interface SessionFences {
  /** Never rejects: if the check fails, a call that leaves the machine is refused. */
  readonly check: (call: FencedCall, signal: AbortSignal) => Promise<FenceAnswer>;
  /** What models see in place of secrets, and what may come back from it. */
  readonly hidden: HiddenValues;
  /**
   * Keeps what later sessions of the project have to know. Call it at the end of a turn. Rejects if it could not; then
   * the next session reads it from the log of this one. Absent: there is no project.
   */
  readonly remember?: (signal: AbortSignal) => Promise<void>;
}

export interface SessionFencesOptions extends ProjectFencesOptions {
  /** The present fences, read before every call that leaves the machine. */
  readonly settings: () => FenceSources | Promise<FenceSources>;
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
  /** Redacts secrets whose values are known on this machine. */
  readonly hideKnown: (text: string) => string;
}

interface Built extends ProjectFences {
  readonly key: string;
  seen: number;
  /** The calls that a model wrote itself, by the model and their hash. It knows what is in them. */
  readonly written: WrittenCalls;
  /** The time of the last event that was seen. */
  seenAt: number;
  readonly looked: LookedAt;
}

export function createSessionFences(options: SessionFencesOptions): SessionFences {
  let built: Built | null = null;
  let busy: Promise<unknown> = Promise.resolve();
  const ready = async (settings: FenceSources, signal: AbortSignal): Promise<Built> => {
    const key = JSON.stringify(settings);
    // Changed rules also apply to what has already happened.
    const current =
      built?.key === key
        ? built
        : {
            ...(await openProject(options, settings, signal)),
            key,
            seen: 0,
            seenAt: 0,
            written: createWrittenCalls(),
            looked: new WeakMap(),
          };
    for await (const event of options.read(current.seen + 1)) {
      if (event.seq <= current.seen) continue;
      current.taint.add(event);
      current.written.add(event);
      current.seen = event.seq;
      current.seenAt = event.at;
    }
    built = current;
    return current;
  };
  return {
    hidden: options.hidden,
    remember: async (signal) => {
      const { memory, sessionId } = options;
      if (memory === undefined || sessionId === undefined) return;
      const turn = busy.then(async () => {
        const current = await ready(await options.settings(), signal);
        await rememberProject(options, current, { sessionId, at: current.seenAt }, signal);
      });
      busy = turn.catch(() => undefined);
      await turn;
    },
    check: async (call, signal) => {
      if (!leavesMachine(call.info)) return { type: 'free' };
      const turn = busy.then(async () => {
        const settings = await options.settings();
        return shutAnswer(settings, call) ?? answer(options, await ready(settings, signal), call);
      });
      // The call itself gets the error below.
      busy = turn.catch(() => undefined);
      try {
        return await turn;
      } catch (error) {
        // Nothing may leave if it is unknown what a fence covers.
        noteFailure('fences: files were not looked up', error);
        return refusal('files that a fence may cover, because they could not be looked up', call);
      }
    },
  };
}

/** If the user's rule file was never valid, nobody knows what it fences. */
function shutAnswer({ shut }: FenceSources, call: FencedCall): FenceAnswer | null {
  return typeof shut === 'string'
    ? refusal(`files that a fence may cover, because the rules cannot be read (${shut})`, call)
    : null;
}

function refusal(rule: string, { request }: FencedCall): FenceAnswer {
  const hit: FenceHit = { rule, verdict: 'local-only', path: null, how: 'content' };
  return { type: 'fenced', outcome: 'refused', hits: [hit], request, text: rule, manifest: null };
}

function answer({ hideKnown }: SessionFencesOptions, { taint, looked, written }: Built, call: FencedCall): FenceAnswer {
  const { request, info, purpose, scope } = call;
  const isOpen = (hit: FenceHit): boolean => hit.verdict !== 'ask' || !taint.isAllowed(hit);
  const isOwn = (part: Part): boolean => written.isOwn(info.id, part);
  const hitsIn = (part: Part): readonly FenceHit[] =>
    isOwn(part) ? [] : hitsInPart(taint, looked, part).filter(isOpen);
  const hitsInRest = (value: unknown): readonly FenceHit[] => hitsInValue(taint, looked, value).filter(isOpen);
  const builtFrom = taint.inScope(scope).filter((hit) => hit.verdict !== 'redact' && isOpen(hit));
  const found = request.messages.flatMap(({ parts }) => parts.flatMap(hitsIn));
  const hits = each([...builtFrom, ...found, ...Object.values(besidesMessages(request)).flatMap(hitsInRest)]);
  const verdict = fenceVerdict(hits);
  const manifest = ({ messages, ...rest }: ModelRequest): Manifest =>
    manifestOf({
      model: info.id,
      purpose,
      messages,
      rest: besidesMessages({ messages, ...rest }),
      hitsIn,
      hitsInRest,
      builtFrom,
    });
  if (verdict === 'local-only') {
    const carried = manifest(request);
    return { type: 'fenced', outcome: 'refused', hits, request, text: summarizeManifest(carried), manifest: carried };
  }
  const { request: clean, removed } = redactRequest(request, {
    isOwn,
    redact: (text, note) => hideKnown(taint.redact(text, note)),
    isFenced: (text) => taint.inText(text).some((hit) => hit.verdict === 'redact'),
  });
  if (verdict === 'free' && clean === request) return { type: 'free' };
  // Something was found that could not be taken out.
  if (verdict === 'redact' && removed === 0) return refusal(hits.map(({ rule }) => rule).join(', '), call);
  const outcome = verdict === 'ask' ? 'asked' : 'redacted';
  const known: FenceHit = { rule: 'a key that is known here', verdict: 'redact', path: null, how: 'content' };
  const all = hits.length === 0 ? [known] : hits;
  const carried = manifest(clean);
  // A person who is asked sees everything that a yes covers.
  const text = summarizeManifest(carried, removed, outcome === 'asked' ? 'whole' : 'short');
  return { type: 'fenced', outcome, hits: all, request: clean, text, manifest: carried };
}

function each(hits: readonly FenceHit[]): readonly FenceHit[] {
  return [...new Map([...hits].reverse().map((hit) => [keyOfHit(hit), hit])).values()].reverse();
}
