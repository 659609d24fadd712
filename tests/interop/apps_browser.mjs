// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `apps_browser.mjs CHROMIUM APP_HOST [ARGUMENT...]`: starts the example with these arguments, opens its page in the
// headless browser, clicks, and prints what stands on the page then, a line each. The example and the browser end with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const [executablePath, command, ...rest] = process.argv.slice(2);
const host = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
const ended = once(host, 'exit');
let browser;
try {
  const url = await Promise.race([once(createInterface(host.stdout), 'line').then(([line]) => line),
                                  ended.then(([status]) => { throw Error(`app_host ended with ${status}`); })]);
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: 60_000 });
  const page = await browser.newPage();
  page.on('console', message => process.stderr.write(`console: ${message.text()}\n`));
  await page.goto(url);
  const app = page.frameLocator('iframe').frameLocator('iframe');
  const read = async id => {
    const text = app.locator(`#${id}`).filter({ hasText: /./ });
    console.log(`${id}: ${await text.textContent({ timeout: 60_000 })}`);
  };
  await read('input');
  await read('result');
  await read('blocked');
  await app.locator('#count').click();
  await read('answer');
  await app.locator('#forbidden').click();
  await read('refused');
  const origins = page.frames().map(frame => new URL(frame.url()).origin);
  console.log(`origins: ${new Set(origins).size} of ${origins.length}`);
} finally {
  await browser?.close();
  host.stdin.end();
  const [status] = await ended;
  console.log(`app_host: ${status}`);
}
