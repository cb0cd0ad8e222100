// Opens a log in `inspect view` and its first sample: node inspect_view.mjs <chromium> <address of the log>
import { chromium } from 'playwright-core';

const [, , executablePath, address] = process.argv;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(address);
  await page.getByText('blotto').first().waitFor({ timeout: 60_000 });
  await page.goto(`${address}/samples/sample/blotto/1/messages`);
  await page.getByText('submit').first().waitFor({ timeout: 60_000 });
  await page.goto(`${address}/samples/sample/blotto/1/transcript`);
  await page
    .getByText(/^model call/i)
    .first()
    .waitFor({ timeout: 60_000 });
  if (process.env.BENCH_ACCEPT_SHOT) await page.screenshot({ path: process.env.BENCH_ACCEPT_SHOT });
  if (errors.length > 0) throw new Error(errors.join('\n'));
  console.log('inspect view: the log, its messages and its transcript are shown');
} finally {
  await browser.close();
}
