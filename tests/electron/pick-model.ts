import type { Page } from 'playwright-core';

/** Picks a line in the open model picker by its key: the id of a model, or `auto:hybrid`. */
export async function pickModel(page: Page, key: string): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Model: /u })
    .click();
  const picker = page.getByRole('dialog', { name: 'Choose a model' });
  await picker.locator(`[data-option="${key}"]`).click();
  await picker.waitFor({ state: 'detached' });
}
