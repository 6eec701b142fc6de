import type { Question, RecipeSubject } from '../define.ts';

/**
 * File extensions by what a text calls the file; the first match counts. Names of programming languages are the same in
 * every language.
 */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/\bpython\b|\bflask\b|\bdjango\b|\bpandas\b/iu, 'py'],
  [/\btype ?script\b/iu, 'ts'],
  [/\bweb ?(?:page|site|seite|app)\b|\bhtml\b|\b(?:home|landing) ?page\b|网页|ウェブページ/iu, 'html'],
  [/\bjava ?script\b|\bnode(?:\.?js)?\b/iu, 'mjs'],
  [/\b(?:bash|shell)\b/iu, 'sh'],
  [/\brust\b/iu, 'rs'],
  [/\bgolang\b|\bGo (?:program|file|server|tool|function)\b/u, 'go'],
  [/\bC\+\+/u, 'cpp'],
  [/\bC (?:program|file|function)\b/u, 'c'],
  [/\b(?:markdown|readme|notes?|document|list)\b/iu, 'md'],
];

const link = '(?:for|the|to|in|into|of|on|from|that|which|with|this|my|our|its)';
const asksForThing = new RegExp(
  String.raw`\b(?:create|write|make|build|generate|need|want)\b[^.!?\n]{0,20}?\b(?:an?|another|new)\s+(?:(?!${link}\b)[\w-]+\s+){0,4}?(?:script|program|web ?page|web ?site|web ?app|page|game|calculator|command[- ]line tool|cli(?: tool)?)\b`,
  'iu',
);

/**
 * The extension of a file that a text asks for without naming it ("a Python script that …"); null if it asks for none.
 * In an empty project, every request is for a new file.
 */
export function kindOfNewFile({ task, facts }: Pick<RecipeSubject, 'task' | 'facts'>): string | null {
  const isEmpty = facts.fileCount === 0;
  if (!isEmpty && !asksForThing.test(task)) return null;
  const named = kinds.find(([words]) => words.test(task))?.[1];
  return named ?? (isEmpty ? 'py' : ownKind(facts));
}

function ownKind({ sourceFiles }: RecipeSubject['facts']): string {
  return /\.([cm]?[jt]s|py|go|rs|java|kt|cs|rb|php|c|cc|cpp)$/u.exec(sourceFiles[0] ?? '')?.[1] ?? 'py';
}

export function fileNameQuestion(task: string, kind: string): Question {
  return {
    purpose: 'choose',
    label: 'name the file',
    system: 'You name files: short, lower case, no spaces.',
    user: `${task}\n\nWhat is a good name for this file? Answer with the name alone, ending in .${kind}`,
    prefill: null,
    output: { type: 'text' },
    stop: ['\n'],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens: 16,
  };
}

/** A name that is not taken: from the model's answer, or the usual name for the kind. */
export function freeFileName(answer: string, kind: string, taken: ReadonlySet<string>): string {
  const usual = kind === 'html' ? 'index' : kind === 'md' ? 'notes' : 'main';
  const said = new RegExp(String.raw`\b([A-Za-z0-9_][\w-]{0,40})\.${kind}\b`, 'u').exec(answer)?.[1];
  const stem = kind === 'html' && !taken.has('index.html') ? 'index' : (said ?? usual);
  for (let count = 1; ; count += 1) {
    const name = `${stem}${count === 1 ? '' : `-${count}`}.${kind}`;
    if (!taken.has(name)) return name;
  }
}
