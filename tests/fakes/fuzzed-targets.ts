const listed = ['files.example.org', 'a-1.example.org'] as const;
const odd = [
  '\u0000',
  '\t',
  '\n',
  '\r',
  ' ',
  '.',
  '..',
  ':',
  '@',
  '/',
  '\\',
  '#',
  '?',
  '%00',
  '%2e',
  '%',
  '*',
  '_',
  '-',
  '[',
  ']',
  ',',
  ';',
  '|',
  '&',
  '\u200b',
  '\u202e',
  '\u3002',
  '\uff0e',
  '\uff61',
  '\u00ad',
  '\u0130',
  '\u017f',
  '\u212a',
  'ß',
  'а',
  'xn--',
  'evil.example',
  '127.0.0.1',
  '0x7f',
  '::1',
  '443',
  '80',
  '\ud800',
] as const;

/** Texts that are similar to a listed `HOST:443`, some of them equal to it. The same seed gives the same texts. */
export function* fuzzedTargets(count: number, seed: number): Generator<string> {
  let state = seed;
  const next = (below: number): number => {
    // A linear congruential generator is random enough to choose from lists.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = (from: readonly string[]): string => from[next(from.length)] ?? '';
  for (let index = 0; index < count; index += 1) {
    let text = pick(listed) + (next(3) === 0 ? '' : ':443');
    for (let changes = next(4); changes > 0; changes -= 1) {
      const at = next(text.length + 1);
      const kind = next(6);
      const before = text.slice(0, at);
      if (kind === 0) text = before + pick(odd) + text.slice(at);
      else if (kind === 1) text = before + text.slice(at + 1);
      else if (kind === 2) text = before + text.slice(at, at + 1).toUpperCase() + text.slice(at + 1);
      else if (kind === 3) text = before + String.fromCharCode(next(256)) + text.slice(at + 1);
      else if (kind === 4) text = next(2) === 0 ? pick(odd) + text : text + pick(odd);
      else text = before + pick(listed) + text.slice(at);
    }
    yield text;
  }
}
