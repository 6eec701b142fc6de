/** A language server that Dewpoint knows how to start. The server itself comes from the image or the packages. */
export interface ServerKind {
  readonly name: string;
  /** The file that is looked for in the sandbox. */
  readonly program: string;
  readonly args: readonly string[];
  /** The language of a file by the end of its name, in the words of the protocol. */
  readonly languages: Readonly<Record<string, string>>;
  /** The first number of the version that the program must print. Absent: any version will do. */
  readonly fromVersion?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  /** It has said that it knows the files of the project when a message of its log begins so. */
  readonly readyText?: RegExp;
  /** It knows only the files that are open and those that they import. */
  readonly knowsOnlyOpenFiles?: true;
  /**
   * Its errors may be those of the text before an edit, so it is not asked for new ones. Seen with pyright 1.1.414 in
   * projects of more than 60 files that import each other.
   */
  readonly lagsBehindEdits?: true;
  /** An error that begins so is about a package that may be missing in the sandbox alone, so it is not passed on. */
  readonly missingText?: RegExp;
  /** Where a file has such an error, others of that file follow from it. */
  readonly missingSpoilsFile?: true;
}

const python = { '.py': 'python', '.pyi': 'python' };
/** Before it, pyright names the uses in open files alone. */
const foundFiles = /^(?:Found \d+ source|No source files found)/u;
const javascript = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'typescriptreact',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascriptreact',
};
/** A module that is no path of the project, or types of one. */
const missingModule =
  /^(?:Cannot find module '[^.']|Cannot find module or type declarations for side-effect import of '[^.']|Could not find a declaration file for module '[^.']|Cannot find type definition file|Cannot find name '[\w$]{1,100}'\. Do you need to install type definitions)/u;
const c = {
  '.c': 'c',
  '.h': 'cpp',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.cxx': 'cpp',
  '.hpp': 'cpp',
  '.hh': 'cpp',
};

/** In order: of several that know a language, the first that is found is used. None may write into the project. */
export const serverTable: readonly ServerKind[] = [
  {
    name: 'ty',
    program: 'ty',
    args: ['server'],
    languages: python,
    // A module of the project's own begins with a dot.
    missingText: /^Cannot resolve imported module `[^.`]/u,
  },
  {
    name: 'pyright',
    program: 'pyright-langserver',
    args: ['--stdio'],
    languages: python,
    readyText: foundFiles,
    lagsBehindEdits: true,
  },
  {
    name: 'basedpyright',
    program: 'basedpyright-langserver',
    args: ['--stdio'],
    languages: python,
    readyText: foundFiles,
    lagsBehindEdits: true,
  },
  {
    name: 'TypeScript',
    program: 'tsc',
    args: ['--lsp', '--stdio'],
    languages: javascript,
    fromVersion: 7,
    knowsOnlyOpenFiles: true,
    missingText: missingModule,
  },
  {
    name: 'typescript-language-server',
    program: 'typescript-language-server',
    args: ['--stdio'],
    languages: javascript,
    knowsOnlyOpenFiles: true,
    missingText: missingModule,
  },
  {
    name: 'gopls',
    program: 'gopls',
    args: [],
    languages: { '.go': 'go' },
    options: { pullDiagnostics: true },
    missingText: /^(?:could not import |no required module provides package )/u,
  },
  {
    name: 'rust-analyzer',
    program: 'rust-analyzer',
    args: [],
    languages: { '.rs': 'rust' },
    options: { checkOnSave: false, cargo: { buildScripts: { enable: false } }, procMacro: { enable: false } },
  },
  {
    name: 'clangd',
    program: 'clangd',
    // Its index of a whole project would be a folder in the project.
    args: ['--background-index=false'],
    languages: c,
    knowsOnlyOpenFiles: true,
    missingText: /^'[^']{1,200}' file not found/u,
    missingSpoilsFile: true,
  },
];

/** The language of a file for this server; null: it does not know such files. */
export function languageFor({ languages }: Pick<ServerKind, 'languages'>, path: string): string | null {
  const end = path.lastIndexOf('.');
  return end < 0 ? null : (languages[path.slice(end).toLowerCase()] ?? null);
}
