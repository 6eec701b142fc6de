/** The settings that a local model is loaded with. */
export interface LoadSize {
  /** Context size of one conversation. */
  readonly grantedTokens: number;
  readonly sequences: number;
  /** Layers on the cards, with the output counted as one. Null: as many as fit. Absent: no card. */
  readonly gpuLayers?: number | null | undefined;
}

/** The load size of a grant. A grant names layers even when there is no card. */
export function loadSizeOf(
  grant: Required<Pick<LoadSize, 'grantedTokens' | 'sequences' | 'gpuLayers'>> & { readonly expectsCard: boolean },
): LoadSize {
  const { grantedTokens, sequences, gpuLayers, expectsCard } = grant;
  return { grantedTokens, sequences, ...(expectsCard ? { gpuLayers } : {}) };
}

/** "8192 tokens for each of 3 conversations, with 33 layers on the card" */
export function loadSizeInWords({ grantedTokens, sequences, gpuLayers }: LoadSize): string {
  const conversations = sequences === 1 ? 'one conversation' : `each of ${sequences} conversations`;
  return `${grantedTokens} tokens for ${conversations}${layersInWords(gpuLayers)}`;
}

function layersInWords(layers: number | null | undefined): string {
  if (layers === null) return ', with as many layers on the card as the engine finds room for';
  return layers === undefined || layers === 0 ? '' : `, with ${layers} layers on the card`;
}
