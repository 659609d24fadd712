// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the peers on the TypeScript SDK 2.x offer: tools, resources and a prompt; sdk_server.mjs and
// sdk_http_server.mjs decide how it is served. What it does beside answering goes to stderr, one line each, beginning
// with "sdk_server: ".
import { McpServer, ResourceTemplate, completable, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { z } from 'zod';

export const note = line => process.stderr.write(`sdk_server: ${line.replace(/\s+/g, ' ')}\n`);
export const text = value => ({ content: [{ type: 'text', text: String(value) }] });

const counter_uri = 'test://counter';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const languages = ['c', 'c++', 'cobol', 'java', 'python'];

const starting_with = (words, prefix) => words.filter(word => word.startsWith(prefix));

function add_plain_tools(server) {
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers; the answer is structured.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true, idempotentHint: true }
    },
    ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } })
  );

  server.registerTool(
    'echo',
    { description: 'Gives the text back.', inputSchema: z.object({ text: z.string() }) },
    args => text(args.text)
  );

  server.registerTool('fail', { description: 'Always a tool error.' }, () => ({ ...text('it failed'), isError: true }));

  server.registerTool(
    'progress',
    { description: 'Reports n steps, then answers.', inputSchema: z.object({ n: z.number().int().min(0) }) },
    async ({ n }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let step = 1; progressToken !== undefined && step <= n; ++step) {
        const params = { progressToken, progress: step, total: n, message: `step ${step}` };
        await ctx.mcpReq.notify({ method: 'notifications/progress', params });
      }
      return text(`${n} steps`);
    }
  );

  server.registerTool(
    'log',
    {
      description: 'Sends one log message, then answers.',
      inputSchema: z.object({ level: z.enum(['debug', 'info', 'warning', 'error']), message: z.string() })
    },
    async ({ level, message }, ctx) => {
      await ctx.mcpReq.log(level, message, 'sdk_server');
      return text('logged');
    }
  );

  server.registerTool('slow', { description: 'Runs until it is cancelled.' }, ctx => {
    note('slow started');
    return new Promise((_, reject) => {
      ctx.mcpReq.signal.addEventListener('abort', () => {
        note('slow cancelled');
        reject(new Error('cancelled'));
      });
    });
  });
}

// The SDK turns `inputRequired` into requests of its own towards a legacy client: one handler serves both eras.
function add_asking_tools(server) {
  server.registerTool(
    'ask',
    {
      description: 'Elicits a name, `times` times over, each in a round of its own.',
      inputSchema: z.object({ times: z.number().int().min(1).default(1) })
    },
    ({ times }, ctx) => {
      const names = JSON.parse(ctx.mcpReq.requestState() ?? '[]');
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'name');
      if (answer.kind === 'elicit' && answer.action !== 'accept') return text(`user chose ${answer.action}`);
      if (answer.kind === 'elicit') names.push(answer.content?.name);
      if (names.length >= times) return text(`hello ${names.join(' and ')}`);
      return inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'What is your name?',
            requestedSchema: {
              type: 'object',
              properties: { name: { type: 'string', title: 'Name', minLength: 1 } },
              required: ['name']
            }
          })
        },
        requestState: JSON.stringify(names)
      });
    }
  );

  server.registerTool(
    'sample',
    { description: 'Has the client sample a message.', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, ctx) => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'message');
      if (answer.kind === 'sampling') return text(`${answer.result.model}: ${answer.result.content.text}`);
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      return inputRequired({ inputRequests: { message: inputRequired.createMessage({ messages, maxTokens: 100 }) } });
    }
  );

  server.registerTool('roots', { description: "Lists the client's roots." }, ctx => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'roots');
    if (answer.kind === 'roots') return text(answer.roots.map(root => root.uri).join('\n'));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
}

function add_changing_things(server, era, world) {
  const add_extra = () => server.registerTool('extra', { description: 'Was not here before.' }, () => text('extra'));
  let extra = world.with_extra ? add_extra() : undefined;
  server.registerTool('change_tools', { description: 'Adds the tool `extra`, or takes it away again.' }, () => {
    if (extra) {
      extra.remove();
      extra = undefined;
    } else {
      extra = add_extra();
    }
    world.with_extra = extra !== undefined;
    world.tell?.toolsChanged();
    return text(extra ? 'added' : 'removed');
  });

  const subscribed = new Set();
  server.registerResource('counter', counter_uri, { mimeType: 'text/plain' }, uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: String(world.count) }]
  }));
  server.registerTool('touch', { description: `Counts ${counter_uri} up.` }, async () => {
    ++world.count;
    // A modern connection sends it to the listen streams that asked for the uri; a legacy one leaves that to us.
    if (era === 'modern' || subscribed.has(counter_uri)) await server.server.sendResourceUpdated({ uri: counter_uri });
    world.tell?.resourceUpdated(counter_uri);
    return text(world.count);
  });
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', ({ params }) => (subscribed.add(params.uri), {}));
    server.server.setRequestHandler('resources/unsubscribe', ({ params }) => (subscribed.delete(params.uri), {}));
  }
}

function add_resources(server) {
  server.registerResource('text', 'test://text', { title: 'A text', mimeType: 'text/plain' }, uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'grüße' }]
  }));
  server.registerResource('pixel', 'test://pixel', { title: 'A blob', mimeType: 'image/png' }, uri => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: pixel }]
  }));
  const complete = { name: value => starting_with(languages, value) };
  const template = new ResourceTemplate('test://language/{name}', { list: undefined, complete });
  server.registerResource('language', template, { mimeType: 'text/plain' }, (uri, { name }) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: `about ${name}` }]
  }));
}

function add_prompt(server) {
  server.registerPrompt(
    'review',
    {
      title: 'Review code',
      description: 'Asks for a review.',
      argsSchema: z.object({
        language: completable(z.string(), value => starting_with(languages, value)),
        code: z.string().optional()
      })
    },
    ({ language, code = '' }) => ({
      description: `A review of ${language}`,
      messages: [{ role: 'user', content: { type: 'text', text: `Review this ${language}: ${code}` } }]
    })
  );
}

function add_quit(server, world) {
  server.registerTool('quit', { description: 'Answers, then ends the listen streams and the connection.' }, () => {
    setImmediate(world.quit);
    return text('bye');
  });
}

/// A factory for the SDK's entries. `world` is what its servers share: `quit`, called by the tool of that name;
/// `tell`, where a server cannot notify by itself; `more(server, era)`, which may be left out.
export function peer(world) {
  world.count = 0;
  world.with_extra = false;
  return ({ era }) => make_server(era, world);
}

function make_server(era, world) {
  const server = new McpServer(
    { name: 'comcp-sdk-peer', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {}
      },
      instructions: 'A peer for tests.',
      cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'private' } }
    }
  );
  add_plain_tools(server);
  add_asking_tools(server);
  add_changing_things(server, era, world);
  add_resources(server);
  add_prompt(server);
  add_quit(server, world);
  world.more?.(server, era);
  note(`instance ${era}`);
  return server;
}
