import { compare } from './en-compare.ts';
import { content } from './en-content.ts';
import { costs } from './en-costs.ts';
import { composer } from './en-composer.ts';
import { conversation } from './en-conversation.ts';
import { inspector } from './en-inspector.ts';
import { library } from './en-library.ts';
import { machine } from './en-machine.ts';
import { project } from './en-project.ts';
import { receipt } from './en-receipt.ts';
import { rules } from './en-rules.ts';
import { settings } from './en-settings.ts';
import { shell } from './en-shell.ts';
import { toolEdit } from './en-tool-edit.ts';
import { tools } from './en-tools.ts';

/** All texts of the window, by key. `{name}` stands for a value. For a count, the key ends in `.one` or `.other`. */
export const en = {
  ...shell,
  ...compare,
  ...content,
  ...composer,
  ...costs,
  ...conversation,
  ...inspector,
  ...library,
  ...machine,
  ...project,
  ...receipt,
  ...rules,
  ...settings,
  ...toolEdit,
  ...tools,
} as const;
