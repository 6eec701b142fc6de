import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { definitionFolder } from '@shared/safety/instruction-files.ts';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import type { AgentDefinition } from './agent-definitions.ts';
import { parseAgentDefinition } from './agent-definitions.ts';
import { isMissing } from '../lib/files/json-file.ts';

/** More kinds of agents than this would be no choice any more, and would fill a prompt. */
const mostDefinitions = 12;

export interface AgentFiles {
  /**
   * The user's own kinds of agents, then the approved ones of the project; of two with the same name, the first. Never
   * rejects.
   */
  readonly definitions: (
    projectPath: string | null,
  ) => Promise<{ readonly found: readonly AgentDefinition[]; readonly problems: readonly string[] }>;
}

export interface AgentFilesOptions {
  readonly home: string;
  /** The files of a project, with what the user decided about their bytes. */
  readonly ofProject: (projectPath: string) => Promise<readonly InstructionFile[]>;
}

/** Kinds of agents as Markdown files: in `agents/` of the home, and in `.dewpoint/agents/` of a project. */
export function createAgentFiles({ home, ofProject }: AgentFilesOptions): AgentFiles {
  const own = async (): Promise<readonly NamedFile[]> => {
    const folder = join(home, 'agents');
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const files: NamedFile[] = [];
    for (const name of names.filter((one) => one.endsWith('.md')).sort()) {
      files.push({ path: `agents/${name}`, text: await readFile(join(folder, name), 'utf8') });
    }
    return files;
  };
  const approved = async (projectPath: string | null): Promise<readonly NamedFile[]> => {
    const files = projectPath === null ? [] : await ofProject(projectPath);
    return files.flatMap(({ path, state, text }) => (state === 'approved' && text !== null ? [{ path, text }] : []));
  };
  return {
    definitions: async (projectPath) => {
      const found = new Map<string, AgentDefinition>();
      const problems: string[] = [];
      const read = async (files: Promise<readonly NamedFile[]>, what: string): Promise<readonly NamedFile[]> =>
        files.catch((error: unknown) => {
          problems.push(`${what} cannot be read: ${messageOf(error)}`);
          return [];
        });
      const all = [...(await read(own(), 'agents/')), ...(await read(approved(projectPath), definitionFolder))];
      for (const { path, text } of all) {
        const parsed = parseAgentDefinition(path.split('/').pop()?.slice(0, -'.md'.length) ?? '', text);
        if (!parsed.ok) problems.push(`${path} is not used. ${parsed.why}`);
        else if (!found.has(parsed.value.name) && found.size < mostDefinitions)
          found.set(parsed.value.name, parsed.value);
      }
      return { found: [...found.values()], problems };
    },
  };
}

interface NamedFile {
  readonly path: string;
  readonly text: string;
}
