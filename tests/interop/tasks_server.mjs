// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server of the extension io.modelcontextprotocol/tasks on the TypeScript SDK 2.x, modern era: over stdio, or with PORT
// over HTTP at /mcp, where Mcp-Name has to be the task's id (the SDK checks that header for its own methods alone). Its
// tool `research` becomes a task, which is done at the third question; with `ask` it wants a name first. With `alone` it
// goes on without being asked, and tells who listens for it over HTTP (the SDK's own streams know nothing of tasks). With
// `odd` its id is none that a header can hold. What it does goes to stderr, as of the other peers.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { z } from 'zod';
import { note, text } from './sdk_peer.mjs';

const extension = 'io.modelcontextprotocol/tasks';
const tasks = new Map();
const listeners = new Set();

function told(task, more = {}) {
  const { id, created } = task;
  return { taskId: id, status: task.status, statusMessage: task.message, createdAt: created,
           lastUpdatedAt: new Date().toISOString(), ttlMs: 60_000, pollIntervalMs: task.alone ? 60_000 : 20, ...more };
}

function find(id) {
  const task = tasks.get(id);
  if (!task) throw Object.assign(new Error('Task not found'), { code: -32602 });
  return task;
}

const question = {
  method: 'elicitation/create',
  params: {
    mode: 'form', message: 'Whose research?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  }
};

const result_of = task => text(`${task.topic}, by ${task.name ?? 'nobody'}`);

function next_state(task) {
  if (task.status === 'completed') return told(task, { result: result_of(task) });
  if (task.status !== 'working') return told(task);
  if (task.ask && !task.name) return told({ ...task, status: 'input_required' }, { inputRequests: { who: question } });
  if (++task.asked < 3) return told(Object.assign(task, { message: `step ${task.asked}` }));
  task.status = task.fails ? 'failed' : 'completed';
  if (task.fails) return told(task, { error: { code: -32603, message: 'the library burnt down' } });
  return told(task, { result: result_of(task) });
}

function ask_state({ taskId }) {
  note(`get ${taskId}`);
  return next_state(find(taskId));
}

function go_on_alone(task) {
  const state = next_state(task);
  for (const tell of listeners) tell(task.id, state);
  if (task.status === 'working') setTimeout(go_on_alone, 20, task);
}

// The SDK takes inputResponses out of the parameters of every method.
function answer({ taskId }, { mcpReq: { inputResponses } }) {
  note(`update ${taskId} ${Object.keys(inputResponses)}`);
  find(taskId).name ??= inputResponses.who?.content?.name;
  return {};
}

function cancel({ taskId }) {
  note(`cancel ${taskId}`);
  find(taskId).status = 'cancelled';
  return {};
}

function make() {
  const server = new McpServer({ name: 'tasks', version: '1' }, { capabilities: { extensions: { [extension]: {} } } });
  const flag = z.boolean().default(false);
  const inputSchema = z.object({ topic: z.string(), ask: flag, fails: flag, alone: flag, odd: flag });
  server.registerTool('research', { description: 'Takes its time.', inputSchema }, ({ odd, ...wanted }) => {
    const id = (odd ? '\u00fc ' : '') + randomUUID();
    const task = { id, status: 'working', message: 'begun', created: new Date().toISOString(), asked: 0, ...wanted };
    tasks.set(id, task);
    note(`made ${id}`);
    if (task.alone) setTimeout(go_on_alone, 20, task);
    return { ...told(task), resultType: 'task', content: [] };
  });
  const id = { taskId: z.string() };
  server.server.setRequestHandler('tasks/get', { params: z.object(id) }, ask_state);
  server.server.setRequestHandler('tasks/update', { params: z.object(id) }, answer);
  server.server.setRequestHandler('tasks/cancel', { params: z.object(id) }, cancel);
  return server;
}

// The text that a header stands for.
const header_text = value => value?.replace(/^=\?base64\?(.*)\?=$/, (_, text) => Buffer.from(text, 'base64').toString());

function refuse(response, { id }, message) {
  note(`refused: ${message}`);
  response.writeHead(400, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32020, message } }));
}

// A stream about tasks: how they are, and how they go on.
function listen(response, { id, params }) {
  const taskIds = params.notifications.taskIds.filter(each => tasks.has(each));
  const say = (method, members) => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...members, _meta } })}\n\n`);
  };
  const tell = (whose, state) => {
    if (taskIds.includes(whose)) say('notifications/tasks', state);
  };
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  say('notifications/subscriptions/acknowledged', { notifications: { taskIds } });
  for (const each of taskIds.map(find)) if (each.status === 'completed') tell(each.id, next_state(each));
  listeners.add(tell);
  note(`listen ${taskIds.length}`);
  response.on('close', () => listeners.delete(tell));
}

async function serve(modern, request, response) {
  const web = await toWebRequest(request);
  const body = request.method === 'POST' ? JSON.parse(await web.clone().text()) : undefined;
  const name = header_text(request.headers['mcp-name']);
  note(`${request.headers['mcp-method']} named ${name}`);
  if (body?.method.startsWith('tasks/') && name !== body.params.taskId) return refuse(response, body, `${name} is not the task's id`);
  if (body?.params?.notifications?.taskIds) return listen(response, body);
  return modern(request, response, body);
}

const onerror = error => note(`error ${error.message}`);
if (process.env.PORT) {
  const modern = toNodeHandler(createMcpHandler(make, { legacy: 'reject', onerror }));
  createServer((request, response) => {
    serve(modern, request, response).catch(error => {
      onerror(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  }).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  serveStdio(make, { legacy: 'reject', onerror });
}
