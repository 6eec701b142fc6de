import type { Hardware } from '../machine/hardware.ts';
import type { ReadHeader } from './gguf/gguf-header-reader.ts';
import { leastTokens, planMemory, ruleOfThumb, usefulTokens } from './memory-plan.ts';
import { estimateMemory, readModelMemory } from './estimate/model-memory.ts';
import type { ModelFacts } from './estimate/model-memory.ts';
import { readServerModel } from './gguf/server-model-header.ts';
import type { ServerHeader, ServerModel } from './gguf/server-model-header.ts';
import { adjustFreeMemory } from '../machine/adjust-free-memory.ts';

/** Used without a planner: grants the requested size, or one that fits on nearly every machine. */
export const defaultServerPlanner: ServerMemoryPlanner = {
  read: ({ keys }) => ({ facts: { keys, vocabulary: null, weights: null }, hollowKeys: [], markers: [] }),
  plan: ({ askedTokens }) =>
    Promise.resolve({
      askedTokens: askedTokens ?? 8_192,
      grantedTokens: askedTokens ?? 8_192,
      predictedBytes: null,
      placement: null,
      why: null,
    }),
};

/** A model of a server that plans nothing itself, and the wish for its context. */
export interface ServerMemoryRequest {
  readonly header: ServerModel;
  /** The size of the weights in the server's own list. Null: not reported. */
  readonly sizeBytes: number | null;
  /** The model file, if the server runs on this machine and reports its path. */
  readonly filePath: string | null;
  /** Tokens. Null: use a size that suits this machine. */
  readonly askedTokens: number | null;
  /** The server runs on this machine, whose memory can be read. */
  readonly isHere: boolean;
  /** What the server will free before it loads this model. Bytes. */
  readonly givenBack: { readonly hostBytes: number; readonly cardBytes: number };
}

export interface ServerMemoryGrant {
  readonly askedTokens: number;
  readonly grantedTokens: number;
  /** Weights, context and compute buffers. Null: not computed. */
  readonly predictedBytes: number | null;
  /** Where the plan puts the weights. Null: there is no plan. */
  readonly placement: 'devices' | 'experts-on-host' | 'partly-on-host' | 'host' | 'nowhere' | null;
  /** Why it is not what was asked for. Null: it is. */
  readonly why: string | null;
}

/** Plans the context to ask a server for, from the memory of this machine now. */
export interface ServerMemoryPlanner {
  readonly read: (header: ServerHeader) => ServerModel;
  readonly plan: (wish: ServerMemoryRequest, signal: AbortSignal) => Promise<ServerMemoryGrant>;
}

export function createServerMemoryPlanner(options: {
  readonly readHardware: (signal: AbortSignal) => Promise<Hardware>;
  readonly readHeader: ReadHeader;
}): ServerMemoryPlanner {
  return {
    read: readServerModel,
    plan: async (wish, signal) => {
      const { facts, lost } = await wholeFacts(wish, options.readHeader);
      const hardware = wish.isHere ? adjustFreeMemory(await options.readHardware(signal), wish.givenBack) : null;
      return decide(wish, { facts, lost, hardware });
    },
  };
}

/** Reads the file's own header if the server left out arrays and the file is here. */
async function wholeFacts(
  { header, filePath, sizeBytes }: ServerMemoryRequest,
  readHeader: ReadHeader,
): Promise<{ readonly facts: ModelFacts; readonly lost: string | null }> {
  const { facts, hollowKeys } = header;
  const weighed: ModelFacts =
    facts.weights !== null || sizeBytes === null
      ? facts
      : { ...facts, weights: { totalBytes: sizeBytes, inputBytes: null, isTied: null, layers: null } };
  const isWhole = hollowKeys.length === 0 && weighed.weights !== null && readModelMemory(weighed).known;
  if (isWhole) return { facts: weighed, lost: null };
  const file = filePath === null ? null : await readHeader(filePath);
  if (file?.ok === true) return { facts: file.value.facts, lost: null };
  const names = hollowKeys.slice(0, 3).join(', ');
  return { facts: weighed, lost: hollowKeys.length === 0 ? null : `the server leaves out the arrays of ${names}` };
}

interface Known {
  readonly facts: ModelFacts;
  readonly lost: string | null;
  /** Null for another machine, whose hardware is unknown. */
  readonly hardware: Hardware | null;
}

function decide(wish: ServerMemoryRequest, { facts, lost, hardware }: Known): ServerMemoryGrant {
  const hasCards = (hardware?.devices.length ?? 0) > 0;
  const useful = hasCards ? usefulTokens.card : usefulTokens.processor;
  const read = readModelMemory(facts);
  const trained = read.known ? read.memory.trainedTokens : trainedIn(facts);
  const askedTokens = wish.askedTokens ?? Math.min(useful, trained ?? useful);
  const most = Math.min(askedTokens, trained ?? askedTokens);
  const plain: ServerMemoryGrant = {
    askedTokens,
    grantedTokens: most,
    predictedBytes: null,
    placement: null,
    why: most < askedTokens ? `it was trained for ${most} tokens` : null,
  };
  if (hardware === null)
    return { ...plain, why: join(plain.why, 'its server is another machine, whose memory cannot be read') };
  // A key without its array may mean "the same for every layer", or not. A plan from an incomplete header is a guess.
  const why = lost ?? (read.known ? null : read.why);
  if (why !== null || !read.known) return byThumb(plain, hardware, why ?? '');
  const ubatchTokens = 512;
  const made = {
    cacheType: 'f16',
    flashAttention: true,
    ubatchTokens,
    unified: false,
    draftTokens: 0,
    slots: 1,
  } as const;
  const engine = 'llama-server';
  const plan = planMemory(read.memory, {
    ...made,
    askedTokens: most,
    engine,
    cards: hardware.devices,
    hostFreeBytes: hardware.host.freeBytes,
  });
  const fits = plan.context > 0;
  const grantedTokens = fits ? Math.min(plan.context, most) : Math.min(leastTokens, most);
  const { totalBytes } = estimateMemory(read.memory, { engine, context: { ...made, contextTokens: grantedTokens } });
  return {
    ...plain,
    grantedTokens,
    predictedBytes: totalBytes,
    placement: plan.placement,
    why: grantedTokens < most || !fits ? plan.reason : plain.why,
  };
}

/** If nothing can be computed: the rule of thumb, marked as such. */
function byThumb(plain: ServerMemoryGrant, { devices }: Hardware, why: string): ServerMemoryGrant {
  const card = Math.max(0, ...devices.map((device) => device.totalBytes));
  const grantedTokens = Math.min(plain.grantedTokens, card === 0 ? usefulTokens.processor : ruleOfThumb(card));
  const said = why.replace(/\.$/, '');
  return { ...plain, grantedTokens, why: join(plain.why, `${said}: ${grantedTokens} tokens is a rule of thumb`) };
}

function trainedIn({ keys }: ModelFacts): number | null {
  const trained = keys[`${String(keys['general.architecture'])}.context_length`];
  return typeof trained === 'number' ? trained : null;
}

function join(left: string | null, right: string): string {
  return left === null ? right : `${left}; ${right}`;
}
