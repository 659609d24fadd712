// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// oauth2-mock-server on 127.0.0.1 and the port in PORT, whose issuer is http://localhost:PORT, with what its command
// line cannot say. Words on the command line of this change it:
//   no-pkce  its metadata says nothing of PKCE          plain    it can PKCE, but not S256
//   liar     its metadata is another issuer's           secrets  it says that it knows client_secret_basic and _post
//   denying  ann says no                                mixed-up it says that another issuer's answer is its own
//   forged   its answer has another state
// Token requests are noted on stderr as `mock: GRANT`.
import { OAuth2Server } from 'oauth2-mock-server';

const modes = new Set(process.argv.slice(2));
const note = line => process.stderr.write(`mock: ${line}\n`);
const server = new OAuth2Server();
await server.issuer.keys.generate('RS256');

server.service.on('beforeWellKnownOpenIdConfiguration', ({ body }) => {
  if (modes.has('no-pkce')) delete body.code_challenge_methods_supported;
  if (modes.has('plain')) body.code_challenge_methods_supported = ['plain'];
  if (modes.has('liar')) body.issuer = 'https://honest.example.com';
  if (modes.has('secrets')) {
    body.token_endpoint_auth_methods_supported = ['client_secret_basic', 'client_secret_post'];
  }
});
server.service.on('beforeAuthorizeRedirect', ({ url }) => {
  if (modes.has('mixed-up')) url.searchParams.set('iss', 'https://honest.example.com');
  if (modes.has('forged')) url.searchParams.set('state', 'guessed');
  if (!modes.has('denying')) return;
  url.searchParams.delete('code');
  url.searchParams.set('error', 'access_denied');
});
server.service.on('beforeResponse', (_, req) => {
  const { grant_type, resource } = req.body;
  const method = req.headers.authorization ? 'basic' : 'client_secret' in req.body ? 'post' : 'none';
  note(`${grant_type} ${method} resource=${resource} scope=${req.body.scope}`);
});

await server.start(Number(process.env.PORT), '127.0.0.1');
note(`listening as ${server.issuer.url}`);
