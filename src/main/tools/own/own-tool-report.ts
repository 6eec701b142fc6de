import { AppError } from '@shared/errors.ts';
import type { OwnToolReport } from '@shared/tools/own-tool.ts';
import { approvalDiff } from '../connected/approval-diff.ts';
import { definitionTokens } from '../connected/connected-tool.ts';
import { schemaCheck } from '../connected/schema-check.ts';
import type { ProjectWords } from '../servers/project-words.ts';
import type { KeptProgramsOptions } from './kept-programs.ts';
import type { OwnToolNotes } from './own-tool-record.ts';
import type { ListedTool } from './own-tools.ts';
import { inputSchemaOf, specOf } from './own-tools.ts';
import type { SyntaxLoader } from './read-declaration.ts';
import { stemOf } from './read-declaration.ts';
import type { RunnableTool } from './run-own-tool.ts';

export interface OwnToolCommandsOptions extends ProjectWords, KeptProgramsOptions {
  /** The folder with the templates and examples. */
  readonly templates: string;
  readonly loadSyntax: SyntaxLoader;
  readonly off: () => readonly string[];
  readonly saveOff: (names: readonly string[]) => Promise<void>;
  readonly keepSecret: (name: string, value: string) => Promise<void>;
  /** Does nothing for a secret that was never set. */
  readonly dropSecret: (name: string) => Promise<void>;
}

export interface ToolName {
  readonly name: string;
  readonly projectPath?: string | undefined;
}

export interface ListedOwnTool {
  readonly one: ListedTool;
  readonly notes: OwnToolNotes;
}

/** Throws if the arguments do not fit the tool's schema. */
export function mustFit(tool: Pick<RunnableTool, 'declaration'>, input: Readonly<Record<string, unknown>>): void {
  const wrong = schemaCheck(inputSchemaOf(tool))(input);
  if (wrong === null) return;
  throw new AppError('bad-input', `The arguments are not right: ${wrong.replace(/\.$/, '')}. It was not run.`);
}

export function toolName({ tool, file }: ListedTool): string {
  return tool?.name ?? stemOf(file);
}

export async function reportOf(
  { writerToday }: Pick<OwnToolCommandsOptions, 'writerToday'>,
  { one, notes }: ListedOwnTool,
): Promise<OwnToolReport> {
  const { source, file, path, state, problem, isWanted, own, sha256, text, tool, writer } = one;
  const spec = specOf(one);
  const isToSee = state === 'not-approved' || state === 'changed';
  const before = Object.hasOwn(notes.approved, path) ? notes.approved[path] : undefined;
  return {
    source,
    file,
    path,
    name: toolName(one),
    description: spec?.description ?? '',
    state,
    problem,
    isOn: state === 'ready' && isWanted,
    isWanted,
    own,
    sha256,
    tokens: spec === null ? 0 : definitionTokens(spec),
    secrets: tool?.declaration.secrets ?? [],
    hosts: tool?.declaration.hosts ?? [],
    timeoutSeconds: tool?.declaration.timeout_seconds ?? 0,
    text: isToSee ? text : null,
    diff: state === 'changed' && before !== undefined ? approvalDiff(before.text, text) : null,
    lastUsedAt: (Object.hasOwn(notes.usedAt, path) ? notes.usedAt[path] : undefined) ?? null,
    program:
      tool?.declaration.calls === undefined
        ? null
        : {
            version: tool.declaration.version ?? 1,
            calls: tool.declaration.calls,
            writer,
            today: await writerToday(writer),
          },
  };
}
