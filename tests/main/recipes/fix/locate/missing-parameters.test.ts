import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../../../../src/main/recipes/fix/locate/missing-parameters.ts';

const script = (uses: string, task = '') => parametersOf('move', { task, uses, language: 'javascript' });
const python = (uses: string, task = '') => parametersOf('move', { task, uses, language: 'python' });

describe('the parameters of a function to write', () => {
  it('are those in the task, with their defaults', () => {
    expect(script('list.move(1, 3);', 'Please add move(from, to) to Playlist.')).toEqual(['from', 'to']);
    expect(python('', 'add Desk.move(book, days=14, *others): it …')).toEqual(['book', 'days=14', '*others']);
  });

  it('are not the values of an example in the task', () => {
    expect(script('a.move(1)', 'move(1, "x") must be 3, and [move(2)] …')).toEqual(['first']);
    expect(script('', 'Call move() twice.')).toBeNull();
  });

  it('are numbered for values in tests, and named for a variable in all of them', () => {
    expect(script("list.move(1, 3);\nlist.move([2, 'a, b'], f(0, 1));")).toEqual(['first', 'second']);
    expect(script('total.move(other)\nsum.move(other)')).toEqual(['other']);
    expect(script('a.move(x);\na.move(y);')).toEqual(['first']);
    expect(script('a.move(true, null)')).toEqual(['first', 'second']);
    expect(script('list.move()')).toEqual([]);
  });

  it('keep the keywords of Python', () => {
    expect(python('move(3, days=2)\nmove(4, days=x == 1)')).toEqual(['first', 'days']);
    expect(python("move(3, days=2)\nmove(4, 'a')")).toBeNull();
    // In JavaScript the same text is an assignment.
    expect(script('move(days = 2)')).toEqual(['first']);
  });

  it('are left open when calls differ, spread, repeat a name, or do not end', () => {
    for (const uses of ['move(1)\nmove(1, 2)', 'move(...all)', 'move(a, a)', 'move(1, 2', 'move(1, 2, 3, 4, 5)', ''])
      expect(script(uses)).toBeNull();
  });

  it('come only from calls, not from definitions or other names', () => {
    expect(script('function move(x, y) {}\nremove(1, 2, 3);\n$move(1);\nlist.move(7);')).toEqual(['first']);
    expect(python('def move(a, b):\n    pass\nmove(1)')).toEqual(['first']);
  });

  it('are read correctly with brackets inside quotes', () => {
    expect(script(String.raw`move(')', "a\")", (1, [2, 3]))`)).toEqual(['first', 'second', 'third']);
  });
});
