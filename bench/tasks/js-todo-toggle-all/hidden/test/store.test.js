import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as actions from '../src/actions.js';
import { createStore } from '../src/store.js';

const done = (store) => store.state.todos.map((todo) => todo.done);

function storeWith(...texts) {
  const store = createStore();
  for (const text of texts) store.dispatch(actions.add(text));
  return store;
}

test('toggles one', () => {
  const store = storeWith('a', 'b');
  store.dispatch(actions.toggle(2));
  assert.deepEqual(done(store), [false, true]);
});

test('toggles all', () => {
  const store = storeWith('a', 'b', 'c');
  store.dispatch(actions.toggle(2));
  store.dispatch(actions.toggleAll());
  assert.deepEqual(done(store), [true, true, true]);
  store.dispatch(actions.toggleAll());
  assert.deepEqual(done(store), [false, false, false]);
});
