import { failure, success } from '@shared/errors.ts';
import type { ProjectSymbols } from '../../src/main/symbols/project-symbols.ts';

const cart = { path: 'app/cart.py', line: 3, endLine: 9, name: 'Cart', what: 'class', container: null };
const add = { path: 'app/cart.py', line: 4, endLine: 6, name: 'add', what: 'function', container: 'Cart' };

/** The names of a project with one class. Counts how often the map was read. */
export function fakeSymbols(change: Partial<ProjectSymbols> = {}): ProjectSymbols & { readonly maps: () => number } {
  let maps = 0;
  const definitions = [
    { ...cart, signature: 'class Cart' },
    { ...add, signature: 'def add(self, item)' },
  ];
  return {
    update: async () => success({ files: 1, read: 0, isCut: false }),
    find: async ([name]) =>
      success({
        definitions: name === 'Cart.add' ? definitions.slice(1) : [],
        references: name === 'Cart.add' ? [{ path: 'app/main.py', line: 8, name: 'add', inside: 'main' }] : [],
        moreDefinitions: 0,
        hasMoreReferences: false,
      }),
    outline: async (path) => success(path === 'app/cart.py' ? definitions : []),
    rank: async () => success(definitions.map((definition) => ({ ...definition, score: 1 }))),
    map: async ({ tokens }) => {
      maps += 1;
      const text = `app/cart.py\n  3 class Cart\n  4   def add(self, item)`;
      return success({ text: `${text} (${tokens})`, files: 1, definitions: 2, all: { files: 1, definitions: 7 } });
    },
    ...change,
    maps: () => maps,
  };
}

export const noMap: Partial<ProjectSymbols> = { map: async () => failure('internal', 'The index of names ended.') };
