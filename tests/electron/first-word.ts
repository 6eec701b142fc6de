import type { Page } from 'playwright-core';

/**
 * Sends the text in the field of a new task with one click. Returns the milliseconds until the first word of the answer
 * is drawn, by the clock of the page.
 */
export async function firstWordMs(page: Page, task: string, word: string): Promise<number> {
  await page.getByRole('textbox', { name: 'Task' }).fill(task);
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const buttons = [...document.querySelectorAll<HTMLElement>('button[type=submit]')];
        const begun = performance.now();
        buttons.find((one) => one.textContent === 'Start')?.click();
        const look = (): void => {
          const said = document.querySelectorAll('[role=log] [data-live], [role=log] [data-outcome]');
          if ([...said].some((one) => one.textContent.includes(wanted))) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        look();
      }),
    word,
  );
}

/** The words in the conversation that are neither the user's nor the answer's. */
export async function machineryWords(page: Page): Promise<readonly string[]> {
  const text = await page.evaluate(() => {
    const log = document.querySelector<HTMLElement>('[role=log]');
    // Only elements marked as an answer at the end of a turn are answers. The rest of that end counts as machinery.
    const own = document.querySelectorAll<HTMLElement>('[role=log] article, [role=log] [data-answer]');
    return [...own].reduce((left, one) => left.replace(one.innerText, ' '), log?.innerText ?? '');
  });
  return text.split(/\s+/u).filter((word) => /[\p{L}\p{N}$]/u.test(word));
}
