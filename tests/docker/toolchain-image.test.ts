import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none } from './docker-kit.ts';
import { minutes, openPackages, run, type PackagesUnderTest } from './packages-kit.ts';

/** The packages are files of the project itself, so that only Debian's packages come over the network. */
const project = {
  Gemfile: "gem 'greeter'\n",
  'greeter/greeter.gemspec':
    "Gem::Specification.new { |s| s.name = 'greeter'; s.version = '1.0.0'; s.summary = 'a'; s.authors = ['a']; s.files = ['lib/greeter.rb'] }\n",
  'greeter/lib/greeter.rb': "module Greeter; WORD = 'hello from Ruby'; end\n",
  'web/composer.json': JSON.stringify({
    name: 'acme/web',
    require: { 'acme/hello': '*' },
    autoload: { 'psr-4': { 'App\\': 'src/' } },
    repositories: [{ type: 'path', url: 'packages/hello', options: { symlink: false } }, { 'packagist.org': false }],
  }),
  'web/packages/hello/composer.json': JSON.stringify({
    name: 'acme/hello',
    version: '1.0.0',
    autoload: { 'psr-4': { 'Acme\\': 'src/' } },
  }),
  'web/packages/hello/src/Hello.php': "<?php namespace Acme; class Hello { const WORD = 'hello from PHP'; }\n",
  'web/src/Main.php': '<?php namespace App; class Main { static function word() { return \\Acme\\Hello::WORD; } }\n',
};

const ruby = `bundle install --local > /dev/null 2>&1 && bundle exec ruby -e "require 'greeter'; puts Greeter::WORD" 2> /dev/null`;
const php = `php -r "require 'vendor/autoload.php'; echo App\\Main::word(), PHP_EOL;"`;

describe.skipIf(isWithoutEngine)('an image with toolchains', () => {
  let bed: PackagesUnderTest;
  beforeAll(async () => void (bed = await openPackages()), minutes(3));
  afterAll(() => bed?.close());

  it(
    'runs Bundler and Composer once, and their packages are found offline, also in a copy',
    { timeout: minutes(10) },
    async () => {
      const path = await bed.project('gems', project);
      await bed.bringToolchains(path);
      await bed.session(path, async (sandbox) => {
        const build =
          'mkdir -p vendor/cache && cd greeter && gem build -q -o ../vendor/cache/greeter-1.0.0.gem *.gemspec';
        expect(await run(sandbox, build)).toMatchObject({ code: 0 });
        expect((await run(sandbox, ruby)).code).not.toBe(0);
      });
      const { parts } = valueOf(await bed.preparations.plan({ projectPath: path, hosts: [] }, none));
      expect(parts.map(({ ecosystem, folder, tool, state }) => [ecosystem, folder, tool, state])).toEqual([
        ['ruby', '', 'bundler', 'missing'],
        ['php', 'web', 'composer', 'missing'],
      ]);

      expect(await bed.prepare(path)).toEqual(['ready', 'ready']);
      await bed.session(path, async (sandbox) => {
        expect(sandbox.description.warnings).toEqual([]);
        expect((await run(sandbox, ruby)).text).toBe('hello from Ruby\n');
        expect((await run(sandbox, `cd web && ${php}`)).text).toBe('hello from PHP\n');
        const copy = 'cp -a web /scratch/copy && cd /scratch/copy && sed -i "s/return /return 5 . /" src/Main.php';
        expect((await run(sandbox, `${copy} && ${php}`)).text).toBe('5hello from PHP\n');
        for (const place of ['/deps/ruby/x', 'web/vendor/x'])
          expect((await run(sandbox, `touch ${place}`)).text).toContain('Read-only file system');
      });
    },
  );

  it('says which version of a package is missing', { timeout: minutes(5) }, async () => {
    const path = await bed.project('gone', { ...project, Gemfile: "gem 'greeter', '99'\n" });
    await bed.bringToolchains(path);
    const [reason] = await bed.prepare(path);
    expect(reason).toContain('The registry does not have a version that the project asks for.');
    expect(reason).toContain('greeter');
  });
});
