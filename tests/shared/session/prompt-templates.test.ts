import { describe, expect, it } from 'vitest';
import {
  fillTemplate,
  firstPlace,
  matchingTemplates,
  templateAbout,
  templateVariables,
} from '../../../src/shared/session/prompt-templates.ts';

const text = 'Review {{file}} for bugs.\nLook at {{ concern }} above all, in {{file}}.';

/** Catches: a placeholder that is asked for twice, and one of another template language that is taken for ours. */
it('the variables of a template are each found once, with the place of the first', () => {
  expect(templateVariables(text)).toEqual(['file', 'concern']);
  expect(templateVariables('a {{ 1 + 1 }} b {% x %} {y}')).toEqual([]);
  expect(firstPlace(text)).toEqual({ start: 7, end: 15 });
  expect(firstPlace('none')).toBeNull();
});

describe('a template that is filled', () => {
  /** Catches: lost words, a value that is cut at a space, and an address taken for a placeholder. */
  it.each([
    ['', text, ['file', 'concern']],
    ['a.py', 'Review a.py for bugs.\nLook at {{ concern }} above all, in a.py.', ['concern']],
    ['concern="odd names" a b.py', 'Review a b.py for bugs.\nLook at odd names above all, in a b.py.', []],
    ['file=a.py concern=speed now', 'Review a.py for bugs.\nLook at speed above all, in a.py.\n\nnow', []],
    [
      'http://x.y/?a=1',
      'Review http://x.y/?a=1 for bugs.\nLook at {{ concern }} above all, in http://x.y/?a=1.',
      ['concern'],
    ],
  ])('is right with %j', (typed, filled, missing) => {
    expect(fillTemplate(text, typed)).toEqual({ text: filled, missing });
  });

  /** Catches: a typed value that is taken for a placeholder or for a replacement pattern. */
  it('keeps the typed text as it is', () => {
    expect(fillTemplate('Say {{what}}.', '{{what}} $& $1').text).toBe('Say {{what}} $& $1.');
    expect(fillTemplate('Plain.', 'and more').text).toBe('Plain.\n\nand more');
  });
});

it('a template is offered by the beginning of its name, with its first line', () => {
  const templates = [
    { name: 'review', text },
    { name: 'explain', text: '\n# Explain it\n\nto me' },
  ];
  expect(matchingTemplates('/re', templates).map(({ name }) => name)).toEqual(['review']);
  expect(matchingTemplates('/', templates)).toHaveLength(2);
  expect(matchingTemplates('/review a', templates)).toEqual([]);
  expect(templates.map((one) => templateAbout(one))).toEqual(['Review {{file}} for bugs.', 'Explain it']);
});
