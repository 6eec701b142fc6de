import { z } from 'zod';

/**
 * A fence is a user's rule on what may leave this machine. `local-only`: no call that carries it, or anything built
 * from it, goes to a model elsewhere. `ask`: a person is asked, with a list of what would be sent. `redact`: it is
 * taken out of what is sent. `allow`: an exception from a rule that stands after it.
 */
const verdictSchema = z.enum(['local-only', 'ask', 'redact', 'allow']);
export type FenceVerdict = Exclude<z.infer<typeof verdictSchema>, 'allow'>;

const ruleSchema = z
  .strictObject({
    /** How it is named to a person; absent: by its paths or pattern. */
    name: z.string().min(1).optional(),
    /** Globs of paths in the workspace, as `.gitignore` has them. */
    paths: z.array(z.string().min(1)).min(1).optional(),
    /** A regular expression; what it finds in any text is fenced. */
    pattern: z.string().min(1).refine(isPattern, { message: 'This is no regular expression.' }).optional(),
    verdict: verdictSchema,
    /** Only in this project, by its folder; absent: in all. */
    project: z.string().optional(),
  })
  .refine((rule) => (rule.paths === undefined) !== (rule.pattern === undefined), {
    message: 'A rule has either paths or a pattern.',
  })
  .refine((rule) => rule.pattern === undefined || rule.verdict !== 'allow', {
    message: 'Only a rule for paths can allow.',
    path: ['verdict'],
  });
export type FenceRule = z.infer<typeof ruleSchema>;

/** The first rule for a path that fits it decides. */
export const fencesSchema = z.strictObject({
  rules: z.array(ruleSchema).default([]),
  /** What happens to keys, tokens, private keys and values of `.env` in what would be sent. */
  secrets: z.enum(['redact', 'local-only', 'off']).default('redact'),
});
export type FenceSettings = z.infer<typeof fencesSchema>;

/** Something fenced that a call carries. */
export const fenceHitSchema = z.object({
  /** The rule, in a person's words. */
  rule: z.string(),
  verdict: z.enum(['local-only', 'ask', 'redact']),
  /** The file it comes from; null: it was found by its look. */
  path: z.string().nullable(),
  /** `content`: it, or a copy of a piece of it. `built-from`: what a model or a command made with it in sight. */
  how: z.enum(['content', 'built-from']),
});
export type FenceHit = z.infer<typeof fenceHitSchema>;

/**
 * At the door: a call would carry fenced content to a model elsewhere. `refused`: it was not made. `redacted`: it is
 * made without it. `asked`: a person is asked next.
 */
export const fenceFindingSchema = z.object({
  model: z.string(),
  outcome: z.enum(['refused', 'redacted', 'asked']),
  hits: z.array(fenceHitSchema),
  /** What the call carries, in a line for a person. */
  text: z.string(),
});

export function keyOfHit({ rule, path }: Pick<FenceHit, 'rule' | 'path'>): string {
  return `${rule}\n${path ?? ''}`;
}

/** What the strictest of some hits asks for; `free` where there is none. Pure: the router's first layer asks this, too. */
export function fenceVerdict(hits: Iterable<FenceHit>): FenceVerdict | 'free' {
  let strictest: FenceVerdict | 'free' = 'free';
  for (const { verdict } of hits) if (rank[verdict] > rank[strictest]) strictest = verdict;
  return strictest;
}

const rank = { free: 0, redact: 1, ask: 2, 'local-only': 3 } as const;

/** The rules of one session, ready to be asked. */
export interface Fences {
  /** By the path of a file in the workspace; null: it is free. */
  readonly ofPath: (path: string) => FenceHit | null;
  readonly patterns: readonly { readonly hit: FenceHit; readonly pattern: RegExp }[];
  readonly secrets: FenceSettings['secrets'];
  /** Whether a file could be fenced at all. */
  readonly hasPaths: boolean;
}

export interface FenceSubject {
  readonly settings: FenceSettings;
  readonly projectPath: string | null;
  /** Files that hold secrets by their name: they are local-only where no rule says otherwise. */
  readonly isSecretFile: (path: string) => boolean;
}

export function compileFences({ settings, projectPath, isSecretFile }: FenceSubject): Fences {
  const rules = settings.rules.filter(({ project }) => project === undefined || isWithin(projectPath, project));
  const byPath = rules.flatMap((rule) =>
    rule.paths === undefined ? [] : [{ rule, fits: rule.paths.map(globMatcher) }],
  );
  const patterns = rules.flatMap((rule) =>
    rule.pattern === undefined || rule.verdict === 'allow'
      ? []
      : [
          {
            pattern: new RegExp(rule.pattern, 'gu'),
            hit: { rule: nameOf(rule), verdict: rule.verdict, path: null, how: 'content' } as const,
          },
        ],
  );
  const ofPath = (path: string): FenceHit | null => {
    const plain = plainPath(path);
    const first = byPath.find(({ fits }) => fits.some((fit) => fit(plain)))?.rule;
    if (first?.verdict === 'allow') return null;
    if (first !== undefined) return { rule: nameOf(first), verdict: first.verdict, path: plain, how: 'content' };
    return isSecretFile(plain)
      ? { rule: 'files with secrets', verdict: 'local-only', path: plain, how: 'content' }
      : null;
  };
  return { ofPath, patterns, secrets: settings.secrets, hasPaths: byPath.some(({ rule }) => rule.verdict !== 'allow') };
}

function nameOf(rule: FenceRule): string {
  return rule.name ?? rule.paths?.join(', ') ?? rule.pattern ?? '';
}

function isWithin(path: string | null, folder: string): boolean {
  const bare = folder.replace(/[/\\]+$/, '');
  return path !== null && (path === bare || path.startsWith(`${bare}/`) || path.startsWith(`${bare}\\`));
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}

/** Relative to the workspace, with `/`, without `.` and `..`. */
export function plainPath(path: string): string {
  const steps: string[] = [];
  for (const step of path
    .replaceAll('\\', '/')
    .replace(/^\/workspace\//, '')
    .split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/**
 * A glob as `.gitignore` reads it, whatever the case of letters, for some disks do not tell it: without a slash inside
 * it counts at any depth, and what fits a folder fits all below it.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const bare = plainPath(glob).replace(/\/+$/, '');
  const isAnchored = bare.includes('/') || glob.startsWith('/');
  let source = '';
  for (let at = 0; at < bare.length; at += 1) {
    const sign = bare[at] ?? '';
    if (bare.startsWith('**/', at)) {
      source += '(?:[^/]+/)*';
      at += 2;
    } else if (bare.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (sign === '*') source += '[^/]*';
    else if (sign === '?') source += '[^/]';
    else source += sign.replace(/[\\^$.|+()[\]{}/]/, String.raw`\$&`);
  }
  const pattern = new RegExp(`^${isAnchored ? '' : '(?:[^/]+/)*'}${source}(?:/.*)?$`, 'iu');
  return (path) => pattern.test(path);
}
