// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The peer on the TypeScript SDK 2.x, over stdio. `sdk_server.mjs modern` speaks 2026-07-28 and refuses `initialize`;
// `sdk_server.mjs dual` speaks whichever era the client opens with.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { note, peer } from './sdk_peer.mjs';

const mode = process.argv[2];
if (mode !== 'modern' && mode !== 'dual') {
  process.stderr.write('usage: sdk_server.mjs modern|dual\n');
  process.exit(2);
}
const handle = serveStdio(peer({ quit: () => handle.close() }), {
  legacy: mode === 'modern' ? 'reject' : 'serve',
  onerror: error => note(`error ${error.message}`)
});
