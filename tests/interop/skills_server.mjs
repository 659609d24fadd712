// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `skills_server.mjs FOLDER`: serves the skills in a folder over stdio, or with PORT over HTTP at /mcp, in whichever era
// the client opens with. Their digests are those of the files as they are now.
import { createServer } from 'node:http';
import { discoverSkills, registerSkillResources } from '@olaservo/ext-skills/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const folder = process.argv[2];
const skills = discoverSkills(folder);

function make() {
  const server = new McpServer({ name: 'skills', version: '1' }, { capabilities: { resources: {} } });
  registerSkillResources(server, skills, folder, { directoryRead: true, ttlMs: 60_000, cacheScope: 'public' });
  return server;
}

if (process.env.PORT) {
  createServer(toNodeHandler(createMcpHandler(make, { legacy: 'stateless' }))).listen(Number(process.env.PORT), '127.0.0.1');
} else {
  serveStdio(make);
}
