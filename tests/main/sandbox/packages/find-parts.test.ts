import { describe, expect, it } from 'vitest';
import { findParts, keyOf } from '../../../../src/main/sandbox/packages/find-parts.ts';
import { placeInSession, type OwnSetup } from '../../../../src/main/sandbox/packages/dependency-part.ts';
import type { ProjectTop } from '../../../../src/main/sandbox/packages/package-files.ts';

const pip = '/deps/python/bin/python -m pip install';

function top(files: Readonly<Record<string, string>>, folders: readonly string[] = []): ProjectTop {
  return { texts: new Map(Object.entries(files)), names: new Set([...Object.keys(files), ...folders]) };
}

/** Each tool and its install commands, without the environment created before and pytest added after. */
function found(project: ProjectTop, own: OwnSetup = {}): readonly (readonly [string, string])[] {
  const around = ['python3 -m venv /deps/python', `${pip} pytest`, 'cp -a node_modules/. /node_modules/'];
  return findParts(project, own).map(({ tool, commands }) => [
    tool,
    commands.filter((command) => !around.includes(command) && !command.startsWith('npm pkg delete')).join(' ; '),
  ]);
}

const packageJson = JSON.stringify({ name: 'a', devDependencies: { tape: '^5.0.0' } });
const project = '[project]\nname = "a"\nversion = "1"\n';
const uv =
  'UV_PROJECT_ENVIRONMENT=/deps/python ../tools/bin/uv sync --frozen --inexact --no-install-project --all-extras --all-groups --python python3';

describe('the search for packages of a project', () => {
  it.each<[string, ProjectTop, readonly (readonly [string, string])[]]>([
    ['nothing', top({ 'README.md': '' }), []],
    ['a list', top({ 'requirements.txt': 'six\n' }), [['pip', `${pip} -r requirements.txt`]]],
    [
      'lists: what tests need before what developers need, never documentation',
      top({
        'requirements.txt': 'six\n',
        'requirements-dev.txt': 'tox\n',
        'requirements/tests.txt': 'mock\n',
        'requirements/docs.txt': 'sphinx\n',
        'requirements/tests37.txt': 'mock==1\n',
      }),
      [['pip', `${pip} -r requirements.txt -r requirements/tests.txt`]],
    ],
    ['lists without tests', top({ 'dev-requirements.txt': 'tox\n' }), [['pip', `${pip} -r dev-requirements.txt`]]],
    [
      'a list with hashes takes nothing beside it',
      top({ 'requirements.txt': 'six==1.0 --hash=sha256:00\n', 'setup.py': 'setup()' }),
      [['pip', `${pip} -r requirements.txt ; ${pip} --no-deps .`]],
    ],
    [
      'an extra for tests',
      top({ 'pyproject.toml': `${project}[project.optional-dependencies]\ndev = ["ruff"]\ntest = ["mock"]\n` }),
      [['pip', `${pip} '.[test]'`]],
    ],
    [
      'an extra with dots',
      top({ 'pyproject.toml': `${project}optional-dependencies.tests = ["mock"]\n` }),
      [['pip', `${pip} '.[tests]'`]],
    ],
    [
      'a project written in tables within lines and quoted names',
      top({
        'pyproject.toml':
          'project = { name = "a", version = "1", "optional-dependencies" = { "test" = ["mock"] } } # [tool.poetry]\n',
      }),
      [['pip', `${pip} '.[test]'`]],
    ],
    [
      'a table that stands in a text is none',
      top({ 'pyproject.toml': 'about = """\n[project]\nname = "a"\n"""\n' }),
      [],
    ],
    ['a broken file says nothing', top({ 'pyproject.toml': `${project}[project\n` }), []],
    [
      'a group for tests',
      top({ 'pyproject.toml': `${project}[dependency-groups]\ntests = ["mock"]\n[tool.x]\ndev = 1\n` }),
      [['pip', `${pip} --upgrade pip ; ${pip} . --group tests`]],
    ],
    [
      'what tox installs',
      top({ 'setup.py': 'setup()', 'tox.ini': '[testenv]\ndeps =\n  mock>=3\n  pytest\n  -c x.txt\ncommands = x\n' }),
      [['pip', `${pip} . ; ${pip} 'mock>=3'`]],
    ],
    [
      'a lock of uv',
      top({ 'pyproject.toml': project, 'uv.lock': '' }),
      [['uv', `python3 -m venv ../tools && ../tools/bin/pip install uv ; ${uv} ; ${pip} --no-deps .`]],
    ],
    [
      'a lock of poetry',
      top({ 'pyproject.toml': '[tool.other]\n', 'poetry.lock': '' }),
      [
        [
          'poetry',
          'python3 -m venv ../tools && ../tools/bin/pip install poetry ; VIRTUAL_ENV=/deps/python ../tools/bin/poetry install --no-root --all-extras --no-interaction',
        ],
      ],
    ],
    ['a lock of npm', top({ 'package.json': packageJson, 'package-lock.json': '{}' }), [['npm', 'npm ci']]],
    ['no lock', top({ 'package.json': packageJson }), [['npm, without a lock file', 'npm install --no-package-lock']]],
    ['packages that are there', top({ 'package.json': packageJson }, ['node_modules/']), []],
    ['no packages', top({ 'package.json': '{"name": "a"}' }), []],
    [
      'a project of Maven: what its tests need, without running one',
      top({ 'pom.xml': '<project/>' }),
      [
        [
          'maven',
          "MAVEN_OPTS=-Dmaven.repo.local=/deps/java mvn -B -q test -Dtest='*#noTestHasThisName' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false",
        ],
      ],
    ],
    [
      'a lock of Bundler, kept as it is',
      top({ Gemfile: "source 'https://gems.example.org'", 'Gemfile.lock': '' }),
      [['bundler', 'GEM_HOME=/deps/ruby BUNDLE_APP_CONFIG=/deps/ruby BUNDLE_FROZEN=true bundle install']],
    ],
    [
      'no lock of Bundler',
      top({ Gemfile: '' }),
      [['bundler', 'GEM_HOME=/deps/ruby BUNDLE_APP_CONFIG=/deps/ruby bundle install']],
    ],
    [
      'a project of Composer',
      top({ 'composer.json': '{}', 'composer.lock': '{}' }),
      [
        [
          'composer',
          'composer install --no-interaction --no-progress --no-scripts --prefer-dist ; cp -a vendor/. /deps/php/',
        ],
      ],
    ],
    ['packages of Composer that are there', top({ 'composer.json': '{}' }, ['vendor/']), []],
    ['a broken package.json', top({ 'package.json': '{' }), []],
    [
      'a lock of pnpm, of its time',
      top({ 'package.json': packageJson, 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }),
      [
        [
          'pnpm',
          'npm install --prefix ../tools pnpm@8 ; ../tools/node_modules/.bin/pnpm install --frozen-lockfile --store-dir ../cache/pnpm',
        ],
      ],
    ],
    [
      'a lock of yarn, and the version that the project names',
      top({ 'package.json': '{"packageManager": "yarn@1.22.5", "dependencies": {"a": "1"}}', 'yarn.lock': '# yarn' }),
      [
        [
          'yarn',
          'npm install --prefix ../tools yarn@1.22.5 ; ../tools/node_modules/.bin/yarn install --frozen-lockfile --non-interactive',
        ],
      ],
    ],
  ])('finds how to install them: %s', (_name, given, expected) => {
    expect(found(given)).toEqual(expected);
  });

  it('ignores more than a version in the version of a package manager', () => {
    const hostile = top({
      'package.json': '{"packageManager": "pnpm@9; curl evil", "dependencies": {"a": "1"}}',
      'pnpm-lock.yaml': '',
    });
    expect(found(hostile)[0]?.[1]).toMatch(/^npm install --prefix \.\.\/tools pnpm@9 ; /);
  });

  it('ignores shell commands in a tox file', () => {
    const hostile = top({ 'setup.py': 'setup()', 'tox.ini': "[testenv]\ndeps =\n  a'; curl evil\n  $(b)\n  mock\n" });
    expect(found(hostile)).toEqual([['pip', `${pip} . ; ${pip} mock`]]);
  });

  it('uses a command of the settings instead of what it found', () => {
    expect(found(top({ 'package.json': packageJson, 'requirements.txt': 'six' }), { python: 'make deps' })).toEqual([
      ['own command', 'make deps'],
      ['npm, without a lock file', 'npm install --no-package-lock'],
    ]);
  });

  it('allows the hosts of lists and lock files, but not those of comments and homepages', () => {
    const lock = JSON.stringify(
      {
        packages: {
          a: { resolved: 'https://packages.example.org/a.tgz', funding: { url: 'https://money.example.org/a' } },
        },
      },
      null,
      2,
    );
    const parts = findParts(
      top({
        'requirements.txt':
          '# see https://docs.example.org/\n--index-url https://me:word@index.example.org/simple\nsix\n',
        'package.json': packageJson,
        'package-lock.json': lock,
      }),
      {},
    );
    expect(parts.map(({ hosts }) => hosts)).toEqual([['index.example.org'], ['packages.example.org']]);
  });
});

describe('the hosts of packages in other languages', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      'repositories of Maven, not homepages',
      {
        'pom.xml':
          '<project><url>https://home.example.org</url><repositories><repository><id>a</id><url>https://maven.example.org/r</url></repository></repositories></project>',
      },
      ['maven.example.org'],
    ],
    [
      'sources of Bundler, not comments',
      {
        Gemfile: "# https://no.example.org\nsource 'https://gems.example.org'\n",
        'Gemfile.lock': 'GIT\n  remote: https://git.example.org/a.git\n',
      },
      ['gems.example.org', 'git.example.org'],
    ],
    [
      'archives and repositories of Composer, not support and donations',
      {
        'composer.json': JSON.stringify({
          homepage: 'https://no.example.org',
          repositories: [{ type: 'composer', url: 'https://php.example.org' }, 'packagist'],
        }),
        'composer.lock': JSON.stringify({
          packages: [
            { name: 'a/a', dist: { url: 'https://zip.example.org/a' }, funding: [{ url: 'https://no.example.org' }] },
          ],
          'packages-dev': [{ name: 'b/b', dist: null }],
        }),
      },
      ['php.example.org', 'zip.example.org'],
    ],
    ['a composer.json that is no JSON names none', { 'composer.json': '{"repositories": ' }, []],
    [
      'registries and repositories of Cargo',
      {
        'Cargo.toml': '[dependencies]\na = "1"\n',
        'Cargo.lock':
          'source = "registry+https://crates.example.org/index"\nsource = "git+https://git.example.org/a?rev=1#2"\n',
      },
      ['crates.example.org', 'git.example.org'],
    ],
  ])('are those of %s', (_name, files, expected) => {
    expect(findParts(top(files), {}).flatMap(({ hosts }) => hosts)).toEqual(expected);
  });
});

describe('packages below the top of a project', () => {
  const lock = '{"lockfileVersion": 3}';
  const places = (own: ProjectTop, below: Readonly<Record<string, ProjectTop>>): readonly (readonly string[])[] =>
    findParts(
      own,
      {},
      Object.entries(below).map(([folder, inside]) => ({ folder, top: inside })),
    ).map((part) => [part.folder, part.place, placeInSession(part)]);

  it('go to the usual place if the top has none, and else beside it', () => {
    const node = top({ 'package.json': packageJson, 'package-lock.json': lock });
    expect(places(top({}), { admin: node, 'apps/web': node, backend: top({ 'requirements.txt': 'six' }) })).toEqual([
      ['backend', '/deps/python', '/deps/python'],
      ['admin', '/node_modules', '/node_modules'],
      [
        'apps/web',
        expect.stringMatching(/^\/deps\/javascript-apps-web-[0-9a-f]{6}$/),
        '/workspace/apps/web/node_modules',
      ],
    ]);
    const [part] = findParts(node, {}, [
      { folder: 'apps/web', top: top({ 'package.json': packageJson, 'pnpm-lock.yaml': '' }) },
    ]).slice(1);
    expect(part?.files).toEqual(['apps/web/package.json', 'apps/web/pnpm-lock.yaml']);
    expect(part?.commands.slice(1)).toEqual([
      'npm install --prefix ../../../tools pnpm@10',
      '../../../tools/node_modules/.bin/pnpm install --frozen-lockfile --store-dir ../../../cache/pnpm',
      `cp -a node_modules/. ${part?.place}/`,
    ]);
  });

  it('are mounted beside the files of each folder for PHP, and found by a variable for Ruby', () => {
    const php = top({ 'composer.json': '{}', 'composer.lock': '{}' });
    expect(places(php, { web: php })).toEqual([
      ['', '/deps/php', '/workspace/vendor'],
      ['web', '/deps/php-web', '/workspace/web/vendor'],
    ]);
    expect(places(top({ Gemfile: '' }), {})).toEqual([['', '/deps/ruby', '/deps/ruby']]);
  });

  it('count only with their own lock file when the top has packages of their kind', () => {
    const member = top({ 'package.json': packageJson });
    const workspaces = top({ 'package.json': '{"workspaces": ["packages/*"]}', 'package-lock.json': lock });
    expect(places(workspaces, { 'packages/a': member })).toEqual([['', '/node_modules', '/node_modules']]);
    const python = top({ 'requirements.txt': 'six' });
    expect(places(python, { tool: python, other: top({ 'uv.lock': '', 'pyproject.toml': project }) })).toEqual([
      ['', '/deps/python', '/deps/python'],
      ['other', '/deps/python-other', '/deps/python-other'],
    ]);
  });
});

describe('the cache key of installed packages', () => {
  const files = { 'package.json': packageJson, 'package-lock.json': '{}', 'requirements.txt': 'six' };
  const keys = (
    given: Readonly<Record<string, string>>,
    imageId = 'sha256:1',
    projectPath = '/one',
  ): readonly string[] => {
    const project = top(given);
    return findParts(project, {}).map((part) => keyOf(part, project.texts, { imageId, projectPath }));
  };

  it('changes with the image, a lock file or a command of that part, and only then', () => {
    const [python, javascript] = keys(files);
    expect(keys({ ...files, 'README.md': 'new' })).toEqual([python, javascript]);
    expect(keys({ ...files, 'package-lock.json': '{ }' })).toEqual([
      python,
      expect.not.stringMatching(javascript ?? ''),
    ]);
    expect(keys({ ...files, 'requirements.txt': 'six\n' })[0]).not.toBe(python);
    for (const key of [...keys(files, 'sha256:2'), ...keys(files, 'sha256:1', '/other')])
      expect([python, javascript]).not.toContain(key);
  });
});
