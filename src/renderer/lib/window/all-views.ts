import type { InspectorTab } from './preferences.ts';
import type { View } from './use-view.ts';

/**
 * Everything that the window can show, by the file that draws it. Tests walk through all of it; one of them finds a
 * file that draws a view, a dialog or a menu and is not named here.
 */
export const allViews = {
  new: 'features/task/new-task.tsx',
  'first-start': 'features/first-start/first-start.tsx',
  project: 'features/project/project-view.tsx',
  session: 'features/conversation/conversation.tsx',
  route: 'features/inspector/route/route-tab.tsx',
  cost: 'features/inspector/cost/cost-tab.tsx',
  sandbox: 'features/inspector/sandbox/sandbox-tab.tsx',
  changes: 'features/inspector/changes/changes-tab.tsx',
  preview: 'features/inspector/preview/preview-tab.tsx',
  context: 'features/inspector/context/context-tab.tsx',
  plan: 'features/composer/plan-editor.tsx',
  failure: 'features/conversation/turns/turn-parts.tsx',
  approval: 'features/approvals/approvals.tsx',
  cap: 'features/approvals/cap-question.tsx',
  bin: 'features/bin/bin-view.tsx',
  tools: 'features/tools/tools-view.tsx',
  'tool-editor': 'features/tools/tool-editor.tsx',
  assistants: 'features/assistants/assistants-view.tsx',
  models: 'features/models/models-view.tsx',
  hub: 'features/models/hub-models.tsx',
  driving: 'features/models/driving-form.tsx',
  price: 'features/models/price-form.tsx',
  compare: 'features/compare/compare-view.tsx',
  'compare-form': 'features/compare/compare-form.tsx',
  comparison: 'features/compare/comparison-detail.tsx',
  costs: 'features/costs/costs-view.tsx',
  settings: 'features/settings/settings-view.tsx',
  shortcuts: 'features/settings/shortcut-settings.tsx',
  rules: 'features/rules/rules-editor.tsx',
  sessions: 'features/sessions/session-list.tsx',
  'session-filter': 'features/sessions/filter-menu.tsx',
  'session-selection': 'features/sessions/selection-bar.tsx',
  'session-tags': 'ui/controls/tag-editor.tsx',
  palette: 'features/palette/palette.tsx',
  'session-menu': 'features/session-header/session-menu.tsx',
  'model-picker': 'ui/model-picker/model-list.tsx',
  templates: 'features/composer/template-editor.tsx',
  'server-prompt': 'ui/controls/prompt-fields.tsx',
  chats: 'ui/controls/chat-picker.tsx',
  packages: 'ui/project/prepare-packages.tsx',
} as const satisfies Readonly<Record<View['type'] | InspectorTab, string>> & Readonly<Record<string, string>>;
