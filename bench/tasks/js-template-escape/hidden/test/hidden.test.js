import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from '../src/render.js';

test('plain values', () => {
  assert.equal(render('Hello {{ user.name }}!', { user: { name: 'Ada' } }), 'Hello Ada!');
  assert.equal(render('{{count}} of {{ total }}', { count: 0, total: 5 }), '0 of 5');
  assert.equal(render('[{{ missing.name }}]', {}), '[]');
});

test('values are escaped', () => {
  assert.equal(render('{{ n }}', { n: '<b>Bob</b>' }), '&lt;b&gt;Bob&lt;/b&gt;');
  assert.equal(render('{{ n }}', { n: `"Q" & 'A'` }), '&quot;Q&quot; &amp; &#39;A&#39;');
});

test('an entity in a value is escaped too, once', () => {
  assert.equal(render('{{ n }}', { n: '&lt;' }), '&amp;lt;');
});

test('triple braces are raw', () => {
  assert.equal(render('{{{ html }}}', { html: '<i>&</i>' }), '<i>&</i>');
  assert.equal(render('<p>{{{a.b}}}</p>{{ a.b }}', { a: { b: '<hr>' } }), '<p><hr></p>&lt;hr&gt;');
});

test('the template itself is not escaped', () => {
  assert.equal(render('<p class="x">{{ n }}</p>', { n: 1 }), '<p class="x">1</p>');
});

test('a dollar sign in a value means nothing', () => {
  assert.equal(render('{{ n }} {{{ n }}}', { n: '$& $1' }), '$&amp; $1 $& $1');
});
