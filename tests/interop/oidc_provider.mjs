// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// oidc-provider on 127.0.0.1 and the port in PORT, as an authorization server for MCP: PKCE, dynamic registration,
// rotated refresh tokens whose reuse revokes the grant, DPoP, resource indicators, and a user, ann, who says yes at
// once. Words on the command line change it:
//   path      its issuer is /as, not the root          opaque   access tokens are to be introspected, not JWTs
//   nonces    DPoP proofs need a nonce                  closed   nobody can register
//   shy       ann says no                               documents   it knows the client id metadata document below
//   strict    refresh tokens for offline_access only, which needs prompt=consent (OpenID Connect Core, section 11)
// Requests, and what becomes of tokens, are noted on stderr as `oidc: ...`. What OAuth has not is at /control.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

const modes = new Set(process.argv.slice(2));
const note = line => process.stderr.write(`oidc: ${line}\n`);
const origin = `http://127.0.0.1:${process.env.PORT}`;
const mount = modes.has('path') ? '/as' : '';
const issuer = origin + mount;

const key_of = async (alg, kid) => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid, alg };
  return { jwk, pem: await exportPKCS8(privateKey), open: { ...(await exportJWK(publicKey)), kid, alg } };
};
const keys = { own: await key_of('ES256', 'own'), rsa: await key_of('RS256', 'rsa'), ES256: await key_of('ES256', 'es'),
               RS256: await key_of('RS256', 'rs') };

const machine = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
const person = { grant_types: ['authorization_code', 'refresh_token'], redirect_uris: ['http://127.0.0.1/callback'],
                 application_type: 'native' };
const client = (id, method, more) => ({ client_id: id, token_endpoint_auth_method: method, ...more });
// RFC 6749 has both percent-encoded in the Basic header: they hold what only the encoding carries.
const secret = 's/+: %&=x';
const signing = alg => ({ jwks: { keys: [keys[alg].open] }, token_endpoint_auth_signing_alg: alg });
const clients = [
  client('ann:app', 'none', person),
  client('ann:web', 'client_secret_basic', { ...person, client_secret: secret }),
  client('robot:basic', 'client_secret_basic', { ...machine, client_secret: secret }),
  client('robot:post', 'client_secret_post', { ...machine, client_secret: secret }),
  client('robot:es', 'private_key_jwt', { ...machine, ...signing('ES256') }),
  client('robot:rs', 'private_key_jwt', { ...machine, ...signing('RS256') }),
  client('resource', 'client_secret_basic', { ...machine, client_secret: 'inspector' })
];

const document = client('https://client.example.com/comcp.json', 'none', { ...person, client_name: 'comcp' });

const provider = new Provider(issuer, {
  clients,
  fetch: async url => (String(url) === document.client_id ? Response.json(document) : Response.error()),
  jwks: { keys: [keys.own.jwk, keys.rsa.jwk] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  scopes: ['openid', 'offline_access', 'mcp:tools', 'mcp:admin'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  ...(modes.has('strict') ? {} : { issueRefreshToken: (_, who) => who.grantTypeAllowed('refresh_token') }),
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  interactions: { url: (_, interaction) => `${mount}/interaction/${interaction.uid}` },
  renderError: (ctx, out) => ((ctx.type = 'text'), (ctx.body = `${out.error}: ${out.error_description}`)),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    registration: { enabled: !modes.has('closed') },
    introspection: { enabled: true },
    revocation: { enabled: true },
    ...(modes.has('documents') ? { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } } : {}),
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => modes.has('nonces') },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({
        scope: 'mcp:tools mcp:admin',
        audience: resource,
        accessTokenTTL: 3600,
        accessTokenFormat: modes.has('opaque') ? 'opaque' : 'jwt',
        ...(modes.has('opaque') ? {} : { jwt: { sign: { alg: 'ES256' } } })
      })
    }
  }
});

const alive = new Set();
for (const kind of ['access_token', 'client_credentials', 'refresh_token']) {
  provider.on(`${kind}.issued`, token => (alive.add(token), note(`${kind} issued`)));
  provider.on(`${kind}.saved`, token => (alive.add(token), note(`${kind} saved`)));
  provider.on(`${kind}.destroyed`, () => note(`${kind} destroyed`));
}
provider.on('refresh_token.consumed', () => note('refresh_token consumed'));
provider.on('grant.revoked', () => note('grant revoked'));
provider.on('registration_create.success', (_, who) => note(`registered ${who.applicationType}`));
for (const what of ['grant', 'authorization', 'registration_create', 'revocation', 'server']) {
  const event = what === 'server' ? 'server_error' : `${what}.error`;
  provider.on(event, (_, error) => note(`${event} ${error.error ?? error.stack} ${error.error_detail ?? ''}`));
}

// What the pages for the user would ask.
async function interact(req, res) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(req, res);
  note(`ann is asked for her ${prompt.name}`);
  const answer = {};
  if (modes.has('shy')) Object.assign(answer, { error: 'access_denied', error_description: 'ann said no' });
  else if (prompt.name === 'login') answer.login = { accountId: 'ann' };
  else {
    const who = { accountId: session.accountId, clientId: params.client_id };
    const grant = (grantId && (await provider.Grant.find(grantId))) || new provider.Grant(who);
    const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
    if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
      grant.addResourceScope(resource, scopes.join(' '));
    }
    answer.consent = { grantId: await grant.save() };
  }
  return provider.interactionFinished(req, res, answer, { mergeWithLastSubmission: true });
}

async function control(path, res) {
  const json = what => res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(what));
  if (path === 'keys') return json({ ES256: JSON.stringify(keys.ES256.jwk), RS256: keys.RS256.pem });
  if (path === 'expire' || path === 'forget') {  // what a lifetime does, without the wait: to access tokens, or to all
    const gone = [...alive].filter(token => path === 'forget' || token.kind !== 'RefreshToken');
    for (const token of gone) await token.destroy();
    for (const token of gone) alive.delete(token);
    return json({ expired: gone.length });
  }
  return res.writeHead(404).end();
}

const oauth = provider.callback();
createServer(async (req, res) => {
  const { pathname } = new URL(req.url, origin);
  note(`${req.method} ${pathname}`);
  try {
    if (pathname.startsWith('/control/')) return await control(pathname.slice('/control/'.length), res);
    if (!pathname.startsWith(`${mount}/`)) return res.writeHead(404).end();
    if (pathname.startsWith(`${mount}/interaction/`)) return await interact(req, res);
    req.originalUrl = req.url;
    req.url = req.url.slice(mount.length);
    return await oauth(req, res);
  } catch (error) {
    note(error.stack);
    if (!res.headersSent) res.writeHead(500);
    res.end();
  }
}).listen(Number(process.env.PORT), '127.0.0.1', () => note(`listening as ${issuer}`));
