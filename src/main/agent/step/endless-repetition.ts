/** How much of the end of an answer must be one text over and over before it is stopped. */
const REPEATED_CHARACTERS = 1_600;
const LONGEST_PERIOD = 200;
const LEAST_TIMES = 8;

/**
 * Whether the end of a text is the same piece again and again: what a small model does when it is stuck.
 * Rulers, blank tables and the like stay well below the length that is asked for.
 * A text for which this holds is cut there, so it holds for the recorded text too.
 */
export function isEndlessRepetition(text: string): boolean {
  if (text.length < REPEATED_CHARACTERS) return false;
  const tail = text.slice(-REPEATED_CHARACTERS);
  const period = shortestPeriod(tail);
  return period <= LONGEST_PERIOD && tail.length / period >= LEAST_TIMES;
}

/** By the failure function of Knuth, Morris and Pratt: the length less the longest border. */
function shortestPeriod(text: string): number {
  const border = new Int32Array(text.length);
  let matched = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== text.charCodeAt(matched)) matched = border[matched - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(matched)) matched += 1;
    border[at] = matched;
  }
  return text.length - (border[text.length - 1] ?? 0);
}
