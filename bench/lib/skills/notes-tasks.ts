import type { SkillTask } from './skill-task.ts';

/** A commit by its message; `tag` is put on it. */
interface Commit {
  readonly message: string;
  readonly tag?: string;
}

interface History {
  readonly name: string;
  readonly prompt: string;
  readonly path: string;
  readonly commits: readonly Commit[];
  /** Words of what users see since the release, each in one commit. */
  readonly shown: readonly string[];
  /** Words of older commits, and of work that no user sees. */
  readonly left: readonly string[];
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function script(commits: readonly Commit[]): string {
  const made = commits.map(
    ({ message, tag }, index) =>
      `echo ${index} >> history.txt && git add -A && GIT_COMMITTER_DATE="2026-05-01T10:00:${String(index).padStart(2, '0')}Z" git commit -q --date="2026-05-01T10:00:${String(index).padStart(2, '0')}Z" -m ${quote(message)}${tag === undefined ? '' : ` && git tag ${tag}`}`,
  );
  return ['git init -q -b main', 'git config user.name Sam', 'git config user.email sam@example.org', ...made].join(
    ' && ',
  );
}

const marked = (before: readonly string[], tag: string, after: readonly string[]): readonly Commit[] => [
  ...before.map((message, index) => ({ message, ...(index === before.length - 1 ? { tag } : {}) })),
  ...after.map((message) => ({ message })),
];

const histories: readonly History[] = [
  {
    name: 'parser',
    prompt: 'Write the release notes for users into RELEASE_NOTES.md: what changed since the tag v1.2.0.',
    path: 'RELEASE_NOTES.md',
    commits: marked(['feat: read YAML files', 'fix: crash on empty input'], 'v1.2.0', [
      'feat: read TOML files',
      'chore: bump eslint',
      'fix: keep the order of comments',
      'test: cover the tokenizer',
      'feat: add a --strict flag',
    ]),
    shown: ['TOML', 'comments', 'strict'],
    left: ['YAML', 'eslint', 'tokenizer'],
  },
  {
    name: 'player',
    prompt: 'Since release 2.0 (tag 2.0.0) a lot happened. Make CHANGES.md for our users out of the git history.',
    path: 'CHANGES.md',
    commits: marked(['feat: gapless playback'], '2.0.0', [
      'fix(audio): stop clicks at the end of a track',
      'feat(ui): dark theme',
      'ci: cache packages',
      'refactor: split the mixer',
      'fix: shuffle repeats no song',
      'perf: albums load twice as fast',
    ]),
    shown: ['clicks', 'dark', 'shuffle', 'albums'],
    left: ['gapless', 'cache packages', 'mixer'],
  },
  {
    name: 'bank',
    prompt: 'I want to publish version 0.9.0. Write NEWS.md with what changed since v0.8.0, for users.',
    path: 'NEWS.md',
    commits: marked(['feat: transfers', 'feat: statements as PDF'], 'v0.8.0', [
      'fix: round half cents to even',
      'docs: typo in the README',
      'feat!: accounts need a currency',
      'chore(deps): update pytest',
      'fix: a locked account shows why',
    ]),
    shown: ['half cents', 'currency', 'locked'],
    left: ['transfers', 'statements', 'pytest', 'typo'],
  },
  {
    name: 'mailer',
    prompt: 'Write notes/1.5.md: the user-visible changes since the tag v1.4.',
    path: 'notes/1.5.md',
    commits: marked(['Add templates', 'Add attachments'], 'v1.4', [
      'Add a retry for mails that bounce',
      'Fix wrong encoding of subjects',
      'Show progress while mails are sent',
    ]),
    shown: ['bounce', 'subjects', 'progress'],
    left: ['templates', 'attachments'],
  },
  {
    name: 'map',
    prompt: 'Please draft RELEASE.md from the commits after v3.1.0. Leave out what users do not notice.',
    path: 'RELEASE.md',
    commits: marked(['feat: contour lines'], 'v3.1.0', [
      'feat: offline tiles',
      'style: format',
      'fix: the scale bar is right near the poles',
      'build: use node 24',
      'feat: measure distances',
    ]),
    shown: ['offline', 'scale bar', 'distances'],
    left: ['contour', 'format', 'node 24'],
  },
  {
    name: 'shop',
    prompt: 'Make a CHANGELOG.md with the changes since v5.0.0 for the people who use the shop.',
    path: 'CHANGELOG.md',
    commits: marked(['feat: gift cards'], 'v5.0.0', [
      'fix: tax of shipped books',
      'fix: coupons apply once',
      'test: orders without items',
      'feat: pay by invoice',
      'chore: remove dead code',
    ]),
    shown: ['books', 'coupons', 'invoice'],
    left: ['gift', 'without items', 'dead code'],
  },
  {
    name: 'chat',
    prompt: 'What is new since v0.3.0? Write it into WHATSNEW.md, one line for each change that users see.',
    path: 'WHATSNEW.md',
    commits: marked(['Rooms can be named', 'Messages can be edited'], 'v0.3.0', [
      'Reactions to messages',
      'Unread counts survive a restart',
      'Links open in the browser',
      'Uploads show their size',
    ]),
    shown: ['reactions', 'unread', 'links', 'uploads'],
    left: ['named', 'edited'],
  },
  {
    name: 'clock',
    prompt: 'Write RELEASE_NOTES.md for version 1.1 from the git log since tag 1.0.',
    path: 'RELEASE_NOTES.md',
    commits: marked(['feat: alarms'], '1.0', [
      'feat: time zones',
      'fix: alarm rings once after a change of summer time',
      'ci: run on arm',
      'feat: stopwatch',
    ]),
    shown: ['zones', 'summer time', 'stopwatch'],
    left: ['arm '],
  },
  {
    name: 'forms',
    prompt: 'Collect the changes since v2.2.0 in docs/changes.md, grouped into new things and fixes.',
    path: 'docs/changes.md',
    commits: marked(['feat: file fields'], 'v2.2.0', [
      'feat: date fields',
      'fix: labels wrap',
      'fix: required fields say so',
      'refactor: rename the validator',
      'feat: save drafts',
    ]),
    shown: ['date', 'labels', 'required', 'drafts'],
    left: ['file fields', 'validator'],
  },
  {
    name: 'wiki',
    prompt: 'HISTORY.md should list what changed for users since the last tag. Write it.',
    path: 'HISTORY.md',
    commits: marked(['feat: search', 'fix: broken anchors'], 'v7.0.0', [
      'feat: footnotes',
      'fix: tables keep their widths',
      'test: flaky login',
      'feat: page templates',
    ]),
    shown: ['footnotes', 'widths', 'templates'],
    left: ['anchors', 'flaky'],
  },
  {
    name: 'backup',
    prompt: 'Write UPDATES.md: changes between the tags v1.0.0 and v1.1.0 only.',
    path: 'UPDATES.md',
    commits: [
      ...marked(['feat: encryption'], 'v1.0.0', ['feat: resume uploads', 'fix: long paths on Windows', 'chore: lint']),
      { message: 'feat: report broken files', tag: 'v1.1.0' },
      { message: 'feat: deduplication' },
    ],
    shown: ['resume', 'long paths', 'broken files'],
    left: ['encryption', 'deduplication', 'lint'],
  },
  {
    name: 'game',
    prompt: 'Our players ask what is new after v0.5. Put it into NEW.md, from the history of git.',
    path: 'NEW.md',
    commits: marked(['Add a boss'], 'v0.5', [
      'Add a second world',
      'Fix falling through bridges',
      'Add gamepad support',
      'Fix the score of combos',
    ]),
    shown: ['second world', 'bridges', 'gamepad', 'combos'],
    left: ['boss'],
  },
  {
    name: 'fonts',
    prompt: 'Write CHANGES.md with everything users notice since v4.0.0.',
    path: 'CHANGES.md',
    commits: marked(['feat: ligatures'], 'v4.0.0', [
      'feat: variable weights',
      'fix: kerning of quotes',
      'ci: sign builds',
      'perf: smaller files',
    ]),
    shown: ['weights', 'kerning', 'smaller'],
    left: ['ligatures', 'sign builds'],
  },
  {
    name: 'bus',
    prompt: 'Prepare the notes for the next release in NEXT.md. The last release was v2.9.0.',
    path: 'NEXT.md',
    commits: marked(['feat: night lines'], 'v2.9.0', [
      'fix: delays update live',
      'feat: wheelchair routes',
      'docs: contributing',
      'feat: share a stop',
      'test: timetable parser',
    ]),
    shown: ['delays', 'wheelchair', 'share'],
    left: ['night lines', 'contributing', 'timetable'],
  },
  {
    name: 'notes',
    prompt: 'Write WHATS_NEW.md about the changes since v1.8.0 in words for users.',
    path: 'WHATS_NEW.md',
    commits: marked(['feat: folders'], 'v1.8.0', [
      'feat: tags for notes',
      'fix: sync after sleep',
      'chore: bump electron',
      'fix: paste keeps bold',
    ]),
    shown: ['tags', 'sleep', 'bold'],
    left: ['folders', 'electron'],
  },
  {
    name: 'invoice',
    prompt: 'Make RELEASE.md for version 3: list new features and fixed bugs since the tag v2.',
    path: 'RELEASE.md',
    commits: marked(['feat: reminders'], 'v2', [
      'feat: invoices in two languages',
      'fix: totals of credit notes',
      'refactor: money type',
      'feat: export for the tax office',
    ]),
    shown: ['languages', 'credit notes', 'tax office'],
    left: ['reminders', 'money type'],
  },
];

export const notesTasks: readonly SkillTask[] = histories.map(({ name, prompt, path, commits, shown, left }) => ({
  id: `release-notes-${name}`,
  skill: 'release-notes',
  prompt,
  files: { 'README.md': `# ${name}\n` },
  setUp: script(commits),
  judge: async ({ read }) => {
    const text = (await read(path))?.toLowerCase() ?? null;
    if (text === null) return `${path} is missing`;
    const missing = shown.filter((word) => !text.includes(word.toLowerCase()));
    const wrong = left.filter((word) => text.includes(word.toLowerCase()));
    if (missing.length > 0) return `not there: ${missing.join(', ')}`;
    return wrong.length > 0 ? `does not belong there: ${wrong.join(', ')}` : null;
  },
}));
