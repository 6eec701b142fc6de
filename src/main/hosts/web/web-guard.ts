import { AppError } from '@shared/errors.ts';
import { proposedLineField } from '@shared/projects/memory-proposal.ts';
import type { ForwardedCall } from '../../server/forward-router.ts';

/** What the user can grant to the browser at the start. */
export const webGrants = ['keys', 'terminal', 'settings'] as const;
export type WebGrant = (typeof webGrants)[number];

interface Refusal {
  readonly names: readonly string[];
  /** This grant allows the commands. Null: nothing does. */
  readonly grant: WebGrant | null;
  readonly message: string;
  readonly hint: string;
}

const toolServers = {
  message: 'Tool servers cannot be changed or started from the browser.',
  hint: 'On the machine, run: dewpoint tools add NAME, or dewpoint tools approve NAME',
} as const;

const memoryRefusal = {
  message: 'Skills and memory cannot be changed from the browser.',
  hint: 'On the machine, run: dewpoint skills enable NAME, or dewpoint memory add LINE. Or start with: dewpoint serve --allow settings',
} as const;

const refusals: readonly Refusal[] = [
  {
    names: [
      'settings.set',
      'settings.unset',
      'projects.configure',
      'projects.create',
      'projects.change',
      'projects.remove',
      'projects.restore',
      'budget.change',
      'routing.forget',
    ],
    grant: 'settings',
    message: 'Settings cannot be changed from the browser.',
    hint: 'On the machine, run: dewpoint settings set KEY VALUE. Or start with: dewpoint serve --allow settings',
  },
  {
    names: ['rules.save', 'rules.approve', 'projects.approveInstructions', 'projects.forgetInstructions'],
    grant: 'settings',
    message: 'Rules and approvals of instructions cannot be changed from the browser.',
    hint: 'On the machine, run dewpoint rules path to find the file. Or start with: dewpoint serve --allow settings',
  },
  {
    // What they say goes into every later task.
    names: ['skills.enable', 'skills.disable', 'skills.save', 'memory.add', 'memory.forget'],
    grant: 'settings',
    ...memoryRefusal,
  },
  {
    names: ['assistants.save', 'assistants.remove', 'templates.save', 'templates.remove'],
    grant: 'settings',
    message: 'Assistants and templates cannot be changed from the browser.',
    hint: 'On the machine, run: dewpoint assistants import FILE. Or start with: dewpoint serve --allow settings',
  },
  {
    // The project that it moves into says what a session reads, and what it may use.
    names: ['sessions.move'],
    grant: 'settings',
    message: 'Sessions cannot be moved between projects from the browser.',
    hint: 'On the machine, run: dewpoint sessions move SESSION --project PROJECT. Or start with: dewpoint serve --allow settings',
  },
  {
    names: [
      'keys.set',
      'keys.try',
      'keys.signIn',
      'keys.signInAddress',
      'keys.finishSignIn',
      'keys.remove',
      'keys.restore',
    ],
    grant: 'keys',
    message: 'Keys cannot be changed from the browser.',
    hint: 'On the machine, run: dewpoint keys set PROVIDER. Or start with: dewpoint serve --allow keys',
  },
  {
    // It copies files of the machine, and what they say is read in later tasks.
    names: ['knowledge.add', 'knowledge.remove', 'knowledge.setWhole'],
    grant: null,
    message: 'The knowledge of projects cannot be changed from the browser.',
    hint: 'On the machine, run: dewpoint projects knowledge add DIR FILE',
  },
  {
    // It copies a folder of the machine.
    names: ['skills.add', 'skills.remove'],
    grant: null,
    message: 'Skills cannot be added or removed from the browser.',
    hint: 'On the machine, run: dewpoint skills add DIR, or dewpoint skills remove NAME',
  },
  {
    names: ['git.clone'],
    grant: null,
    message: 'Repositories cannot be cloned from the browser.',
    hint: 'On the machine, run: dewpoint projects clone URL DIR',
  },
  {
    names: ['git.pull'],
    grant: null,
    message: 'Nothing is pulled from the browser.',
    hint: 'On the machine, run: dewpoint projects pull DIR',
  },
  {
    names: ['git.setToken', 'git.request', 'git.push'],
    grant: null,
    message: 'Nothing is pushed from the browser, and no token for it is kept.',
    hint: 'On the machine, run: dewpoint sessions request SESSION, or dewpoint projects push DIR',
  },
  {
    names: ['endpoint.addClient', 'endpoint.removeClient', 'endpoint.answer', 'endpoint.count', 'endpoint.models'],
    grant: null,
    message: 'Keys for other programs cannot be made or used from the browser.',
    hint: 'On the machine, run: dewpoint serve keys add NAME, or dewpoint serve keys revoke NAME',
  },
  {
    names: ['sandboxes.terminal', 'sandboxes.run', 'sandboxes.type', 'sandboxes.resize'],
    grant: 'terminal',
    message: 'No terminal can be opened from the browser, and no code run.',
    hint: 'Start with dewpoint serve --allow terminal, or use the app.',
  },
  {
    // A tool server is a program or an address that the user chooses, and an approval starts it.
    names: [
      'tools.add',
      'tools.addKnown',
      'tools.change',
      'tools.importFile',
      'tools.importText',
      'tools.secret',
      'tools.exposed',
      'tools.approve',
      'tools.approveTools',
      'tools.markReading',
      'tools.askAgain',
      'tools.test',
      'tools.set',
      'tools.signIn',
      'tools.signInAddress',
      'tools.finishSignIn',
      'tools.signOut',
      'tools.remove',
      'tools.connections',
      'tools.connect',
      'tools.connected',
      'tools.tasks',
      'tools.stopTask',
    ],
    grant: null,
    ...toolServers,
  },
  {
    // A tool from a file is a program that the user chooses, and an approval lets it run.
    names: [
      'ownTools.approve',
      'ownTools.set',
      'ownTools.secret',
      'ownTools.forget',
      'ownTools.test',
      'ownTools.create',
      'ownTools.read',
      'ownTools.testText',
      'ownTools.save',
      'ownTools.keep',
      'ownTools.removeProgram',
    ],
    grant: null,
    message: 'Tools of your own cannot be changed, approved or tried from the browser.',
    hint: 'On the machine, run: dewpoint tools approve NAME --project DIR, or dewpoint tools test NAME',
  },
  {
    // It starts programs, and may cost money.
    names: ['setup.try'],
    grant: null,
    message: 'The set-up cannot be tried from the browser.',
    hint: 'On the machine, run: dewpoint doctor --try',
  },
  {
    names: ['web.set', 'web.secret', 'web.setUpSearch', 'web.test'],
    grant: null,
    message: 'Tools for the web cannot be changed or tried from the browser.',
    hint: 'On the machine, run: dewpoint tools on web_read',
  },
  {
    names: ['models.import', 'models.addAdapter', 'models.remove', 'models.updateCatalog', 'models.resetCatalog'],
    grant: null,
    message: 'Model files cannot be added or removed from the browser.',
    hint: 'On the machine, run: dewpoint models import FILE, or dewpoint models remove NAME',
  },
  {
    names: ['prices.update', 'prices.reset'],
    grant: null,
    message: 'The price list cannot be changed from the browser.',
    hint: 'On the machine, run: dewpoint models prices update',
  },
  {
    // It starts the program that it names.
    names: ['models.lookForServer'],
    grant: null,
    message: 'No llama-server can be looked for from the browser.',
    hint: 'On the machine, run: dewpoint doctor',
  },
  {
    names: ['projects.prepare', 'projects.removePackages', 'projects.bringImage', 'clean'],
    grant: null,
    message: 'Packages and images cannot be installed or removed from the browser.',
    hint: 'On the machine, run: dewpoint projects prepare DIR, dewpoint sandbox image use DIR, or dewpoint clean',
  },
  {
    names: ['receipts.sign'],
    grant: null,
    message: 'Receipts cannot be signed from the browser.',
    hint: 'On the machine, run: dewpoint receipt --file FILE',
  },
  {
    names: ['host.openFile', 'host.openSignIn', 'host.editors'],
    grant: null,
    message: 'No program of the machine can be started from the browser.',
    hint: 'Open the file on the machine, or use the app.',
  },
  {
    names: [
      'sessions.export',
      'sessions.import',
      'capsules.make',
      'capsules.check',
      'capsules.unpack',
      'comparisons.tasks',
      'comparisons.dropTasks',
    ],
    grant: null,
    message: 'The browser can name no file of this machine to export or import.',
    hint: 'Download the session from its menu. Or on the machine, run: dewpoint sessions export SESSION FILE',
  },
];

/** The refused commands, so that a page need not offer them. */
export function refusedCommands(granted: readonly WebGrant[]): readonly string[] {
  return refusals.flatMap(({ names, grant }) => (grant !== null && granted.includes(grant) ? [] : names));
}

/** Throws `refused` for commands that were not granted to the browser at the start. */
export function createWebGuard(granted: readonly WebGrant[] = []): (call: ForwardedCall) => Promise<void> {
  const refused = refusedCommands(granted);
  return async ({ name, input }) => {
    if (refused.includes(name) && !isDisplaySetting(name, input)) {
      const refusal = refusals.find(({ names }) => names.includes(name));
      if (refusal !== undefined) throw new AppError('refused', refusal.message, { hint: refusal.hint });
    }
    if (isOfToolServers(name, input) || isLastingYes(name, input)) {
      throw new AppError('refused', toolServers.message, { hint: toolServers.hint });
    }
    if (namesProgram(name, input)) {
      throw new AppError('refused', 'No program of the machine can be named from the browser.', {
        hint: 'On the machine, run: dewpoint settings set KEY VALUE',
      });
    }
    if (decidesAboutKeys(name, input) && !granted.includes('keys')) {
      throw new AppError('refused', 'Where keys are sent cannot be changed from the browser.', {
        hint: 'On the machine, run: dewpoint settings set KEY VALUE. Or start with: dewpoint serve --allow settings --allow keys',
      });
    }
    if (isOfFolders(name, input)) {
      const { message, hint } = name === 'projects.create' || name === 'projects.change' ? ownFolder : searchFolders;
      throw new AppError('refused', message, { hint });
    }
    if (isKeptLine(name, input) && !granted.includes('settings')) {
      throw new AppError('refused', memoryRefusal.message, { hint: memoryRefusal.hint });
    }
    if (name.startsWith('attachments.') && Reflect.get(Object(input), 'path') !== undefined) {
      throw new AppError('refused', 'The browser cannot name paths of this machine.');
    }
  };
}

/** Settings that affect only the display, and are useful in a browser, too. */
function isDisplaySetting(name: string, input: unknown): boolean {
  return (
    name === 'settings.set' && ['shortcuts', 'notify', 'favoriteModels'].includes(Reflect.get(Object(input), 'key'))
  );
}

/** A yes to a line that an agent proposes. No such yes counts without the field of the line. */
function isKeptLine(name: string, input: unknown): boolean {
  if (name !== 'sessions.approve') return false;
  return Object.hasOwn(Object(Reflect.get(Object(input), 'values')), proposedLineField);
}

/** A yes to all later calls of a tool is a setting of its server. */
function isLastingYes(name: string, input: unknown): boolean {
  return name === 'sessions.approve' && Reflect.get(Object(input), 'scope') === 'always';
}

/** Tool servers and their approvals are settings, too, but a grant for settings does not include them. */
function isOfToolServers(name: string, input: unknown): boolean {
  const first = changedSetting(name, input);
  return first === 'toolServers' || first === 'projectTools';
}

/** The address of a service gets its key, and a proxy or a certificate stands between. */
function decidesAboutKeys(name: string, input: unknown): boolean {
  if (isAboutPictures(settingKey(input))) return false;
  return ['providers', 'connection'].includes(String(changedSetting(name, input)));
}

/**
 * Only whether models see pictures: `providers.NAME.images`, or `providers.NAME.models.MODEL.images`. Whole keys are
 * compared, because a service may be called "images".
 */
function isAboutPictures(key: readonly unknown[]): boolean {
  const isOfModel = key.length === 5 && key[2] === 'models';
  return key[0] === 'providers' && (key.length === 3 || isOfModel) && key.at(-1) === 'images';
}

/** A server of models is a program that is started with the next message. */
function namesProgram(name: string, input: unknown): boolean {
  if (changedSetting(name, input) !== 'providers' || name !== 'settings.set') return false;
  return settingKey(input).at(-1) === 'program' || hasProgram(Reflect.get(Object(input), 'value'));
}

function hasProgram(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, 'program') || Object.values(value).some(hasProgram);
}

const ownFolder = {
  message: 'The folder of a project cannot be chosen from the browser.',
  hint: 'On the machine, run: dewpoint projects set PROJECT --folder DIR',
};
const searchFolders = {
  message: 'Folders for search cannot be chosen from the browser.',
  hint: 'On the machine, run: dewpoint projects folders add FOLDER',
};

/** They lie outside the folders that the browser was given. */
function isOfFolders(name: string, input: unknown): boolean {
  if (changedSetting(name, input) === 'projectFolders') return true;
  if (name === 'projects.create') return Reflect.get(Object(input), 'folder') !== undefined;
  const type: unknown = Reflect.get(Object(Reflect.get(Object(input), 'change')), 'type');
  return ['projects.configure', 'projects.change'].includes(name) && (type === 'folder' || type === 'no-folder');
}

/** The first part of its key. Null: no setting is changed. */
function changedSetting(name: string, input: unknown): unknown {
  return name === 'settings.set' || name === 'settings.unset' ? settingKey(input)[0] : null;
}

function settingKey(input: unknown): readonly unknown[] {
  const key: unknown = Reflect.get(Object(input), 'key');
  return Array.isArray(key) ? key : String(key).split('.');
}
