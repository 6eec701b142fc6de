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
  { name: 'ty', program: 'ty', args: ['server'], languages: python },
  {
    name: 'TypeScript',
    program: 'tsc',
    args: ['--lsp', '--stdio'],
    languages: javascript,
    fromVersion: 7,
    knowsOnlyOpenFiles: true,
  },
  {
    name: 'typescript-language-server',
    program: 'typescript-language-server',
    args: ['--stdio'],
    languages: javascript,
    knowsOnlyOpenFiles: true,
  },
  { name: 'gopls', program: 'gopls', args: [], languages: { '.go': 'go' }, options: { pullDiagnostics: true } },
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
  },
];

/** The language of a file for this server; null: it does not know such files. */
export function languageFor({ languages }: Pick<ServerKind, 'languages'>, path: string): string | null {
  const end = path.lastIndexOf('.');
  return end < 0 ? null : (languages[path.slice(end).toLowerCase()] ?? null);
}
