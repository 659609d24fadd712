// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The peer on the TypeScript SDK 2.x, over Streamable HTTP at /mcp, on 127.0.0.1 and the port in PORT.
//   modern     2026-07-28 only
//   stateless  both eras; the legacy one without sessions and without a GET stream
//   sessions   both eras; the legacy one with sessions, a GET stream and an event store
//   json       the same, but legacy requests are answered with JSON instead of event streams
// A request is noted on stderr as `sdk_server: METHOD`, with ` resumes` where it has a Last-Event-ID.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { note, peer, text } from './sdk_peer.mjs';

const mode = process.argv[2];
if (!['modern', 'stateless', 'sessions', 'json'].includes(mode)) {
  process.stderr.write('usage: PORT=n sdk_http_server.mjs modern|stateless|sessions|json\n');
  process.exit(2);
}
const sessionful = mode === 'sessions' || mode === 'json';

class event_store {
  events = [];
  async storeEvent(stream, message) {
    this.events.push({ stream, message });
    return String(this.events.length - 1);
  }
  async getStreamIdForEventId(id) {
    return this.events[id]?.stream;
  }
  async replayEventsAfter(last, { send }) {
    const { stream } = this.events[last];
    for (let id = Number(last) + 1; id < this.events.length; ++id) {
      const event = this.events[id];
      if (event.stream === stream && Object.keys(event.message).length > 0) await send(String(id), event.message);
    }
    return stream;
  }
}

// Ends the stream of the call before its answer: the client comes back for it.
function add_hang_up(server, era) {
  if (era !== 'legacy' || mode !== 'sessions') return;
  server.registerTool('hang_up', { description: 'Ends its own stream, then answers.' }, async ctx => {
    ctx.http.closeSSE();
    await new Promise(resolve => setTimeout(resolve, 20));
    return text('still here');
  });
}

const world = { quit: () => process.exit(0), more: add_hang_up };
const make = peer(world);
const onerror = error => note(`error ${error.message}`);
const handler = createMcpHandler(make, { legacy: mode === 'stateless' ? 'stateless' : 'reject', onerror });
world.tell = handler.notify;
const modern = toNodeHandler(handler);

const sessions = new Map();

async function transport_for(id, is_post) {
  if (id !== undefined || !is_post) return sessions.get(id);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: mode === 'json',
    eventStore: new event_store(),
    retryInterval: 50,
    onsessioninitialized: made => (sessions.set(made, transport), note('session begins')),
    onsessionclosed: ended => (sessions.delete(ended), note('session ends'))
  });
  await make({ era: 'legacy' }).connect(transport);
  return transport;
}

async function legacy(req, res, body) {
  const transport = await transport_for(req.headers['mcp-session-id'], req.method === 'POST');
  if (transport) return transport.handleRequest(req, res, body);
  const error = { code: -32001, message: 'Session not found' };
  res.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

createServer(async (req, res) => {
  note(req.method + (req.headers['last-event-id'] === undefined ? '' : ' resumes'));
  if (new URL(req.url, 'http://localhost').pathname !== '/mcp') return res.writeHead(404).end();
  try {
    if (!sessionful) return await modern(req, res);
    const request = await toWebRequest(req);
    const body = req.method === 'POST' ? JSON.parse(await request.clone().text()) : undefined;
    if (await isLegacyRequest(request, body)) return await legacy(req, res, body);
    return await modern(req, res, body);
  } catch (error) {
    onerror(error);
    if (!res.headersSent) res.writeHead(500);
    res.end();
  }
}).listen(Number(process.env.PORT), '127.0.0.1', () => note(`listening on ${process.env.PORT}`));
