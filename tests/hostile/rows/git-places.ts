import type { HostileRow } from '../hostile-row.ts';

const subject = 'git: places that git takes a configuration from';
const everyday = 'git' as const;
/** A Git folder with every key set, and a work tree beside it with one file. */
const evilStore = (folder: string): string =>
  `git init -q --bare "${folder}" && git config --file "${folder}/config" core.bare false && every_key "${folder}"`;

/** Where a repository can be inside a project, and what leads Git to it. Each has all keys at once. */
export const gitPlaceRows: readonly HostileRow[] = [
  {
    id: 'place-nested-untracked',
    subject,
    what: 'A repository that a command made in a sub-folder; a person goes there.',
    everyday,
    plant: 'repository lib/dep; every_key "$PWD/lib/dep/.git"',
    folders: ['lib/dep'],
  },
  {
    id: 'place-nested-added',
    subject,
    what: 'The same, added: git at the top goes into it.',
    everyday,
    plant: 'repository lib/dep; git add lib/dep; every_key "$PWD/lib/dep/.git"',
  },
  {
    id: 'place-nested-forged-link',
    subject,
    what: 'An entry of the index that was forged leads git at the top into a folder.',
    everyday,
    plant: String.raw`repository lib/dep; every_key "$PWD/lib/dep/.git"
git update-index --add --cacheinfo 160000,$(git -C lib/dep rev-parse HEAD),lib/dep`,
  },
  {
    id: 'place-nested-committed-link',
    subject,
    what: 'A commit that holds the repository as a submodule, made in the session.',
    everyday,
    plant: String.raw`repository lib/dep; git add lib/dep
printf '[submodule "dep"]\n\tpath = lib/dep\n\turl = ./lib/dep\n' >.gitmodules; git add .gitmodules
git commit -qm dep; every_key "$PWD/lib/dep/.git"`,
  },
  {
    id: 'place-git-file-to-work-tree',
    subject,
    what: 'A .git file leads to a folder of the work tree that does not look like a repository.',
    everyday,
    plant: `${evilStore('assets/data')}; mkdir -p lib/dep; echo 'gitdir: ../../assets/data' >lib/dep/.git; echo x >lib/dep/file.txt`,
    folders: ['lib/dep'],
  },
  {
    id: 'place-git-file-added',
    subject,
    what: 'The same with an entry of the index, so that git at the top goes there.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mkdir assets; mv lib/dep/.git assets/data; every_key "$PWD/assets/data"; echo 'gitdir: ../../assets/data' >lib/dep/.git`,
  },
  {
    id: 'place-git-file-to-objects',
    subject,
    what: 'The data lie in a folder below .git/objects.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mv lib/dep/.git .git/objects/ee; every_key "$PWD/.git/objects/ee"; echo 'gitdir: ../../.git/objects/ee' >lib/dep/.git`,
  },
  {
    id: 'place-git-file-to-refs',
    subject,
    what: 'The data lie in a folder below .git/refs.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mkdir -p .git/refs/x; mv lib/dep/.git .git/refs/x/y; every_key "$PWD/.git/refs/x/y"; echo 'gitdir: ../../.git/refs/x/y' >lib/dep/.git`,
  },
  {
    id: 'place-git-file-to-info',
    subject,
    what: 'The data lie in a folder below .git/info.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mv lib/dep/.git .git/info/data; every_key "$PWD/.git/info/data"; echo 'gitdir: ../../.git/info/data' >lib/dep/.git`,
  },
  {
    id: 'place-git-file-to-logs',
    subject,
    what: 'The data lie in a new folder directly below .git.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mv lib/dep/.git .git/cache; every_key "$PWD/.git/cache"; echo 'gitdir: ../../.git/cache' >lib/dep/.git`,
  },
  {
    id: 'place-git-file-to-modules',
    subject,
    what: 'The data lie in .git/modules, where there was no submodule.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mkdir -p .git/modules; mv lib/dep/.git .git/modules/dep; every_key "$PWD/.git/modules/dep"; echo 'gitdir: ../../.git/modules/dep' >lib/dep/.git`,
  },
  {
    id: 'place-git-file-with-odd-text',
    subject,
    what: 'The .git file ends with blank lines and its path goes round in circles.',
    everyday,
    plant: String.raw`repository lib/dep; git add lib/dep; mkdir -p a/b; mv lib/dep/.git a/b/.data; every_key "$PWD/a/b/.data"
printf 'gitdir: ../dep/../../a/./b/.data\n\n\n' >lib/dep/.git`,
  },
  {
    id: 'place-git-link-to-folder',
    subject,
    what: '.git of a sub-folder is a symbolic link to data elsewhere.',
    everyday,
    plant: `repository lib/dep; git add lib/dep; mkdir -p a; mv lib/dep/.git a/data; every_key "$PWD/a/data"; ln -s ../../a/data lib/dep/.git`,
  },
  {
    id: 'place-folder-link-to-repository',
    subject,
    what: 'The folder itself is a link to a repository that lies among packages.',
    everyday,
    plant: `mkdir -p node_modules/.store lib; repository node_modules/.store/dep; every_key "$PWD/node_modules/.store/dep/.git"; ln -s ../node_modules/.store/dep lib/dep`,
    folders: ['lib/dep'],
  },
  {
    id: 'place-bare-in-sub-folder',
    subject,
    what: 'A folder of the shape of a bare repository; a person goes there.',
    everyday,
    plant: 'git init -q --bare fixtures/repo.git; every_key "$PWD/fixtures/repo.git"',
    folders: ['fixtures/repo.git'],
  },
  {
    id: 'place-bare-with-work-tree',
    subject,
    what: 'A sub-folder with sources is at once a bare repository whose work tree is the folder itself.',
    everyday,
    plant: String.raw`mkdir -p lib; cd lib; echo 'ref: refs/heads/main' >HEAD; mkdir -p objects refs; echo x >file.txt
printf '[core]\n\tbare = false\n\tworktree = .\n' >config; every_key "$PWD"`,
    folders: ['lib'],
  },
  {
    id: 'place-bare-within-bare',
    subject,
    what: 'A sub-folder of a bare repository: git looks upwards.',
    everyday,
    plant: String.raw`mkdir -p lib/deep/er; cd lib; echo 'ref: refs/heads/main' >HEAD; mkdir -p objects refs; echo x >deep/er/file.txt
printf '[core]\n\tbare = false\n\tworktree = .\n' >config; every_key "$PWD"`,
    folders: ['lib/deep/er'],
  },
  {
    id: 'place-bare-with-commondir',
    subject,
    what: 'A folder with HEAD and commondir alone: no objects, no refs, no config in it.',
    everyday,
    plant: String.raw`git init -q --bare assets/data; git config --file assets/data/config core.bare false
git config --file assets/data/config core.worktree "../../lib"; every_key "$PWD/assets/data"
mkdir -p lib; echo 'ref: refs/heads/main' >lib/HEAD; echo ../assets/data >lib/commondir; echo x >lib/file.txt`,
    folders: ['lib'],
  },
  {
    id: 'place-nested-commondir',
    subject,
    what: 'commondir in the data of a repository within sends git elsewhere for its configuration.',
    everyday,
    plant: String.raw`repository lib/dep; git add lib/dep; cp -r lib/dep/.git assets; every_key "$PWD/assets"
echo ../../../assets >lib/dep/.git/commondir`,
  },
  {
    id: 'place-nested-worktree-config',
    subject,
    what: 'config.worktree in a repository within, with extensions.worktreeConfig.',
    everyday,
    plant: String.raw`repository lib/dep; git add lib/dep; git -C lib/dep config extensions.worktreeConfig true
git -C lib/dep config --worktree core.fsmonitor "$RUN #"`,
  },
  {
    id: 'place-nested-config-link',
    subject,
    what: 'config of a repository within is a symbolic link to a harmless looking file.',
    everyday,
    plant: String.raw`repository lib/dep; git add lib/dep; every_key "$PWD/lib/dep/.git"; mv lib/dep/.git/config settings.ini
ln -s ../../../settings.ini lib/dep/.git/config`,
  },
  {
    id: 'place-nested-hooks-link',
    subject,
    what: 'hooks of a repository within is a symbolic link to a folder with programs.',
    everyday,
    plant: String.raw`repository lib/dep; for hook in pre-commit post-checkout post-index-change; do program tools/$hook; done
rm -rf lib/dep/.git/hooks; ln -s ../../../tools lib/dep/.git/hooks; git add lib/dep`,
    folders: ['lib/dep'],
  },
  {
    id: 'place-nested-in-nested',
    subject,
    what: 'A repository in a repository in a repository.',
    everyday,
    plant:
      'repository a; repository a/b; repository a/b/c; every_key "$PWD/a/b/c/.git"; git -C a/b add c; git -C a add b; git add a',
    folders: ['a/b/c'],
  },
  {
    id: 'place-planted-worktree-entry',
    subject,
    what: 'An entry in .git/worktrees and a .git file that leads to it; its commondir leads to planted data.',
    everyday,
    plant: String.raw`git init -q --bare assets; git config --file assets/config core.bare false; every_key "$PWD/assets"
mkdir -p .git/worktrees/wt wt; echo 'ref: refs/heads/main' >.git/worktrees/wt/HEAD
echo ../../../assets >.git/worktrees/wt/commondir; echo ../../../wt/.git >.git/worktrees/wt/gitdir
echo 'gitdir: ../.git/worktrees/wt' >wt/.git; echo x >wt/file.txt`,
    folders: ['wt'],
  },
  {
    id: 'place-own-worktree-commondir',
    subject,
    what: 'The commondir of a work tree that the person made leads to planted data.',
    everyday,
    prepare: 'git worktree add -q wt -b side',
    plant: String.raw`cp -r .git /tmp/copy.$$; mv /tmp/copy.$$ .git/cache; every_key "$PWD/.git/cache"
echo ../../cache >.git/worktrees/wt/commondir`,
    folders: ['wt'],
  },
  {
    id: 'place-own-worktree-config',
    subject,
    what: 'A config.worktree for a work tree of the person, whose repository has extensions.worktreeConfig.',
    everyday,
    prepare: 'git worktree add -q wt -b side; git config extensions.worktreeConfig true',
    plant: 'git config --file .git/worktrees/wt/config.worktree core.fsmonitor "$RUN #"',
    folders: ['wt'],
  },
  {
    id: 'place-own-worktree-git-file',
    subject,
    what: 'The .git file of a work tree of the person is written anew.',
    everyday,
    prepare: 'git worktree add -q wt -b side',
    plant:
      'cp -r .git /tmp/copy.$$; mv /tmp/copy.$$ .git/cache; every_key "$PWD/.git/cache"; rm -f wt/.git; echo "gitdir: ../.git/cache" >wt/.git',
    folders: ['wt'],
  },
  {
    id: 'place-own-submodule-config',
    subject,
    what: 'The configuration of a submodule of the person.',
    everyday,
    prepare: `repository ../source-of-part; git -c protocol.file.allow=always submodule add -q "$PWD/../source-of-part" part; git commit -qm part`,
    plant: 'every_key "$PWD/.git/modules/part"',
    folders: ['part'],
  },
  {
    id: 'place-own-submodule-worktree-config',
    subject,
    what: 'config.worktree of a submodule of the person that has extensions.worktreeConfig.',
    everyday,
    prepare: `repository ../source-of-part; git -c protocol.file.allow=always submodule add -q "$PWD/../source-of-part" part; git commit -qm part; git -C part config extensions.worktreeConfig true`,
    plant: 'git config --file .git/modules/part/config.worktree core.fsmonitor "$RUN #"',
  },
  {
    id: 'place-own-submodule-commondir',
    subject,
    what: 'commondir in the data of a submodule of the person.',
    everyday,
    prepare: `repository ../source-of-part; git -c protocol.file.allow=always submodule add -q "$PWD/../source-of-part" part; git commit -qm part`,
    plant:
      'cp -r .git/modules/part .git/cache; every_key "$PWD/.git/cache"; echo ../../cache >.git/modules/part/commondir',
  },
  {
    id: 'place-own-submodule-git-file',
    subject,
    what: 'The .git file of a submodule of the person is taken away and a repository put there.',
    everyday,
    prepare: `repository ../source-of-part; git -c protocol.file.allow=always submodule add -q "$PWD/../source-of-part" part; git commit -qm part`,
    plant:
      'rm -f part/.git; git init -q part; git -C part add -A; git -C part commit -qm x; every_key "$PWD/part/.git"',
  },
  {
    id: 'place-own-submodule-moved',
    subject,
    what: 'The folder of a submodule of the person is moved away and a repository put in its place.',
    everyday,
    prepare: `repository ../source-of-part; git -c protocol.file.allow=always submodule add -q "$PWD/../source-of-part" part; git commit -qm part`,
    plant: 'mv part old-part; repository part; every_key "$PWD/part/.git"',
  },
  {
    id: 'place-submodule-data-ahead',
    subject,
    what: 'Data with hooks lie ready in .git/modules for a submodule that the person has not fetched yet.',
    everyday: 'nothing',
    prepare: String.raw`repository ../source-of-part
printf '[submodule "part"]\n\tpath = part\n\turl = %s\n' "$PWD/../source-of-part" >.gitmodules
git add .gitmodules; git update-index --add --cacheinfo 160000,$(git -C ../source-of-part rev-parse HEAD),part; git commit -qm part`,
    plant: String.raw`git init -q --bare .git/modules/part; git config --file .git/modules/part/config core.bare false
every_key "$PWD/.git/modules/part"; git config --file .git/modules/part/config core.worktree ../../../part`,
    person: 'git -c protocol.file.allow=always submodule update --init --recursive',
  },
  {
    id: 'place-new-repository-at-top',
    subject,
    what: 'The project is no repository; a command makes one.',
    everyday,
    start: 'folder',
    plant: 'git init -q .; git add -A; git commit -qm first; every_key "$PWD/.git"',
  },
  {
    id: 'place-git-file-at-top',
    subject,
    what: 'The project is no repository; a command writes a .git file that leads to planted data.',
    everyday,
    start: 'folder',
    plant:
      'git init -q .; git add -A; git commit -qm first; mv .git assets; every_key "$PWD/assets"; echo "gitdir: assets" >.git',
  },
  {
    id: 'place-bare-at-top',
    subject,
    what: 'The project is no repository; a command gives it the shape of a bare one.',
    everyday,
    start: 'folder',
    plant: String.raw`echo 'ref: refs/heads/main' >HEAD; mkdir -p objects refs
printf '[core]\n\tbare = false\n\tworktree = .\n' >config; every_key "$PWD"`,
  },
  {
    id: 'place-below-a-repository',
    subject,
    what: 'The project is a folder of a larger repository; a command makes it one of its own.',
    everyday,
    prepare: 'mkdir -p packages/app; echo 1 >packages/app/file.txt; git add -A; git commit -qm app',
    workspace: 'packages/app',
    plant: 'git init -q .; git add -A; git commit -qm x; every_key "$PWD/.git"',
    folders: ['packages/app'],
  },
  {
    id: 'place-below-a-repository-bare',
    subject,
    what: 'The project is a folder of a larger repository; a command gives it the shape of a bare one.',
    everyday,
    prepare: 'mkdir -p packages/app; echo 1 >packages/app/file.txt; git add -A; git commit -qm app',
    workspace: 'packages/app',
    plant: String.raw`echo 'ref: refs/heads/main' >HEAD; mkdir -p objects refs
printf '[core]\n\tbare = false\n\tworktree = .\n' >config; every_key "$PWD"`,
    folders: ['packages/app'],
  },
];
