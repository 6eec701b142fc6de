import { describe, expect, it } from 'vitest';
import { readWay } from '../../../src/shared/comparisons/way.ts';
import { eachWay, nameOfTask, wayName } from '../../../src/shared/comparisons/way-name.ts';

describe('a way', () => {
  it.each([
    ['local', 'local'],
    ['auto', 'hybrid'],
    ['local:ollama/qwen:7b', 'local:ollama/qwen:7b'],
    ['cloud:openai/x, effort=high', 'cloud:openai/x,effort=high'],
    ['cloud,effort=off', 'cloud,effort=off'],
    ['hybrid,local=a/b,cloud=c/d,strategy=loop,assistant=me', 'hybrid,local=a/b,cloud=c/d,strategy=loop,assistant=me'],
    ['local,local=a/b', 'local:a/b'],
  ])('is read from %s, and has one name', (typed, name) => {
    const way = readWay(typed);
    expect(typeof way === 'string' ? way : wayName(way)).toBe(name);
    // The name is read as the same way again.
    expect(readWay(name)).toEqual(way);
  });

  it.each([
    ['moon', '"moon" is none of'],
    ['hybrid:a/b', 'hybrid uses two models'],
    ['local,effort=huge', 'effort is one of off'],
    ['local:a/b,local=c/d', 'local is there twice'],
    ['local,colour=red', '"colour=red" is none of'],
    ['local,strategy=dance', 'the value of strategy is wrong'],
    ['local:', 'the value of local is wrong'],
  ])('says what is wrong with %s', (typed, text) => {
    expect(readWay(typed)).toContain(text);
  });

  it('is the same as another one by its name alone', () => {
    const ways = ['local', 'local,strategy=loop', 'local'].map((typed) => {
      const way = readWay(typed);
      if (typeof way === 'string') throw new Error(way);
      return way;
    });
    expect(eachWay(ways).map(wayName)).toEqual(['local', 'local,strategy=loop']);
  });

  it('has tasks with short names', () => {
    expect(nameOfTask(' Mend\n it. ')).toBe('Mend it.');
    expect(nameOfTask('x'.repeat(100))).toHaveLength(60);
  });
});
