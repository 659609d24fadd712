// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The peer on the TypeScript SDK 2.x at /mcp on 127.0.0.1 and the port in PORT, both eras, for whoever has a token of
// the authorization server in ISSUER: scope mcp:tools for everything, mcp:admin for the tool `admin` as well. It asks
// that server about opaque tokens and verifies JWTs by its keys. Words on the command line change it:
//   any-scope  tokens of any scope are good             no-audience  tokens need none
//   nonces     DPoP proofs need a nonce                 no-metadata  it publishes no resource metadata
// Requests, and why one is refused, are noted on stderr as `mcp: ...`.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { EmbeddedJWK, calculateJwkThumbprint, createRemoteJWKSet, jwtVerify } from 'jose';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { peer, text } from './sdk_peer.mjs';

const modes = new Set(process.argv.slice(2));
const note = line => process.stderr.write(`mcp: ${line}\n`);
const { PORT, ISSUER: issuer } = process.env;
const origin = `http://127.0.0.1:${PORT}`;
const resource = `${origin}/mcp`;
const metadata_path = '/.well-known/oauth-protected-resource/mcp';
const nonce = randomUUID();
const proofs = new Set();

const discovered = fetch(`${issuer}/.well-known/openid-configuration`).then(answer => answer.json());
const server_keys = discovered.then(({ jwks_uri }) => createRemoteJWKSet(new URL(jwks_uri)));

class refusal extends Error {
  constructor(status, error, more = {}) {
    super(error);
    Object.assign(this, { status, error, more });
  }
}

async function introspected(token) {
  const { introspection_endpoint } = await discovered;
  const answer = await fetch(introspection_endpoint, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('resource:inspector')}` },
    body: new URLSearchParams({ token })
  });
  const claims = await answer.json();
  if (!claims.active) throw new refusal(401, 'invalid_token');
  return claims;
}

async function claims_of(token) {
  if (token.split('.').length !== 3) return introspected(token);
  const options = { issuer, ...(modes.has('no-audience') ? {} : { audience: resource }) };
  const { payload } = await jwtVerify(token, await server_keys, options).catch(why => {
    throw new refusal(401, 'invalid_token', { error_description: why.code });
  });
  return payload;
}

// RFC 9449, section 7: the proof is of this request, of this token, and of the key that the token is bound to.
async function check_proof(req, token, claims) {
  const wrong = why => new refusal(401, 'invalid_dpop_proof', { error_description: why });
  const proof = req.headers.dpop;
  if (proof === undefined) throw wrong('no proof');
  const checked = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', algorithms: ['ES256'], maxTokenAge: 60 });
  const { htm, htu, ath, jti, nonce: sent } = checked.payload;
  if (modes.has('nonces') && sent !== nonce) throw new refusal(401, 'use_dpop_nonce');
  if (htm !== req.method || htu !== resource) throw wrong('another request');
  if (ath !== createHash('sha256').update(token).digest('base64url')) throw wrong('another token');
  if (claims.cnf.jkt !== (await calculateJwkThumbprint(checked.protectedHeader.jwk))) throw wrong('another key');
  if (proofs.has(jti)) throw wrong('seen before');
  proofs.add(jti);
}

async function authorize(req, body) {
  const [scheme, token] = (req.headers.authorization ?? '').split(' ');
  if (!token) throw new refusal(401);
  const claims = await claims_of(token);
  const bound = claims.cnf?.jkt !== undefined;
  if (scheme.toLowerCase() !== (bound ? 'dpop' : 'bearer')) throw new refusal(401, 'invalid_token');
  if (bound) await check_proof(req, token, claims);
  if (modes.has('any-scope')) return token;
  const wanted = ['mcp:tools'];
  if (body?.method === 'tools/call' && body.params.name === 'admin') wanted.push('mcp:admin');
  const granted = (claims.scope ?? '').split(' ');
  const missing = wanted.filter(scope => !granted.includes(scope));
  if (missing.length > 0) throw new refusal(403, 'insufficient_scope', { scope: missing.join(' ') });
  return token;
}

function refuse(res, { status, error, more }) {
  note(`refused: ${error ?? 'no token'} ${more.error_description ?? more.scope ?? ''}`);
  const fields = { ...(error && { error }), ...more };
  if (!modes.has('no-metadata')) fields.resource_metadata = origin + metadata_path;
  if (status === 401) fields.scope = 'mcp:tools';
  const quoted = Object.entries(fields).map(([name, value]) => `${name}="${value}"`).join(', ');
  const scheme = error?.includes('dpop') ? 'DPoP' : 'Bearer';
  res.writeHead(status, { 'WWW-Authenticate': `${scheme} ${quoted}` }).end();
}

async function body_of(req) {
  let all = '';
  for await (const piece of req.setEncoding('utf8')) all += piece;
  return all === '' ? undefined : JSON.parse(all);
}

let last_token;
const add_tools = server => {
  server.registerTool('admin', { description: 'Needs mcp:admin.' }, () => text('administered'));
  server.registerTool('token', { description: 'Gives back what it was called with.' }, () => text(last_token));
};
const mcp = toNodeHandler(
  createMcpHandler(peer({ quit: () => process.exit(0), more: add_tools }), { legacy: 'stateless' })
);

createServer(async (req, res) => {
  const { pathname } = new URL(req.url, origin);
  res.on('finish', () => note(`${req.method} ${pathname} ${res.statusCode}`));
  try {
    if (pathname === metadata_path && !modes.has('no-metadata')) {
      const about = { resource, authorization_servers: [issuer], bearer_methods_supported: ['header'],
                      scopes_supported: ['mcp:tools', 'mcp:admin'] };
      return res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(about));
    }
    if (pathname !== '/mcp') return res.writeHead(404).end();
    const body = await body_of(req);
    if (modes.has('nonces')) res.setHeader('DPoP-Nonce', nonce);
    last_token = await authorize(req, body);
    return await mcp(req, res, body);
  } catch (error) {
    if (error instanceof refusal) return refuse(res, error);
    note(error.stack);
    if (!res.headersSent) res.writeHead(500);
    return res.end();
  }
}).listen(Number(PORT), '127.0.0.1', () => note(`listening as ${resource}`));
