import { findSpans, type Span } from '../code/code-spans.ts';
import { languageOf, type CodeLanguage, type Syntax } from '../code/code-syntax.ts';

/** A source file in its present form, in the base of the trial copy. */
export interface SourceFile {
  readonly path: string;
  readonly language: CodeLanguage;
  readonly text: string;
  readonly spans: readonly Span[];
}

/** Reads and parses files on demand. Call `forget` after the base has changed. */
export interface ProjectReader {
  source(path: string): Promise<SourceFile | null>;
  text(path: string): Promise<string | null>;
  forget(path: string): void;
}

export function makeProjectReader(syntax: Syntax, read: (path: string) => Promise<string | null>): ProjectReader {
  const texts = new Map<string, Promise<string | null>>();
  const sources = new Map<string, SourceFile>();
  const text = (path: string) => {
    const known = texts.get(path) ?? read(path);
    texts.set(path, known);
    return known;
  };
  return {
    text,
    forget: (path) => {
      texts.delete(path);
      sources.delete(path);
    },
    source: async (path) => {
      const known = sources.get(path);
      if (known !== undefined) return known;
      const language = languageOf(path);
      const content = language === null ? null : await text(path);
      if (language === null || content === null) return null;
      const file = { path, language, text: content, spans: findSpans(syntax, { path, language, text: content }) };
      sources.set(path, file);
      return file;
    },
  };
}
