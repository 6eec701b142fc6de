import { Parser, type Node } from 'web-tree-sitter';
import { loadGrammar } from '../../lib/syntax/grammars.ts';

/** Languages whose structure recipes understand. */
export type CodeLanguage = 'python' | 'javascript' | 'typescript' | 'tsx';

export type SyntaxNode = Node;

export interface Syntax {
  /** Parses and passes the root to `use`. The tree is freed afterwards, so do not keep nodes. */
  withTree<T>(language: CodeLanguage, text: string, use: (root: SyntaxNode) => T): T;
  /** Line (1-based) of the first syntax error, or null when it parses. */
  errorLine(language: CodeLanguage, text: string): number | null;
}

/** The language of a file by its name; null for files that recipes do not understand. */
export function languageOf(path: string): CodeLanguage | null {
  if (/\.pyi?$/.test(path)) return 'python';
  if (/\.(js|mjs|cjs|jsx)$/.test(path)) return 'javascript';
  if (path.endsWith('.tsx')) return 'tsx';
  if (/\.(ts|mts|cts)$/.test(path) && !/\.d\.[mc]?ts$/.test(path)) return 'typescript';
  return null;
}

/** `src/cart.py` → `cart`. */
export function stemOf(path: string): string {
  return (path.split('/').pop() ?? path).replace(/\.[^.]+$/, '');
}

let loaded: Promise<Syntax> | null = null;

/** The grammars, loaded at the first call (about 20 ms) and kept. A failed load is retried. */
export function loadSyntax(): Promise<Syntax> {
  loaded ??= loadGrammars().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

async function loadGrammars(): Promise<Syntax> {
  const [python, javascript, typescript, tsx] = await Promise.all([
    loadGrammar('python'),
    loadGrammar('javascript'),
    loadGrammar('typescript'),
    loadGrammar('tsx'),
  ]);
  const languages = { python, javascript, typescript, tsx };
  const withTree: Syntax['withTree'] = (language, text, use) => {
    const parser = new Parser();
    parser.setLanguage(languages[language]);
    const tree = parser.parse(text);
    if (tree === null) {
      parser.delete();
      throw new Error('the parser was stopped');
    }
    try {
      return use(tree.rootNode);
    } finally {
      tree.delete();
      parser.delete();
    }
  };
  return {
    withTree,
    errorLine: (language, text) => withTree(language, text, firstErrorLine),
  };
}

function firstErrorLine(root: SyntaxNode): number | null {
  if (!root.hasError) return null;
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.isError || node.isMissing) return node.startPosition.row + 1;
    for (let index = node.childCount - 1; index >= 0; index -= 1) {
      const child = node.child(index);
      if (child !== null && (child.hasError || child.isMissing)) stack.push(child);
    }
  }
  return root.startPosition.row + 1;
}

/** Every node under `root` in order of the text, `root` first. */
export function* walk(root: SyntaxNode): Generator<SyntaxNode> {
  yield root;
  for (let index = 0; index < root.childCount; index += 1) {
    const child = root.child(index);
    if (child !== null) yield* walk(child);
  }
}
