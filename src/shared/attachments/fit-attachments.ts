/** How much of a text is shown when it does not fit. Only its beginning is shown. */
export interface FittedText {
  /** In UTF-16 units. */
  readonly length: number;
  /** In UTF-8. */
  readonly bytes: number;
  readonly shownBytes: number;
}

/** A low estimate for ordinary code and prose, so that the token count is rather too high. */
const bytesPerToken = 2.8;
/** Tokens for the text around it: its name and the marks of its beginning and end. */
const aroundTokens = 40;
/** A cut moves back to the end of a line if that loses less than this share. */
const lineShare = 0.3;

/**
 * Estimates tokens without a tokenizer. Each digit counts as one, because a table of numbers has twice the tokens of
 * prose.
 */
function tokensOf(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at += 1) tokens += costAt(text, at);
  return Math.ceil(tokens);
}

/**
 * How much of each text fits into `roomTokens` together: small texts whole, large ones an equal share. Shows the
 * beginning of a text, up to the end of a line if one is near. Deterministic.
 */
export function fitTexts(texts: readonly string[], roomTokens: number): readonly FittedText[] {
  const costs = texts.map((text) => tokensOf(text) + aroundTokens);
  const share = shareOf(costs, roomTokens);
  return texts.map((text, index) => {
    const isWhole = (costs[index] ?? 0) <= share;
    const length = isWhole ? text.length : cutAt(text, share - aroundTokens);
    const bytes = bytesOf(text, text.length);
    return { length, bytes, shownBytes: isWhole ? bytes : bytesOf(text, length) };
  });
}

/** The most that each text may take so that all of them fit. */
function shareOf(costs: readonly number[], room: number): number {
  let left = room;
  const sorted = [...costs].sort((one, other) => one - other);
  for (const [index, cost] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (cost > share) return share;
    left -= cost;
  }
  return Number.POSITIVE_INFINITY;
}

function cutAt(text: string, tokens: number): number {
  let cost = 0;
  let at = 0;
  let line = 0;
  for (; at < text.length; at += 1) {
    cost += costAt(text, at);
    if (cost > tokens) break;
    if (text.charCodeAt(at) === 0x0a) line = at + 1;
  }
  if (line > at * (1 - lineShare)) return line;
  // Do not cut inside a surrogate pair.
  return at > 0 && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}

function costAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39 ? 1 : bytesOfUnit(unit) / bytesPerToken;
}

function bytesOf(text: string, length: number): number {
  let bytes = 0;
  for (let at = 0; at < length; at += 1) bytes += bytesOfUnit(text.charCodeAt(at));
  return bytes;
}

function bytesOfUnit(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
