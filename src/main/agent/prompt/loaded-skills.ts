import type { EventOf } from '@shared/events/events.ts';
import { useSkillName } from '../../tools/skills/skill-catalog.ts';
import type { AllowedTools } from '@shared/skills/allowed-tools.ts';
import { readAllowedTools } from '@shared/skills/allowed-tools.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import type { Entry, UserEntry } from '../../recipes/conversation-entries.ts';
import { factsBlock, inert } from './harness-facts.ts';

/** The action that tells the instructions of a folder. */
export const folderInstructionsName = 'read_folder_instructions';
/** The action that tells the map of the project. */
export const mapAction = 'map_project';

export interface LoadedSkills {
  /** The texts of the skills that were loaded, with the call that loaded each; the last one last. */
  readonly texts: Map<string, string>;
  /** What the skills that this turn works by let it call; each narrows it. */
  readonly limits: SkillLimit[];
}

/** A skill with the tools that its author means it for. */
export interface SkillLimit {
  readonly skill: string;
  readonly allowed: AllowedTools;
}

export const nothingLoaded = (): { instructions: string; readonly skills: LoadedSkills } => ({
  instructions: '',
  skills: { texts: new Map(), limits: [] },
});

/** A new turn has its own instructions and works by no skill yet; one that answers a question goes on by the same. */
export function beginLoading(loaded: ReturnType<typeof nothingLoaded>, { answers }: EventOf<'turn-started'>): void {
  loaded.instructions = '';
  if (answers === undefined) loaded.skills.limits.length = 0;
}

/** More would leave no room for the work. */
const mostKept = 2;

/** Remembers the skill that a call loaded. False: it loaded none. */
export function rememberSkill(skills: LoadedSkills, { tool, toolCallId, status, output, data }: EventOf<'tool-ended'>) {
  const skill = fieldOf(data, 'skill');
  if (tool !== useSkillName || status !== 'ok' || typeof skill !== 'string') return false;
  skills.texts.delete(output);
  skills.texts.set(output, toolCallId);
  const allows: unknown = fieldOf(data, 'allows');
  const entries = Array.isArray(allows) ? allows.filter((one): one is string => typeof one === 'string') : [];
  const allowed = readAllowedTools(entries);
  if (allowed !== null && skills.limits.every((limit) => limit.skill !== skill)) skills.limits.push({ skill, allowed });
  return true;
}

/** What stands for a summarized conversation: the summary, then the skills that `kept` does not show any more. */
export function summaryEntry(
  { replacesUpToSeq: seq, summary }: EventOf<'context-compacted'>,
  { texts }: LoadedSkills,
  kept: readonly Entry[],
): UserEntry {
  const said = `What happened so far, in short:\n${summary}`;
  const shown = new Set(
    kept.flatMap((entry) => (entry.type === 'assistant' ? entry.calls.map(({ toolCallId }) => toolCallId) : [])),
  );
  const gone = [...texts].filter(([, id]) => !shown.has(id)).slice(-mostKept);
  const notes = gone.map(([text]) => inert(text));
  if (notes.length === 0) return { type: 'user', seq, text: said, said };
  return { type: 'user', seq, text: `${said}\n\n${factsBlock(notes)}`, said, notes };
}

/** The text without the skills in it, which stay by themselves. */
export function withoutSkills(text: string, skills: readonly string[]): string {
  return skills.reduce((rest, skill) => rest.replace(inert(skill), () => ''), text);
}

/** Instructions of a folder, or the map, that were told, or held back in this turn. */
export interface FolderNote {
  readonly path: string;
  readonly isShown: boolean;
}

/** Null: the event tells neither. */
export function folderNote({ tool, status, data }: EventOf<'tool-ended'>): FolderNote | null {
  const path = tool === mapAction ? mapAction : tool === folderInstructionsName ? fieldOf(data, 'path') : null;
  return typeof path === 'string' ? { path, isShown: status === 'ok' } : null;
}
