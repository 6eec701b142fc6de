import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';

/** A text that may be slow for a pattern: `head`, then `pump` repeated, then `tail`. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

/**
 * Building blocks of the texts: a letter, a digit, white space, quotes, brackets, and separators of languages and logs.
 */
const letters = 'a1 \n\r\t-_./\\"\'`()[]{}<>=,:;*#$%@!?|&+~A\u00E9\u6F22\u0000'.split('');

/** Texts that are often slow for a pattern or a scanner, whatever it looks for. */
export const usualPumps: readonly string[] = [
  ...letters,
  '"\\',
  '\\\\',
  'sk-',
  'sk-ant-',
  'eyJ-',
  '-----BEGIN PRIVATE KEY-----',
  '1 passed, ',
  'token=',
  'a.',
  'a/',
  'a=',
  'a ',
  '](',
  '/*',
  '<a ',
  ' \n',
  '{"a":',
  '[[',
  '("',
  '```\n',
  '\n- ',
  '\u001B[',
  '\u001B]0;',
  '%41',
  '@@ -1 +1 @@\n',
  '@"',
  '${',
  '```\n{',
  '{{}```\n',
  '<tool_call>a{',
  '[1,],',
];

/** Each pump by itself, pumps with an unexpected ending, and pumps behind a letter with an end of line. */
export function attacksWith(pumps: readonly string[]): readonly Attack[] {
  return pumps.flatMap((pump) => [
    { head: '', pump, tail: '' },
    { head: '', pump, tail: '\u0000' },
    { head: 'a', pump, tail: '\na' },
  ]);
}

/** The attacks for one pattern: first its own, then the usual ones. */
export function attacksOn(source: string, flags: string): readonly Attack[] {
  const own = partsOf(source, flags);
  // Some patterns reject a text of Latin letters at once, so they also get another tail.
  const isForeign = /[^ -\u00FF]/u.test(source);
  const all = [...own.attacks, ...attacksWith([...own.pumps, ...usualPumps])];
  const ended = all.flatMap((one) => {
    const ends = one.tail === '' ? ['', '\u0000'] : [one.tail];
    return [...ends, ...(isForeign ? ['\u6F22'] : [])].map((tail) => ({ ...one, tail }));
  });
  const known = new Map(ended.filter(({ pump }) => pump !== '').map((one) => [JSON.stringify(one), one]));
  return [...known.values()].slice(0, mostAttacks);
}

/** The beginnings of a pattern, in growing pieces. They are also slow for code that scans by hand. */
export function pumpsOf(source: string, flags: string): readonly string[] {
  return partsOf(source, flags).pumps.filter((pump) => pump !== '');
}

/** Whether the pattern has a repeat that grows with the text. Without one, each position takes a few steps at most. */
export function canRepeat(source: string, flags: string): boolean {
  let found = false;
  visitRegExpAST(parsed(source, flags), { onQuantifierEnter: ({ max }) => void (found ||= max > longestRepeat) });
  return found;
}

const longestRepeat = 8;

function parsed(source: string, flags: string): AST.Pattern {
  return new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
}

function partsOf(
  source: string,
  flags: string,
): { readonly attacks: readonly Attack[]; readonly pumps: readonly string[] } {
  const regex = parsed(source, flags);
  const samples = [new Samples(source, flags, 1), new Samples(source, flags, 0)];
  return {
    pumps: samples.flatMap((one) => startsOf(regex.alternatives, one)),
    attacks: samples.flatMap((one) => repeatAttacks(regex, one)),
  };
}

const mostAttacks = 500;

/** Texts that begin to match: the first element of the pattern, its first two, and so on. */
function startsOf(alternatives: readonly AST.Alternative[], samples: Samples): readonly string[] {
  return alternatives.flatMap((one) =>
    one.elements.map((last, at) => samples.ofAll(one.elements.slice(0, at + 1)) + samples.ahead(last)),
  );
}

/** Repeats what a pattern may repeat: alone, after what must come before it, and with that before each repeat. */
function repeatAttacks(root: AST.Pattern, samples: Samples): readonly Attack[] {
  const attacks: Attack[] = [];
  const visit = (node: AST.Alternative, before: string): void => {
    let head = before;
    node.elements.forEach((element) => {
      if (element.type === 'Quantifier' && element.max > longestRepeat) {
        for (const pump of samples.pumpsOf(element.element)) {
          attacks.push({ head, pump, tail: '' }, { head: '', pump: head + pump, tail: '' });
          for (const tail of ['a', '\n', ' ', ...samples.lettersOutside(element.element)])
            attacks.push({ head, pump, tail });
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

/** Builds texts that match a part of a pattern. */
class Samples {
  readonly #flags: string;
  readonly #least: 0 | 1;
  readonly #source: string;

  /** `least`: how often an optional part occurs. */
  constructor(source: string, flags: string, least: 0 | 1) {
    this.#source = source;
    this.#flags = flags.replaceAll(/[gy]/gu, '');
    this.#least = least;
  }

  ofAll(elements: readonly AST.Element[]): string {
    return elements.map((one) => this.of(one)).join('');
  }

  /** One matching text. For an assertion, the text that it requires before it, or an empty text. */
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

  /** The text that a lookahead requires. */
  ahead(node: AST.Element): string {
    if (node.type !== 'Assertion' || node.kind !== 'lookahead' || node.negate) return '';
    return node.alternatives[0] === undefined ? '' : this.of(node.alternatives[0]);
  }

  /** Different texts that match an element which may be repeated. */
  pumpsOf(node: AST.QuantifiableElement): readonly string[] {
    if (node.type === 'Group' || node.type === 'CapturingGroup')
      return [...new Set(node.alternatives.slice(0, 8).map((one) => this.of(one)))];
    if (node.type !== 'CharacterClass' && node.type !== 'CharacterSet') return [this.of(node)];
    return this.#lettersOf(node.raw);
  }

  /** Letters that end a run of this element. */
  lettersOutside(node: AST.QuantifiableElement): readonly string[] {
    if (node.type !== 'CharacterClass' && node.type !== 'CharacterSet') return [];
    const only = new RegExp(`^(?:${node.raw})$`, this.#flags);
    return letters.filter((letter) => !only.test(letter) && letter !== '\u0000').slice(0, 3);
  }

  #lettersOf(raw: string): readonly string[] {
    const only = new RegExp(`^(?:${raw})$`, this.#flags);
    const fits = (all: Iterable<string>): readonly string[] => [...new Set(all)].filter((letter) => only.test(letter));
    // If the pattern uses a sign in another place too, it is hard to tell the two parts apart.
    const signs = fits(this.#source).filter((letter) => /[^\w\s\\()[\]{}|?*+^$]/u.test(letter));
    return [...new Set([...fits(letters).slice(0, mostPumps), ...signs.slice(0, 3), ...fits(raw).slice(0, 2)])];
  }
}

const mostPumps = 6;
