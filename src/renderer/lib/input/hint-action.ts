import type { TextKey } from '../text/translate.ts';
import type { View } from '../window/use-view.ts';

/** What the window has for what a hint tells to do. */
export type HintAction =
  | { readonly type: 'pull'; readonly model: string }
  | { readonly type: 'show'; readonly text: TextKey; readonly view: View }
  /** One of the window's actions, which may be off at the moment. */
  | { readonly type: 'action'; readonly text: TextKey; readonly id: string };

const show = (text: TextKey, view: View): HintAction => ({ type: 'show', text, view });
const action = (text: TextKey, id: string): HintAction => ({ type: 'action', text, id });

/** What commands of the terminal do, and where the window does it; the first that fits. */
const places: readonly (readonly [RegExp, HintAction])[] = [
  [/^keys (?:set|remove)\b/u, show('hint.keys', { type: 'settings', at: 'keys' })],
  [/^(?:models\b|settings set providers\b)/u, show('hint.models', { type: 'models' })],
  [/^rules\b/u, show('hint.rules', { type: 'settings', at: 'rules' })],
  [/^tools\b/u, show('hint.tools', { type: 'tools' })],
  [/^doctor\b/u, show('hint.machine', { type: 'settings', at: 'machine' })],
  [/^compare\b/u, show('hint.compare', { type: 'compare' })],
  [/^changes\b/u, action('hint.changes', 'inspect-changes')],
  [/^sessions bin\b/u, show('hint.bin', { type: 'bin' })],
  [/^sessions list\b/u, action('hint.search', 'search')],
  [/^(?:projects|sandbox image|settings set sandbox\.image)\b/u, action('hint.project', 'project')],
  [/^settings\b/u, show('hint.settings', { type: 'settings' })],
];

/** Where the core says what to do, it says so for every host, with commands of the terminal. Null: the window has nothing for it. */
export function hintAction(hint: string): HintAction | null {
  // What a browser may not do, another place has to.
  if (/\bdewpoint serve --|^On the machine,/mu.test(hint)) return null;
  for (const [, command = ''] of hint.matchAll(/\bdewpoint ([a-z][^`]*)/gu)) {
    const model = /^models pull (?!hf:)([\w./-]*\w)/u.exec(command)?.[1];
    if (model !== undefined) return { type: 'pull', model };
    const session = /^sessions show (\w[\w-]*)/u.exec(command)?.[1];
    if (session !== undefined && session !== 'last')
      return show('hint.session', { type: 'session', sessionId: session });
    const place = places.find(([pattern]) => pattern.test(command));
    if (place !== undefined) return place[1];
  }
  return null;
}
