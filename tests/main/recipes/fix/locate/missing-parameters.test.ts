import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../../../../src/main/recipes/fix/locate/missing-parameters.ts';

const script = (uses: string, task = '') => parametersOf('move', { task, uses, language: 'javascript' });
const python = (uses: string, task = '') => parametersOf('move', { task, uses, language: 'python' });

describe('the parameters of what is to be written', () => {
  it('are those that the task says, with their defaults', () => {
    expect(script('list.move(1, 3);', 'Please add move(from, to) to Playlist.')).toEqual(['from', 'to']);
    expect(python('', 'add Desk.move(book, days=14, *others): it …')).toEqual(['book', 'days=14', '*others']);
  });

  it('are not the values of an example in the task', () => {
    expect(script('a.move(1)', 'move(1, "x") must be 3, and [move(2)] …')).toEqual(['first']);
    expect(script('', 'Call move() twice.')).toBeNull();
  });

  it('are numbered where tests give values, and named where all give a variable of one name', () => {
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

  it('are left open where calls differ, spread, repeat a name, or do not end', () => {
    for (const uses of ['move(1)\nmove(1, 2)', 'move(...all)', 'move(a, a)', 'move(1, 2', 'move(1, 2, 3, 4, 5)', ''])
      expect(script(uses)).toBeNull();
  });

  it('come from calls alone, not from definitions or other names', () => {
    expect(script('function move(x, y) {}\nremove(1, 2, 3);\n$move(1);\nlist.move(7);')).toEqual(['first']);
    expect(python('def move(a, b):\n    pass\nmove(1)')).toEqual(['first']);
  });

  it('are read through quotes that hold brackets', () => {
    expect(script(String.raw`move(')', "a\")", (1, [2, 3]))`)).toEqual(['first', 'second', 'third']);
  });
});
