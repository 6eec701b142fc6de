import type { HostileRow } from '../hostile-row.ts';

const everyday = 'git' as const;
const top = 'git: the project’s own repository';
const hooks = 'git: hooks';
const led = 'git: what the person’s own configuration leads to';
const unfinished = 'git: work that was begun and is gone on with';
const own = (id: string, rest: Omit<HostileRow, 'id' | 'subject' | 'everyday'>): HostileRow => ({
  id: `top-${id}`,
  subject: top,
  everyday,
  ...rest,
});

const hookNames = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-checkout',
  'post-index-change',
  'reference-transaction',
] as const;

const topRows: readonly HostileRow[] = [
  own('all-keys', { what: 'All keys in .git/config at once.', plant: 'every_key "$PWD/.git"' }),
  own('config-replaced', {
    what: 'A file is renamed over .git/config.',
    plant: 'cp .git/config new; git config --file new core.fsmonitor "$RUN #"; mv -f new .git/config',
  }),
  own('repository-made-anew', {
    what: '.git is taken away and made anew.',
    plant: 'rm -rf .git; git init -q .; git add -A; git commit -qm x; every_key "$PWD/.git"',
  }),
  own('repository-moved', {
    what: '.git is moved away and a file that leads to it put in its place.',
    plant: 'mv .git assets; every_key "$PWD/assets"; echo "gitdir: assets" >.git',
  }),
  own('head-removed', {
    what: 'HEAD of .git is taken away, so that git takes the project’s folder itself for a bare repository.',
    plant: String.raw`echo 'ref: refs/heads/main' >HEAD; cp -r .git/objects .git/refs .; printf '[core]\n\tbare = false\n\tworktree = .\n' >config
every_key "$PWD"; rm -f .git/HEAD`,
  }),
  own('head-broken', {
    what: 'HEAD of .git is no longer one, for the same end.',
    plant: String.raw`echo 'ref: refs/heads/main' >HEAD; cp -r .git/objects .git/refs .; printf '[core]\n\tbare = false\n\tworktree = .\n' >config
every_key "$PWD"; echo nonsense >.git/HEAD`,
  }),
  own('objects-removed', {
    what: 'The objects of .git are taken away, for the same end.',
    plant: String.raw`echo 'ref: refs/heads/main' >HEAD; cp -r .git/objects .git/refs .; printf '[core]\n\tbare = false\n\tworktree = .\n' >config
every_key "$PWD"; rm -rf .git/objects`,
  }),
  own('refs-moved', {
    what: 'The refs of .git are moved away, for the same end; there is only a commondir beside HEAD.',
    plant: String.raw`cp -r .git assets; rm -f assets/index; every_key "$PWD/assets"; git config --file assets/config core.worktree "$PWD"
git config --file assets/config core.worktree ..; echo 'ref: refs/heads/main' >HEAD; echo assets >commondir; mv .git/refs .git/old`,
  }),
  own('commondir', {
    what: 'commondir in .git sends git elsewhere for its configuration.',
    plant:
      'cp -r .git /tmp/copy.$$; mv /tmp/copy.$$ .git/cache; every_key "$PWD/.git/cache"; echo cache >.git/commondir',
  }),
  own('commondir-in-the-background', {
    what: 'The same again and again, by a process that goes on for a moment.',
    plant: `cp -r .git /tmp/copy.$$; mv /tmp/copy.$$ .git/cache; every_key "$PWD/.git/cache"; setsid -f sh -c 'for n in $(seq 400); do echo cache >.git/commondir; done' >/dev/null 2>&1; sleep 0.2`,
  }),
  own('worktree-config', {
    what: 'config.worktree where the person has extensions.worktreeConfig (git sparse-checkout sets it).',
    prepare: 'git config extensions.worktreeConfig true',
    plant: 'git config --file .git/config.worktree core.fsmonitor "$RUN #"',
  }),
  own('worktree-config-changed', {
    what: 'The config.worktree that the person has is changed.',
    prepare: 'git sparse-checkout init --cone; git sparse-checkout set src',
    plant: 'git config --file .git/config.worktree core.fsmonitor "$RUN #"',
  }),
  own('remotes-file', {
    what: 'A file in .git/remotes makes origin a repository of the project, whose hooks run on a push.',
    plant: String.raw`git init -q --bare data.git; program data.git/hooks/pre-receive; mkdir -p .git/remotes
printf 'URL: ./data.git\n' >.git/remotes/origin`,
    person: 'git push origin HEAD:refs/heads/pushed',
    maxGit: '2.99',
  }),
  own('branches-file', {
    what: 'The same by a file in .git/branches.',
    plant:
      'git init -q --bare data.git; program data.git/hooks/pre-receive; mkdir -p .git/branches; echo ./data.git >.git/branches/origin',
    person: 'git push origin HEAD:refs/heads/pushed',
    maxGit: '2.99',
  }),
  own('push-to-remote-in-project', {
    what: 'The person’s remote is a repository of the project, in which a command plants hooks.',
    prepare: 'git init -q --bare mirror.git; git remote add origin ./mirror.git',
    plant: 'for hook in pre-receive update post-receive post-update; do program mirror.git/hooks/$hook; done',
    person: 'git push origin HEAD:refs/heads/pushed',
  }),
  own('alternate-repository', {
    what: 'Objects of another repository are lent, and the remote’s configuration says how to ask for its refs.',
    prepare: 'git init -q --bare mirror.git; git remote add origin ./mirror.git',
    plant:
      'git config --file mirror.git/config core.alternateRefsCommand "$RUN #"; echo "$PWD/.git/objects" >mirror.git/objects/info/alternates',
    person: 'git push origin HEAD:refs/heads/pushed',
  }),
  own('odd-spelling', {
    what: 'Folders .GIT and git~1 beside .git, which are the same on other systems.',
    plant:
      'cp -r .git .GIT; every_key "$PWD/.GIT"; cp -r .git "git~1"; every_key "$PWD/git~1"; mkdir sub; cp -r .git sub/.GIT; every_key "$PWD/sub/.GIT"',
  }),
  own('refs-with-odd-names', {
    what: 'Branches and tags whose names look like options and commands.',
    plant: String.raw`head=$(git rev-parse HEAD); mkdir -p '.git/refs/heads/-' ; echo $head >'.git/refs/heads/--upload-pack=touch'
echo $head >".git/refs/heads/\$(touch)"; echo $head >".git/refs/tags/--output=x"; git pack-refs --all`,
    inert: 'git takes a name for a name; a prompt that puts it into a command is not among what is tried here',
  }),
];

const hookRows: readonly HostileRow[] = [
  ...hookNames.map((name): HostileRow => ({
    id: `hook-top-${name}`,
    subject: hooks,
    what: `The hook ${name} of the project.`,
    everyday,
    plant: `program .git/hooks/${name}`,
  })),
  ...hookNames.map((name): HostileRow => ({
    id: `hook-nested-${name}`,
    subject: hooks,
    what: `The hook ${name} of a repository within that a command made.`,
    everyday,
    plant: `repository lib/dep; program lib/dep/.git/hooks/${name}; git add lib/dep`,
    folders: ['lib/dep'],
  })),
  {
    id: 'hook-top-by-choice',
    subject: hooks,
    what: 'Hooks of the project that run with what a person does less often.',
    everyday: 'nothing',
    plant:
      'for hook in pre-push pre-rebase post-merge post-rewrite pre-merge-commit applypatch-msg pre-applypatch pre-auto-gc; do program .git/hooks/$hook; done',
    person:
      'git checkout -q -b side; git commit -q --allow-empty -m x; git checkout -q main; git merge --no-ff -m m side; git rebase HEAD~1; git commit -q --amend -m y; git push . HEAD:refs/heads/z',
  },
  {
    id: 'hook-nested-by-choice',
    subject: hooks,
    what: 'The same in a repository within that a command made.',
    everyday: 'nothing',
    plant:
      'repository lib/dep; git add lib/dep; for hook in pre-push pre-rebase post-merge post-rewrite pre-merge-commit; do program lib/dep/.git/hooks/$hook; done',
    person:
      'cd lib/dep\ngit checkout -q -b side; git commit -q --allow-empty -m x; git checkout -q main; git merge --no-ff -m m side; git rebase HEAD~1; git commit -q --amend -m y; git push . HEAD:refs/heads/z',
  },
  {
    id: 'hook-of-copied-repository',
    subject: hooks,
    what: 'The person’s repository is copied into a sub-folder with its hooks, to which a program is added.',
    everyday,
    plant: 'mkdir copy; cp -r .git copy/.git; program copy/.git/hooks/post-index-change; git -C copy checkout -q .',
    folders: ['copy'],
  },
];

const ledRows: readonly HostileRow[] = [
  {
    id: 'led-hooks-folder',
    subject: led,
    what: 'The person’s core.hooksPath leads to a folder of the project.',
    everyday,
    prepare:
      'git config core.hooksPath tools/hooks; mkdir -p tools/hooks; echo true >tools/hooks/README; git add -A; git commit -qm hooks',
    plant: 'program tools/hooks/pre-commit',
  },
  {
    id: 'led-hooks-folder-absent',
    subject: led,
    what: 'The same, where the folder is not there yet (a package manager makes it).',
    everyday,
    isOwnChoice: true,
    places: ['.hooks/_'],
    prepare: 'git config core.hooksPath .hooks/_',
    plant: 'program .hooks/_/pre-commit',
  },
  {
    id: 'led-include',
    subject: led,
    what: 'The person’s configuration includes a file of the project.',
    everyday,
    prepare:
      'git config include.path ../.gitconfig; git config --file .gitconfig alias.co checkout; git add -A; git commit -qm config',
    plant: 'git config --file .gitconfig core.fsmonitor "$RUN #"',
  },
  {
    id: 'led-include-absent',
    subject: led,
    what: 'The same, where the file is not there yet.',
    everyday,
    isOwnChoice: true,
    places: ['.gitconfig.local'],
    prepare: 'git config include.path ../.gitconfig.local',
    plant: 'git config --file .gitconfig.local core.fsmonitor "$RUN #"',
  },
  {
    id: 'led-filter',
    subject: led,
    what: 'The person’s filter is a program of the project.',
    everyday,
    isOwnChoice: true,
    prepare: `mkdir tools; printf '#!/bin/sh\\ncat\\n' >tools/clean; chmod +x tools/clean; git config filter.own.clean ./tools/clean; echo '*.py filter=own' >.gitattributes; git add -A; git commit -qm filter`,
    plant: 'program tools/clean cat; echo "z = 3" >>src/app.py',
    places: ['tools/clean'],
  },
  {
    id: 'led-filter-by-attributes',
    subject: led,
    what: 'The person’s filter is a program of the project, and new attributes make more files go through it.',
    everyday,
    isOwnChoice: true,
    prepare: `mkdir tools; printf '#!/bin/sh\\ncat\\n' >tools/clean; chmod +x tools/clean; git config filter.own.clean ./tools/clean; git add -A; git commit -qm filter`,
    plant: `program tools/clean cat; echo '* filter=own' >.gitattributes; echo "z = 3" >>src/app.py`,
    places: ['tools/clean', '.gitattributes'],
  },
  {
    id: 'led-filter-by-info-attributes',
    subject: led,
    what: 'The same by .git/info/attributes, which nobody sees.',
    everyday,
    isOwnChoice: true,
    prepare: `mkdir tools; printf '#!/bin/sh\\ncat\\n' >tools/clean; chmod +x tools/clean; git config filter.own.clean ./tools/clean; git add -A; git commit -qm filter`,
    plant: `program tools/clean cat; mkdir -p .git/info; echo '* filter=own' >.git/info/attributes; echo "z = 3" >>src/app.py`,
    places: ['tools/clean', '.git/info/attributes'],
  },
  ...(
    [
      ['core.fsmonitor', 'tools/watch', ''],
      ['diff.external', './tools/watch', 'echo "z = 3" >>src/app.py'],
      ['core.editor', './tools/watch', ''],
      ['alias.st', '!./tools/watch', ''],
      ['core.pager', './tools/watch', ''],
    ] as const
  ).map(([key, value, more]): HostileRow => ({
    id: `led-${key.replace('.', '-').toLowerCase()}`,
    subject: led,
    what: `The person’s ${key} is a program of the project.`,
    everyday,
    isOwnChoice: true,
    prepare: `program tools/watch; printf '#!/bin/sh\\ntrue\\n' >tools/watch; git config ${key} '${value}'; git add -A; git commit -qm watch`,
    plant: `program tools/watch; ${more === '' ? 'true' : more}`,
    places: ['tools/watch'],
  })),
];

const unfinishedRows: readonly HostileRow[] = [
  {
    id: 'unfinished-rebase',
    subject: unfinished,
    what: 'A rebase of the person has stopped; a command adds exec to what is left of it.',
    everyday: 'nothing',
    prepare: `git checkout -q -b side HEAD~1; echo other >src/app.py; git commit -qam other; git rebase main`,
    plant: 'echo "exec $RUN" >>.git/rebase-merge/git-rebase-todo; git checkout --theirs src/app.py; git add src/app.py',
    person: 'git rebase --continue',
    places: ['.git/rebase-merge'],
  },
  {
    id: 'unfinished-rebase-planted',
    subject: unfinished,
    what: 'A command begins a rebase that stops at an edit, and leaves it with an exec.',
    everyday: 'nothing',
    plant: `GIT_SEQUENCE_EDITOR='sed -i "1s/pick/edit/"' git rebase -i --root; echo "exec $RUN" >>.git/rebase-merge/git-rebase-todo`,
    person: 'git rebase --continue',
    places: ['.git/rebase-merge'],
  },
  {
    id: 'unfinished-rebase-everyday',
    subject: unfinished,
    what: 'The same; a person who does not know of it goes on as every day.',
    everyday,
    plant: `GIT_SEQUENCE_EDITOR='sed -i "1s/pick/edit/"' git rebase -i --root; echo "exec $RUN" >>.git/rebase-merge/git-rebase-todo`,
    inert: 'no everyday command goes on with a rebase',
  },
  {
    id: 'unfinished-home-as-work-tree',
    subject: unfinished,
    what: 'A repository within has the person’s home as its work tree: a checkout there writes a shell’s start file.',
    everyday: 'nothing',
    plant: String.raw`repository lib/dep; echo "$RUN" >lib/dep/.bashrc; git -C lib/dep add -f .bashrc; git -C lib/dep commit -qm rc; git add lib/dep
git -C lib/dep config core.worktree "../../../../../../../../../../$PERSON_HOME"`,
    person: 'cd lib/dep && git checkout -f\ncd ~ && bash -ic true',
  },
  {
    id: 'unfinished-home-staged',
    subject: unfinished,
    what: 'The same; what is added there copies the person’s files into the project.',
    everyday: 'nothing',
    prepare: 'mkdir -p ~/private; echo secret-of-the-person >~/private/key',
    plant: String.raw`repository lib/dep; git -C lib/dep config core.worktree "../../../../../../../../../../$PERSON_HOME"; git -C lib/dep commit -qm empty --allow-empty`,
    folders: ['lib/dep'],
    person: String.raw`mkdir -p ~/private; echo secret-of-the-person >~/private/key
cd lib/dep && git add -A
git cat-file --batch-all-objects --batch 2>/dev/null | grep -aq secret-of-the-person && echo 'git add leaked a file' >>"$MARK"`,
  },
];

export const gitOwnRows: readonly HostileRow[] = [...topRows, ...hookRows, ...ledRows, ...unfinishedRows];
