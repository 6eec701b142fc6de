import { createHash } from 'node:crypto';
import { preparationVersion, type DependencyPart, type OwnSetup, type ProjectTexts } from './dependency-part.ts';
import { findJavascriptPart } from './javascript-part.ts';
import type { ProjectTop } from './project-texts.ts';
import { findPythonPart } from './python-part.ts';

/** How a project's packages are installed, by what lies at its top. Pure. Empty where there is nothing to install. */
export function findParts(top: ProjectTop, own: OwnSetup): readonly DependencyPart[] {
  return [findPythonPart(top, own.python), findJavascriptPart(top, own.javascript)].filter((part) => part !== null);
}

/**
 * Under what a part's volume is kept: the same image, commands and bytes of the files that say what is installed have
 * the same key, wherever the project lies.
 */
export function keyOf(part: DependencyPart, texts: ProjectTexts, imageId: string): string {
  const hash = createHash('sha256');
  const add = (text: string): void => void hash.update(`${Buffer.byteLength(text)}:${text}`);
  for (const text of [String(preparationVersion), imageId, part.ecosystem, ...part.commands]) add(text);
  for (const name of part.files) {
    add(name);
    add(texts.get(name) ?? '');
  }
  return hash.digest('hex').slice(0, 32);
}
