// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server with an app, on the SDKs of MCP and of the extension io.modelcontextprotocol/ui: over stdio in whichever era the
// client opens with, or with PORT over HTTP at /mcp, modern era. The page is the extension's own App class with two buttons:
// one calls a tool that only apps may call, the other one that only models may.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { registerAppResource, registerAppTool, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { z } from 'zod';

const uri = 'ui://counter/page.html';

// The bundle exports its App under a short name; a page of one file has it as a script.
function sdk() {
  const file = fileURLToPath(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'));
  const [, before, names] = /^(.*)export\s*\{([^}]*)\};?\s*$/s.exec(readFileSync(file, 'utf8'));
  const [, local] = /(?:^|,)\s*([\w$]+) as App\s*(?:,|$)/.exec(names);
  return `${before}\nglobalThis.App = ${local};`.replaceAll('</script', '<\\/script');
}

const page = `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>counter</title></head><body>
<p id="input"></p><p id="result"></p><p id="answer"></p><p id="refused"></p><p id="blocked"></p>
<button id="count">count</button><button id="forbidden">forbidden</button>
<script type="module">${sdk()}</script>
<script type="module">
const show = (id, text) => { document.getElementById(id).textContent = text; };
const app = new App({ name: 'counter', version: '1' }, {});
app.ontoolinput = ({ arguments: given }) => show('input', 'by ' + given.by);
app.ontoolresult = result => show('result', result.content[0].text);
await app.connect();
document.getElementById('count').onclick = async () => {
  const answer = await app.callServerTool({ name: 'count', arguments: { by: 40 } });
  show('answer', answer.content[0].text);
};
document.getElementById('forbidden').onclick = () =>
  app.callServerTool({ name: 'think', arguments: {} }).then(() => show('refused', 'no'), e => show('refused', e.message));
// The frame's policy keeps the page from what its server did not name.
addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => show('blocked', effectiveDirective + ' ' + blockedURI));
fetch('http://127.0.0.1:9/').catch(() => {});
</script></body></html>`;

function make() {
  let total = 2;
  const server = new McpServer({ name: 'apps', version: '1' });
  const by = z.object({ by: z.number() });
  const count = ({ by: n }) => ({ content: [{ type: 'text', text: `the total is ${total += n}` }] });
  registerAppTool(server, 'show_counter', { description: 'Shows it.', inputSchema: by, _meta: { ui: { resourceUri: uri } } },
                  ({ by: n }) => ({ content: [{ type: 'text', text: `shown by ${n}` }] }));
  registerAppTool(server, 'count', { description: 'Counts on.', inputSchema: by,
                                     _meta: { ui: { resourceUri: uri, visibility: ['app'] } } }, count);
  registerAppTool(server, 'think', { description: 'Not for pages.', inputSchema: z.object({}),
                                     _meta: { ui: { visibility: ['model'] } } }, () => ({ content: [{ type: 'text', text: 'no' }] }));
  const ui = { csp: { connectDomains: ['https://api.example'] }, permissions: { clipboardWrite: {} }, prefersBorder: true };
  registerAppResource(server, 'counter', uri, { description: 'A page.' }, () => (
    { contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: page, _meta: { ui } }] }));
  server.registerResource('plain', 'ui://counter/plain', { mimeType: 'text/html' }, () => (
    { contents: [{ uri: 'ui://counter/plain', mimeType: 'text/html', text: page }] }));
  return server;
}

if (process.env.PORT) {
  createServer(toNodeHandler(createMcpHandler(make, { legacy: 'reject' }))).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  serveStdio(make);
}
