import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categoryPage, productPage } from '../src/pages.js';
import { createProducts } from '../src/products.js';

const shop = () =>
  createProducts([
    { id: 1, category: 'tea', name: 'Assam', cents: 450 },
    { id: 2, category: 'tea', name: 'Sencha', cents: 700 },
    { id: 3, category: 'cups', name: 'Mug', cents: 900 },
  ]);

test('pages', () => {
  assert.equal(productPage(shop(), 2), 'Sencha: 7.00 €');
  assert.equal(categoryPage(shop(), 'tea'), '# tea\n- Assam 4.50 €\n- Sencha 7.00 €');
  assert.equal(productPage(shop(), 9), 'not found');
});

test('a new price on the page of the product', () => {
  const products = shop();
  productPage(products, 1);
  products.update(1, { cents: 500 });
  assert.equal(productPage(products, 1), 'Assam: 5.00 €');
});

test('a new price on the page of the category', () => {
  const products = shop();
  categoryPage(products, 'tea');
  products.update(1, { cents: 500 });
  assert.equal(categoryPage(products, 'tea'), '# tea\n- Assam 5.00 €\n- Sencha 7.00 €');
});

test('a product moves to another category', () => {
  const products = shop();
  categoryPage(products, 'cups');
  products.update(2, { category: 'cups' });
  assert.equal(categoryPage(products, 'cups'), '# cups\n- Sencha 7.00 €\n- Mug 9.00 €');
});
