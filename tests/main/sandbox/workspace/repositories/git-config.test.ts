import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../../../../bench/lib/seeded.ts';
import { isWithoutGit } from '../../../../fakes/git-here.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  namedIn,
  reduceConfig,
  staysInside,
} from '../../../../../src/main/sandbox/workspace/repositories/git-config.ts';

const inTop = (text: string): readonly [string, readonly string[]] => {
  const { text: left, removed } = reduceConfig(text, () => false);
  return [left, removed];
};

describe('the git configuration of a repository that a command made', () => {
  it('keeps every byte when nothing in it runs a program or leads elsewhere', () => {
    const clone = [
      '[core]',
      '\trepositoryformatversion = 0',
      '\tfilemode = true',
      '\tbare = false',
      '\tlogallrefupdates = true',
      '# a remark \\',
      '[remote "origin"]',
      '\turl = https://example.org/team/project.git',
      '\tfetch = +refs/heads/*:refs/remotes/origin/*',
      '[branch "feature#1"]',
      '\tremote = origin',
      '\tmerge = "refs/heads/feature#1"',
      '[user]',
      '\tname = Ada Löwe',
      '\temail = ada@example.org',
      '',
    ].join('\n');
    expect(inTop(clone)).toEqual([clone, []]);
  });

  it.each([
    ['core.fsmonitor', '[core]\n\tfsmonitor = /evil\n'],
    ['core.fsmonitor', '[core]\n\tfsmonitor = true\n'],
    ['core.hookspath', '[core]\n\thooksPath = /evil\n'],
    ['core.worktree', '[core]\n\tworktree = /home\n'],
    ['core.worktree', '[core]\n\tworktree = ../../..\n'],
    ['core.sshcommand', '[core]\nsshCommand=evil\n'],
    ['include.path', '[include]\n\tpath = ../evil\n'],
    ['includeif.gitdir:/.path', '[includeIf "gitdir:/"]\n\tpath = ../evil\n'],
    ['filter.x.clean', '[filter "x"]\n\tclean = evil\n'],
    ['alias.st', '[alias]\n\tst = !evil\n'],
    ['remote.o.url', '[remote "o"]\n\turl = ext::sh -c evil\n'],
    ['remote.o.url', '[remote "o"]\n\turl = --upload-pack=evil\n'],
    ['remote.o.url', '[remote "o"]\n\turl = ssh://-oProxyCommand=evil/x\n'],
    ['remote.o.url', '[remote "o"]\n\turl = git@-oProxyCommand=evil:x\n'],
    ['remote.o.url', '[remote "o"]\n\turl = evil://x\n'],
    ['remote.o.vcs', '[remote "o"]\n\tvcs = evil\n'],
    ['remote.o.uploadpack', '[remote "o"]\n\tuploadpack = evil\n'],
    ['submodule.s.update', '[submodule "s"]\n\tupdate = !evil\n'],
    ['url.ext::evil.insteadof', '[url "ext::evil"]\n\tinsteadOf = https://\n'],
    ['extensions.worktreeconfig', '[extensions]\n\tworktreeConfig = true\n'],
    ['commit.gpgsign', '[commit]\n\tgpgSign = true\n'],
    ['?.fsmonitor', '[core] fsmonitor = evil\n'],
    ['?.fsmonitor', '[core]fsmonitor=evil\n'],
    ['core.name', '[core]\n\tname = a\\\nb\n'],
    ['core.fsmonitor', '[core]\n\tbare = false # \\\n\tfsmonitor = evil\n'],
  ])('loses %s', (key, text) => {
    const [left, removed] = inTop(text);
    expect(removed.map((one) => one.replace(/^core(?=\.fsmonitor)/, 'core'))).toContain(key);
    expect(left).not.toMatch(/evil|fsmonitor = true|gpg|worktree/i);
  });

  it('may name a work tree only when the caller allows it', () => {
    const text = '[core]\n\tworktree = ../../../sub\n';
    expect(reduceConfig(text, (value) => value === '../../../sub').removed).toEqual([]);
    expect(reduceConfig(text, () => false).removed).toEqual(['core.worktree']);
  });

  it.each([
    ['../../../sub', '.git/modules/sub', true],
    ['..', '.git', true],
    ['../..', '.git', false],
    ['../../../..', '.git/modules/sub', false],
    ['/sub', '.git', false],
    ['a/../../..', '.git', false],
  ])('%s from %s stays in the workspace: %s', (value, from, stays) => {
    expect(staysInside(value, from)).toBe(stays);
  });

  it('of the person names files by every setting that can run one', () => {
    const text = [
      '[core]\n\thooksPath = tools/hooks\n\tbare = false',
      '[filter "x"]\n\tclean = ./tools/clean.sh --fast %f',
      '[include] path = ../.gitconfig',
      '[alias]\n\tship = "!sh ./tools/ship.sh"',
      '[user]\n\tname = a/b',
    ].join('\n');
    const words = namedIn(text).map(
      ({ word, isWhole, isAlias }) => `${word}${isWhole ? ' whole' : ''}${isAlias ? ' alias' : ''}`,
    );
    expect(words).toEqual([
      'tools/hooks whole',
      './tools/clean.sh --fast %f whole',
      './tools/clean.sh',
      '../.gitconfig whole',
      '!sh ./tools/ship.sh alias',
      './tools/ship.sh alias',
    ]);
  });
});

describe.skipIf(isWithoutGit)('a cleaned git configuration, as git itself reads it', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'dewpoint-config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The keys that git reads. Null: git cannot read the text and ignores it. */
  const gitKeys = (text: string): readonly string[] | null => {
    const file = join(folder, 'config');
    writeFileSync(file, text);
    try {
      const out = execFileSync('git', ['config', '--list', '--name-only', '-z', '--no-includes', '-f', file], {
        stdio: ['ignore', 'pipe', 'ignore'],
        encoding: 'utf8',
      });
      return out.split('\0').filter((key) => key !== '');
    } catch {
      return null;
    }
  };

  it('runs no program, for 400 ambiguous texts', { timeout: 240_000 }, () => {
    const random = seeded(20_261_123);
    const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
    const pieces = [
      '[core]',
      '[CORE]',
      '[core "x"]',
      '[core.x]',
      '[co\\\nre]',
      '[include]',
      '[remote "a\\"b"]',
      '[alias]',
      '[filter "x"]',
      '\n',
      '\r\n',
      '\r',
      '\f',
      '\v',
      '\u00a0',
      '\ufeff',
      '\0',
      ' ',
      '\t',
      '\\',
      '\\\n',
      '"',
      '#',
      ';',
      '=',
      ']',
      '[',
      'fsmonitor = evil',
      'fsmonitor=evil',
      'bare = false',
      'bare',
      'path = evil',
      'clean = evil',
      'url = https://x/y',
      'url = ext::evil',
      'name = "a',
      'b"',
      'st = !evil',
      '\tfilemode = true',
      'hooksPath',
      'pager=evil',
    ] as const;
    let read = 0;
    for (let round = 0; round < 400; round += 1) {
      const text = `[core]\n${Array.from({ length: 3 + Math.floor(random() * 14) }, () => pick(pieces)).join(pick(['', '\n', '\n\t', ' ']))}\n`;
      const { text: left } = reduceConfig(text, () => false);
      const keys = gitKeys(left);
      if (keys === null) continue;
      read += 1;
      const bad = keys.filter((key) => !/^(core\.(bare|filemode)|remote\..*\.url|user\.name)$/.test(key));
      expect({ text, left, bad }).toEqual({ text, left, bad: [] });
      expect(left).not.toMatch(/ext::/);
    }
    expect(read).toBeGreaterThan(350);
  });
});
