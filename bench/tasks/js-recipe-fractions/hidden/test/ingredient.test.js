import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIngredient, scale } from '../src/ingredient.js';

test('reads whole and decimal amounts', () => {
  assert.deepEqual(parseIngredient('2 cups flour'), { amount: 2, unit: 'cup', name: 'flour' });
  assert.deepEqual(parseIngredient('0.5 l milk'), { amount: 0.5, unit: 'l', name: 'milk' });
});

test('reads fractions', () => {
  assert.deepEqual(parseIngredient('3/4 cup sugar'), { amount: 0.75, unit: 'cup', name: 'sugar' });
  assert.deepEqual(parseIngredient('1 1/2 tsp salt'), { amount: 1.5, unit: 'tsp', name: 'salt' });
});

test('reads fractions that are one character', () => {
  assert.deepEqual(parseIngredient('½ tsp salt'), { amount: 0.5, unit: 'tsp', name: 'salt' });
  assert.deepEqual(parseIngredient('1¾ cups milk'), { amount: 1.75, unit: 'cup', name: 'milk' });
});

test('does without unit and amount', () => {
  assert.deepEqual(parseIngredient('3 eggs'), { amount: 3, unit: null, name: 'eggs' });
  assert.deepEqual(parseIngredient('pepper'), { amount: null, unit: null, name: 'pepper' });
});

test('scales', () => {
  assert.equal(scale(parseIngredient('3 eggs'), 2).amount, 6);
  assert.equal(scale(parseIngredient('pepper'), 2).amount, null);
});
