import bash from '../../../../resources/symbols/own-bash.scm?raw';
import c from '../../../../resources/symbols/c.scm?raw';
import cSharp from '../../../../resources/symbols/c-sharp.scm?raw';
import cpp from '../../../../resources/symbols/cpp.scm?raw';
import go from '../../../../resources/symbols/go.scm?raw';
import java from '../../../../resources/symbols/java.scm?raw';
import javascript from '../../../../resources/symbols/javascript.scm?raw';
import moreC from '../../../../resources/symbols/own-c.scm?raw';
import moreCSharp from '../../../../resources/symbols/own-c-sharp.scm?raw';
import moreCpp from '../../../../resources/symbols/own-cpp.scm?raw';
import moreGo from '../../../../resources/symbols/own-go.scm?raw';
import moreJava from '../../../../resources/symbols/own-java.scm?raw';
import moreJavascript from '../../../../resources/symbols/own-javascript.scm?raw';
import moreJsx from '../../../../resources/symbols/own-jsx.scm?raw';
import morePhp from '../../../../resources/symbols/own-php.scm?raw';
import morePython from '../../../../resources/symbols/own-python.scm?raw';
import moreRust from '../../../../resources/symbols/own-rust.scm?raw';
import moreTypescript from '../../../../resources/symbols/own-typescript.scm?raw';
import php from '../../../../resources/symbols/php.scm?raw';
import python from '../../../../resources/symbols/python.scm?raw';
import ruby from '../../../../resources/symbols/ruby.scm?raw';
import rust from '../../../../resources/symbols/rust.scm?raw';
import typescript from '../../../../resources/symbols/typescript.scm?raw';
import type { GrammarName } from '../../lib/syntax/grammars.ts';

interface TagLanguageParts {
  readonly grammar: GrammarName;
  /** The query of the grammar's package, and what we add to it. */
  readonly queries: readonly string[];
  readonly endings: readonly string[];
}

const tagLanguages = [
  'bash',
  'c',
  'c-sharp',
  'cpp',
  'go',
  'java',
  'javascript',
  'php',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
] as const;

export type TagLanguage = (typeof tagLanguages)[number];

/** C is parsed by the grammar of C++, which knows all of it that names need. */
const languages: Readonly<Record<TagLanguage, TagLanguageParts>> = {
  bash: { grammar: 'bash', queries: [bash], endings: ['sh', 'bash'] },
  c: { grammar: 'cpp', queries: [c, moreC], endings: ['c', 'h'] },
  'c-sharp': { grammar: 'c-sharp', queries: [cSharp, moreCSharp], endings: ['cs'] },
  cpp: {
    grammar: 'cpp',
    queries: [cpp, moreC, moreCpp],
    endings: ['cc', 'cpp', 'cxx', 'c++', 'hh', 'hpp', 'hxx', 'ipp'],
  },
  go: { grammar: 'go', queries: [go, moreGo], endings: ['go'] },
  java: { grammar: 'java', queries: [java, moreJava], endings: ['java'] },
  javascript: {
    grammar: 'javascript',
    queries: [javascript, moreJavascript, moreJsx],
    endings: ['js', 'mjs', 'cjs', 'jsx'],
  },
  php: { grammar: 'php', queries: [php, morePhp], endings: ['php'] },
  python: { grammar: 'python', queries: [python, morePython], endings: ['py', 'pyi'] },
  ruby: { grammar: 'ruby', queries: [ruby], endings: ['rb', 'rake'] },
  rust: { grammar: 'rust', queries: [rust, moreRust], endings: ['rs'] },
  tsx: { grammar: 'tsx', queries: [javascript, typescript, moreTypescript, moreJavascript, moreJsx], endings: ['tsx'] },
  typescript: {
    grammar: 'typescript',
    queries: [javascript, typescript, moreTypescript, moreJavascript],
    endings: ['ts', 'mts', 'cts'],
  },
};

const byEnding: ReadonlyMap<string, TagLanguage> = new Map(
  tagLanguages.flatMap((language) => languages[language].endings.map((ending) => [ending, language] as const)),
);

/** The language of a file by its name; null: its names cannot be found. */
export function tagLanguageOf(path: string): TagLanguage | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 1 ? null : (byEnding.get(name.slice(dot + 1).toLowerCase()) ?? null);
}

export function tagLanguageParts(language: TagLanguage): TagLanguageParts {
  return languages[language];
}
