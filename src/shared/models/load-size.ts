/** What a local model is loaded with. */
export interface LoadSize {
  /** Of one conversation. */
  readonly grantedTokens: number;
  readonly sequences: number;
  /** On the cards, the output counted as one; null: as many as the engine finds room for. Absent: no card. */
  readonly gpuLayers?: number | null | undefined;
}

/** Of a grant, where layers are named even if there is no card that they could lie on. */
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
