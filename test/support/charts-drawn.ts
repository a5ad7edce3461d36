import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a page of ours has drawn its charts. Asked for again and again: the page's policy forbids what Playwright's
 * waitForFunction does where it has to ask twice.
 */
export async function chartsDrawn(page: { evaluate(text: string): Promise<unknown> }): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if ((await page.evaluate('document.documentElement.dataset.charts !== undefined')) === true) return;
    await sleep(50);
  }
  throw new Error('the charts are not drawn after 20 s');
}
