const endings: Readonly<Record<string, string>> = {
  bash: 'sh',
  c: 'c',
  'c++': 'cpp',
  cpp: 'cpp',
  csharp: 'cs',
  css: 'css',
  csv: 'csv',
  diff: 'diff',
  go: 'go',
  html: 'html',
  java: 'java',
  javascript: 'js',
  js: 'js',
  json: 'json',
  jsx: 'jsx',
  markdown: 'md',
  md: 'md',
  patch: 'diff',
  php: 'php',
  py: 'py',
  python: 'py',
  rb: 'rb',
  rs: 'rs',
  ruby: 'rb',
  rust: 'rs',
  sh: 'sh',
  shell: 'sh',
  sql: 'sql',
  svg: 'svg',
  toml: 'toml',
  ts: 'ts',
  tsx: 'tsx',
  typescript: 'ts',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'sh',
};

/** The language of a file for a fence, by its file ending; empty when unknown. */
export function languageOfPath(path: string): string {
  const ending = /\.([a-z0-9]+)$/iu.exec(path)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(endings, ending)) return ending;
  return Object.keys(endings).find((language) => endings[language] === ending) ?? ending;
}

/** A file name for code, by the language of its fence. */
export function codeFileName(language: string): string {
  const name = language.toLowerCase();
  if (name === 'dockerfile') return 'Dockerfile';
  const ending = Object.hasOwn(endings, name) ? endings[name] : undefined;
  return ['code', ending ?? 'txt'].join('.');
}
