/** What a rule decides: where steps run, what may leave this machine, or what commands may see. */
export const ruleVerdicts = ['local-only', 'ask', 'redact', 'allow', 'mask', 'local', 'cloud'] as const;
export type RuleVerdict = (typeof ruleVerdicts)[number];

/** What each verdict can match on. */
export const ruleKinds = {
  local: ['path', 'task', 'purpose', 'always'],
  cloud: ['path', 'task', 'purpose', 'always'],
  'local-only': ['path', 'text'],
  ask: ['path', 'text'],
  redact: ['path', 'text'],
  allow: ['path'],
  mask: ['path'],
} as const satisfies Readonly<Record<RuleVerdict, readonly string[]>>;
export type RuleKind = 'always' | 'path' | 'task' | 'purpose' | 'text';
