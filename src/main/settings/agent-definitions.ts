import { readDefinition, refusal } from '@shared/text/front-matter.ts';
import type { ReadOutcome } from '@shared/text/front-matter.ts';
import { assistantNamePattern, modelPattern, mostAssistantCharacters } from '@shared/session/assistants.ts';
import type { ChildAccess } from '@shared/session/agent-tree.ts';

/** A kind of agent that another agent may start: a Markdown file. It can only narrow what its parent may do. */
export interface AgentDefinition {
  readonly name: string;
  /** One line that models choose by. */
  readonly description: string;
  /** Goes into the system text of every call. */
  readonly text: string;
  /** `PROVIDER/MODEL`. For this field and those below, absent means the same as its parent. */
  readonly model?: string;
  readonly mode?: ChildAccess;
  readonly tools?: readonly string[];
}

const longestDescription = 200;
const toolPattern = /^[a-z][a-z0-9_]{0,63}$/u;

/** Parses a whole file. Fails on any field that is not known. */
export function parseAgentDefinition(fileName: string, file: string): ReadOutcome<AgentDefinition> {
  const read = readDefinition(file, mostAssistantCharacters, readField);
  if (!read.ok) return read;
  const { name = fileName, description, ...rest } = read.value;
  if (!assistantNamePattern.test(name)) {
    return refusal('Its name needs lower-case letters, digits and "-", with a letter first.');
  }
  if (description === undefined) return refusal('It has no line "description: …" that says what it is for.');
  return { ok: true, value: { ...rest, name, description } };
}

/** Null for an unknown key or a value that the key does not allow. */
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
