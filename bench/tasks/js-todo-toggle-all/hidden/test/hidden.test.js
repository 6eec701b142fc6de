import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as actions from '../src/actions.js';
import { initialState, reducer } from '../src/reducer.js';
import { createStore } from '../src/store.js';

function stateWith(...done) {
  const todos = done.map((value, index) => ({ id: index + 1, text: `t${index}`, done: value }));
  return { nextId: done.length + 1, todos };
}

test('marks the open ones and keeps the rest', () => {
  const state = reducer(stateWith(true, false), actions.toggleAll());
  assert.deepEqual(state, stateWith(true, true));
});

test('opens all when all are done', () => {
  assert.deepEqual(reducer(stateWith(true, true), actions.toggleAll()), stateWith(false, false));
});

test('does not change the state it was given', () => {
  const before = stateWith(false, true);
  const copy = structuredClone(before);
  reducer(before, actions.toggleAll());
  assert.deepEqual(before, copy);
});

test('an empty list stays empty', () => {
  assert.deepEqual(reducer(initialState, actions.toggleAll()), initialState);
});

test('subscribers are told, the next id is kept', () => {
  const store = createStore(stateWith(false));
  let seen = null;
  store.subscribe((state) => (seen = state));
  store.dispatch(actions.toggleAll());
  assert.equal(seen.nextId, 2);
  assert.equal(seen.todos[0].done, true);
});

test('unknown actions still throw', () => {
  assert.throws(() => reducer(initialState, { type: 'nope' }));
});
