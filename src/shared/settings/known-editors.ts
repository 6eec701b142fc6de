/** Editors that can open a file, in the order in which they are tried. None needs a terminal. */
export const knownEditors = {
  vscode: 'VS Code',
  cursor: 'Cursor',
  zed: 'Zed',
  vscodium: 'VSCodium',
  sublime: 'Sublime Text',
  idea: 'IntelliJ IDEA',
  pycharm: 'PyCharm',
  webstorm: 'WebStorm',
  goland: 'GoLand',
} as const;

export type EditorId = keyof typeof knownEditors;

/** `auto`: the first editor that is found. `system`: the system's default program for the file. */
export const editorChoices = [
  'auto',
  'vscode',
  'cursor',
  'zed',
  'vscodium',
  'sublime',
  'idea',
  'pycharm',
  'webstorm',
  'goland',
  'system',
] as const satisfies readonly ('auto' | 'system' | EditorId)[];

/** The ids of the editors, in order. */
export const editorIds: readonly EditorId[] = editorChoices.filter((id) => id !== 'auto' && id !== 'system');

/**
 * Endings of text files that the system's default program shows and does not run: no scripts, no pages, no tables that
 * can hold formulas. Other files are opened only by an editor that the user chose.
 */
const plainEndings: ReadonlySet<string> = new Set(
  `txt md markdown rst adoc log json jsonl yaml yml toml ini cfg conf env css scss less c h cc cpp hpp cs go rs java kt
  swift scala ts tsx jsx vue sql tex diff patch`.split(/\s+/u),
);

export function isPlainText(path: string): boolean {
  const name = path.split(/[\\/]/u).at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  return dot > 0 && plainEndings.has(name.slice(dot + 1).toLowerCase());
}
