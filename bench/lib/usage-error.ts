/** The command line was not understood. The message says what is accepted. */
export class UsageError extends Error {}
