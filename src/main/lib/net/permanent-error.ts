/** Why there is no connection until the user changes something, so that trying again is useless. */
export class PermanentError extends Error {}
