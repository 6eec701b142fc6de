/** A card with its engine, real or simulated. Sizes are in bytes and tokens. */
export interface CardBed {
  /** Memory of the card that all programs use, as its maker's tool counts; null where nothing counts it. */
  readonly usedBytes: () => Promise<number | null>;
  readonly plan: (file: CardFile, wish: CardWish) => Promise<CardLoad>;
  /** Loads the model if needed, and answers. Never rejects for a failure of the engine. */
  readonly answer: (file: CardFile, wish: CardWish, ask: CardQuestion) => Promise<CardAnswer>;
  /** Ends the engine's process, so that all memory is given back. */
  readonly release: () => Promise<void>;
  /** Another engine beside this one, with a process of its own. */
  readonly beside: () => Promise<CardBed>;
}

export interface CardFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Bytes that are read for each token; null if unknown. */
  readonly activeBytes: number | null;
  readonly trainedTokens: number;
}

export interface CardWish {
  readonly contextTokens: number;
  /** Plans for a card of this size in place of the real one. */
  readonly cardBytes?: number;
  /** Ignores the plan and puts all layers on the card. */
  readonly isForced?: boolean;
  /** How many conversations keep their tokens. Default: as many as the app keeps. */
  readonly conversations?: number;
}

export interface CardLoad {
  readonly placement: string | null;
  readonly gpuLayers: number | null;
  readonly contextTokens: number;
  readonly predictedBytes: number | null;
}

export interface CardQuestion {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Ends the call in the middle of the answer. */
  readonly end?: 'abort' | 'kill';
}

export interface CardAnswer {
  readonly error: { readonly code: string; readonly message: string } | null;
  /** `cpu`, or the kind of card that was really used; null if it was never loaded. */
  readonly backend: string | null;
  readonly contextTokens: number | null;
  /** Memory according to the engine's own log lines. */
  readonly observedBytes: number | null;
  readonly findings: readonly string[];
  readonly readPerSecond: number | null;
  readonly writtenPerSecond: number | null;
  /** From the requested end to the end of the call; null if no end was requested. */
  readonly endedAfterMs: number | null;
}
