import type { HostileRow } from '../hostile-row.ts';

/** A key of Git's configuration that names a program. */
interface KeyCase {
  readonly key: string;
  /** Shell code that runs in the repository's own folder. `set_key NAME VALUE` writes its configuration. */
  readonly set: string;
  /** What a person does in the repository's own folder, beyond everyday commands. */
  readonly person?: string;
  readonly minGit?: string;
  readonly inert?: string;
  /** Set if everyday commands would remove the state that the case needs. */
  readonly everyday?: 'nothing';
  readonly isTopOnly?: boolean;
}

/** A commit with an invalid signature. To show it, Git asks the program that checks signatures. */
const signedCommit = String.raw`
signed=$( { git cat-file commit HEAD | sed -n '/^$/q;p'
  printf 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\nsigned\n'; } | git hash-object -t commit -w --stdin)
git update-ref HEAD "$signed"`;

const attributes = (what: string): string => `echo '*.txt ${what}' >.gitattributes`;
const askForPassword = `printf 'protocol=https\\nhost=host.example.test\\n\\n' | timeout 5 git credential fill`;
const conflict = `git checkout -q -f main; git checkout -q -b theirs; echo theirs >file.txt; git commit -qam theirs; git checkout -q main; echo ours >file.txt; git commit -qam ours; git merge theirs`;

const keyCases: readonly KeyCase[] = [
  { key: 'core.fsmonitor', set: 'set_key core.fsmonitor "$RUN #"' },
  {
    key: 'core.hooksPath',
    set: 'for hook in pre-commit post-checkout; do program tools/hooks/$hook; done; set_key core.hooksPath tools/hooks',
  },
  { key: 'core.pager', set: 'set_key core.pager "$RUN; cat"' },
  { key: 'pager.status', set: 'set_key pager.status "$RUN; cat"' },
  { key: 'core.editor', set: 'set_key core.editor "$RUN #"' },
  { key: 'sequence.editor', set: 'set_key sequence.editor "$RUN #"', person: 'git stash; git rebase -i --root' },
  {
    key: 'core.sshCommand',
    set: 'set_key core.sshCommand "$RUN #"; set_key remote.origin.url ssh://host.example.test/x',
  },
  {
    key: 'core.gitProxy',
    set: 'program tools/p; set_key core.gitProxy ./tools/p; set_key remote.origin.url git://host.example.test/x',
  },
  { key: 'core.askPass', set: 'program tools/p; set_key core.askPass ./tools/p', person: askForPassword },
  { key: 'credential.helper', set: 'set_key credential.helper "!$RUN #"', person: askForPassword },
  {
    key: 'credential.URL.helper',
    set: 'set_key credential.https://host.example.test.helper "!$RUN #"',
    person: askForPassword,
  },
  { key: 'diff.external', set: 'set_key diff.external "$RUN #"' },
  { key: 'diff.DRIVER.textconv', set: `set_key diff.p.textconv "$RUN #"; ${attributes('diff=p')}` },
  { key: 'diff.DRIVER.command', set: `set_key diff.p.command "$RUN #"; ${attributes('diff=p')}` },
  { key: 'filter.DRIVER.clean', set: `set_key filter.p.clean "$RUN; cat"; ${attributes('filter=p')}` },
  {
    key: 'filter.DRIVER.smudge',
    set: `set_key filter.p.smudge "$RUN; cat"; ${attributes('filter=p')}`,
    person: 'rm file.txt; git checkout file.txt',
  },
  { key: 'filter.DRIVER.process', set: `set_key filter.p.process "$RUN #"; ${attributes('filter=p')}` },
  {
    key: 'merge.DRIVER.driver',
    set: `set_key merge.p.driver "$RUN; true"; ${attributes('merge=p')}; git add -A; git commit -qm attributes`,
    person: conflict,
  },
  { key: 'gpg.program', set: 'program tools/p; set_key gpg.program ./tools/p; set_key commit.gpgSign true' },
  {
    key: 'gpg.openpgp.program',
    set: 'program tools/p; set_key gpg.openpgp.program ./tools/p; set_key commit.gpgSign true',
  },
  {
    key: 'gpg.x509.program',
    set: 'program tools/p; set_key gpg.format x509; set_key gpg.x509.program ./tools/p; set_key commit.gpgSign true',
  },
  {
    key: 'gpg.ssh.program',
    set: 'program tools/p; set_key gpg.format ssh; set_key gpg.ssh.program ./tools/p; set_key commit.gpgSign true; set_key user.signingKey "key::ssh-ed25519 AAAA"',
    minGit: '2.34',
  },
  {
    key: 'gpg.ssh.defaultKeyCommand',
    set: 'program tools/p; set_key gpg.format ssh; set_key gpg.ssh.defaultKeyCommand ./tools/p; set_key commit.gpgSign true',
    minGit: '2.34',
  },
  {
    key: 'tag.gpgSign',
    set: 'program tools/p; set_key gpg.program ./tools/p; set_key tag.gpgSign true',
    person: 'git tag -a v1 -m v1',
  },
  {
    key: 'log.showSignature',
    set: `program tools/p; set_key gpg.program ./tools/p; set_key log.showSignature true${signedCommit}`,
  },
  { key: 'alias.NAME', set: 'set_key alias.st "!$RUN #"' },
  {
    key: 'interactive.diffFilter',
    set: 'set_key interactive.diffFilter "$RUN; cat"; set_key color.ui always',
    person: 'echo more >>file.txt; echo q | git add -p',
  },
  {
    key: 'include.path',
    set: 'git config --file extra.ini core.fsmonitor "$RUN #"; set_key include.path ../extra.ini',
  },
  {
    key: 'includeIf.CONDITION.path',
    set: 'git config --file extra.ini core.fsmonitor "$RUN #"; set_key includeIf.gitdir:**.path ../extra.ini',
  },
  { key: 'remote.NAME.uploadpack', set: 'set_key remote.origin.url .; set_key remote.origin.uploadpack "$RUN #"' },
  {
    key: 'remote.NAME.receivepack',
    set: 'set_key remote.origin.url .; set_key remote.origin.receivepack "$RUN #"',
    person: 'git push origin main',
  },
  {
    key: 'remote.NAME.vcs',
    set: 'set_key remote.origin.url "sh -c %S"; set_key remote.origin.vcs ext; program tools/p; set_key remote.origin.url "./tools/p"; set_key protocol.ext.allow always',
  },
  {
    key: 'protocol.ext.allow',
    set: 'program tools/p; set_key protocol.ext.allow always; set_key remote.origin.url "ext::./tools/p"',
  },
  {
    key: 'url.BASE.insteadOf',
    set: 'program tools/p; set_key protocol.allow always; set_key "url.ext::./tools/p .insteadOf" https://; set_key remote.origin.url https://host.example.test/x',
  },
  {
    key: 'submodule.NAME.update',
    set: String.raw`repository part; git add part; printf '[submodule "part"]\n\tpath = part\n\turl = ./part\n' >.gitmodules
      git add -A; git commit -qm part; set_key submodule.part.update "!$RUN #"; set_key submodule.part.url ./part; set_key submodule.part.active true; git -C part commit -qam next`,
    everyday: 'nothing',
    isTopOnly: true,
    person: 'git submodule update',
  },
  {
    key: 'trailer.NAME.command',
    set: 'set_key trailer.by.command "$RUN"; set_key trailer.by.key "By: "',
    person: 'echo x | git interpret-trailers',
  },
  {
    key: 'trailer.NAME.cmd',
    set: 'set_key trailer.by.cmd "$RUN #"; set_key trailer.by.key "By: "',
    person: 'git commit -q --allow-empty -m x --trailer by=me',
    minGit: '2.32',
  },
  {
    key: 'tar.FORMAT.command',
    set: 'set_key tar.zz.command "$RUN #"',
    person: 'git archive --format=zz HEAD >/dev/null',
  },
  {
    key: 'difftool.NAME.cmd',
    set: 'set_key diff.tool p; set_key difftool.p.cmd "$RUN"',
    person: 'git checkout -q -f; echo more >>file.txt; git difftool -y',
  },
  {
    key: 'mergetool.NAME.cmd',
    set: 'set_key merge.tool p; set_key mergetool.p.cmd "$RUN"; set_key mergetool.prompt false',
    person: `${conflict}; git mergetool </dev/null`,
  },
  { key: 'man.VIEWER.cmd', set: 'set_key man.viewer p; set_key man.p.cmd "$RUN #"', person: 'git help -m status' },
  {
    key: 'browser.NAME.cmd',
    set: 'set_key help.browser p; set_key browser.p.cmd "$RUN #"; set_key help.htmlPath http://host.example.test',
    person: 'git help -w status',
  },
  {
    key: 'gc.recentObjectsHook',
    set: 'set_key gc.recentObjectsHook "$RUN #"; echo x | git hash-object -w --stdin',
    person: 'echo y | git hash-object -w --stdin; git gc --prune=now',
    minGit: '2.42',
  },
  { key: 'hook.NAME.command', set: 'set_key hook.p.command "$RUN #"; set_key hook.p.event pre-commit', minGit: '2.54' },
  {
    key: 'core.alternateRefsCommand',
    set: 'git init -q --bare ../alternate.git; echo "$PWD/../alternate.git/objects" >"$git/objects/info/alternates"; set_key core.alternateRefsCommand "$RUN #"; set_key remote.origin.url .',
    person: 'git commit -q --allow-empty -m more; git push . HEAD:refs/heads/pushed',
  },
  {
    key: 'core.attributesFile',
    set: 'echo "* filter=p" >tools-attributes; set_key core.attributesFile tools-attributes; set_key filter.p.clean "$RUN; cat"',
  },
  {
    key: 'diff.submodule',
    set: 'repository part; git add part; git -C part commit -qam next; git config --file part/.git/config core.fsmonitor "$RUN #"; set_key diff.submodule log; set_key status.submoduleSummary true',
  },
  {
    key: 'difftool.NAME.path',
    set: 'program tools/p; set_key diff.tool vimdiff; set_key difftool.vimdiff.path ./tools/p',
    person: 'git checkout -q -f; echo more >>file.txt; git difftool -y',
  },
  {
    key: 'mergetool.NAME.path',
    set: 'program tools/p; set_key merge.tool vimdiff; set_key mergetool.vimdiff.path "$PWD/tools/p"; set_key mergetool.vimdiff.path ./tools/p; set_key mergetool.prompt false',
    person: `${conflict}; git mergetool </dev/null`,
  },
  {
    key: 'man.VIEWER.path',
    set: 'program tools/p; set_key man.viewer man; set_key man.man.path ./tools/p',
    person: 'git help -m status',
  },
  {
    key: 'browser.NAME.path',
    set: 'program tools/p; set_key help.browser firefox; set_key browser.firefox.path ./tools/p; set_key help.htmlPath http://host.example.test',
    person: 'git help -w status',
  },
  {
    key: 'extensions.partialClone',
    set: `set_key core.repositoryFormatVersion 1; set_key extensions.partialClone origin; set_key remote.origin.promisor true
set_key remote.origin.url .; set_key remote.origin.uploadpack "$RUN #"
blob=$(git rev-parse HEAD:file.txt); rm -f "$git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)"`,
  },
  {
    key: 'uploadpack.packObjectsHook',
    set: 'set_key uploadpack.packObjectsHook "$RUN #"; set_key remote.origin.url .',
    person: 'git clone -q . ../cloned',
    inert: 'git takes this key from the person’s own and the system’s files alone',
  },
];

/** Keys that name a path, through which a file of the person gets into the project. */
const leakCases: readonly KeyCase[] = [
  {
    key: 'format.signatureFile',
    set: 'set_key format.signatureFile "$PERSON_HOME/key"',
    person: `echo secret-of-the-person >~/key; git format-patch -q -1 -o patches
grep -rqs secret-of-the-person patches && echo 'a patch holds it' >>"$MARK"`,
  },
  {
    key: 'commit.template',
    set: 'set_key commit.template "$PERSON_HOME/key"',
    person: `echo secret-of-the-person >~/key; GIT_EDITOR='sed -i 1iChanged' git commit -q --allow-empty
git log -1 | grep -qs secret-of-the-person && echo 'a commit holds it' >>"$MARK"`,
  },
  {
    key: 'credential.helper-store',
    set: 'set_key credential.helper "store --file ./logins"',
    person: `printf 'protocol=https\\nhost=host.example.test\\nusername=a\\npassword=secret-of-the-person\\n\\n' | git credential approve
grep -qs secret-of-the-person logins && echo 'a file holds it' >>"$MARK"`,
  },
];

const atTop =
  'git=.git; set_key() { git config --file .git/config "$@"; }; echo changed >>README.md; echo a >file.txt; git add file.txt; git commit -qm file; echo b >>file.txt';
const inNested =
  'mkdir -p lib; repository lib/dep; cd lib/dep; git=.git; set_key() { git config --file .git/config "$@"; }';

/**
 * Every key in two places: the repository that is the project, and a repository inside it that the project's Git
 * enters.
 */
export const gitKeyRows: readonly HostileRow[] = [...keyCases, ...leakCases].flatMap(
  ({ key, set, person, minGit, inert, everyday, isTopOnly }): readonly HostileRow[] => {
    const name = key.toLowerCase().replaceAll('.', '-');
    const common: Pick<HostileRow, 'everyday' | 'minGit' | 'inert'> = {
      everyday: everyday ?? 'git',
      ...(minGit === undefined ? {} : { minGit }),
      ...(inert === undefined ? {} : { inert }),
    };
    const top: HostileRow = {
      ...common,
      id: `key-top-${name}`,
      subject: 'git: keys in the project’s own configuration',
      what: `${key} is set in .git/config.`,
      plant: `${atTop}\n${set}`,
      ...(person === undefined ? {} : { person }),
    };
    if (isTopOnly === true) return [top];
    return [
      top,
      {
        ...common,
        id: `key-nested-${name}`,
        subject: 'git: keys in a repository within the project',
        what: `${key} is set in lib/dep/.git/config, a repository that a command made and added.`,
        plant: `${inNested}\n${set}\ncd ../.. && git add lib/dep`,
        folders: ['lib/dep'],
        person: `cd lib/dep\n${person ?? ''}`,
      },
    ];
  },
);
