/** What a llama-server says of its load. Bytes, as it rounds them: to a hundredth of a MiB. */
export interface ServerSizes {
  /** By the name of each card. */
  readonly cards: ReadonlyMap<string, number>;
  /** In main memory: weights that are a mapped file, and all else. */
  readonly mappedBytes: number;
  readonly hostBytes: number;
  /** Tokens of one conversation; null where it did not say. */
  readonly contextTokens: number | null;
  /** It drafts ahead: where a draft does not belong to its model, it goes on without. */
  readonly hasDrafts: boolean;
}

const mebi = 1024 * 1024;
const buffer = /: +(\S+) +(?:model|KV|RS|compute|output) +buffer size = +(\d+(?:\.\d+)?) MiB/u;
const context = /: n_ctx_seq += (\d+)/u;
/** Buffers in main memory: the processor's own, in whatever layout, and what a card's driver pins there. */
const isHost = (name: string): boolean => /^(?:CPU|AMX)|_Host$/u.test(name);

/** Null where it told of no buffer at all. */
export function sizesInLog(lines: readonly string[]): ServerSizes | null {
  const cards = new Map<string, number>();
  const sums = { mapped: 0, host: 0 };
  let contextTokens: number | null = null;
  let hasDrafts = false;
  let found = 0;
  for (const line of lines) {
    hasDrafts ||= line.includes('speculative decoding context initialized');
    contextTokens = Number(context.exec(line)?.[1] ?? contextTokens ?? 0) || null;
    const [, name = '', size] = buffer.exec(line) ?? [];
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

/** Where it listens, by its own word: it takes a free port itself, so nobody can be in its place before. */
export function addressInLine(line: string): string | null {
  const [, address] = /listening on (http:\/\/127\.0\.0\.1:\d{2,5})\b/u.exec(line) ?? [];
  return address ?? null;
}

/** Whether lines that tell of no memory mean the machine's own, and not a card's. */
export function isHostMemory(lines: readonly string[]): boolean {
  return lines.some((line) => /\bCPU\b|_Host\b|aligned_malloc|bad_alloc|backend_cpu/u.test(line));
}
