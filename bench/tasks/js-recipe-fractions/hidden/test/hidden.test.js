import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIngredient, scale } from '../src/ingredient.js';

const VALUES = { '¼': 1 / 4, '½': 1 / 2, '¾': 3 / 4, '⅓': 1 / 3, '⅔': 2 / 3, '⅛': 1 / 8 };

function assertReads(line, amount, unit, name) {
  const read = parseIngredient(line);
  assert.ok(Math.abs(read.amount - amount) < 0.001, `${line}: ${read.amount}`);
  assert.deepEqual([read.unit, read.name], [unit, name]);
}

test('reads each of them alone', () => {
  for (const [character, value] of Object.entries(VALUES)) {
    assertReads(`${character} cup sugar`, value, 'cup', 'sugar');
    assertReads(`${character} onion`, value, null, 'onion');
  }
});

test('reads each of them after a whole number, with and without a space', () => {
  for (const [character, value] of Object.entries(VALUES)) {
    assertReads(`2${character} tbsp oil`, 2 + value, 'tbsp', 'oil');
    assertReads(`10 ${character} cups brown rice`, 10 + value, 'cup', 'brown rice');
  }
});

test('scales them', () => {
  assert.equal(scale(parseIngredient('1 ½ cups flour'), 3).amount, 4.5);
});

test('keeps the name as it was written', () => {
  assert.deepEqual(parseIngredient('2 cups milk, ½ fat'), { amount: 2, unit: 'cup', name: 'milk, ½ fat' });
  assert.deepEqual(parseIngredient('½ cup milk, ¼ fat'), { amount: 0.5, unit: 'cup', name: 'milk, ¼ fat' });
  assert.deepEqual(parseIngredient('pepper (½ tsp)'), { amount: null, unit: null, name: 'pepper (½ tsp)' });
});

test('still reads the other amounts', () => {
  assertReads('1 1/2 cups flour', 1.5, 'cup', 'flour');
  assertReads('12.5 g yeast', 12.5, 'g', 'yeast');
  assertReads('1/8 tsp salt', 0.125, 'tsp', 'salt');
});
