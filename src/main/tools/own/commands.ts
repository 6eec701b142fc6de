import { AppError } from '@shared/errors.ts';
import type { OwnToolReport, OwnToolsReport } from '@shared/tools/own-tool.ts';
import { ownToolServers } from '@shared/tools/own-tool.ts';
import type { Handlers } from '../../server/handlers.ts';
import { saveWord } from '../servers/project-words.ts';
import type { NewTool } from './edit-commands.ts';
import { createEditCommands, templateFor } from './edit-commands.ts';
import { keepProgram, removeProgram, versionsOf } from './kept-programs.ts';
import { forgetFile, keepApproval } from './own-tool-record.ts';
import type { ListedOwnTool, ToolName, OwnToolCommandsOptions } from './own-tool-report.ts';
import { mustFit, toolName, reportOf } from './own-tool-report.ts';
import type { ListedTool } from './own-tools.ts';
import { noPlace, placeOf, secretKey } from './own-tools.ts';
import { writeToolFile } from './write-tool-file.ts';

/** Handlers that show and change tools from files. */
export function createOwnToolCommands(options: OwnToolCommandsOptions): Handlers['ownTools'] {
  const { tools, record } = options;
  const { reports, listed, find, report } = createLookUp(options);
  return {
    list: async ({ input }) => reports(input?.projectPath ?? null),
    approve: async ({ input }) => {
      const one = await find(input);
      if (one.source === 'home') throw new AppError('bad-input', `${input.name} is your own, and needs no approval.`);
      if (one.tool === null)
        throw new AppError('bad-input', `${input.name} is broken: ${one.problem ?? ''} Nothing was approved.`);
      if (one.sha256 !== input.sha256)
        throw new AppError('conflict', `${one.file} changed since you looked at it. Nothing was approved.`, {
          hint: 'Look at it again, then approve it.',
        });
      await keepApproval(record, one);
      return report(input);
    },
    set: async ({ input }) => {
      await setOn(options, await find(input), input);
      return report(input);
    },
    secret: async ({ input }) => {
      const one = await find(input);
      const named = one.tool?.declaration.secrets ?? [];
      if (!named.includes(input.variable))
        throw new AppError('bad-input', `${input.name} takes no ${input.variable}. Nothing was kept.`, {
          hint: named.length === 0 ? 'Its file names no secrets.' : `It takes: ${named.join(', ')}`,
        });
      await options.keepSecret(keyOf(one, input), input.value);
    },
    forget: async ({ input }) => {
      const one = await find(input);
      for (const variable of one.tool?.declaration.secrets ?? [])
        await options.dropSecret(keyOf(one, { ...input, variable }));
      await forgetFile(record, one.path);
      return { path: one.path };
    },
    keep: async ({ input }) => report(await keepProgram(options, input)),
    versions: async ({ input }) => versionsOf(await listed(input)),
    removeProgram: async ({ input }) => removeProgram(options, await find(input), input),
    test: async ({ input, signal }) => {
      const one = await find(input);
      mustBeReady(one);
      if (one.tool !== null) mustFit(one.tool, input.input);
      const { status, output } = await tools.run(one, input.input, {
        projectPath: input.projectPath ?? null,
        signal,
        onProgress: () => undefined,
      });
      return { status, text: output };
    },
    create: async ({ input }) => {
      await create(options, input);
      return report(input);
    },
    ...createEditCommands(options),
  };
}

/** Finds tools by name. Reads the files again each time. */
function createLookUp(options: OwnToolCommandsOptions) {
  const { tools } = options;
  const reports = async (projectPath: string | null): Promise<OwnToolsReport> => {
    const { tools: all, notes, ...rest } = await tools.list(projectPath);
    return { ...rest, tools: await Promise.all(all.map((one) => reportOf(options, { one, notes }))) };
  };
  const listed = async ({ name, projectPath }: ToolName): Promise<ListedOwnTool> => {
    const { tools: all, notes } = await tools.list(projectPath ?? null);
    const one = all.find((other) => toolName(other) === name);
    if (one !== undefined) return { one, notes };
    throw new AppError(
      'not-found',
      `There is no tool ${name} in your folder${projectPath === undefined ? '' : ' or in the project'}.`,
      {
        hint: projectPath === undefined ? 'For a tool of a project add: --project DIR' : 'See: dewpoint tools list',
      },
    );
  };
  const find = async (named: ToolName): Promise<ListedTool> => (await listed(named)).one;
  const report = async (named: ToolName): Promise<OwnToolReport> => {
    return reportOf(options, await listed(named));
  };
  return { reports, listed, find, report };
}

function mustBeReady({ tool, problem, state, file }: ListedTool): void {
  if (tool === null) throw new AppError('bad-input', `${file} is broken: ${problem ?? ''}`);
  if (state !== 'ready')
    throw new AppError(
      'refused',
      `${tool.name} comes with the project, and nobody has approved it as it is now. It was not run.`,
      {
        hint: `Look at it and approve it: dewpoint tools approve ${tool.name} --project DIR`,
      },
    );
}

function keyOf(
  { source, file }: ListedTool,
  { projectPath, variable }: { readonly projectPath?: string | undefined; readonly variable: string },
): string {
  return secretKey(file, variable, source === 'home' ? null : (projectPath ?? null));
}

async function setOn(
  options: OwnToolCommandsOptions,
  one: ListedTool,
  { isOn, projectPath }: { readonly isOn: boolean | null; readonly projectPath?: string | undefined },
): Promise<void> {
  const name = toolName(one);
  if (projectPath === undefined) {
    if (isOn === null) throw new AppError('bad-input', 'Only a project can go by the general word.');
    const rest = options.off().filter((other) => other !== name);
    return options.saveOff(isOn ? rest : [...rest, name]);
  }
  return saveWord(options, projectPath, { key: `${ownToolServers[one.source]}/${name}`, isOn });
}

/**
 * Creates a tool file that works at once. In a project it is approved, because its bytes are Dewpoint's own. After any
 * change it needs an approval.
 */
async function create(
  options: OwnToolCommandsOptions,
  { name, language, example, projectPath }: NewTool,
): Promise<void> {
  const source = projectPath === undefined ? 'home' : 'project';
  const place = placeOf(options, source, projectPath ?? null);
  if (place === null) throw noPlace(projectPath ?? null);
  const owner = options.taken().get(name);
  if (owner !== undefined)
    throw new AppError('conflict', `The name ${name} is taken by ${owner}. Nothing was written.`);
  const { tools: all } = await options.tools.list(projectPath ?? null);
  const other = all.find((one) => toolName(one) === name);
  if (other !== undefined)
    throw new AppError('conflict', `There is a tool ${name} already: ${other.path}. Nothing was written.`);
  await writeToolFile(place, { ...(await templateFor(options, { name, language, example })), isNew: true });
  const made = (await options.tools.list(projectPath ?? null)).tools.find((one) => toolName(one) === name);
  if (made !== undefined && source === 'project') await keepApproval(options.record, made);
}
