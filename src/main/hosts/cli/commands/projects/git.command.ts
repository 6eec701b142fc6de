import { withoutEqualEnds } from '@shared/text/equal-line-ends.ts';
import type { GitQuestion } from '@shared/contract/git-contract.ts';
import type { GitCommit, GitFileDiff, GitHead, GitReport } from '@shared/git/git-report.ts';
import { seenLineText, seenName } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { readSecret } from '../../questions/read-secret.ts';
import { dateAndTime, jsonLine } from '../../../text/terminal.ts';
import { folderOfWord } from './named-project.ts';

export interface GitArguments {
  readonly project?: string;
  readonly ref?: string;
  readonly path?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

/** Reads the repository of a project. Nothing in it runs, and nothing is written. */
export const projectGit: Command<[GitQuestion, GitArguments]> = async ({ core, signal, terminal }, ask, args) => {
  const projectPath = await folderOfWord(core, args.project ?? '.');
  const report = await (await core()).git.read({ projectPath, ask }, { signal });
  if (args.json === true) terminal.out(jsonLine(report));
  else for (const line of linesOf(report)) terminal.out(`${seenLineText(line)}\n`);
  return 0;
};

/** Keeps the token of a host in the key store. */
export const gitToken: Command<[string]> = async (context, host) => {
  const core = await context.core();
  const value = (await readSecret(context, `Token of ${seenName(host)}`)).trim();
  if (value === '') throw usageError('A token is needed. Nothing was kept.');
  await core.git.setToken({ host, value });
  context.terminal.err(`The token of ${seenName(host)} is kept.\n`);
  return 0;
};

function linesOf(report: GitReport): readonly string[] {
  switch (report.type) {
    case 'status':
      return [headLine(report), ...report.notes, ...statusLines(report)];
    case 'log':
      return [
        ...report.commits.flatMap((commit) => [...commitLines(commit), '']),
        ...(report.hasMore ? ['There are older commits: --limit N'] : []),
        ...(report.note === null ? [] : [report.note]),
      ];
    case 'show':
      return [...commitLines(report.commit), '', ...diffLines(report.files, report.leftOut)];
    case 'diff':
      return report.files.length === 0 ? ['No difference.'] : diffLines(report.files, report.leftOut);
    case 'blame':
      return [
        ...report.lines.map(({ commit, author, at, text }, index) => {
          const who = (author.split(' <', 1)[0] ?? '').slice(0, 20).padEnd(20);
          const when = at === null ? ''.padEnd(10) : dateAndTime(at).slice(0, 10);
          return `${(commit ?? '').slice(0, 8).padEnd(8)}  ${who}  ${when}  ${String(index + 1).padStart(5)}  ${text}`;
        }),
        ...(report.note === null ? [] : [report.note]),
      ];
    case 'branches':
      return [
        headLine(report),
        ...report.branches.map(({ name, remote, commit }) => {
          const mark = remote === null && name === report.branch ? '*' : ' ';
          return `${mark} ${remote === null ? '' : `${remote}/`}${name}  ${commit.slice(0, 8)}`;
        }),
        ...report.remotes.map(({ name, address }) => `Remote ${name}: ${address}`),
      ];
    default:
      return report satisfies never;
  }
}

function headLine({ branch, commit }: GitHead): string {
  if (commit === null) return `No commits yet on ${branch ?? 'this branch'}.`;
  if (branch === null) return `HEAD is detached at ${commit.slice(0, 8)}: a commit made here is on no branch.`;
  return `On branch ${branch} at ${commit.slice(0, 8)}.`;
}

function statusLines({ entries, leftOut, commit }: Extract<GitReport, { type: 'status' }>): readonly string[] {
  if (entries.length === 0)
    return [commit === null ? 'There are no files to commit.' : 'Nothing has changed since the last commit.'];
  const lines = entries.map(
    ({ path, kind, isStaged }) => `${kind.padEnd(9)}  ${isStaged ? 'staged' : '      '}  ${seenName(path)}`,
  );
  return leftOut === 0 ? lines : [...lines, `… and ${leftOut} more`];
}

function commitLines({ id, parents, author, at, message }: GitCommit): readonly string[] {
  const merge = parents.length > 1 ? `  (merges ${parents.length})` : '';
  return [
    `${id.slice(0, 12)}  ${dateAndTime(at)}  ${author}${merge}`,
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`),
  ];
}

function diffLines(files: readonly GitFileDiff[], leftOut: number): readonly string[] {
  const lines = files.flatMap(({ path, text, note }) => [
    ...(note === null ? [] : [`${seenName(path)}: ${note}`]),
    ...(text === null ? [] : withoutEqualEnds(text.replace(/\n$/u, '')).split('\n')),
  ]);
  return leftOut === 0 ? lines : [...lines, `… and ${leftOut} more files: name a path`];
}
