/** What the app itself says, outside of its pages, by its key; the pages have theirs in `src/renderer/texts`. */
export const texts = {
  'menu.file': 'File',
  'menu.new': 'New task',
  'menu.newWindow': 'New window',
  'menu.import': 'Import a session…',
  'menu.settings': 'Settings',
  'menu.view': 'View',
  'menu.palette': 'All commands',
  'menu.sidebar': 'Sessions',
  'menu.inspector': 'Inspector',
  'news.ended': 'The task has ended.',
  'news.waits': 'It waits for your answer.',
  'dialog.sessionFile': 'Dewpoint session',
  'dialog.cannotStart': 'Dewpoint cannot start',
} as const;
