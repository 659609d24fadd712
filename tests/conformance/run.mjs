// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the client scenarios of the official conformance suite against one client command, each bounded in time and in
// a process group of its own, and holds the outcome against the expected failures. tools/conformance starts it and
// says what its options are.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const known = ['0.1', '0.2'];
const { values: options, positionals: client } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string', multiple: true, default: known },
    only: { type: 'string' },
    out: { type: 'string' },
    list: { type: 'boolean' },
  },
});
const limit = 20_000;                  // one scenario, milliseconds
const deadline = Date.now() + 300_000; // all of them
const jobs = 2;
const wires = ['2025-11-25', '2026-07-28'];

const cli = suite => path.join(here, 'node_modules', `conformance-${suite.replace('.', '-')}`, 'dist', 'index.js');
const quoted = word => `'${word.replaceAll("'", `'\\''`)}'`;
const command = client.map(quoted).join(' ');
const own = () => fs.mkdtempSync(path.join(os.tmpdir(), 'comcp-conformance-'));
const out = options.list ? '' : path.resolve(options.out ?? own());

// A run is one scenario on one wire. The suite prints `  - name [2025-11-25,2026-07-28]` or `  - name [extension]`; a
// scenario of an extension may go over every wire, and one for older revisions alone goes as the suite chooses.
function runsOf(suite) {
  const settings = { encoding: 'utf8', timeout: 30_000 };
  const printed = execFileSync(process.execPath, [cli(suite), 'list', '--client'], settings);
  const runs = [];
  for (const [, name, versions = ''] of printed.matchAll(/^\s+- (\S+)(?: \[([^\]]*)\])?$/gm)) {
    const extension = versions === 'extension';
    const excusable = extension || name.startsWith('auth/');
    const on = suite === '0.1' ? [] : wires.filter(w => extension || versions.split(',').includes(w));
    for (const wire of on) runs.push({ suite, name, wire, extension, excusable, label: `${name}@${wire}` });
    if (!on.length) runs.push({ suite, name, extension, excusable, label: name });
  }
  return runs;
}

function fail(text) {
  console.error(`conformance: ${text}`);
  process.exit(2);
}

// One label a line; what follows a # is the reason.
function expectedFailures(suite, runs) {
  const lines = fs.readFileSync(path.join(here, `expected-failures-${suite}.txt`), 'utf8').split('\n');
  const labels = lines.map(l => l.replace(/#.*/, '').trim()).filter(l => l);
  for (const label of labels) {
    const run = runs.find(r => r.label === label);
    if (!run) fail(`expected-failures-${suite}.txt names ${label}, which the suite does not have`);
    if (!run.excusable) fail(`expected-failures-${suite}.txt must not name ${label}: no authorization, no extension`);
    run.expected = true;
  }
}

const live = new Set();
const killGroup = (child, signal) => { try { process.kill(-child.pid, signal); } catch { /* gone already */ } };
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => { for (const child of live) killGroup(child, 'SIGKILL'); process.exit(130); });
}

// Starts the suite's runner, which starts the server of the scenario and the client; gives its exit code.
function execute(run, dir, time) {
  const args = [cli(run.suite), 'client', '--command', command, '--scenario', run.name];
  args.push('--timeout', String(time), '-o', dir);
  if (run.wire) args.push('--spec-version', run.wire);
  if (run.wire && run.extension) args.push('--force');
  // Everything is on the loopback interface.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)));
  const log = fs.openSync(path.join(dir, 'runner.txt'), 'w');
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log], env });
  live.add(child);
  return new Promise(done => {
    let killed = false;
    const timer = setTimeout(() => { killed = true; killGroup(child, 'SIGKILL'); }, time + 5_000);
    child.on('error', error => { fs.writeSync(log, String(error)); });
    child.on('close', code => {
      clearTimeout(timer);
      live.delete(child);
      killGroup(child, 'SIGKILL'); // a client that outlived its runner
      fs.closeSync(log);
      done(killed ? null : code);
    });
  });
}

function checksOf(dir) {
  const file = fs.readdirSync(dir, { recursive: true }).find(f => path.basename(f) === 'checks.json');
  return file ? JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8')) : [];
}

// Passed is: the runner is content, no check failed or warned, and at least one was there to pass. No expected failure
// excuses a hang or a crash.
function judge(run, dir, code) {
  const checks = checksOf(dir);
  const good = checks.filter(c => c.status === 'SUCCESS').length;
  const bad = checks.filter(c => c.status === 'FAILURE' || c.status === 'WARNING');
  const said = fs.readFileSync(path.join(dir, 'runner.txt'), 'utf8');
  const why = bad.map(c => (c.errorMessage ? `${c.id}: ${c.errorMessage.slice(0, 150)}` : c.id));
  const complaint = said.match(/^comcp_conformance_client: .*$/m);
  if (complaint) why.push(complaint[0]);
  const late = code === null || said.includes('CLIENT TIMED OUT');
  const crashed = !late && said.includes('Client exited with code') && (!complaint || said.includes('Sanitizer'));
  if (late) why.push('the client did not end in time');
  if (crashed) why.push('the client crashed');
  if (!good && !why.length) why.push('no check was exercised');
  run.ok = code === 0 && !bad.length && good > 0;
  run.excused = !late && !crashed;
  run.note = [`${good}/${good + bad.length} checks`, ...(run.ok ? [] : new Set(why))].join('; ');
}

async function perform(run) {
  const started = Date.now();
  const time = Math.min(limit, deadline - started);
  if (time < 1_000) {
    run.ok = false;
    run.note = 'not run: the time for the whole suite is up';
  } else {
    const dir = path.join(out, run.suite, run.label.replaceAll('/', '_'));
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir, { recursive: true });
    judge(run, dir, await execute(run, dir, time));
  }
  run.seconds = (Date.now() - started) / 1000;
}

const totals = { PASS: 0, FAIL: 0, XFAIL: 0 };
function report(run) {
  let word = run.ok ? 'PASS' : 'FAIL';
  if (run.expected && run.ok) {
    word = 'FAIL';
    run.note += `; passes, though expected-failures-${run.suite}.txt names it`;
  } else if (run.expected && run.excused) {
    word = 'XFAIL';
  }
  ++totals[word];
  const took = `${run.seconds.toFixed(1).padStart(5)} s`;
  console.log(`${word.padEnd(5)} ${run.suite} ${run.label.padEnd(50)} ${took}  ${run.note}`);
}

if (!options.suite.every(s => known.includes(s))) fail(`--suite is one of ${known}`);
let runs = options.suite.flatMap(suite => {
  const all = runsOf(suite);
  expectedFailures(suite, all);
  return all;
});
if (options.only) runs = runs.filter(r => new RegExp(options.only).test(r.label));
if (!runs.length) fail('no scenario selected');
if (options.list) {
  for (const r of runs) console.log(`${r.suite} ${r.label}${r.expected ? '  (expected to fail)' : ''}`);
  process.exit(0);
}

// What measures time comes first and alone. A machine that stands still for 200 ms makes a client late for it, so being
// late, unlike being early, is measured again; who always is, fails.
const timed = runs.filter(r => r.name === 'sse-retry');
const others = runs.filter(r => r.name !== 'sse-retry');
const late = /checks; client-sse-retry-timing: Client reconnected (slightly|very) late [^;]*$/;
const only_late = run => !run.ok && late.test(run.note);
async function performAll(queue) {
  for (let run; (run = queue.shift());) {
    await perform(run);
    for (let more = 4; more && only_late(run); --more) await perform(run);
    report(run);
  }
}
await performAll(timed);
await Promise.all(Array.from({ length: jobs }, () => performAll(others)));
if (!options.out) {
  if (totals.FAIL) console.error(`what was said is in ${out}`);
  else fs.rmSync(out, { recursive: true });
}
console.log(`${totals.PASS} passed, ${totals.FAIL} failed, ${totals.XFAIL} expected failures`);
process.exit(totals.FAIL ? 1 : 0);
