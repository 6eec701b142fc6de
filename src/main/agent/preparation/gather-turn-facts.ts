import { asksToDraw, isSmallTalk } from '@shared/text/task-kind.ts';
import type { ProjectFacts } from '../../projects/facts/project-facts.ts';
import type { MemoryLine } from '@shared/projects/memory-line.ts';
import { saysToKeep } from '@shared/projects/memory-proposal.ts';
import { projectWordsStart } from '@shared/projects/project-keys.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { howToGet, withThinking } from '@shared/models/model-info.ts';
import type { EventOf } from '@shared/events/events.ts';
import { causesText } from '@shared/models/machine-strain.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';
import { checkCloudReach, reachOf } from './cloud-reach.ts';
import { openLinks } from './resolve-hard-links.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';
import { knowledgeOfTalk, wholeKnowledge } from './read-knowledge.ts';
import { memoryText } from './read-memory.ts';
import { skillsOffered } from './turn-skills.ts';
import type { FoundModels, TurnFacts } from './turn-facts.ts';
import { emptyTurnFacts, turnFactsSchema } from './turn-facts.ts';
import { askNote, projectBrief } from '../prompt/harness-facts.ts';
import { mayCompute } from '../loop/computing.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { noteFailure } from '../../lib/log.ts';

export async function gatherTurnFacts(
  turn: ActingTurn & Pick<Turn, 'id' | 'task' | 'options' | 'found' | 'given'>,
): Promise<TurnFacts> {
  const { dependencies, options } = turn;
  const isChat = turn.given.mode === 'chat';
  const found = await takeAction<TurnFacts | null>(
    turn,
    {
      tool: 'gather_facts',
      label: isChat ? 'get ready' : 'look at the project',
      input: { options, config: dependencies.config },
      run: async () => {
        const { sandbox } = dependencies;
        // A chat needs no container and looks at no files.
        if (!isChat) await sandbox.prepare(turn.signal);
        const links = isChat ? 0 : await openLinks(turn);
        const isPlan = options.mode === 'plan';
        const added = await addedTools(turn);
        const talk = isChat ? talkTools(turn, added) : {};
        const isTold = !isPlan && (!isChat || talk.talksWithTools === true);
        const ofServers = isTold ? ((await dependencies.tools.connected?.told?.(turn.signal)) ?? []) : [];
        const told = [...ofServers, ...(isPlan ? [] : goneTools(turn, added))];
        const found: TurnFacts = turnFactsSchema.parse({
          ...(isChat ? { facts: emptyTurnFacts.facts } : await projectOf(turn)),
          ...(await gatherModels(turn)),
          routes: await dependencies.project.routeRules(),
          ...added,
          ...(await agentsOffered(turn)),
          ...talk,
          ...drawing(turn),
          sandbox: {
            tier: sandbox.tier,
            workspacePath: sandbox.workspacePath,
            scratchPath: sandbox.scratchPath,
            ...(isChat || sandbox.description.notes === undefined ? {} : { notes: [...sandbox.description.notes] }),
            ...((sandbox.description.absent ?? []).length === 0 ? {} : { lacksPackages: true as const }),
            ...(sandbox.description.missing === undefined ? {} : { missing: sandbox.description.missing }),
            ...(links === 0 ? {} : { hardLinks: links }),
          },
        });
        const context = Math.min(...[found.local, found.cloud].map((info) => info?.contextTokens ?? 200_000));
        const noted = await dependencies.project.memory.lines();
        const [first] = dependencies.journal.state().messages;
        const session = { about: first?.text ?? turn.task, began: first?.at ?? dependencies.journal.now() };
        const memory = memoryText(noted, context, session);
        const kept = memory === undefined ? {} : { memory };
        if (isChat) return ofTalk(turn, { ...found, ...kept }, { context, noted, told });
        const { skills, text: catalog } = await skillsOffered(turn, found);
        const knowledge = await wholeKnowledge(turn, context);
        const parts = partsWithMemory(turn, found, noted);
        const data = turnFactsSchema.parse({ ...found, ...parts, skills, memory, knowledge });
        const environment = await environmentOf(turn, data.facts);
        const isAsked = turn.given.isQuestion && options.mode !== 'plan' && isForLarge(data);
        const ask = isAsked ? [askNote] : [];
        const child = dependencies.journal.state().tree?.by === undefined ? [] : [childNote];
        const output = [
          ...child,
          environment,
          projectBrief(data.facts),
          catalog,
          ...(data.sandbox.notes ?? []),
          ...told,
          ...ask,
        ];
        return { status: 'ok', output: output.filter((line) => line !== '').join('\n'), data };
      },
    },
    (data) => {
      const parsed = turnFactsSchema.nullable().parse(data);
      // Also if the turn was cancelled meanwhile, because `turn-started` records what was found.
      if (parsed !== null) turn.found.facts = parsed;
      return parsed;
    },
  );
  return found ?? emptyTurnFacts;
}

/** What a talk is told: nothing of files, but the knowledge of its project, and what the person says for later. */
async function ofTalk(
  turn: Pick<Turn, 'task' | 'options' | 'given' | 'dependencies'>,
  found: TurnFacts,
  had: { readonly context: number; readonly noted: readonly MemoryLine[]; readonly told: readonly string[] },
): Promise<{ readonly status: 'ok'; readonly output: string; readonly data: TurnFacts }> {
  const { parts = [], ...known } = await knowledgeOfTalk(turn, had.context);
  const all = [...parts, ...talkProposals(turn, had.noted)];
  const more = all.length === 0 ? {} : { parts: all };
  const notes = parts.includes('documents') && isForLarge(found) ? [...had.told, knowledgeNote] : had.told;
  return { status: 'ok', output: notes.join('\n'), data: { ...found, ...known, ...more } };
}

async function projectOf({
  dependencies: { project, sandbox },
  signal,
}: Pick<Turn, 'dependencies' | 'signal'>): Promise<Pick<TurnFacts, 'facts' | 'parts'>> {
  let paths: readonly string[] | undefined;
  const facts = await project.gatherFacts(sandbox.files, signal, (listed) => (paths = listed));
  const found = await project.findParts({ sandbox, facts, paths }, signal);
  const hasFolders = (await project.openChosenFolders?.(signal))?.length ?? 0;
  const parts = hasFolders > 0 && !found.includes('documents') ? [...found, 'documents' as const] : found;
  return turnFactsSchema
    .pick({ facts: true, parts: true })
    .parse({ facts, parts: parts.length === 0 ? undefined : parts });
}

/**
 * A line is proposed where work may change something, and to a person, not to another agent. Where the person asks to
 * have something kept, also the first one.
 */
function partsWithMemory(
  { task, dependencies: { project, journal }, options }: Pick<Turn, 'task' | 'dependencies' | 'options'>,
  { parts = [] }: Pick<TurnFacts, 'parts'>,
  lines: readonly MemoryLine[],
): Pick<TurnFacts, 'parts'> {
  const isChild = journal.state().tree?.by !== undefined;
  if (isChild || options.mode === 'plan' || !project.memory.takesProposals(lines, saysToKeep(task))) return {};
  return { parts: [...parts, 'memory'] };
}

/** A talk may end with a line for the memory where the person said something to keep. Other talks pay nothing for it. */
function talkProposals(
  { task, dependencies: { project, journal }, options }: Pick<Turn, 'task' | 'dependencies' | 'options'>,
  lines: readonly MemoryLine[],
): NonNullable<TurnFacts['parts']> {
  const isForPerson = journal.state().tree?.by === undefined && options.assistant?.tools !== 'off';
  return isForPerson && saysToKeep(task) && project.memory.takesProposals(lines, true) ? ['memory'] : [];
}

const knowledgeNote =
  'The user keeps documents at hand here. Search them before you answer what they may say, and cite the places.';

const childNote =
  'Another agent gave you this part of its task: your last words go to it. You work in a copy of the project, from which it takes the changes that it wants.';

/** The models that the options of a turn name, with their settings, and what may be spent on them. */
export async function gatherModels(
  turn: Pick<Turn, 'id' | 'task' | 'options' | 'dependencies' | 'signal'>,
): Promise<FoundModels> {
  return { ...asAsked(await modelsOf(turn), turn.options), ...(await capsLeft(turn)) };
}

/** The question of a small model stays as short as it can be. */
const isForLarge = ({ local, cloud }: Pick<TurnFacts, 'local' | 'cloud'>): boolean =>
  [local, cloud].some((info) => info !== null && !isSmall(info));

async function modelsOf(
  turn: Pick<Turn, 'task' | 'options' | 'dependencies' | 'signal'>,
): Promise<Omit<FoundModels, 'caps'>> {
  const { options, dependencies, signal } = turn;
  const local = needsLocal(options) ? await dependencies.models.info(options.local, signal) : null;
  const there = await cloudOf(turn);
  const more = await othersOf(turn);
  const reach = { ...more.reach, ...there.reach };
  const known = Object.keys(reach).length === 0 ? {} : { reach };
  const found = { local, ...there, ...more, ...known, ...(await eased(turn, local, there.cloud)) };
  // Without a cloud model, `hybrid` means local only, as configured.
  if (options.policy !== 'hybrid' || options.cloud === null || (local === null) === (there.cloud === null))
    return found;
  return { ...found, lacks: local === null ? 'local' : 'cloud' };
}

/** The models of the person's order beside the two of the message. */
async function othersOf({
  options: { modelOrder = [], local, cloud },
  dependencies,
  signal,
}: Pick<Turn, 'options' | 'dependencies' | 'signal'>): Promise<Pick<TurnFacts, 'others' | 'absent' | 'reach'>> {
  const ids = [...new Set(modelOrder)].filter((id) => id !== local && id !== cloud);
  const found = await Promise.all(
    ids.map(async (id) => ({ id, ...(await checkCloudReach(dependencies, id, signal)) })),
  );
  const others = found.flatMap(({ info }) => (info === null ? [] : [info]));
  const absent = found.filter(({ info }) => info === null).map(({ id }) => id);
  const reach = Object.fromEntries(found.flatMap((one) => Object.entries(reachOf(one))));
  return { reach, ...(others.length === 0 ? {} : { others }), ...(absent.length === 0 ? {} : { absent }) };
}

/** Work goes to the cloud because of strain only if the policy leaves the choice. */
async function eased(
  { task, options, dependencies, signal }: Pick<Turn, 'task' | 'options' | 'dependencies' | 'signal'>,
  local: ModelInfo | null,
  cloud: ModelInfo | null,
): Promise<Partial<Pick<TurnFacts, 'local' | 'ease'>>> {
  const found = local === null ? null : await dependencies.machine.ease({ local, task }, signal);
  if (found === null) return {};
  if (found.model !== null) return { local: found.model, ease: found.ease };
  return options.policy === 'hybrid' && cloud !== null ? { ease: found.ease } : {};
}

/** No two models of a turn have the same name: one that shares its name is shown with its provider. */
function distinctLabels(models: readonly ModelInfo[]): (info: ModelInfo) => ModelInfo {
  return (info) => {
    const { id, label, provider } = info;
    const isShared = models.some((other) => other.label === label && other.id !== id);
    return isShared ? { ...info, label: `${label} (${provider})` } : info;
  };
}

/**
 * The models with names of their own, and with the settings of the message and its assistant. This is logged, so a replay
 * does the same.
 */
function asAsked<Found extends Pick<TurnFacts, 'local' | 'cloud' | 'others'>>(
  found: Found,
  { assistant, thinking, project }: Pick<TurnOptions, 'assistant' | 'thinking' | 'project'>,
): Found {
  const { local, cloud, others } = found;
  const named = distinctLabels([local, cloud, ...(others ?? [])].filter((info) => info !== null));
  const drive = (info: ModelInfo): ModelInfo =>
    withThinking(asAssistant(inProject(named(info), project), assistant), thinking);
  const rest = others === undefined ? {} : { others: others.map(drive) };
  return {
    ...found,
    ...rest,
    local: local === null ? null : drive(local),
    cloud: cloud === null ? null : drive(cloud),
  };
}

/** What the user says in the project comes before the words of an assistant, so it stays in the cache of prompts. */
function inProject(info: ModelInfo, project: TurnOptions['project']): ModelInfo {
  if (project === undefined) return info;
  const told = `${projectWordsStart}${fittingWords(info, project.text)}`;
  const own = info.driving?.systemText;
  return { ...info, driving: { ...info.driving, systemText: own === undefined ? told : `${own}\n\n${told}` } };
}

/** At most a quarter of the context: the rest is for the work. */
function fittingWords({ contextTokens }: ModelInfo, text: string): string {
  const most = Math.floor(contextTokens / 4) * 3;
  return text.length <= most ? text : `${text.slice(0, most)} […]`;
}

function asAssistant(info: ModelInfo, assistant: TurnOptions['assistant']): ModelInfo {
  if (assistant === undefined) return info;
  const { text, temperature, topP, maxTokens } = assistant;
  const own = info.driving?.systemText;
  const driving = {
    ...info.driving,
    systemText: own === undefined ? text : `${own}\n\n${text}`,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
  };
  const outputTokens = Math.min(info.outputTokens ?? Number.POSITIVE_INFINITY, maxTokens ?? Number.POSITIVE_INFINITY);
  return { ...info, driving, ...(Number.isFinite(outputTokens) ? { outputTokens } : {}) };
}

/** Needed even if everything runs in the cloud: at a spending limit the work may continue locally. */
function needsLocal({ policy, atCap }: Turn['options']): boolean {
  return policy !== 'cloud' || atCap !== 'stop';
}

async function connectedTools({
  dependencies,
}: Pick<Turn, 'dependencies'>): Promise<Pick<TurnFacts, 'connected' | 'findsTools'>> {
  const offered = (await dependencies.tools.connected?.offered()) ?? [];
  return offered.length === 0 ? {} : { connected: [...offered], findsTools: true };
}

function webTools({ dependencies }: Pick<Turn, 'dependencies'>): Pick<TurnFacts, 'web'> {
  const offered = dependencies.tools.web?.offered() ?? [];
  return offered.length === 0 ? {} : { web: [...offered] };
}

/** Tools that the user chose to add, and the tools that read more of their results. */
async function addedTools(
  turn: Pick<Turn, 'dependencies' | 'options' | 'given' | 'signal'>,
): Promise<Partial<TurnFacts>> {
  const computes = mayCompute(turn) ? ({ computes: true } as const) : {};
  const others = { ...(await connectedTools(turn)), ...webTools(turn), ...computes };
  const programs = programsOffered(turn, Object.keys(others).length > 0);
  const isReviewed =
    programs.programs === true || others.connected?.some(({ own }) => own?.isProgram === true) === true;
  const found = { ...others, ...programs, ...(isReviewed ? await reviewerOf(turn) : {}) };
  return Object.keys(found).length === 0 ? {} : { ...found, readsResults: true };
}

/** What is connected and switched on may be used in a talk, unless its words need none or its assistant has none. */
function talkTools(
  { task, options }: Pick<Turn, 'task' | 'options'>,
  { connected, web, computes }: Pick<TurnFacts, 'connected' | 'web' | 'computes'>,
): Pick<TurnFacts, 'talksWithTools'> {
  const hasTools = connected !== undefined || web !== undefined || computes === true;
  return hasTools && options.assistant?.tools !== 'off' && !isSmallTalk(task) ? { talksWithTools: true } : {};
}

/**
 * Once the user has asked for a drawing, this stays on, so that the start of the prompt is the same from turn to turn.
 */
function drawing({ task, dependencies }: Pick<Turn, 'task' | 'dependencies'>): Pick<TurnFacts, 'draws'> {
  const { messages, toolCalls } = dependencies.journal.state();
  const wants = [task, ...messages.map(({ text }) => text)].some(asksToDraw);
  const drawers = dependencies.tools.builtIn.filter(({ needs }) => needs === 'drawing').map(({ name }) => name);
  return wants || toolCalls.some(({ tool }) => drawers.includes(tool)) ? { draws: true } : {};
}

/** On by default if there are connected tools, because their results are long and their calls many. */
function programsOffered(
  { dependencies, options, given }: Pick<Turn, 'dependencies' | 'options' | 'given'>,
  hasOthers: boolean,
): Pick<TurnFacts, 'programs'> {
  const wanted = dependencies.tools.programs();
  const isWanted = wanted === 'on' || (wanted === 'auto' && hasOthers);
  const { tier } = dependencies.sandbox;
  return isWanted && options.mode !== 'plan' && given.mode !== 'chat' && tier !== 'read-only' ? { programs: true } : {};
}

async function reviewerOf({
  dependencies,
  signal,
}: Pick<Turn, 'dependencies' | 'signal'>): Promise<Pick<TurnFacts, 'reviewer'>> {
  const model = dependencies.tools.programReviewer();
  return model === null ? {} : { reviewer: { model, info: await dependencies.models.info(model, signal) } };
}

/** The same for work and questions, so that the prompt begins alike. */
async function agentsOffered({
  dependencies,
  options,
  given,
}: Pick<Turn, 'dependencies' | 'options' | 'given'>): Promise<Pick<TurnFacts, 'agents'>> {
  if (options.mode === 'plan' || given.mode === 'chat' || dependencies.tools.agents === null) return {};
  const offer = await dependencies.tools.agents.offer();
  return offer === null ? {} : { agents: offer };
}

/** A log of reservations that cannot be read is reported at the first call that costs money. */
async function capsLeft({
  id,
  options,
  dependencies,
}: Pick<Turn, 'id' | 'options' | 'dependencies'>): Promise<Pick<TurnFacts, 'caps'>> {
  if (options.policy === 'local' || options.cloud === null) return {};
  try {
    return { caps: [...(await dependencies.budget.left(id, options.maxUsd))] };
  } catch (error) {
    // The budget is checked again before each call, and refuses there.
    noteFailure('The budget was not looked up', error);
    return {};
  }
}

async function cloudOf({
  options,
  dependencies,
  signal,
}: Pick<Turn, 'options' | 'dependencies' | 'signal'>): Promise<Pick<TurnFacts, 'cloud' | 'reach'>> {
  const { policy, cloud: id } = options;
  if (policy === 'local' || id === null) return { cloud: null };
  const found = await checkCloudReach(dependencies, id, signal);
  return { cloud: found.info, reach: reachOf(found) };
}

/** Includes the date, so that the model need not guess it. This is logged, so a replay has the same text. */
async function environmentOf(turn: Pick<Turn, 'dependencies' | 'signal'>, facts: ProjectFacts): Promise<string> {
  const { project, sandbox, journal } = turn.dependencies;
  const found = await project.readEnvironment(sandbox, facts, turn.signal);
  if (found === '') return '';
  return `${found} Date: ${new Date(journal.now()).toISOString().slice(0, 10)}.`;
}

/**
 * The models that the policy lets work on a turn, the smallest first: those of the person's order and no other, else the
 * local one before the cloud one.
 */
export function modelsOfTurn(
  { modelOrder, policy }: Pick<TurnOptions, 'modelOrder' | 'policy'>,
  { local, cloud, others = [] }: Pick<TurnFacts, 'local' | 'cloud' | 'others'>,
): readonly ModelInfo[] {
  if (modelOrder === undefined) {
    const named = { local: [local], cloud: [cloud], hybrid: [local, cloud] }[policy].filter((info) => info !== null);
    return named.filter(({ id }, at) => named.findIndex((one) => one.id === id) === at);
  }
  const known = new Map([local, ...others, cloud].flatMap((info) => (info === null ? [] : [[info.id, info] as const])));
  const ordered = [...new Set(modelOrder)].flatMap((id) => known.get(id) ?? []);
  return ordered.filter(({ where }) => policy === 'hybrid' || where === policy);
}

type Notice = Pick<EventOf<'notice-added'>, 'level' | 'code' | 'text'>;

/** What is different about the models than was asked for: one that is not there, or a smaller one in its place. */
export function modelNotices(
  { local: asked, cloud: askedCloud, project }: Pick<TurnOptions, 'local' | 'cloud' | 'project'>,
  found: TurnFacts,
): readonly Notice[] {
  const { lacks, local, cloud, absent = [], ease } = found;
  const notices: Notice[] = absent.map((id) => ({
    level: 'warning',
    code: 'model-missing',
    text: `The model ${id} of your order is not available, so it is left out. ${howToGet(id)}, or take it out of the order (setting "modelOrder", or --model-order).`,
  }));
  for (const info of [local, cloud]) {
    if (info === null || project === undefined || fittingWords(info, project.text) === project.text) continue;
    const text = `${info.label} gets only the beginning of the project's instructions: they would fill more than a quarter of its context.`;
    notices.push({ level: 'warning', code: 'instructions-cut', text });
  }
  if (lacks !== undefined) {
    const text =
      lacks === 'local'
        ? `Both models were asked for, but ${asked} is not available. Everything runs in the cloud, on ${cloud?.label ?? ''}. ${howToGet(asked)}, or name another one with --local.`
        : `Both models were asked for, but ${askedCloud ?? ''} or its provider is not available. Everything runs on this machine, on ${local?.label ?? ''}.`;
    notices.push({ level: 'warning', code: 'model-missing', text });
  }
  // Steps in the cloud say so themselves.
  if (ease?.act === 'smaller' && local !== null) {
    const text = `This message runs on ${local.label} instead of ${asked}, because ${causesText(ease.causes)}. Settings, "Power and heat", has the choice.`;
    notices.push({ level: 'info', code: 'model-eased', text });
  }
  return notices;
}

/**
 * Names the connected tools that this session called and that are there no more: switched off, changed or removed since.
 * Without this, a model answers the next question from what such a tool said about another one.
 */
function goneTools(
  { options, dependencies: { journal } }: Pick<Turn, 'dependencies' | 'options'>,
  { connected = [] }: Pick<TurnFacts, 'connected'>,
): readonly string[] {
  const there = new Set(connected.map(({ name }) => name));
  // A name that a model made up was never connected.
  const called = journal.state().toolCalls.filter(({ connected: server }) => server !== undefined);
  const gone = [...new Set(called.map(({ tool }) => tool))].filter((tool) => !there.has(tool)).join(', ');
  if (gone === '' || options.assistant?.tools === 'off') return [];
  return [`Not connected any more: ${gone}. If an answer needs it, say that it is off, and make nothing up.`];
}
