import { z } from 'zod';
import { gitQuestionSchema } from '@shared/contract/git-contract.ts';
import type { GitCommit, GitReport } from '@shared/git/git-report.ts';
import { defineTool, forPerson } from '../define.ts';
import { errorResult, failureResult, okResult } from '../values/tool-results.ts';

const shortId = 10;

export default defineTool({
  name: 'read_git',
  description: 'Read the git history. diff: the files now since ref, or between two refs "a..b". blame needs path.',
  access: 'read',
  needs: 'repository',
  input: z.object({
    what: z.enum(['status', 'diff', 'log', 'show', 'blame']).describe('what to read'),
    ref: z.string().max(500).optional().describe('default: HEAD'),
    path: z.string().max(4096).optional().meta(forPerson('only this file or folder')),
  }),
  label: ({ what, ref, path }) => ['git', what, ref, path].filter((word) => word !== undefined).join(' '),
  create:
    () =>
    async ({ what, ref, path }, { facts, signal }) => {
      if (facts.repository === null) return errorResult('There is no project, so there is no repository.');
      const [from, to] = what === 'diff' ? (ref?.split(/\.{2,3}/u, 2) ?? []) : [ref];
      const question = {
        type: what,
        ...(path === undefined ? {} : { path }),
        ...(what === 'diff' ? { from: from === '' ? 'HEAD' : from, to } : { ref }),
      };
      const asked = gitQuestionSchema.safeParse(question);
      if (!asked.success)
        return errorResult(
          what === 'blame' && path === undefined ? 'blame needs a path.' : `"${ref ?? ''}" is no ref.`,
        );
      const report = await facts.repository(asked.data, signal);
      if (!report.ok && report.error.code === 'not-found')
        return errorResult(
          `${report.error.message} A ref is a branch, a tag, an id or HEAD~1; "a..b" is for diff alone.`,
        );
      if (!report.ok) return failureResult(report.error);
      const matches = pathsShown(report.value).map((one) => ({ path: one }));
      // Fences look at the paths, and the person sees them.
      const isElsewhere = what === 'show' && path !== undefined && matches.length === 0;
      const lines = isElsewhere ? [...linesOf(report.value), `It changed nothing in ${path}.`] : linesOf(report.value);
      return okResult(lines.join('\n'), { matches });
    },
});

function pathsShown(report: GitReport): readonly string[] {
  if (report.type === 'blame') return [report.path];
  return report.type === 'show' || report.type === 'diff' ? report.files.map(({ path }) => path) : [];
}

function linesOf(report: GitReport): readonly string[] {
  switch (report.type) {
    case 'status': {
      const { branch, commit, entries, notes } = report;
      const head = commit === null ? 'no commit yet' : commit.slice(0, shortId);
      const changed = entries.map(({ kind, isStaged, path }) => `${kind}${isStaged ? ' (staged)' : ''} ${path}`);
      const more = report.leftOut === 0 ? [] : [`… and ${report.leftOut} more`];
      const none = entries.length === 0 ? ['Nothing has changed since the last commit.'] : [];
      return [`${branch ?? 'detached HEAD'}: ${head}`, ...notes, ...none, ...changed, ...more];
    }
    case 'log':
      return [...report.commits.map(commitLine), ...(report.note === null ? [] : [report.note])];
    case 'show':
      return [commitLine(report.commit), report.commit.message.trimEnd(), ...diffLines(report)];
    case 'diff':
      return report.files.length + report.leftOut === 0 ? ['No difference.'] : diffLines(report);
    case 'blame': {
      const lines = report.lines.map(({ commit, author, text }, at) => {
        const who = author.replace(/ <[^<]*$/u, '').slice(0, 20);
        return `${at + 1} ${(commit ?? '').slice(0, shortId)} ${who}: ${text}`;
      });
      return [
        'A line that came by a merge counts for the merge:',
        ...lines,
        ...(report.note === null ? [] : [report.note]),
      ];
    }
    case 'branches':
      return report.branches.map(({ name }) => name);
    default:
      return report satisfies never;
  }
}

function commitLine({ id, author, at, message }: GitCommit): string {
  const day = at === 0 ? '' : new Date(at).toISOString().slice(0, 10);
  return `${id.slice(0, shortId)} ${day} ${author}: ${message.split('\n', 1)[0] ?? ''}`;
}

function diffLines({ files, leftOut }: Extract<GitReport, { type: 'diff' | 'show' }>): readonly string[] {
  const lines = files.flatMap(({ path, text, note }) => [
    ...(note === null ? [] : [`${path}: ${note}`]),
    ...(text === null ? [] : [text.trimEnd()]),
  ]);
  return leftOut === 0 ? lines : [...lines, `${leftOut} more files are not shown.`];
}
