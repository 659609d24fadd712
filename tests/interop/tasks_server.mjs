// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server of the extension io.modelcontextprotocol/tasks on the TypeScript SDK 2.x, modern era: over stdio, or with PORT
// over HTTP at /mcp, where the SDK checks that Mcp-Name is the task's id. Its tool `research` becomes a task, which is done
// at the third question; with `ask` it wants a name first. What it does goes to stderr, as of the other peers.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { z } from 'zod';
import { note, text } from './sdk_peer.mjs';

const extension = 'io.modelcontextprotocol/tasks';
const tasks = new Map();

function told(task, more = {}) {
  const { id, created } = task;
  return { taskId: id, status: task.status, statusMessage: task.message, createdAt: created,
           lastUpdatedAt: new Date().toISOString(), ttlMs: 60_000, pollIntervalMs: 20, ...more };
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

function ask_state({ taskId }) {
  const task = find(taskId);
  note(`get ${taskId}`);
  if (task.status !== 'working') return told(task);
  if (task.ask && !task.name) return told({ ...task, status: 'input_required' }, { inputRequests: { who: question } });
  if (++task.asked < 3) return told(Object.assign(task, { message: `step ${task.asked}` }));
  task.status = task.fails ? 'failed' : 'completed';
  if (task.fails) return told(task, { error: { code: -32603, message: 'the library burnt down' } });
  return told(task, { result: text(`${task.topic}, by ${task.name ?? 'nobody'}`) });
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
  const inputSchema = z.object({ topic: z.string(), ask: z.boolean().default(false), fails: z.boolean().default(false) });
  server.registerTool('research', { description: 'Takes its time.', inputSchema }, ({ topic, ask, fails }) => {
    const task = { id: randomUUID(), status: 'working', message: 'begun', created: new Date().toISOString(), asked: 0, topic, ask, fails };
    tasks.set(task.id, task);
    note(`made ${task.id}`);
    return { ...told(task), resultType: 'task', content: [] };
  });
  const id = { taskId: z.string() };
  server.server.setRequestHandler('tasks/get', { params: z.object(id) }, ask_state);
  server.server.setRequestHandler('tasks/update', { params: z.object(id) }, answer);
  server.server.setRequestHandler('tasks/cancel', { params: z.object(id) }, cancel);
  return server;
}

const onerror = error => note(`error ${error.message}`);
if (process.env.PORT) {
  const modern = toNodeHandler(createMcpHandler(make, { legacy: 'reject', onerror }));
  createServer((request, response) => {
    note(`${request.headers['mcp-method']} named ${request.headers['mcp-name']}`);
    modern(request, response);
  }).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  serveStdio(make, { legacy: 'reject', onerror });
}
