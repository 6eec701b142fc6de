import { z } from 'zod';

/**
 * A fence is a user's rule on what may leave this machine. `local-only`: no call that carries it, or anything built
 * from it, goes to a model elsewhere. `ask`: the user is asked, with a list of what would be sent. `redact`: it is
 * removed from what is sent. `allow`: an exception to rules after it.
 */
const verdictSchema = z.enum(['local-only', 'ask', 'redact', 'allow']);
export type FenceVerdict = Exclude<z.infer<typeof verdictSchema>, 'allow'>;

const ruleSchema = z
  .strictObject({
    /** Its name for people. Absent: its paths or pattern. */
    name: z.string().min(1).optional(),
    /** Globs of paths in the workspace, as in `.gitignore`. */
    paths: z.array(z.string().min(1)).min(1).optional(),
    /** A regular expression. Every match in any text is fenced. */
    pattern: z.string().min(1).refine(isPattern, { message: 'This is not a regular expression.' }).optional(),
    verdict: verdictSchema,
    /** The folder of the only project that it applies to. Absent: all projects. */
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

/** The first rule that matches a path decides. */
export const fencesSchema = z.strictObject({
  rules: z.array(ruleSchema).default([]),
  /** What happens to keys, tokens, private keys and values of `.env` in a call. */
  secrets: z.enum(['redact', 'local-only', 'off']).default('redact'),
});
export type FenceSettings = z.infer<typeof fencesSchema>;

/** All sources of fences: the user's rules, and those of a project. */
export interface FenceSources extends Readonly<FenceSettings> {
  /** Rules of a project that nobody has approved. They count only where they are stricter than the others. */
  readonly projectRules?: readonly FenceRule[];
  /** Why nothing may leave this machine for now; null when it may. */
  readonly shut?: string | null;
}

/** Fenced content that a call carries. */
export const fenceHitSchema = z.object({
  /** The rule, in the user's words. */
  rule: z.string(),
  verdict: z.enum(['local-only', 'ask', 'redact']),
  /** The file that it comes from; null when it was found by a pattern. */
  path: z.string().nullable(),
  /** `content`: the content, or a copy of a part of it. `built-from`: made by a model or a command that had seen it. */
  how: z.enum(['content', 'built-from']),
});
export type FenceHit = z.infer<typeof fenceHitSchema>;

/**
 * A call would carry fenced content to a model elsewhere. `refused`: it was not made. `redacted`: it is made without
 * the content. `asked`: the user is asked next.
 */
export const fenceFindingSchema = z.object({
  model: z.string(),
  outcome: z.enum(['refused', 'redacted', 'asked']),
  hits: z.array(fenceHitSchema),
  /** What the call carries, in one line for the user. */
  text: z.string(),
});

export function keyOfHit({ rule, path }: Pick<FenceHit, 'rule' | 'path'>): string {
  return `${rule}\n${path ?? ''}`;
}

/** The strictest verdict of some hits; `free` when there are none. Pure; the router's first layer uses it, too. */
export function fenceVerdict(hits: Iterable<FenceHit>): FenceVerdict | 'free' {
  let strictest: FenceVerdict | 'free' = 'free';
  for (const { verdict } of hits) if (rank[verdict] > rank[strictest]) strictest = verdict;
  return strictest;
}

const rank = { free: 0, redact: 1, ask: 2, 'local-only': 3 } as const;

/** The rules of one session, ready to use. */
export interface Fences {
  /** The rule for a path in the workspace; null when the file is free. */
  readonly ofPath: (path: string) => FenceHit | null;
  /** The current rule for content that was fenced by an earlier rule; null when none is left. */
  readonly now: (hit: FenceHit) => FenceHit | null;
  readonly patterns: readonly { readonly hit: FenceHit; readonly pattern: RegExp }[];
  readonly secrets: FenceSettings['secrets'];
  /** Whether any rule can fence a file by its path. */
  readonly hasPaths: boolean;
}

export interface FenceSubject {
  readonly settings: FenceSources;
  readonly projectPath: string | null;
  /** Whether a file's name says that it holds secrets. Such files are local-only unless a rule says otherwise. */
  readonly isSecretFile: (path: string) => boolean;
}

export function compileFences({ settings, projectPath, isSecretFile }: FenceSubject): Fences {
  const rules = settings.rules.filter(({ project }) => project === undefined || isWithin(projectPath, project));
  const byPath = pathRules(rules);
  const ofProject = pathRules(settings.projectRules ?? []);
  const patterns = rules.flatMap((rule) =>
    rule.pattern === undefined || rule.verdict === 'allow'
      ? []
      : [
          {
            pattern: new RegExp(rule.pattern, 'gu'),
            hit: { rule: ruleLabel(rule), verdict: rule.verdict, path: null, how: 'content' } as const,
          },
        ],
  );
  const ofReading = (plain: string): FenceHit | null => {
    const own = firstFor(byPath, plain);
    if (own !== undefined) return own.verdict === 'allow' ? null : hitOf(own, own.verdict, plain);
    if (isSecretFile(plain) || isSecretFile(foldedPath(plain)))
      return { rule: 'files with secrets', verdict: 'local-only', path: plain, how: 'content' } as const;
    const brought = firstFor(ofProject, plain);
    return brought === undefined || brought.verdict === 'allow' ? null : hitOf(brought, brought.verdict, plain);
  };
  const ofPath = (path: string): FenceHit | null => {
    const plain = plainPath(path);
    const hits = readingsOf(path).flatMap((reading) => ofReading(plainPath(reading)) ?? []);
    const [hit] = hits.toSorted((left, right) => rank[right.verdict] - rank[left.verdict]);
    return hit === undefined ? null : { ...hit, path: plain };
  };
  const hasPaths = [...byPath, ...ofProject].some(({ rule }) => rule.verdict !== 'allow');
  const now = (hit: FenceHit): FenceHit | null => {
    const current = hit.path === null ? patterns.find((one) => one.hit.rule === hit.rule)?.hit : ofPath(hit.path);
    if (current === undefined || current === null) return null;
    // What is built from content to be redacted is free.
    return current.verdict === 'redact' && hit.how === 'built-from' ? null : { ...current, how: hit.how };
  };
  return { ofPath, now, patterns, secrets: settings.secrets, hasPaths };
}

interface PathRule {
  readonly rule: FenceRule;
  readonly fits: readonly ((path: string) => boolean)[];
}

function pathRules(rules: readonly FenceRule[]): readonly PathRule[] {
  return rules.flatMap((rule) => (rule.paths === undefined ? [] : [{ rule, fits: rule.paths.map(globMatcher) }]));
}

function firstFor(rules: readonly PathRule[], path: string): FenceRule | undefined {
  return rules.find(({ fits }) => fits.some((fit) => fit(path)))?.rule;
}

function hitOf(rule: FenceRule, verdict: FenceVerdict, path: string): FenceHit {
  return { rule: ruleLabel(rule), verdict, path, how: 'content' };
}

function ruleLabel(rule: FenceRule): string {
  return rule.name ?? rule.paths?.join(', ') ?? rule.pattern ?? '';
}

/** Whether a project is in the folder that a rule is for. */
export function isWithin(path: string | null, folder: string): boolean {
  const bare = folder.replace(/(?<![/\\])[/\\]+$/, '');
  return path !== null && (path === bare || path.startsWith(`${bare}/`) || path.startsWith(`${bare}\\`));
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}

/**
 * The same text for all spellings of a path that some file systems take for one: without regard to case, and in one
 * form of Unicode.
 */
export function foldedPath(path: string): string {
  return plainPath(path).normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
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
 * A backslash separates names on Windows, and is a part of a name elsewhere: `secrets/..\..\x` lies in `secrets` there.
 * What guards a path guards it by both readings.
 */
function readingsOf(path: string): readonly string[] {
  return path.includes('\\') ? [path, path.replaceAll('\\', '_')] : [path];
}

/**
 * Matches a glob like `.gitignore`, but ignores case, because some disks do. Without a slash inside, it applies at any
 * depth; a matching folder matches everything below it. Projects bring globs, too, so the time is bounded by the length
 * of the glob times that of the path.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const bare = foldedPath(glob.replace(/(?<!\/)\/+$/, ''));
  const isAnchored = bare.includes('/') || glob.startsWith('/');
  const steps = [...(isAnchored ? [] : ['**']), ...bare.split('/')].filter(
    (step, at, all) => step !== '**' || all[at - 1] !== '**',
  );
  return (path) => readingsOf(path).some((reading) => fitsSteps(steps, foldedPath(reading).split('/')));
}

/** Tracks the set of glob steps that the path can have reached, moving on one path step at a time. */
function fitsSteps(steps: readonly string[], names: readonly string[]): boolean {
  let places = reach(steps, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const place of places) {
      const step = steps[place];
      // A final `**` matches at least one name.
      if (step === '**' && place === steps.length - 1) return true;
      if (step === '**') next.add(place);
      else if (step !== undefined && fitsName(step, name)) next.add(place + 1);
    }
    places = reach(steps, next);
    // A match includes everything below it.
    if (places.has(steps.length)) return true;
  }
  return false;
}

/** `**` before another step also matches no name at all. */
function reach(steps: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (steps[place] === '**' && place < steps.length - 1) places.add(place + 1);
  return places;
}

/** Matches `*` and `?`. On a mismatch it goes back to the last star only, so the time stays bounded. */
function fitsName(step: string, name: string): boolean {
  let at = 0;
  let inStep = 0;
  let star = -1;
  let from = 0;
  while (at < name.length) {
    const sign = step[inStep];
    if (sign === '*') {
      star = inStep;
      from = at;
      inStep += 1;
    } else if (sign === '?' || sign === name[at]) {
      at += 1;
      inStep += 1;
    } else if (star >= 0) {
      from += 1;
      at = from;
      inStep = star + 1;
    } else return false;
  }
  while (step[inStep] === '*') inStep += 1;
  return inStep === step.length;
}
