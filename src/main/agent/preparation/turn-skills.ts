import { allowedText, readAllowedTools } from '@shared/skills/allowed-tools.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { namedSkill, skillCatalog, useSkillName } from '../../tools/skills/skill-catalog.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { utf8Text } from '../../lib/utf8-text.ts';
import { carrySkill } from '../../skills/session-skills.ts';
import type { LoadedSkill } from '../../skills/session-skills.ts';
import type { LoadSkill } from '../../tools/skills/skill-tool.ts';
import { readSkill } from '../../tools/skills/skill-tool.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';
import type { TurnFacts } from './turn-facts.ts';

/** The most characters of the catalog, and of one skill's text, for a model with a large context. */
const mostCatalog = 4_000;
const mostText = 24_000;
const leastText = 3_000;

/** A twentieth of the smallest context for the catalog, a quarter for a skill, counted with three characters a token. */
const catalogRoom = (contextTokens: number): number => Math.min(mostCatalog, Math.floor((contextTokens / 20) * 3));
const textRoom = (contextTokens: number): number =>
  Math.max(leastText, Math.min(mostText, Math.floor((contextTokens / 4) * 3)));

function smallestContext(models: readonly (ModelInfo | null)[]): number {
  return Math.min(...models.flatMap((info) => (info === null ? [] : [info.contextTokens])), 200_000);
}

/** The skills that a turn offers, and the text that tells models of them; empty: there are none. */
export async function skillsOffered(
  { dependencies: { project, sandbox }, signal }: Pick<Turn, 'dependencies' | 'signal'>,
  found: Pick<TurnFacts, 'facts' | 'local' | 'cloud'>,
): Promise<{ readonly skills: TurnFacts['skills']; readonly text: string }> {
  const { offered, held } = await project.skills.find(found.facts.skillFiles ?? [], sandbox.files, signal);
  if (offered.length === 0 && held.length === 0) return { skills: undefined, text: '' };
  const { text, names } = skillCatalog(offered, catalogRoom(smallestContext([found.local, found.cloud])));
  return { skills: { told: [...names], all: offered.map(({ name }) => name), held: [...held] }, text };
}

/** Reads the skill that the message names at its start, so that every model has it from its first step on. */
export async function readNamedSkill(turn: ActingTurn & Pick<Turn, 'task' | 'found'>): Promise<void> {
  const name = namedSkill(turn.task, turn.found.facts?.skills?.all ?? []);
  if (name === null) return;
  const { sandbox } = turn.dependencies;
  await takeAction(
    turn,
    {
      tool: useSkillName,
      label: `skill ${name}`,
      input: { name },
      run: async () => {
        const { status, output, data } = await readSkill(skillLoader(turn), { name }, { sandbox, signal: turn.signal });
        return { status, output, data: data ?? null };
      },
    },
    () => null,
  );
}

/** Says once in a session which skills of the project wait for a yes. */
export async function tellHeldSkills(turn: Pick<Turn, 'log' | 'found' | 'dependencies'>): Promise<void> {
  const held = turn.found.facts?.skills?.held ?? [];
  const code = 'skills-held';
  if (held.length === 0 || turn.dependencies.journal.state().notices.some((notice) => notice.code === code)) return;
  const names = held.slice(0, 5).join(', ');
  const more = held.length > 5 ? ` and ${held.length - 5} more` : '';
  const text = `The project brings skills that nobody has approved as they are now, so they are not used: ${names}${more}. To read and approve them: the project's page, or dewpoint skills enable NAME.`;
  await turn.log.append({ type: 'notice-added', level: 'info', code, text });
}

/** Loads skills of this turn as text. The files of a skill of the home are carried into the sandbox. */
export function skillLoader({ dependencies: { project }, found }: Pick<Turn, 'dependencies' | 'found'>): LoadSkill {
  return async (name, { sandbox, signal }) => {
    const facts = found.facts;
    const loaded = await project.skills.load(name, facts?.facts.skillFiles ?? [], sandbox.files, signal);
    if (loaded === null) return null;
    const folder = loaded.folder ?? (await carried(loaded, { sandbox, signal }));
    const room = textRoom(smallestContext([facts?.local ?? null, facts?.cloud ?? null]));
    return {
      text: skillText(loaded, folder, room),
      allows: loaded.skill.allowedTools,
      file: (path) => {
        // Models also name a file by where it lies.
        const bytes = loaded.files.get(path.startsWith(`${folder}/`) ? path.slice(`${folder}/`.length) : path);
        return bytes === undefined ? null : utf8Text(bytes);
      },
    };
  };
}

function carried({ skill, files }: LoadedSkill, { sandbox, signal }: Parameters<LoadSkill>[1]): Promise<string | null> {
  // Its text alone needs no copy.
  return files.size < 2 ? Promise.resolve(null) : carrySkill(sandbox, skill.name, files, signal);
}

const mostNamed = 40;

function skillText({ skill, files }: LoadedSkill, folder: string | null, room: number): string {
  const others = [...files.keys()].filter((path) => path !== 'SKILL.md').sort();
  const named = `${others.slice(0, mostNamed).join(', ')}${others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ''}`;
  const cut = skill.text.length > room ? `\n[The rest is left out: ${skill.text.length} characters in all.]` : '';
  const where =
    folder === null
      ? `Its files can be read with ${useSkillName} and "file", and not run: ${named}`
      : `Its files lie in ${folder}: ${named}. Run scripts with run_command.`;
  return [
    `Skill ${skill.name}:`,
    `${shortenText(inPlace(skill.text, folder), room)}${cut}`,
    ...(others.length === 0 ? [] : [where]),
    ...narrowingText(skill.allowedTools),
  ].join('\n\n');
}

/** The words by which skills name their own folder. A small model runs a command as it stands there. */
const ownFolder = /\$\{(?:SKILL_DIR|CLAUDE_SKILL_DIR)\}|\{baseDir\}/gu;

const inPlace = (text: string, folder: string | null): string =>
  folder === null ? text : text.replaceAll(ownFolder, () => folder);

/** What the model may still call; empty: the skill narrows nothing. */
function narrowingText(entries: readonly string[]): readonly string[] {
  const allowed = readAllowedTools(entries);
  if (allowed === null) return [];
  const { unknown } = allowed;
  const more = unknown.length === 0 ? '' : ` Not known here, so not there: ${unknown.join(', ')}.`;
  return [
    `Its author means it for these tools only, so no other runs until this task ends: ${allowedText(allowed)}.${more}`,
  ];
}
