import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeChain } from '../src/locales.js';
import { translate } from '../src/translate.js';

test('chains', () => {
  assert.deepEqual(localeChain('zh-Hant-TW'), ['zh-Hant-TW', 'zh-Hant', 'zh', 'en']);
  assert.deepEqual(localeChain('de'), ['de', 'en']);
  assert.deepEqual(localeChain('en'), ['en']);
});

test('the default is not listed twice', () => {
  assert.deepEqual(localeChain('en-GB'), ['en-GB', 'en']);
});

test('the middle of a chain is used', () => {
  const messages = { en: { a: 'en' }, zh: { a: 'zh' }, 'zh-Hant': { a: 'zh-Hant' } };
  assert.equal(translate('zh-Hant-HK', 'a', {}, messages), 'zh-Hant');
  assert.equal(translate('zh-CN', 'a', {}, messages), 'zh');
  assert.equal(translate('fr-CA', 'a', {}, messages), 'en');
});

test('unknown keys and placeholders stay', () => {
  assert.equal(translate('de', 'nothing'), 'nothing');
  assert.equal(translate('de', 'greeting'), 'Hallo {name}');
});
