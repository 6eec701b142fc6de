/** The entropy of a text in bits for each character, by how often each of its characters occurs. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Pairs of letters that make up most of English text. In random letters they are about one of four. */
const usualPairs = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ' +
    'ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so ' +
    'rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ' +
    'ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag ep au uc lu rm ap fu ck up ey ds ef od gr br cl ' +
    'cr ew rd rk ks if bo bu do da du go gi ga pi pu ph ue um ub ud va vo ob oc tt ff pp nn mm rr sp sw sc sk sl sn qu ok ew iz ze az ix xt ox ax my by gy ly dy yp ys ya hy cy'
  ).split(' '),
);

/**
 * Whether a text is made of words, as names, paths and sentences are, and not of random letters and digits. A run of
 * letters is a word if most of its pairs are usual; short runs between digits count as random.
 */
export function isWordlike(text: string): boolean {
  let letters = 0;
  for (const [word] of text.replace(/([a-z])([A-Z])/g, '$1 $2').matchAll(/[A-Za-z]{3,}/g)) {
    const small = word.toLowerCase();
    let usual = 0;
    for (let at = 0; at + 1 < small.length; at += 1) if (usualPairs.has(small.slice(at, at + 2))) usual += 1;
    if (usual >= (small.length - 1) * 0.6) letters += word.length;
  }
  return letters > 0 && letters >= text.replace(/[^A-Za-z0-9]/g, '').length * 0.6;
}

/** Whether a text only shows where a secret would stand: `xxxxxxxx`, `your-key-here`, an example of a manual. */
export function isFiller(text: string): boolean {
  if (/(.)\1{7}/.test(text) || /[x*]{5}|\.{3}|…/i.test(text)) return true;
  return /example|placeholder|change[-_ ]?me|your[-_ ]|[-_]here\b|dummy|replace[-_ ]?me|redacted|insert[-_ ]/i.test(
    text,
  );
}
