import { frontMatter, keyAndValue, openFrontMatter } from '@shared/text/front-matter.ts';
import type { Read } from './assistants.ts';
import { assistantNamePattern, modelPattern, mostAssistantCharacters } from './assistants.ts';
import type { ChildAccess } from './agent-tree.ts';

/** A kind of agent that another one may start: a Markdown file. It can only ask for less than its parent has. */
export interface AgentDefinition {
  readonly name: string;
  /** One line: by it a model chooses. */
  readonly description: string;
  /** Stands in the system text of every call. */
  readonly text: string;
  /** `PROVIDER/MODEL`. Absent, as below: as its parent says. */
  readonly model?: string;
  readonly mode?: ChildAccess;
  readonly tools?: readonly string[];
}

const longestDescription = 200;
const toolPattern = /^[a-z][a-z0-9_]{0,63}$/u;

/** Reads a whole file. What is in it that is not known here makes it none. */
export function parseAgentDefinition(fileName: string, file: string): Read<AgentDefinition> {
  const parts = frontMatter(file);
  if (parts === null) return refused(openFrontMatter);
  const { head, text } = parts;
  if (text === '') return refused('It has no text.');
  if (text.length > mostAssistantCharacters) {
    return refused(`Its text has ${text.length} characters. The limit is ${mostAssistantCharacters}.`);
  }
  let found: Partial<AgentDefinition> = {};
  const seen = new Set<string>();
  for (const line of head.filter((one) => one.trim() !== '')) {
    const { key, value } = keyAndValue(line);
    const field = readField(key, value);
    if (field === null) return refused(`The line "${line.slice(0, 80)}" is not known.`);
    if (seen.has(key)) return refused(`"${key}" is there twice.`);
    seen.add(key);
    found = { ...found, ...field };
  }
  const { name = fileName, description, ...rest } = found;
  if (!assistantNamePattern.test(name)) {
    return refused('Its name needs lower-case letters, digits and "-", with a letter first.');
  }
  if (description === undefined) return refused('It has no line "description: …" that says what it is for.');
  return { ok: true, value: { ...rest, name, description, text } };
}

function refused(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}

/** Null: there is no such key, or it cannot have this value. */
function readField(key: string, value: string): Partial<AgentDefinition> | null {
  switch (key) {
    case 'name':
      return { name: value };
    case 'description':
      return value === '' || value.length > longestDescription ? null : { description: value };
    case 'model':
      return modelPattern.test(value) ? { model: value } : null;
    case 'mode':
      return value === 'read-only' || value === 'own-copy' ? { mode: value } : null;
    case 'tools': {
      const tools = value.split(',').map((tool) => tool.trim());
      return tools.every((tool) => toolPattern.test(tool)) ? { tools } : null;
    }
    default:
      return null;
  }
}
