/**
 * Reduces the configuration of a git repository that a command made. Only settings stay that name no program, no
 * file to read and no folder outside of the repository. All others are removed, including those that are unknown
 * today.
 */

/**
 * The text that stays, and the removed settings as `section.name`. If none is removed, the text is unchanged, or
 * only its white space is normalized.
 */
export interface ReducedConfig {
  readonly text: string;
  readonly removed: readonly string[];
}

type Check = (value: string) => boolean;
type MayBeWorkTree = (value: string) => boolean;

const flag: Check = (value) => /^(true|false|yes|no|on|off|0|1)$/i.test(value);
const off: Check = (value) => /^(false|no|off|0)$/i.test(value);
const number: Check = (value) => /^-?\d{1,12}[kmg]?$/i.test(value);
const word: Check = (value) => /^[A-Za-z0-9_-]{1,40}$/.test(value);
const plainText: Check = (value) => /^[^\p{Cc}\p{Cf}"\\]{0,200}$/u.test(value);
/** A branch, or another name in `refs`. */
const reference: Check = (value) => /^[A-Za-z0-9_+.#@/-]{1,250}$/.test(value) && !value.startsWith('-');
const referenceMapping: Check = (value) => /^\+?[A-Za-z0-9_.*/-]{1,250}(:[A-Za-z0-9_.*/-]{1,250})?$/.test(value);

/** Web, SSH and git addresses, and plain paths. No helper (`ext::…`), and nothing that looks like an option. */
const address: Check = (value) =>
  /^[A-Za-z0-9_.~@:/%+,=-]{1,2000}$/.test(value) &&
  !value.startsWith('-') &&
  !value.includes('::') &&
  (/^(https?|ssh|git|file):\/\/[^-/]/.test(value) || !value.includes('://')) &&
  !/(^|@|\/\/)-/.test(value);

const anyChange: Readonly<Record<string, Check>> = {
  'core.repositoryformatversion': (value) => /^[01]$/.test(value),
  'core.filemode': flag,
  'core.bare': flag,
  'core.logallrefupdates': (value) => flag(value) || value === 'always',
  'core.ignorecase': flag,
  'core.precomposeunicode': flag,
  'core.symlinks': flag,
  'core.quotepath': flag,
  'core.autocrlf': (value) => flag(value) || value === 'input',
  'core.eol': word,
  'core.safecrlf': word,
  'core.abbrev': word,
  'core.compression': number,
  'core.untrackedcache': word,
  'core.longpaths': flag,
  'core.protectntfs': flag,
  'core.protecthfs': flag,
  // `true` starts one of git's own programs, and a path starts any program.
  'core.fsmonitor': off,
  'extensions.objectformat': word,
  'extensions.refstorage': word,
  'extensions.compatobjectformat': word,
  'extensions.noop': word,
  'remote.*.url': address,
  'remote.*.pushurl': address,
  'remote.*.fetch': referenceMapping,
  'remote.*.push': referenceMapping,
  'remote.*.tagopt': (value) => /^--(no-)?tags$/.test(value),
  'remote.*.prune': flag,
  'branch.*.remote': reference,
  'branch.*.pushremote': reference,
  'branch.*.merge': reference,
  'branch.*.rebase': word,
  'branch.*.description': plainText,
  'submodule.*.url': address,
  'submodule.*.active': flag,
  'submodule.*.branch': reference,
  'submodule.active': reference,
  'submodule.recurse': flag,
  'user.name': plainText,
  'user.email': plainText,
  'author.name': plainText,
  'author.email': plainText,
  'committer.name': plainText,
  'committer.email': plainText,
  'init.defaultbranch': reference,
  'pull.rebase': word,
  'pull.ff': word,
  'push.default': word,
  'push.autosetupremote': flag,
  'fetch.prune': flag,
  'merge.ff': word,
  'merge.conflictstyle': word,
  'merge.renamelimit': number,
  'diff.renames': word,
  'diff.renamelimit': number,
  'diff.algorithm': word,
  'diff.colormoved': word,
  'rebase.autosquash': flag,
  'rebase.autostash': flag,
  'rerere.enabled': flag,
  'gc.auto': number,
  'gc.autodetach': flag,
  'commit.gpgsign': off,
  'tag.gpgsign': off,
  'log.showsignature': off,
  'log.date': word,
  'color.ui': word,
  'status.short': flag,
  'status.branch': flag,
  'status.showuntrackedfiles': word,
  'advice.*': flag,
  'index.version': number,
  'receive.denycurrentbranch': word,
  'receive.denynonfastforwards': flag,
  'lfs.repositoryformatversion': number,
};

interface Section {
  readonly name: string;
  readonly sub: string | undefined;
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

const header = /^\[([A-Za-z0-9-]+)(?: "([^"\\\p{Cc}]{0,250})")?\]$/u;
const entry = /^([A-Za-z][A-Za-z0-9-]*)(?:\s*=(?:\s*"([^"\\]*)"|([^"\\#;]*)))?$/;

/**
 * Reads line by line and keeps only lines with a single possible meaning, so that git's parser and this one cannot
 * disagree. `mayBeWorkTree` says whether the repository may have its work tree at a path.
 */
export function reduceConfig(text: string, mayBeWorkTree: MayBeWorkTree): ReducedConfig {
  const removed = new Set<string>();
  const kept: string[] = [];
  let section: Section | null = null;
  for (const line of text.split('\n').map((one) => one.trim())) {
    // A comment ends with its line, whatever it contains.
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const found = header.exec(line);
    if (found !== null) {
      section = { name: (found[1] ?? '').toLowerCase(), sub: found[2] };
      if (kept.at(-1)?.startsWith('[') === true) kept.pop();
      kept.push(line);
      continue;
    }
    const setting = section === null ? null : settingOf(line);
    if (section !== null && setting !== null && isAllowed(section, setting, mayBeWorkTree)) {
      kept.push(`\t${setting.name} = ${/[#;\s]/.test(setting.value) ? `"${setting.value}"` : setting.value}`);
      continue;
    }
    removed.add(setting === null || section === null ? looseKey(section, line) : shownKey(section, setting.name));
    if (line.includes('[')) section = null;
  }
  if (kept.at(-1)?.startsWith('[') === true) kept.pop();
  // If the text contains white space that git and JavaScript treat differently, it is rewritten.
  if (removed.size === 0 && !/[^\S\t\n ]|[^\P{Cc}\t\n]/u.test(text)) return { text, removed: [] };
  return { text: kept.map((line) => `${line}\n`).join(''), removed: [...removed] };
}

/** A word in a setting that may name a file of the project. */
export interface NamedWord {
  readonly word: string;
  /** It is the whole value of the setting, so it may also name a folder. */
  readonly isWhole: boolean;
  /** It is in an alias, which runs only when the user calls it. */
  readonly isAlias: boolean;
  /** In lower case, such as `core.hookspath`, without the name of a subsection. */
  readonly key: string;
}

/**
 * The words in the user's own git settings that may name files of the project: every word of a value, except known
 * harmless ones. The caller checks whether such a file exists.
 */
export function namedIn(text: string): readonly NamedWord[] {
  const words: NamedWord[] = [];
  let section: Section | null = null;
  for (const line of text.split('\n').map((one) => one.trim())) {
    const found = /^\[([A-Za-z0-9.-]+)(?: "([^"]*)")?\](.*)$/.exec(line);
    if (found !== null) section = { name: (found[1] ?? '').toLowerCase(), sub: found[2] };
    const rest = found === null ? line : (found[3] ?? '').trim();
    const setting = settingOf(rest);
    if (rest === '' || (section !== null && setting !== null && isAllowed(section, setting, () => false))) continue;
    const value = rest.slice(rest.indexOf('=') + 1).trim();
    const whole = value.replaceAll(/^"|"$/g, '');
    const isAlias = section?.name === 'alias';
    const key = `${section?.name ?? ''}.${setting?.name ?? ''}`;
    words.push({ word: whole, isWhole: !isAlias, isAlias, key });
    for (const word of value.split(/[\s"'`;|&<>()=!\\]+/))
      if (word !== '' && word !== whole && /[/.]/.test(word)) words.push({ word, isWhole: false, isAlias, key });
  }
  return words;
}

function settingOf(line: string): Setting | null {
  const pair = entry.exec(line);
  if (pair === null || /\p{Cc}/u.test(line)) return null;
  return { name: (pair[1] ?? '').toLowerCase(), value: (pair[2] ?? pair[3] ?? 'true').trim() };
}

function isAllowed({ name: section, sub }: Section, { name, value }: Setting, mayBeWorkTree: MayBeWorkTree): boolean {
  if (section === 'core' && sub === undefined && name === 'worktree') return mayBeWorkTree(value);
  if (section === 'advice' && sub === undefined) return flag(value);
  if (sub !== undefined && sub.startsWith('-')) return false;
  const check = anyChange[sub === undefined ? `${section}.${name}` : `${section}.*.${name}`];
  return check !== undefined && check(value);
}

/** Whether a relative path from a folder of the workspace stays in the workspace, judged by its names only. */
export function staysInside(value: string, from: string): boolean {
  if (value === '' || value.startsWith('/') || !/^[^\p{Cc}\\:]*$/u.test(value)) return false;
  let depth = from === '' ? 0 : from.split('/').length;
  for (const name of value.split('/')) {
    if (name === '' || name === '.') continue;
    depth += name === '..' ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}

function shownKey({ name: section, sub }: Section, name: string): string {
  return sub === undefined ? `${section}.${name}` : `${section}.${sub}.${name}`;
}

/** The name of a setting in a line that cannot be parsed, as far as it can be recognized. */
function looseKey(section: Section | null, line: string): string {
  const name = /([A-Za-z][A-Za-z0-9-]*)\s*=/.exec(line.slice(0, 300))?.[1]?.toLowerCase();
  return name === undefined ? 'a line that cannot be read' : `${section?.name ?? '?'}.${name}`;
}
