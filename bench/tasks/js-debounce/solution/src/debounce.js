/**
 * Returns a function that calls `action` once, `wait` milliseconds after the
 * last call, with the arguments of that last call.
 * `cancel()` drops a call that is still waiting.
 */
export function debounce(action, wait) {
  let timer = null;

  function debounced(...args) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      action(...args);
    }, wait);
  }

  debounced.cancel = () => {
    clearTimeout(timer);
    timer = null;
  };

  return debounced;
}
