/** The entropy of a text in bits for each character, by how often each of its characters occurs. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Pairs of letters that make up most of English text, the most usual first. In random letters they are about one of three. */
const usualPairs = (
  'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ' +
  'ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so ' +
  'rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ' +
  'ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag ep au uc lu rm ap fu ck up ey ds ef od gr br cl ' +
  'cr ew rd rk ks if bo bu do da du go gi ga pi pu ph ue um ub ud va vo ob oc tt ff pp nn mm rr sp sw sc sk sl sn qu ok ew iz ze az ix xt ox ax my by gy ly dy yp ys ya hy cy ' +
  'av aw ak ag af pt lt ft rn sy tw nf nv nk ws ku je jo ju ja gg dd bs xp xc rg rv rc lv lk lp ub eq ua sm'
).split(' ');

/** How often a pair is, by its place among the usual pairs, and how often its first letter is, by the same measure. */
const weights = new Map<string, number>();
for (const [at, pair] of usualPairs.entries()) {
  const weight = 1 / (at + 20);
  weights.set(pair, weight);
  weights.set(pair.charAt(0), (weights.get(pair.charAt(0)) ?? 0) + weight);
}

const leastBits = 20;
const mostLoss = 12;

/**
 * Whether a text is made of words, as names and paths are, and not of random letters and digits. It compares how likely
 * the text is among names with how likely it is among random texts, in bits. Random text reaches 20 bits with a chance
 * below one in a million, because the chances in `chanceOf` add up to at most 1 (Markov's inequality). A text of fewer
 * than 20 letters and digits needs one bit for each. A part that loses 12 bits is random, whatever words stand around it.
 */
export function isWordlike(text: string): boolean {
  if (/^[0-9a-f]+$/i.test(text) && /\d/.test(text)) return false;
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text);
  // How many signs the random text is taken from: the fewest that have these.
  const signs = isMixed ? 62 : 32;
  let bits = 0;
  let most = 0;
  let length = 0;
  let before = '';
  for (const sign of text) {
    const isCounted = /[A-Za-z0-9]/.test(sign);
    if (isCounted) {
      length += 1;
      bits += Math.log2(chanceOf(sign, before, isMixed) * signs);
      most = Math.max(most, bits);
      if (most - bits >= mostLoss) return false;
    }
    before = isCounted ? before.slice(-1) + sign : '';
  }
  return length > 0 && bits >= Math.min(leastBits, length);
}

/** The chance of a letter or digit in a name, by the two before it. Other signs have a chance of 0.03. */
function chanceOf(sign: string, twoBefore: string, isMixed: boolean): number {
  const before = twoBefore.slice(-1);
  const isAfterDigit = /\d/.test(before);
  if (/\d/.test(sign)) return (isAfterDigit ? 0.4 : 0.04) / 10;
  const isUpper = sign < 'a';
  const isAfterLower = before >= 'a';
  const letters = (isAfterDigit ? 0.55 : 0.93) * (isMixed ? caseChance(isUpper, twoBefore) : 1);
  if (before === '' || isAfterDigit || (isAfterLower && isUpper)) return letters / 26;
  const pair = (before + sign).toLowerCase();
  const [weight, all] = [weights.get(pair), weights.get(pair.charAt(0))];
  return letters * (weight === undefined || all === undefined ? 0.1 / 26 : (0.9 * weight) / all);
}

/** Words begin with one capital or none, and some are capitals alone. */
function caseChance(isUpper: boolean, twoBefore: string): number {
  if (/[a-z]$/.test(twoBefore)) return isUpper ? 0.14 : 0.86;
  if (/[A-Z]{2}$/.test(twoBefore)) return isUpper ? 0.7 : 0.3;
  if (/[A-Z]$/.test(twoBefore)) return isUpper ? 0.15 : 0.85;
  return 0.5;
}

/**
 * Whether a value only shows where a secret would stand: `xxxxxxxx`, `your-key-here`, an example of a manual. Short words
 * count only where they stand alone, so that random text does not hold one by chance.
 */
export function isFiller(text: string): boolean {
  return (
    /(.)\1{7}|\*{5}|\.{3}|…|x{6}|(?<![a-z\d])x{5}|x{5}(?![a-z\d])/i.test(text) ||
    /example|placeholder|change[-_ ]?me|replace[-_ ]?me|redacted|insert[-_ ]/i.test(text) ||
    /^dummy|(?<![a-z])(?:dummy(?![a-z])|your[-_ ])|[-_]here\b/i.test(text)
  );
}

/**
 * Whether a text with the form of a key holds no key: one sign that makes up half of it, or short words and numbers alone,
 * such as `sk-ant-your-key-here`. Other words in it prove nothing: they may be chance, or follow the key.
 */
export function isKeyFiller(text: string): boolean {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const isOneSign = Math.max(0, ...counts.values()) * 2 >= text.length;
  return isOneSign || text.split(/[-_.]/).every((part) => /^(?:[a-z]{0,12}|[A-Z]{0,12})\d{0,2}$/.test(part));
}
