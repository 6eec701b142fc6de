import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';

/** A text that a pattern may find hard: `head`, then `pump` over and over, then `tail`. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

/** What texts are made of: a letter, a digit, white space, quotes, brackets, and what languages and logs set apart. */
const letters = 'a1 \n\r\t-_./\\"\'`()[]{}<>=,:;*#$%@!?|&+~A\u00E9\u6F22\u0000'.split('');

/** Texts that are slow for a pattern or a scanner as a rule, whatever it is. */
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

/** Each by itself, behind a letter, and ended by what nothing expects and by the end of a line. */
export function attacksWith(pumps: readonly string[]): readonly Attack[] {
  return pumps.flatMap((pump) => [
    { head: '', pump, tail: '' },
    { head: '', pump, tail: '\u0000' },
    { head: 'a', pump, tail: '\na' },
  ]);
}

/** Those for one pattern, its own before the usual ones. */
export function attacksOn(source: string, flags: string): readonly Attack[] {
  const own = partsOf(source, flags);
  // A text of Latin letters alone is no match for some patterns at once.
  const isForeign = /[^ -\u00FF]/u.test(source);
  const all = [...own.attacks, ...attacksWith([...own.pumps, ...usualPumps])];
  const ended = all.flatMap((one) => {
    const ends = one.tail === '' ? ['', '\u0000'] : [one.tail];
    return [...ends, ...(isForeign ? ['\u6F22'] : [])].map((tail) => ({ ...one, tail }));
  });
  const known = new Map(ended.filter(({ pump }) => pump !== '').map((one) => [JSON.stringify(one), one]));
  return [...known.values()].slice(0, mostAttacks);
}

/** How a pattern begins, in growing pieces: whoever reads by hand with it finds these hard, too. */
export function pumpsOf(source: string, flags: string): readonly string[] {
  return partsOf(source, flags).pumps.filter((pump) => pump !== '');
}

/** Whether there is a repeat in it that a long text makes long. Without one each place takes a few steps at most. */
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

/** A pattern begins to match again and again: its first element, its first two, and so on. */
function startsOf(alternatives: readonly AST.Alternative[], samples: Samples): readonly string[] {
  return alternatives.flatMap((one) =>
    one.elements.map((last, at) => samples.ofAll(one.elements.slice(0, at + 1)) + samples.ahead(last)),
  );
}

/** What a pattern may repeat is repeated: alone, after what has to stand before it, and with that before each. */
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

/** Texts that a part of a pattern matches. */
class Samples {
  readonly #flags: string;
  readonly #least: 0 | 1;
  readonly #source: string;

  /** `least`: how often what may be left out is there. */
  constructor(source: string, flags: string, least: 0 | 1) {
    this.#source = source;
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

  /** What has to stand behind it. */
  ahead(node: AST.Element): string {
    if (node.type !== 'Assertion' || node.kind !== 'lookahead' || node.negate) return '';
    return node.alternatives[0] === undefined ? '' : this.of(node.alternatives[0]);
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
    return letters.filter((letter) => !only.test(letter) && letter !== '\u0000').slice(0, 3);
  }

  #lettersOf(raw: string): readonly string[] {
    const only = new RegExp(`^(?:${raw})$`, this.#flags);
    const fits = (all: Iterable<string>): readonly string[] => [...new Set(all)].filter((letter) => only.test(letter));
    // A sign that the pattern names elsewhere makes it hard to tell the two parts from each other.
    const signs = fits(this.#source).filter((letter) => /[^\w\s\\()[\]{}|?*+^$]/u.test(letter));
    return [...new Set([...fits(letters).slice(0, mostPumps), ...signs.slice(0, 3), ...fits(raw).slice(0, 2)])];
  }
}

const mostPumps = 6;
