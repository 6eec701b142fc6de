import { RegExpParser } from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';

/** A text that a pattern may find hard: `head`, then `pump` over and over, then `tail`. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

/** What texts are made of: a letter, a digit, white space, quotes, brackets, and what languages and logs set apart. */
const letters = 'a1 \n\t-_./\\"\'`()[]{}<>=,:;*#$%@!?|&+~A\u00E9\u6F22\u0000';

/** Texts that are slow for a pattern as a rule, whatever it is. */
const usual: readonly string[] = [
  ...letters,
  ...['"\\', '\\\\', 'sk-', '-----BEGIN PRIVATE KEY-----', '1 passed, ', 'a.', 'a/', 'a=', '](', '/*', '<a ', ' \n'],
];

/** At most `mostAttacks` of them, the pattern's own first. Each is ended by what no pattern expects, and by nothing. */
export function attacksOn(source: string, flags: string): readonly Attack[] {
  const regex = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const own = [new Samples(flags, 1), new Samples(flags, 0)].flatMap((samples) => [
    ...startAttacks(regex.alternatives, samples),
    ...repeatAttacks(regex, samples),
  ]);
  const all = [...own, ...usual.map((pump) => ({ head: '', pump, tail: '' }))].filter(({ pump }) => pump !== '');
  // A text of Latin letters alone is no match for some patterns at once.
  const tails = /[^\u0000-\u00FF]/u.test(source) ? ['\u0000', '\u6F22'] : ['\u0000'];
  const ended = all.flatMap((one) => (one.tail === '' ? [one, ...tails.map((tail) => ({ ...one, tail }))] : [one]));
  const known = new Map(ended.map((one) => [`${one.head}\u0001${one.pump}\u0001${one.tail}`, one]));
  return [...known.values()].slice(0, mostAttacks);
}

const mostAttacks = 400;

/** A pattern begins to match again and again: its first element, its first two, and so on. */
function startAttacks(alternatives: readonly AST.Alternative[], samples: Samples): readonly Attack[] {
  return alternatives.flatMap((one) =>
    one.elements.map((_, at) => ({ head: '', pump: samples.ofAll(one.elements.slice(0, at + 1)), tail: '' })),
  );
}

/** What a pattern may repeat is repeated: alone, after what has to stand before it, and with that before each. */
function repeatAttacks(root: AST.Pattern, samples: Samples): readonly Attack[] {
  const attacks: Attack[] = [];
  const visit = (node: AST.Alternative, before: string): void => {
    let head = before;
    node.elements.forEach((element) => {
      if (element.type === 'Quantifier' && element.max > 8) {
        for (const pump of samples.pumpsOf(element.element)) {
          attacks.push({ head, pump, tail: '' }, { head: '', pump: head + pump, tail: '' });
          for (const tail of ['a', '\n', ' ', ...samples.lettersOutside(element.element)]) attacks.push({ head, pump, tail });
        }
      }
      const inner = element.type === 'Quantifier' ? element.element : element;
      if ('alternatives' in inner) for (const one of inner.alternatives) visit(one, head);
      head += samples.of(element);
    });
  };
  for (const one of root.alternatives) visit(one, '');
  return attacks;
}

/** Texts that a part of a pattern matches. */
class Samples {
  readonly #flags: string;
  readonly #least: 0 | 1;

  /** `least`: how often what may be left out is there. */
  constructor(flags: string, least: 0 | 1) {
    this.#flags = flags.replaceAll(/[gy]/gu, '');
    this.#least = least;
  }

  ofAll(elements: readonly AST.Element[]): string {
    return elements.map((one) => this.of(one)).join('');
  }

  /** One text. An assertion gives what has to stand there before it, if anything. */
  of(node: AST.Element | AST.Alternative | AST.CapturingGroup): string {
    switch (node.type) {
      case 'Alternative':
        return this.ofAll(node.elements);
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives[0] === undefined ? '' : this.of(node.alternatives[0]);
      case 'Quantifier':
        return this.of(node.element).repeat(Math.min(Math.max(node.min, this.#least), 64));
      case 'Assertion':
        if (node.kind !== 'lookbehind' || node.negate) return '';
        return node.alternatives[0] === undefined ? '' : this.of(node.alternatives[0]);
      case 'Backreference':
        return Array.isArray(node.resolved) || !('alternatives' in node.resolved) ? '' : this.of(node.resolved);
      default:
        return this.#lettersOf(node.raw)[0] ?? 'a';
    }
  }

  /** Texts that are different from each other, for what may be there any number of times. */
  pumpsOf(node: AST.QuantifiableElement): readonly string[] {
    if (node.type === 'Group' || node.type === 'CapturingGroup')
      return [...new Set(node.alternatives.slice(0, 8).map((one) => this.of(one)))];
    if (node.type !== 'CharacterClass' && node.type !== 'CharacterSet') return [this.of(node)];
    return this.#lettersOf(node.raw);
  }

  /** What ends a run of these. */
  lettersOutside(node: AST.QuantifiableElement): readonly string[] {
    if (node.type !== 'CharacterClass' && node.type !== 'CharacterSet') return [];
    const only = new RegExp(`^(?:${node.raw})$`, this.#flags);
    return [...letters].filter((letter) => !only.test(letter) && letter !== '\u0000').slice(0, 3);
  }

  #lettersOf(raw: string): readonly string[] {
    const only = new RegExp(`^(?:${raw})$`, this.#flags);
    const found = [...new Set([...letters, ...raw])].filter((letter) => only.test(letter));
    // Of some classes nothing of these is a member: those of other scripts.
    return found.slice(0, mostPumps);
  }
}

const mostPumps = 6;
