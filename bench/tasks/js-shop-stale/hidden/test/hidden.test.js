import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProducts } from '../src/products.js';

const rows = () => [
  { id: 1, category: 'tea', name: 'Assam', cents: 450 },
  { id: 2, category: 'tea', name: 'Sencha', cents: 700 },
  { id: 3, category: 'cups', name: 'Mug', cents: 900 },
];
const ids = (list) => list.map((product) => product.id);

test('the category that a product left and the one it came to', () => {
  const products = createProducts(rows());
  for (const category of ['tea', 'cups', 'pots']) products.inCategory(category);
  products.update(2, { category: 'cups', cents: 1 });
  assert.deepEqual(ids(products.inCategory('tea')), [1]);
  assert.deepEqual(products.inCategory('cups').map(({ id, cents }) => [id, cents]), [[2, 1], [3, 900]]);
  products.update(2, { category: 'pots' });
  assert.deepEqual(ids(products.inCategory('cups')), [3]);
  assert.deepEqual(ids(products.inCategory('pots')), [2]);
});

test('several changes', () => {
  const products = createProducts(rows());
  for (const cents of [1, 2, 3]) {
    assert.equal(products.update(3, { cents }).cents, cents);
    assert.equal(products.inCategory('cups')[0].cents, cents);
    assert.equal(products.get(3).cents, cents);
  }
});

test('what did not change is not read again', () => {
  const products = createProducts(rows());
  const [tea, mug] = [products.inCategory('tea'), products.get(3)];
  products.update(3, { cents: 5 });
  assert.equal(products.inCategory('tea'), tea);
  assert.notEqual(products.get(3), mug);
  const cup = products.get(3);
  products.update(1, { name: 'Darjeeling' });
  assert.equal(products.get(3), cup);
});

test('the id stays, unknown products are an error', () => {
  const products = createProducts(rows());
  assert.equal(products.update(1, { id: 7 }).id, 1);
  assert.throws(() => products.update(9, {}), /no product 9/);
});
