/** Both amounts are in cents. */
export const add = (a, b) => a + b;
