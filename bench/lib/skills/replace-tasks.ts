import type { SkillTask } from './skill-task.ts';

interface Renaming {
  readonly name: string;
  readonly prompt: string;
  readonly from: string;
  readonly to: string;
  /** Each text has `@` where the old name stands. */
  readonly files: Readonly<Record<string, string>>;
}

const code = (name: string): string => `import os\n\n\ndef ${name}():\n    return os.environ["@"]\n`;
const many = (count: number, text: (index: number) => string, path: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [path(index), text(index)]));

const renamings: readonly Renaming[] = [
  {
    name: 'token',
    prompt:
      'Rename the environment variable APP_TOKEN to SERVICE_TOKEN everywhere: code, configuration and documents. APP_TOKENS is another one and stays.',
    from: 'APP_TOKEN',
    to: 'SERVICE_TOKEN',
    files: {
      'app/a.py': code('a'),
      'app/b.py': code('b'),
      'README.md': 'Set @ before you start.\nAPP_TOKENS is a list.\n',
      '.env.example': '@=abc\nAPP_TOKENS=a,b\n',
      'deploy/app.yaml': 'env:\n  - name: @\n    value: x\n',
    },
  },
  {
    name: 'limit',
    prompt: 'The setting max_items is now called item_limit. Change every file. max_items_per_page stays as it is.',
    from: 'max_items',
    to: 'item_limit',
    files: {
      'config.json': '{\n  "@": 20,\n  "max_items_per_page": 5\n}\n',
      'src/load.js': 'export const limit = (c) => c.@ ?? 10;\nexport const page = (c) => c.max_items_per_page;\n',
      'src/show.js': 'import c from "../config.json";\nconsole.log(c.@);\n',
      'docs/settings.md': '| @ | how many |\n',
      'docs/faq.md': 'Raise `@`.\n',
    },
  },
  {
    name: 'product',
    prompt:
      'We renamed our product from Quickly to Rapido. Replace the word Quickly in all documents. The adverb quickly in lower case stays.',
    from: 'Quickly',
    to: 'Rapido',
    files: many(
      8,
      (index) => `# Page ${index}\n\n@ does it quickly. Buy @ ${index}.\n`,
      (index) => `docs/page-${index}.md`,
    ),
  },
  {
    name: 'host',
    prompt: 'Replace the address api.old.example with api.new.example in the whole project.',
    from: 'api.old.example',
    to: 'api.new.example',
    files: {
      'client.py': 'URL = "https://@/v1"\n',
      'client_test.py': 'from client import URL\n\n\ndef test_url():\n    assert URL == "https://@/v1"\n',
      'README.md': 'Ask https://@.\n',
      'web/app.js': 'fetch("https://@/v1/x");\nfetch("https://apixoldxexample/v1");\n',
      'conf/hosts.ini': '[main]\nhost = @\n',
    },
  },
  {
    name: 'class',
    prompt:
      'Rename the CSS class btn-main to button-primary in the pages and style sheets. btn-mainframe is something else.',
    from: 'btn-main',
    to: 'button-primary',
    files: {
      'style.css': '.@ { color: red }\n.btn-mainframe { color: blue }\n',
      'index.html': '<a class="@">x</a>\n<a class="btn-mainframe">y</a>\n',
      'about.html': '<b class="big @">x</b>\n',
      'a/b/c.html': '<i class="@ small">x</i>\n',
    },
  },
  {
    name: 'event',
    prompt:
      'The event user.created is called account.created from now on. Change it in all files; user.created_at is a field and stays.',
    from: 'user.created',
    to: 'account.created',
    files: {
      'emit.js': 'emit("@");\nlog(user.created_at);\n',
      'listen.js': 'on("@", () => user.created_at);\n',
      'schema.json': '{ "event": "@", "field": "user.created_at" }\n',
      'docs/events.md': '- `@`: somebody came\n',
    },
  },
  {
    name: 'license',
    prompt: 'Change the year in all license headers from "Copyright 2024 Nord" to "Copyright 2026 Nord".',
    from: 'Copyright 2024 Nord',
    to: 'Copyright 2026 Nord',
    files: many(
      9,
      (index) => `# @\nvalue = ${index}\n`,
      (index) => `pkg/m${index}.py`,
    ),
  },
  {
    name: 'table',
    prompt:
      'Rename the database table customers to clients in the queries below sql/ and in report.py. The word customers in README.md is about people and stays.',
    from: 'customers',
    to: 'clients',
    files: {
      'sql/one.sql': 'select * from @;\n',
      'sql/two.sql': 'delete from @ where id = 1;\n',
      'report.py': 'QUERY = "select id from @"\n',
      'README.md': 'Our customers like it.\n',
    },
  },
  {
    name: 'flag',
    prompt: 'The option --out-dir is now --target. Adapt scripts, documents and the workflow. --out-dir-mode stays.',
    from: '--out-dir',
    to: '--target',
    files: {
      'build.sh': 'tool @ dist --out-dir-mode 755\n',
      Makefile: 'all:\n\ttool @ dist\n',
      'README.md': 'Use `@ DIR`.\n',
      '.github/workflows/ci.yml': 'steps:\n  - run: tool @ out\n',
    },
  },
  {
    name: 'module',
    prompt: 'The package lib.helpers moved to lib.tools. Update every import in the project.',
    from: 'lib.helpers',
    to: 'lib.tools',
    files: many(
      7,
      (index) => `from @ import f${index}\nimport lib.helpersx\n\n\ndef g():\n    return f${index}()\n`,
      (index) => `app/part_${index}.py`,
    ),
  },
  {
    name: 'color',
    prompt: 'Our brand color changed from #1a2b3c to #0f4c81. Replace it in all files.',
    from: '#1a2b3c',
    to: '#0f4c81',
    files: {
      'a.css': 'a { color: @; border: 1px solid @ }\n',
      'b.css': 'b { background: @ }\n',
      'logo.svg': '<svg><path fill="@"/><path fill="#1a2b3d"/></svg>\n',
      'theme.json': '{ "brand": "@" }\n',
    },
  },
  {
    name: 'mail',
    prompt: 'Everyone should write to help@nord.example instead of support@nord.example. Change it everywhere.',
    from: 'support@nord.example',
    to: 'help@nord.example',
    files: {},
  },
  {
    name: 'port',
    prompt:
      'The server listens on port 8099 now instead of 8090. Change it in every file where 8090 is the port; 18090 is an item number.',
    from: '8090',
    to: '8099',
    files: {
      'server.js': 'listen(@);\n',
      Dockerfile: 'EXPOSE @\n',
      'README.md': 'Open http://localhost:@.\nItem 18090.\n',
      'compose.yaml': 'ports:\n  - "@:@"\n',
      'test/items.json': '[18090]\n',
    },
  },
  {
    name: 'version',
    prompt:
      'Raise the version from 3.4.1 to 3.5.0 in all files of this project. 13.4.1 is a version of something else.',
    from: '3.4.1',
    to: '3.5.0',
    files: {
      'package.json': '{ "version": "@", "dependencies": { "x": "13.4.1" } }\n',
      'pyproject.toml': 'version = "@"\n',
      'src/version.py': 'VERSION = "@"\n',
      'docs/index.md': 'This is @.\n',
    },
  },
  {
    name: 'city',
    prompt: 'Our office moved. Replace "Lund" by "Malmo" in all texts below texts/.',
    from: 'Lund',
    to: 'Malmo',
    files: many(
      6,
      (index) => `Office: @\nVisit @ in ${index} days. Lundgren is a name.\n`,
      (index) => `texts/t${index}.txt`,
    ),
  },
  {
    name: 'hook',
    prompt: 'Rename the hook useStore to useAppStore in all components. useStored is another one.',
    from: 'useStore',
    to: 'useAppStore',
    files: many(
      6,
      (index) => `import { @, useStored } from './store';\nexport const C${index} = () => @().x + useStored();\n`,
      (index) => `src/c${index}.jsx`,
    ),
  },
];

const mails = many(
  6,
  (index) => `Write to support@nord.example or sales@nord.example (${index}).\n`,
  (index) => `pages/p${index}.html`,
);

export const replaceTasks: readonly SkillTask[] = renamings.map(({ name, prompt, from, to, files }) => {
  const isMail = name === 'mail';
  const before = isMail ? mails : put(files, from);
  const after = isMail
    ? Object.fromEntries(Object.entries(mails).map(([path, text]) => [path, text.replaceAll(from, to)]))
    : put(files, to);
  return {
    id: `replace-${name}`,
    skill: 'replace-everywhere',
    prompt,
    files: before,
    judge: async ({ read }) => {
      for (const [path, text] of Object.entries(after))
        if ((await read(path)) !== text) return `${path} is not as it has to be`;
      return null;
    },
  };
});

function put(files: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll('@', name)]));
}
