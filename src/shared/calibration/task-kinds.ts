/** What a task of a calibration was made from, and how large it is. Without zod, because the page takes values of it. */
export const taskKinds = ['commit', 'fault', 'question'] as const;
export const taskSizes = ['small', 'medium', 'large'] as const;
