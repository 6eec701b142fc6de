/** How long a key that was removed can be had back: long enough for a slip to be noticed, and then it is gone. */
export const removedKeyRestoreMs = 60_000;
