import { describe, expect, it } from 'vitest';
import { mapText } from '../../../../src/main/symbols/rank/map-text.ts';
import { rankDefinitions } from '../../../../src/main/symbols/rank/rank-definitions.ts';
import { partsOfName } from '../../../../src/main/symbols/rank/split-words.ts';
import { symbolFileOf, type SymbolFile } from '../../../../src/main/symbols/rank/symbol-file.ts';
import { tagExtractor } from '../../../../src/main/symbols/tags/extract-tags.ts';

/** Catches: an order that depends on nothing, on the order of the files, or on names that everyone defines. */
const project = {
  'app/main.py':
    'from app.cart import Cart\n\ndef main():\n    cart = Cart()\n    cart.add_item("a")\n    print(total_price(cart))\n',
  'app/cart.py':
    'from app.prices import total_price\n\nclass Cart:\n    def add_item(self, item):\n        self.items.append(item)\n\n    def remove_item(self, item):\n        pass\n',
  'app/prices.py':
    'def total_price(cart):\n    return sum(parse_price(i) for i in cart.items)\n\ndef parse_price(item):\n    return item.price\n\ndef unused():\n    pass\n',
  'app/dates.py': 'def parse_date(text):\n    return text\n',
  'tests/test_cart.py': 'from app.cart import Cart\n\ndef test_add_item():\n    Cart().add_item("b")\n',
};

async function filesOf(texts: Readonly<Record<string, string>>): Promise<readonly SymbolFile[]> {
  const extract = await tagExtractor('python');
  return Object.entries(texts).map(([path, text]) => symbolFileOf({ path, language: 'python', ...extract(text) }));
}

const namesOf = (files: readonly SymbolFile[], words: string, touched: readonly string[] = []): readonly string[] =>
  rankDefinitions(files, { words, touched }).map(({ definition }) => definition.name);

describe('the order of definitions', () => {
  it('begins with what others use, without a task', async () => {
    const names = namesOf(await filesOf(project), '');
    expect(names.slice(0, 3).toSorted()).toEqual(['Cart', 'add_item', 'total_price']);
    expect(names.indexOf('unused')).toBeGreaterThan(3);
  });

  it('begins with what the words of the task fit', async () => {
    const files = await filesOf(project);
    expect(namesOf(files, 'Parsing of dates fails for leap years')[0]).toBe('parse_date');
    expect(namesOf(files, 'removing an item leaves it in the cart')[0]).toBe('remove_item');
    expect(namesOf(files, '`total_price` is wrong')[0]).toBe('total_price');
  });

  it('begins with what a touched file uses', async () => {
    const report = 'def report():\n    return parse_date(today())\n';
    const files = await filesOf({ ...project, 'app/report.py': report });
    expect(namesOf(files, '').indexOf('parse_date')).toBeGreaterThan(0);
    expect(namesOf(files, '', ['app/report.py'])[0]).toBe('parse_date');
  });

  it('is the same however the files are ordered', async () => {
    const files = await filesOf(project);
    const order = (some: readonly SymbolFile[]) =>
      rankDefinitions(some, { words: 'cart', touched: [] }).map(({ path, definition }) => `${path}:${definition.line}`);
    expect(order(files.toReversed())).toEqual(order(files));
  });

  it('does not break on files that use each other, themselves or nothing', async () => {
    const files = await filesOf({
      'a.py': 'def a(): b()\n',
      'b.py': 'def b(): a(); b()\n',
      'c.py': '',
      'd.py': 'x = ',
    });
    const ranked = rankDefinitions(files, { words: '', touched: ['gone.py'] });
    expect(ranked.map(({ definition }) => definition.name).toSorted()).toEqual(['a', 'b', 'x'].slice(0, ranked.length));
    expect(ranked.every(({ score }) => Number.isFinite(score))).toBe(true);
    expect(rankDefinitions([], { words: 'a', touched: [] })).toEqual([]);
  });

  it('takes no longer for names that many files define', () => {
    const uses = new Map(Array.from({ length: 20 }, (_, at) => [`name${at}`, 3] as const));
    const files = Array.from({ length: 5_000 }, (_, at): SymbolFile => {
      const name = `name${at % 20}`;
      const definition = { name, what: 'function', line: 1, endLine: 2, signature: name, container: null };
      return { path: `f${at}.py`, definitions: [definition], uses };
    });
    const started = performance.now();
    rankDefinitions(files, { words: 'name1', touched: [] });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('the text of a map', () => {
  it('names files with their best definitions and stays within its tokens', async () => {
    const ranked = rankDefinitions(await filesOf(project), { words: 'remove_item', touched: [] });
    const { text, files, definitions } = mapText(ranked, 56);
    expect(text).toBe(
      [
        'app/cart.py',
        '  4 Cart: def add_item(self, item)',
        '  7 Cart: def remove_item(self, item)',
        'app/prices.py',
        '  1 def total_price(cart)',
        '  4 def parse_price(item)',
      ].join('\n'),
    );
    expect({ files, definitions }).toEqual({ files: 2, definitions: 4 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(168);
    expect(mapText(ranked, 75).text).toContain('\n  3 class Cart\n  4   def add_item(self, item)\n');
    expect(mapText(ranked, 0)).toEqual({ text: '', files: 0, definitions: 0 });
  });
});

describe('a task in whole sentences', () => {
  // Bug: "with" is rare among names, so a task with that word put every name with it first.
  it('is not about the words that join its others', async () => {
    const files = await filesOf({
      'a.py': 'def open_with(path):\n    pass\n\ndef load_price(path):\n    pass\n\ndef save_price(path):\n    pass\n',
    });
    expect(namesOf(files, 'Something is wrong with the price that is loaded')[0]).toBe('load_price');
  });
});

describe('a function inside a function', () => {
  // Bug: a map named helpers that nothing else can call, where a function of the project could have stood.
  it('is not in the map, a method of a class is', async () => {
    const files = await filesOf({
      'a.py':
        'def price_of(item):\n    def price_part(x):\n        return x\n    return price_part(item)\n\nclass Prices:\n    def price_all(self):\n        pass\n',
    });
    const { text } = mapText(rankDefinitions(files, { words: 'price', touched: [] }), 400);
    expect(text).toContain('price_of(item)');
    expect(text).toContain('price_all(self)');
    expect(text).not.toContain('price_part');
  });
});

describe('the parts of a name', () => {
  it.each([
    ['parseHTTPDate', ['parse', 'http', 'date']],
    ['parse_http_date2', ['parse', 'http', 'date2']],
    ['größeÄndern', ['größe', 'ändern']],
    ['', []],
  ])('of %s', (name, parts) => {
    expect(partsOfName(name)).toEqual(parts);
  });
});
