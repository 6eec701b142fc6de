/** How long a removed key can be restored: long enough to notice a mistake. After that it is gone. */
export const removedKeyRestoreMs = 60_000;
