import { initialState, reducer } from './reducer.js';

/** Holds the state and tells subscribers about every change. */
export function createStore(state = initialState) {
  const subscribers = new Set();
  return {
    get state() {
      return state;
    },
    dispatch(action) {
      state = reducer(state, action);
      for (const subscriber of subscribers) subscriber(state);
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
  };
}
