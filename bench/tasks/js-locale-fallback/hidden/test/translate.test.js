import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translate } from '../src/translate.js';

test('takes the text of the locale', () => {
  assert.equal(translate('de-AT', 'greeting', { name: 'Ada' }), 'Servus Ada');
});

test('falls back to the language', () => {
  assert.equal(translate('de-AT', 'cart'), 'Warenkorb');
});

test('falls back to English', () => {
  assert.equal(translate('de-AT', 'checkout'), 'Check out');
  assert.equal(translate('pt-BR', 'jam'), 'Jam');
});
