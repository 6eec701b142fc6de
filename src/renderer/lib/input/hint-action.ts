import type { TextKey } from '../text/translate.ts';
import type { View } from '../window/use-view.ts';

/** What the window offers for a hint. */
export type HintAction =
  | { readonly type: 'pull'; readonly model: string }
  | { readonly type: 'show'; readonly text: TextKey; readonly view: View }
  /** One of the window's actions, which may be unavailable at the moment. */
  | { readonly type: 'action'; readonly text: TextKey; readonly id: string };

const show = (text: TextKey, view: View): HintAction => ({ type: 'show', text, view });
const action = (text: TextKey, id: string): HintAction => ({ type: 'action', text, id });

/** Terminal commands, and the place in the window that does the same. The first match counts. */
const places: readonly (readonly [RegExp, HintAction])[] = [
  [/^keys (?:set|remove)\b/u, show('hint.keys', { type: 'settings', at: 'keys' })],
  [/^settings set providers\.llama-server\b/u, show('hint.llamaServer', { type: 'models', at: 'llama-server' })],
  [/^settings set providers\b/u, show('hint.models', { type: 'models', at: 'endpoints' })],
  [/^models\b/u, show('hint.models', { type: 'models' })],
  [/^budget\b/u, show('hint.limits', { type: 'costs' })],
  [/^rules\b/u, show('hint.rules', { type: 'settings', at: 'rules' })],
  [/^tools\b/u, show('hint.tools', { type: 'tools' })],
  [/^doctor\b/u, show('hint.machine', { type: 'settings', at: 'machine' })],
  [/^compare\b/u, show('hint.compare', { type: 'compare' })],
  [/^changes\b/u, action('hint.changes', 'inspect-changes')],
  [/^sessions bin\b/u, show('hint.bin', { type: 'bin' })],
  [/^sessions export\b/u, action('hint.export', 'export')],
  [/^sessions list\b/u, action('hint.search', 'search')],
  [/^(?:projects|skills|calibrate|sandbox image|settings set sandbox\.image)\b/u, action('hint.project', 'project')],
  [/^settings\b/u, show('hint.settings', { type: 'settings' })],
];

/**
 * The core's hints name terminal commands, because they serve every host. Returns what the window has for one; null:
 * nothing.
 */
export function hintAction(hint: string): HintAction | null {
  // If a browser may not do it, another host must.
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
