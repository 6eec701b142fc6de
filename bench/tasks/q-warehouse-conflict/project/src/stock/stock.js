import { failure } from '../failure.js';

const START = [
  { sku: 'bolt-8', name: 'Bolt M8', pieces: 1200 },
  { sku: 'nut-8', name: 'Nut M8', pieces: 900 },
  { sku: 'rail-2', name: 'Rail 2 m', pieces: 14 },
];

/** The shelf: how many pieces of each article can be sold now. */
export function createStock(articles = START) {
  const bySku = new Map(articles.map((article) => [article.sku, { ...article }]));
  const article = (sku) => {
    const found = bySku.get(sku);
    if (found === undefined) throw failure('unknown-article', `no article ${sku}`);
    return found;
  };
  return {
    article,
    take(sku, pieces) {
      const found = article(sku);
      if (found.pieces < pieces) throw failure('not-enough', `only ${found.pieces} of ${sku}`);
      found.pieces -= pieces;
    },
    giveBack(sku, pieces) {
      article(sku).pieces += pieces;
    },
  };
}
