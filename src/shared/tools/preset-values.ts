import type { FormValues, ServerForm } from '@shared/tools/server-form.ts';

/** The values of a form before anybody fills it in. */
export function presetValues(form: ServerForm): FormValues {
  return Object.fromEntries(form.flatMap(({ name, preset }) => (preset === null ? [] : [[name, preset]])));
}
