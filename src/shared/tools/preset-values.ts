import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';

/** What a form says before anybody fills it in. */
export function presetValues(form: ServerForm): FormValues {
  return Object.fromEntries(form.flatMap(({ name, preset }) => (preset === null ? [] : [[name, preset]])));
}
