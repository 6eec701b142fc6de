import type { ServerMemoryGrant } from '../../memory/server-memory-planner.ts';
import type { ResidentModel } from './ollama-api.ts';

/** A difference between the load and the plan, with a code for it. */
export interface Finding {
  readonly code:
    | 'context-clamped'
    | 'context-reduced'
    | 'context-unknown'
    | 'spilled'
    | 'not-loaded'
    | 'header-incomplete'
    | 'template-missing'
    | 'tools-missing'
    | 'slow'
    | 'old-server';
  readonly text: string;
}

export interface CheckedLoad {
  /** The context size that was really made. If the server does not report it, the size that was asked for. */
  readonly contextTokens: number;
  /** The context size that the server reports, which may be the sum for several conversations. Null: not reported. */
  readonly madeTokens: number | null;
  readonly findings: readonly Finding[];
  /** A part of the model is in host memory although all of it was planned for the card. */
  readonly hasSpilled: boolean;
  /** Weights, context and buffers, as the server reports them. Null: not reported. */
  readonly observedBytes: number | null;
  readonly backend: 'cpu' | 'gpu' | 'gpu and cpu' | 'unknown';
}

/** Compares the loaded model with the plan. */
export function checkLoad(grant: ServerMemoryGrant, resident: ResidentModel | null, wantedTokens: number): CheckedLoad {
  if (resident === null) {
    const text = 'the server does not list the model as loaded, so its memory use is uncertain';
    return {
      contextTokens: wantedTokens,
      madeTokens: null,
      findings: [{ code: 'not-loaded', text }],
      hasSpilled: false,
      observedBytes: null,
      backend: 'unknown',
    };
  }
  const made = resident.context_length ?? null;
  const size = resident.size ?? null;
  const onCard = resident.size_vram ?? null;
  const hasSpilled = grant.placement === 'devices' && size !== null && onCard !== null && onCard < size * 0.995;
  const findings: Finding[] = [];
  if (made === null || made === 0)
    findings.push({ code: 'context-unknown', text: 'the server does not report its context size' });
  else if (made < wantedTokens)
    findings.push({
      code: 'context-clamped',
      text: `the server made a context of ${made} tokens, not of ${wantedTokens}`,
    });
  if (hasSpilled)
    findings.push({
      code: 'spilled',
      text: `${percent(size - onCard, size)} of it is on the processor, which is slow. Use a smaller context (providers.ollama.contextTokens), a quantized cache (OLLAMA_KV_CACHE_TYPE=q8_0) or a smaller model.`,
    });
  return {
    contextTokens: made === null || made === 0 ? wantedTokens : Math.min(made, wantedTokens),
    madeTokens: made === 0 ? null : made,
    findings,
    hasSpilled,
    observedBytes: size,
    backend: backendOf(size, onCard),
  };
}

function backendOf(size: number | null, onCard: number | null): CheckedLoad['backend'] {
  if (size === null || onCard === null) return 'unknown';
  if (onCard === 0) return 'cpu';
  return onCard < size * 0.995 ? 'gpu and cpu' : 'gpu';
}

function percent(part: number, whole: number): string {
  return `${Math.max(1, Math.round((part / whole) * 100))}%`;
}
