/**
 * Names of files that are code, or that name what a program runs or installs. All are in lower case, because some disks
 * ignore it. A reason is for users, in a few words.
 */

export interface AutoRunNames {
  readonly why: string;
  /** Whole names of files. `*` stands for any characters. */
  readonly names?: string;
  /** Ends of names, after a dot. */
  readonly ends?: string;
  /** Names of folders, at any depth. Everything in them counts. */
  readonly folders?: string;
}

export const autoRunNames: readonly AutoRunNames[] = [
  {
    why: 'agents are told by it what to do',
    names: `agent.md agents.*.md claude.*.md qwen.md warp.md crush.md jules.md copilot.md codex.md cursor.md skill.md
      copilot-instructions.md *.instructions.md *.prompt.md *.chatmode.md *.agent.md .augment-guidelines
      claude_desktop_config.json mcp-config.json mcp_config.json`,
    ends: 'mdc',
    folders: `.dewpoint .agents .agent .ai .aiassistant .amp .augment .cody .devin .factory .firebender .openhands .ruler
      .sourcegraph .tabnine .trae .warp .zencoder memory-bank chatmodes`,
  },
  {
    why: 'your editor runs it or is set up by it',
    names: `.project .classpath .cproject .factorypath .kateproject .replit .vimspector.json .neoconf.json .brackets.json
      .tern-project .local.vimrc .lnvim.lua .dir-config.el .emacs .ctags coc-settings.json omnisharp.json launchsettings.json
      launch.vs.json tasks.vs.json cmakesettings.json devfile.yaml .devfile.yaml .clangd compile_commands.json
      compile_flags.txt rust-project.json hie.yaml tsconfig*.json jsconfig*.json analysis_options.yaml tslint.json`,
    ends: `iml ipr iws launch sublime-build sublime-workspace kdev4 creator creator.user suo`,
    folders: `.vs .settings .externaltoolbuilders .ropeproject .spyproject .nova .kdev4 .lsp .clj-kondo .codesandbox .idx
      .ctags.d .swiftpm nbproject .metals .bloop`,
  },
  {
    why: 'a shell, a terminal or a program that starts here runs it',
    names: `.zlogin .zlogout .bash_login .bash_logout .bash_aliases .aliases .login .logout .xprofile .xsession .wezterm.lua
      config.fish .mailcap .lessfilter .my.cnf .user.ini php.ini .htaccess .erlang .iex.exs .ocamlinit .gdbearlyinit
      *-gdb.gdb *-gdb.py *-gdb.scm *-lldb.py startup.jl gunicorn.conf.py celeryconfig.py config.nims nim.cfg latexmkrc
      texmf.cnf ipython_config.py .python-version .ruby-version .ruby-gemset .node-version .java-version .go-version
      .terraform-version pyvenv.cfg __main__.py`,
    folders: '.ssh .gnupg .streamlit',
  },
  {
    why: 'a program, or opens one when it is clicked',
    ends: `jar war class exe dll so dylib node pyd pyc scr msi lnk url desktop command terminal workflow scpt applescript
      vbs vbe wsf wsh hta cpl pif reg inf jse psm1 psd1 ps1xml appimage deb rpm pkg dmg apk`,
  },
  {
    why: 'your package manager installs what it names',
    names: `import_map.json
      pdm.toml .pdm.toml pixi.toml pylock*.toml constraints*.txt
      buildout.cfg bower.json component.json gems.rb cartfile mintfile brewfile
      rebar.lock gleam.toml
      packages.config paket.dependencies global.json dotnet-tools.json vcpkg.json
      vcpkg-configuration.json conanfile.txt cpanfile dist.ini project.toml manifest.toml
      pubspec.yaml shard.yml dub.json dub.sdl haxelib.json v.mod alire.toml fpm.toml spago.dhall spago.yaml
      esy.json deps.edn project.clj bb.edn shadow-cljs.edn profiles.clj ivy.xml ivysettings.xml libs.versions.toml
      stack.yaml cabal.project* berksfile puppetfile galaxy.yml meta.yaml recipe.yaml guix.scm manifest.scm
      channels.scm entry_points.txt`,
    ends: 'cabal opam rockspec nimble asd egg-link',
  },
  {
    why: 'runs or names what runs when you test or check',
    names: `pylintrc *.pdbrc.py .pdbrc.py .rubocop*.yml rubocop.yml .simplecov .standard.yml .solargraph.yml .erb-lint.yml
      .yardopts steepfile phpunit*.xml phpunit.xml.* phpcs.xml* .phpcs.xml* phpstan.neon* phpstan*.neon psalm.xml* rector.php
      ecs.php .php-cs-fixer*.php .php_cs* infection.json* grumphp.yml captainhook.json behat.yml* codeception*.yml
      .formatter.exs .credo.exs checkstyle.xml junit-platform.properties .scalafmt.conf .scalafix.conf lombok.config
      .golangci.* golangci.* .tflint.hcl .swiftlint.yml .luacheckrc .busted .luacov .bandit .isort.cfg .arcconfig .arclint
      mocha.opts jasmine.json testem.js testem.json wallaby.js cucumber.js nightwatch.json cypress.json stryker*.json
      backstop.json setuptests.* *.setup.js *.setup.ts *.setup.mjs *.setup.cjs *.conf.js *.conf.ts *.conf.mjs *.conf.cjs
      *.conf.json *.workspace.js *.workspace.ts *.preset.js .markdownlint* .dependency-cruiser.* .size-limit.* .pa11yci
      .ember-cli* .pyre_configuration .megalinter.yml .mega-linter.yml asv.conf.json .hadolint.yaml sonar-project.properties
      .vale.ini ward.toml dangerfile* guardfile appraisals ctestcustom* .pre-commit* noxfile.*`,
    ends: 'runsettings testsettings ruleset xctestplan',
    folders: '__mocks__ .storybook .trunk features/support cypress/support cypress/plugins',
  },
  {
    why: 'runs or names what runs when you build or start a task',
    names: `gradle-wrapper.jar maven-wrapper.jar maven-wrapper.properties wscript waf conanfile.py nodemon.json cdk.json
      cdktf.json angular.json workspace.json project.json lerna.json rush.json moon.yml tauri*.conf.json trunk.toml
      makefile.toml bacon.toml cross.toml dioxus.toml air.toml .air.toml hatch.toml hatch_build.py pdm_build.py build.py
      build.js build.mjs build.cjs build.ts esbuild.* webpack.*.js webpack.*.ts rollup.*.js rollup.*.mjs makefile.js
      jakefile* cakefile plopfile.* just-task.js brocfile.js ember-cli-build.js knexfile.* ormconfig.* codegen.yml
      codegen.ts schema.prisma process.json ecosystem.* .eleventy.js metro.* app.config.* app.json procfile.* tasks.py
      invoke.yaml pavement.py duties.py snakefile dvc.yaml mkdocs.yml book.toml _config.yml hugo.toml _quarto.yml
      _targets.r doxyfile* antora-playbook.yml build.yaml melos.yaml thorfile capfile config.ru appfile matchfile
      deliverfile gymfile scanfile snapfile pluginfile rakefile.rb robofile.php castor.php deploy.php artisan box.json
      build.sc build.mill mill .jvmopts .sbtopts .mill-jvm-opts build.clj build.boot user.clj build.pl emakefile erlang.mk
      rebar.config.script shakefile.hs setup.lhs myocamlbuild.ml _tags dune-project dune-workspace jamfile* jamroot*
      project.jam tupfile* buck .buckconfig pants.toml build.pants .plzconfig premake*.lua xmake.lua kbuild* kconfig*
      configure.in configure.win cleanup bootstrap autogen* config.status aclocal.m4 makevars* meson_options.txt
      meson.options foundry.toml truffle-config.js remappings.txt rescript.json bsconfig.json project.yml project.swift
      devspace.yaml garden.yml okteto.yml werf.yaml dagger.json magefile* tools.go taskfile.* gradle-daemon-jvm.properties
      versioneer.py site_scons electron-builder.* versions.props directory.build.* msbuild.rsp`,
    ends: `gradle gradle.kts vcxproj vcxproj.filters vcxproj.user vcproj sln slnx proj projitems shproj njsproj pyproj sqlproj
      wixproj esproj csproj.user tasks rsp pubxml tt cake csx fsx pbxproj xcscheme xcworkspacedata xcconfig m4 pro pri qbs
      bzl bb rake thor smk nims gpr hxml uproject uplugin build.cs rproj groovy zon nix`,
    folders: `buildsrc .moon .rush magefiles site_scons tuist _plugins _templates *.xcodeproj *.xcworkspace *.playground .dagger .earthly renv
      gradle/wrapper project/project`,
  },
  {
    why: 'runs when you deploy',
    names: `terragrunt.hcl root.hcl .terraform.lock.hcl atlantis.yaml firebase.json now.json wrangler.* fly.toml render.yaml
      railway.* app.yaml serverless.* samconfig.toml template.yaml amplify.yml playbook*.yml site.yml requirements.yml
      inventory inventory.* chart.yaml helmfile.yaml* kustomization.y*ml caddyfile supervisord.conf crontab packer.json
      appspec.y*ml user-data cloud-config.y*ml pulumi.*.yaml`,
    ends: `tf.json tofu tofu.json tfvars tfvars.json hcl nomad service timer plist pkr.json`,
    folders: '.terraform .ebextensions .elasticbeanstalk molecule group_vars host_vars',
  },
  {
    why: 'runs on your build server, with its secrets',
    names: `jenkinsfile* bitrise.yml codemagic.yaml .prow.yaml .zuul.yaml zuul.yaml .cirun.yml .mergify.yml .coderabbit.yaml
      .azure-pipelines*.yml azure-pipelines*.yml .ko.yaml lefthook-local.* .lefthook-local.*`,
    ends: 'jenkinsfile',
    folders: '.jenkins .tekton .builds .gitlab .ci zuul.d .lefthook .hooks ',
  },
];
