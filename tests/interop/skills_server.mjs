// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `skills_server.mjs FOLDER`: serves the skills in a folder over stdio, in whichever era the client opens with. Their
// digests are those of the files as they are now.
import { discoverSkills, registerSkillResources } from '@olaservo/ext-skills/server';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const folder = process.argv[2];
const skills = discoverSkills(folder);

serveStdio(() => {
  const server = new McpServer({ name: 'skills', version: '1' }, { capabilities: { resources: {} } });
  registerSkillResources(server, skills, folder, { directoryRead: true, ttlMs: 60_000, cacheScope: 'public' });
  return server;
});
