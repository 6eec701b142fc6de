/** What is measured on: a card with the engine beside it, real or simulated. Bytes and tokens. */
export interface CardBed {
  /** In use on the card by all programs, as its maker's tool counts; null: nobody says. */
  readonly usedBytes: () => Promise<number | null>;
  readonly plan: (file: CardFile, wish: CardWish) => Promise<CardLoad>;
  /** Loads the model where it is not, and answers. Never rejects for what the engine does. */
  readonly answer: (file: CardFile, wish: CardWish, ask: CardQuestion) => Promise<CardAnswer>;
  /** Ends the engine's process, so that all is given back. */
  readonly release: () => Promise<void>;
  /** Another engine beside this one, with a process of its own. */
  readonly beside: () => Promise<CardBed>;
}

export interface CardFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Read for each token; null: not known. */
  readonly activeBytes: number | null;
  readonly trainedTokens: number;
}

export interface CardWish {
  readonly contextTokens: number;
  /** A card of that size is planned for in place of the one that is there. */
  readonly cardBytes?: number;
  /** The plan is not asked: all layers go to the card. */
  readonly isForced?: boolean;
  /** Conversations that keep so many tokens each; default: as many as the app keeps. */
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
  /** In the middle of the answer. */
  readonly end?: 'abort' | 'kill';
}

export interface CardAnswer {
  readonly error: { readonly code: string; readonly message: string } | null;
  /** `cpu`, or the kind of card that was really used; null: it was never loaded. */
  readonly backend: string | null;
  readonly contextTokens: number | null;
  /** By the engine's own lines. */
  readonly observedBytes: number | null;
  readonly findings: readonly string[];
  readonly readPerSecond: number | null;
  readonly writtenPerSecond: number | null;
  /** From the end that was asked for to the end of the call; null: none was asked for. */
  readonly endedAfterMs: number | null;
}
