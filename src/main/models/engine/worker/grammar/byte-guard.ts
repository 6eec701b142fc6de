import type { Token, TokenBias } from 'node-llama-cpp';
import type { Engine } from '../load/load-model.ts';
import { readUtf8Tokens } from './utf8-tokens.ts';
import type { OpenByte, Utf8Tokens } from './utf8-tokens.ts';

/** Keeps an answer with a required form to valid UTF-8, which grammars alone do not. Use one for each answer. */
export interface ByteGuard {
  push(token: Token): void;
  /** The tokens that must not come next. */
  bias(): TokenBias;
}

interface Biases {
  readonly tokens: Utf8Tokens;
  readonly always: TokenBias;
  readonly after: Readonly<Record<OpenByte, TokenBias>>;
}

/** The vocabulary is read once for each loaded model. */
const known = new WeakMap<Engine, Biases>();

export function createByteGuard(engine: Engine): ByteGuard {
  const biases = known.get(engine) ?? readBiases(engine);
  known.set(engine, biases);
  let open: OpenByte | null = null;
  return {
    push(token) {
      open = biases.tokens.endsIn.get(token) ?? null;
    },
    bias: () => (open === null ? biases.always : biases.after[open]),
  };
}

function readBiases({ model, library }: Engine): Biases {
  const { model: kind, tokens: texts } = model.fileInfo.metadata.tokenizer.ggml;
  const tokens = readUtf8Tokens(kind, texts);
  const never = (refused: ReadonlySet<number>): TokenBias => {
    const bias = library.TokenBias.for(model);
    for (const token of model.iterateAllTokens()) if (refused.has(token)) bias.set(token, 'never');
    return bias;
  };
  return {
    tokens,
    always: never(new Set(tokens.never)),
    after: {
      E0: never(new Set([...tokens.never, ...tokens.notAfter.E0])),
      F0: never(new Set([...tokens.never, ...tokens.notAfter.F0])),
    },
  };
}
