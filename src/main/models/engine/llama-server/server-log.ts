/** What a llama-server prints about its load. Bytes, rounded by it to a hundredth of a MiB. */
export interface ServerSizes {
  /** By the name of each card. */
  readonly cards: ReadonlyMap<string, number>;
  /** Main memory: weights in a mapped file, and everything else. */
  readonly mappedBytes: number;
  readonly hostBytes: number;
  /** The context of one conversation, in tokens. Null: it did not print that. */
  readonly contextTokens: number | null;
  /** Whether it drafts ahead. If a draft model does not match, it goes on without drafts. */
  readonly hasDrafts: boolean;
}

const mebi = 1024 * 1024;
const buffer = /: +(\S+) +(?:model|KV|RS|compute|output) +buffer size = +(\d+(?:\.\d+)?) MiB/u;
const context = /: n_ctx_seq += (\d+)/u;
/** The weights of a projector, and the device that computes with them. */
const projector = /load_hparams: +model size: +(\d+(?:\.\d+)?) MiB/u;
const projectorDevice = /clip_ctx: CLIP using (\S+) backend/u;
/** Buffers in main memory: the processor's own in any layout, and memory that a card's driver pins. */
const isHost = (name: string): boolean => /^(?:CPU|AMX)|_Host$/u.test(name);

/** Null if it printed no buffers. */
export function sizesInLog(lines: readonly string[]): ServerSizes | null {
  const cards = new Map<string, number>();
  const sums = { mapped: 0, host: 0 };
  let contextTokens: number | null = null;
  let hasDrafts = false;
  let sightDevice = 'CPU';
  let found = 0;
  for (const line of lines) {
    hasDrafts ||= line.includes('speculative decoding context initialized');
    contextTokens = Number(context.exec(line)?.[1] ?? contextTokens ?? 0) || null;
    sightDevice = projectorDevice.exec(line)?.[1] ?? sightDevice;
    const sight = projector.exec(line)?.[1];
    const [, name = sightDevice, size = sight] = buffer.exec(line) ?? [];
    if (size === undefined) continue;
    found += 1;
    const bytes = Math.round(Number(size) * mebi);
    if (name === 'CPU_Mapped') sums.mapped += bytes;
    else if (isHost(name)) sums.host += bytes;
    else {
      const card = name.replace(/_(?:Mapped|Split|Private)$/u, '');
      cards.set(card, (cards.get(card) ?? 0) + bytes);
    }
  }
  return found === 0 ? null : { cards, mappedBytes: sums.mapped, hostBytes: sums.host, contextTokens, hasDrafts };
}

/**
 * Whether a line reports the compute buffer of a projector. The server makes it for its first picture, after the load.
 */
export function isSightBuffer(line: string): boolean {
  return line.includes('reserve_compute_meta:') && buffer.test(line);
}

/** The address that it prints. It chooses a free port itself, so that no other program can take the port first. */
export function addressInLine(line: string): string | null {
  const [, address] = /listening on (http:\/\/127\.0\.0\.1:\d{2,5})\b/u.exec(line) ?? [];
  return address ?? null;
}

/** Whether messages about lack of memory mean main memory, and not a card's. */
export function isHostMemory(lines: readonly string[]): boolean {
  return lines.some((line) => /\bCPU\b|_Host\b|aligned_malloc|bad_alloc|backend_cpu/u.test(line));
}
