/** The kinds of tasks that a way can be chosen for. Without zod, because the page takes values of it. */
export const workKinds = ['fix', 'edit', 'make', 'answer'] as const;
export type WorkKind = (typeof workKinds)[number];

/** As a sentence says it: "your choice for fixes". */
export const workKindNames = {
  fix: 'fixes',
  edit: 'edits',
  make: 'new things',
  answer: 'answers',
} as const satisfies Record<WorkKind, string>;
