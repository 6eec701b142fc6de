import { comparisonScene } from '../fakes/comparison-scene.ts';
import type { Page } from 'playwright-core';
import type { allViews } from '../../src/renderer/lib/window/all-views.ts';
import { toolScene } from '../fakes/page-tools.ts';
import { parseRules } from '../../src/shared/rules/parse-rules.ts';
import type { PageCore } from '../fakes/page-core.ts';
import {
  answerScene,
  approvalScene,
  capScene,
  endScenes,
  fixScene,
  furnish,
  longScene,
  planScene,
  workingScene,
} from '../fakes/page-scenes.ts';
import { programScene } from '../fakes/program-scene.ts';
import { questionScene } from '../fakes/question-scene.ts';
import { suggestionsFor } from '../fakes/suggestions.ts';
import { openActions } from './launch.ts';

type ViewName = keyof typeof allViews;
type Way = () => Promise<void>;

const ruleText = 'local-only path customers/**\nmask path config/keys.json\nlocal path docs/**\ncloud task migration\n';
const day = 24 * 60 * 60 * 1000;

/** Creates a home in which every view has something to show. Returns its sessions by their scenes. */
export async function furnishEveryView(core: PageCore, longTurns = 10): Promise<Readonly<Record<string, string>>> {
  furnish(core);
  core.suggestions = suggestionsFor({ name: 'Example Card 12', gib: 12, hostGib: 32, bandwidth: 360e9 });
  comparisonScene(core);
  toolScene(core.tools);
  const sessions: Record<string, string> = {};
  const at = (daysAgo: number, minutes: number): void => core.setTime(Date.now() - daysAgo * day - minutes * 60_000);
  const add = async (name: string, scene: (core: PageCore) => Promise<{ readonly sessionId: string }>) => {
    sessions[name] = (await scene(core)).sessionId;
  };
  at(9, 0);
  await add('long', (made) => longScene(made, longTurns));
  at(3, 0);
  await endScenes(core);
  at(1, 90);
  await add('plan', planScene);
  at(1, 0);
  await add('answer', answerScene);
  at(0, 10);
  await add('approval', approvalScene);
  await add('question', questionScene);
  await add('cap', capScene);
  at(0, 5);
  await add('working', workingScene);
  at(0, 1);
  await add('programs', programScene);
  await add('fix', fixScene);
  core.templates = [
    { name: 'explain', text: 'Explain {{file}} to somebody who has never seen this project.' },
    { name: 'review', text: 'Review {{file}} for bugs.\n\nLook at {{concern}} above all.' },
  ];
  core.prompts = [
    {
      server: 'notes',
      name: 'summary',
      title: 'Summary of a week',
      about: 'What was written in a week, in a few sentences.',
      arguments: [
        { name: 'week', about: 'Its number, as 47.', isRequired: true },
        { name: 'language', isRequired: false },
      ],
    },
  ];
  core.chats = {
    unread: 1,
    conversations: Array.from({ length: 240 }, (_, index) => ({
      id: index.toString(16).padStart(24, '0'),
      title: ['A week in Lisbon', 'Why does the build fail on Windows?', 'Letter to the landlord'][index % 3] ?? '',
      app: index % 2 === 0 ? ('ChatGPT' as const) : ('Claude' as const),
      startedMs: Date.UTC(2026, 9, 28) - index * day,
      changedMs: Date.UTC(2026, 9, 28) - index * day,
      messages: 2 + (index % 40),
      bytes: 900 * (1 + (index % 70)),
    })),
  };
  core.assistants = [
    { name: 'letters', about: 'Makes letters shorter.', text: 'You shorten letters.', tools: 'off', temperature: 0.2 },
    { name: 'reviewer', text: 'You review contracts. Name the clause for each point.', mode: 'plan' },
  ];
  const { state } = await core.client.sessions.show({ sessionId: sessions.answer ?? '' });
  core.branches = [
    { sessionId: state.sessionId ?? '', updatedAt: 2, messages: state.messages.map(({ messageId }) => messageId) },
    { sessionId: `${state.sessionId ?? ''}-again`, updatedAt: 1, messages: ['said-otherwise'] },
  ];
  core.binned = [
    {
      ...(await core.client.sessions.find({ id: sessions.answer ?? '' })),
      sessionId: 'binned',
      title: 'Try another parser',
    },
  ];
  const { rules } = parseRules(ruleText, 'your rules');
  core.rules = { ...core.rules, rules, text: ruleText, hash: 'f'.repeat(64), holds: 'as-written' };
  const missing = (await core.client.sessions.list()).find(({ title }) => title === 'Make the nightly job idempotent');
  sessions.missing = missing?.sessionId ?? '';
  return sessions;
}

interface ViewWays {
  /** How a user opens each view. */
  readonly ways: Readonly<Record<ViewName, Way>>;
  /** How to close what covers the window or replaces a view. */
  readonly waysBack: Partial<Record<ViewName, Way>>;
  readonly openSession: (name: string, title: string) => Promise<void>;
}

/** Uses the command palette, which is there at every window size. */
export function viewWays(page: Page, sessions: Readonly<Record<string, string>>): ViewWays {
  const choose = async (id: string): Promise<void> => {
    const field = await openActions(page);
    await page.locator(`[cmdk-item][data-value="${id}"]`).click();
    await field.waitFor({ state: 'detached' });
  };
  const goTo = async (action: string, heading: string | RegExp): Promise<void> => {
    await choose(action);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  const openSession = async (name: string, title: string): Promise<void> => {
    await choose(sessions[name] ?? '');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  };
  const inspect = async (tab: string): Promise<void> => {
    await openSession('fix', 'Fix the failing date test');
    await choose(`inspect-${tab.toLowerCase()}`);
    await page.getByRole('tabpanel', { name: tab }).waitFor();
  };
  const packages = page.getByRole('dialog', { name: 'Prepare project packages' });
  const picker = page.getByRole('dialog', { name: 'Choose a model' });
  const chats = page.getByRole('dialog', { name: 'Choose conversations' });
  const templates = page.getByRole('dialog', { name: 'Prompts', exact: true });
  const restore = page.getByRole('dialog', { name: 'Restore to here' });
  const commit = page.getByRole('dialog', { name: 'Commit and review' });
  const askAgain = page.getByRole('dialog', { name: 'Ask another model' });
  const push = page.getByRole('dialog', { name: 'Push the branch' });
  const deletion = page.getByRole('dialog', { name: /^Delete .*\?$/u });
  const newProject = page.getByRole('dialog', { name: 'New project' });
  const moving = page.getByRole('dialog', { name: 'Move to a project' });
  /** Only a project about which something was said can be deleted. */
  const nameProject = async (): Promise<void> => {
    const identity = page.getByRole('region', { name: 'Name and icon' });
    await identity.getByLabel('Icon').fill('A');
    const save = identity.getByRole('button', { name: 'Save name' });
    if (await save.isEnabled()) await save.click();
  };
  const serverPrompt = page.getByRole('dialog', { name: 'Summary of a week' });
  const filterMenu = page.getByRole('dialog', { name: 'Filter sessions' });
  const selectionBar = page.getByRole('region', { name: 'Selected sessions' });
  const listButton = page.getByRole('button', { name: 'Open session list' });
  const escape = async (shown: ReturnType<Page['locator']>): Promise<void> => {
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'detached' });
  };
  const ways: ViewWays['ways'] = {
    new: () => goTo('new', 'What would you like to do?'),
    'first-start': async () => {
      await goTo('first-steps', 'What would you like to do?');
      await page.getByRole('region', { name: 'Get started' }).waitFor();
    },
    project: async () => {
      await openSession('answer', 'Which port');
      await goTo('project', 'api-server');
    },
    push: async () => {
      await openSession('answer', 'Which port');
      await goTo('project', 'api-server');
      await page.getByRole('button', { name: 'Push…' }).click();
      await push.getByText('Read dates in UTC').waitFor();
    },
    'delete-project': async () => {
      await openSession('answer', 'Which port');
      await goTo('project', 'api-server');
      await nameProject();
      await page.getByRole('button', { name: 'Delete project' }).click();
      await deletion.getByText('Its name and icon').waitFor();
    },
    'new-project': async () => {
      if (await listButton.isVisible()) await listButton.click();
      await page.getByRole('button', { name: 'New project' }).click();
      await newProject.getByLabel('Name').waitFor();
    },
    'move-session': async () => {
      await openSession('answer', 'Which port');
      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.getByRole('menuitem', { name: 'Move to a project…' }).click();
      await moving.getByText('It works in the folder').waitFor();
    },
    session: () => openSession('long', 'A session of many weeks'),
    route: () => inspect('Route'),
    cost: () => inspect('Cost'),
    sandbox: () => inspect('Sandbox'),
    changes: () => inspect('Changes'),
    preview: () => inspect('Preview'),
    context: () => inspect('Context'),
    programs: async () => {
      await openSession('programs', 'Add up the orders of this week');
      await choose('inspect-programs');
      await page.getByRole('tabpanel', { name: 'Programs' }).getByRole('table').first().waitFor();
    },
    failure: async () => {
      await choose(sessions.missing ?? '');
      await page.getByText('No container engine was found').first().waitFor();
    },
    plan: async () => {
      await openSession('plan', 'Move the settings');
      await page.getByRole('textbox', { name: 'Step 1' }).waitFor();
    },
    approval: async () => {
      await openSession('approval', 'Add a check for empty names');
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: 'Deny' }).waitFor();
    },
    question: async () => {
      await openSession('question', 'Rename the column of names');
      await page.getByRole('alertdialog', { name: 'The agent asks' }).waitFor();
    },
    cap: async () => {
      await openSession('cap', 'Rewrite the importer');
      await page.getByRole('alertdialog', { name: 'The next call could exceed your limit' }).waitFor();
    },
    tasks: async () => {
      await goTo('tasks', 'Tasks');
      await page.getByRole('alertdialog').first().waitFor();
    },
    bin: () => goTo('bin', 'Bin'),
    tools: async () => {
      await goTo('tools', 'Tools');
      await page.getByText('May agents call these tools?').waitFor();
    },
    'tool-editor': async () => {
      await goTo('tools', 'Tools');
      await page.getByRole('button', { name: 'New tool' }).click();
      await page.getByRole('form', { name: 'Own tool' }).getByText('It works on the files of the workspace').waitFor();
    },
    assistants: async () => {
      await goTo('assistants', 'Assistants');
      await page.getByRole('form', { name: 'Assistant' }).waitFor();
    },
    models: () => goTo('models', 'Models'),
    hub: async () => {
      await goTo('models', 'Models');
      await page.getByLabel('Search Hugging Face').fill('example/Coder-7B-GGUF');
      await page.getByRole('button', { name: 'Look up' }).click();
      await page.locator('[data-choice]').last().waitFor();
      await page.locator('[data-hub]').scrollIntoViewIfNeeded();
    },
    driving: async () => {
      await goTo('models', 'Models');
      await page
        .getByRole('button', { name: /^Advanced/u })
        .first()
        .click();
      await page.getByLabel('Tool limit').waitFor();
    },
    price: async () => {
      await goTo('models', 'Models');
      await page
        .getByRole('button', { name: /^(?:Set|Change) price/u })
        .first()
        .click();
      await page.getByLabel('Input, $').waitFor();
    },
    compare: () => goTo('compare', 'Compare'),
    'compare-form': async () => {
      await goTo('compare', 'Compare');
      await page.getByRole('button', { name: 'New comparison' }).click();
      await page.getByRole('form', { name: 'New comparison' }).waitFor();
    },
    comparison: async () => {
      await goTo('compare', 'Compare');
      await page.getByRole('button', { name: /local, hybrid, cloud/u }).click();
      await page.getByText('Results by way').waitFor();
    },
    answers: async () => {
      await goTo('compare', 'Compare');
      await page.getByRole('button', { name: /local, hybrid, cloud/u }).click();
      await page.getByRole('button', { name: 'Judge without names' }).click();
      await page.getByRole('region', { name: 'Left answer' }).waitFor();
    },
    costs: () => goTo('costs', 'Costs'),
    receipt: async () => {
      await goTo('receipt', 'What left this machine');
      await page.getByRole('region', { name: 'To whom' }).waitFor();
    },
    settings: () => goTo('settings', 'Settings'),
    shortcuts: async () => {
      await goTo('settings', 'Settings');
      await page.getByRole('button', { name: /^Change shortcut for Costs/u }).click();
      await page.getByText('Press keys').waitFor();
    },
    rules: async () => {
      await goTo('settings', 'Settings');
      await page.getByRole('form', { name: 'New rule' }).scrollIntoViewIfNeeded();
    },
    sessions: async () => {
      if (await listButton.isVisible()) await listButton.click();
      await page.getByRole('searchbox', { name: 'Search sessions' }).waitFor();
    },
    'session-filter': async () => {
      if (await listButton.isVisible()) await listButton.click();
      await page.getByRole('button', { name: /^Filter sessions/u }).click();
      await filterMenu.getByLabel('Last used').waitFor();
    },
    'session-selection': async () => {
      await choose('select');
      await page.locator('[data-session][role=checkbox]').first().click();
      await selectionBar.getByRole('button', { name: 'Tags…' }).click();
      await selectionBar.getByRole('textbox', { name: 'New tag' }).waitFor();
    },
    'session-tags': async () => {
      await openSession('answer', 'Which port');
      await choose('tags');
      await page.getByRole('main').getByRole('textbox', { name: 'New tag' }).waitFor();
    },
    palette: async () => {
      await openActions(page);
    },
    'session-menu': async () => {
      await openSession('answer', 'Which port');
      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    },
    'model-picker': async () => {
      await openSession('answer', 'Which port');
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Model: /u })
        .click();
      await picker.getByText('fits').first().waitFor();
    },
    templates: async () => {
      await openSession('answer', 'Which port');
      await choose('slash-templates');
      await templates.getByRole('button', { name: '/review' }).click();
      await templates.getByRole('button', { name: 'Delete prompt' }).waitFor();
    },
    'server-prompt': async () => {
      await openSession('answer', 'Which port');
      await page.getByRole('textbox', { name: 'Message' }).fill('/notes');
      await page.getByRole('option', { name: /notes:summary/u }).click();
      await serverPrompt.getByRole('textbox', { name: 'week' }).waitFor();
    },
    chats: async () => {
      await openSession('answer', 'Which port');
      const file = { name: 'conversations.json', mimeType: 'application/json', buffer: Buffer.from('[]') };
      await page.getByRole('main').locator('input[type=file]').setInputFiles(file);
      await chats.getByRole('checkbox').first().waitFor();
    },
    restore: async () => {
      await openSession('answer', 'Which port');
      await page.getByRole('article').first().hover();
      await page.getByRole('button', { name: 'Restore to here' }).first().click();
      await restore.getByText('3 files will be set back.').waitFor();
    },
    commit: async () => {
      await openSession('fix', 'Fix the failing date test');
      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.getByRole('menuitem', { name: 'Commit and review…' }).click();
      await commit.getByText('A new branch, based on 0a1b2c3d.').waitFor();
    },
    'ask-again': async () => {
      await openSession('fix', 'Fix the failing date test');
      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.getByRole('menuitem', { name: 'Ask another model…' }).click();
      await askAgain.getByText('3 requests').waitFor();
    },
    packages: async () => {
      await openSession('answer', 'Which port');
      await goTo('project', 'api-server');
      await page.getByRole('button', { name: 'Prepare…' }).click();
      await packages.getByText('packages.example.org').waitFor();
    },
  };
  const allComparisons = (): Promise<void> => page.getByRole('button', { name: 'All comparisons' }).click();
  const waysBack: ViewWays['waysBack'] = {
    'compare-form': allComparisons,
    comparison: allComparisons,
    answers: allComparisons,
    push: () => escape(push),
    'delete-project': () => escape(deletion),
    'new-project': () => escape(newProject),
    'move-session': () => escape(moving),
    'tool-editor': () => page.getByRole('button', { name: 'Discard changes' }).click(),
    // Otherwise the next keys would be recorded as the shortcut.
    shortcuts: () => escape(page.getByText('Press keys')),
    'session-filter': () => escape(filterMenu),
    'session-selection': async () => {
      await selectionBar.getByRole('button', { name: 'Done' }).first().click();
      await selectionBar.waitFor({ state: 'detached' });
    },
    'session-tags': () => escape(page.getByRole('main').getByRole('textbox', { name: 'New tag' })),
    palette: () => escape(page.getByPlaceholder('Search actions')),
    'session-menu': () => escape(page.getByRole('menuitem', { name: 'Rename' })),
    'model-picker': () => escape(picker),
    chats: () => escape(chats),
    restore: () => escape(restore),
    commit: () => escape(commit),
    'ask-again': () => escape(askAgain),
    templates: () => escape(templates),
    'server-prompt': async () => {
      await escape(serverPrompt);
      await page.getByRole('textbox', { name: 'Message' }).fill('');
    },
    packages: async () => {
      await packages.getByRole('button', { name: 'Close' }).click();
      await packages.waitFor({ state: 'detached' });
    },
  };
  return { ways, waysBack, openSession };
}
