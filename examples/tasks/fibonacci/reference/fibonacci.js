export function fibonacci(n) {
  let [a, b] = [0, 1];
  for (let left = n; left > 0; left -= 1) [a, b] = [b, a + b];
  return a;
}
