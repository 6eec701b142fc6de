/** The one form with a condition that the list has: a name that is not one of a model which speaks. */
const noSpeech = String.raw`^(?!.*-[tT][tT][sS](?:$|-))`;
const speech = /-tts(?:$|-)/u;

/** A sign as it is, a sign after `\`, or `\d`, each with a count such as `{8}`. Nothing that could be tried in two ways. */
const piece = /(?:\\(?<kind>d)|\\(?<escaped>[^a-zA-Z0-9])|(?<plain>[\w\-/:@=, ]))(?:\{(?<count>\d{1,2})\})?/uy;

/**
 * Whether a name, in small letters, fits an expression of a price list. The expression is compared piece by piece and
 * never run. False for one of any other form.
 */
export function fitsExpression(expression: string, name: string): boolean {
  if (expression === noSpeech) return !speech.test(name);
  if (!expression.startsWith('^')) return false;
  let at = 0;
  let read = 1;
  while (read < expression.length && expression.slice(read) !== '$') {
    piece.lastIndex = read;
    const found = piece.exec(expression)?.groups;
    if (found === undefined) return false;
    read = piece.lastIndex;
    for (let left = Number(found['count'] ?? 1); left > 0; left -= 1) {
      const sign = name[at] ?? '';
      at += 1;
      const wanted = found['escaped'] ?? found['plain']?.toLowerCase();
      if (wanted === undefined ? !/^\d$/u.test(sign) : sign !== wanted) return false;
    }
  }
  return read < expression.length ? at === name.length : true;
}
