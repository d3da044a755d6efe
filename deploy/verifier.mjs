// Verifies the JWT of a request for a gateway (nginx `auth_request`, and whatever asks in the same way), and answers with the context headers that
// Millrace trusts: 204 with all of them, an empty one for what the token does not say, so that nothing of the client's own can take its place;
// 401 for everything else. It reads no body, keeps nothing, and knows nothing of the service.
//
//   JWKS_URL=https://id.example.org/.well-known/jwks.json JWT_ISSUER=https://id.example.org/ JWT_AUDIENCE=millrace \
//   ORG_ID=01... PROJECT_ID=01... SPACE_ID=01... node deploy/verifier.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose';

const env = process.env;

/** Signatures by a private key only: a public key must never do as a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

function setting(name, standard) {
  const value = env[name] ?? standard;
  if (value === undefined || value === '') {
    process.stderr.write(`verifier: ${name} is not set; see deploy/README.md\n`);
    process.exit(2);
  }
  return value;
}

const issuer = setting('JWT_ISSUER');
const audience = setting('JWT_AUDIENCE');
const keys = env.JWKS_FILE
  ? createLocalJWKSet(JSON.parse(readFileSync(env.JWKS_FILE, 'utf8')))
  : createRemoteJWKSet(new URL(setting('JWKS_URL')), { timeoutDuration: 5000, cooldownDuration: 10_000, cacheMaxAge: 600_000 });

/** Which claim has what; a dot leads into an object (`realm_access.roles`). A fixed id stands where tokens say nothing of it. */
const sources = {
  org: { claim: env.CLAIM_ORG ?? 'org_id', fixed: env.ORG_ID },
  project: { claim: env.CLAIM_PROJECT ?? 'project_id', fixed: env.PROJECT_ID },
  space: { claim: env.CLAIM_SPACE ?? 'space_id', fixed: env.SPACE_ID },
  user: { claim: env.CLAIM_USER ?? 'sub' },
  roles: { claim: env.CLAIM_ROLES ?? 'roles' },
};
/** Claims that rules of personas may use, by their names. */
const passed = (env.CLAIMS ?? '').split(',').filter((name) => name !== '');

/** Why a token that was signed by the right key is not taken all the same. */
class Unfit extends Error {}

/** A name with dots in it (a URL, as some providers have it) is looked for as it stands first. */
function claimOf(payload, path) {
  if (Object.hasOwn(payload, path)) return payload[path];
  return path
    .split('.')
    .reduce(
      (value, name) => (value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? value[name] : undefined),
      payload,
    );
}

function textOf(payload, { claim, fixed }) {
  if (fixed) return fixed;
  const value = claimOf(payload, claim);
  if (typeof value !== 'string' && typeof value !== 'number') throw new Unfit(`the token has no ${claim}`);
  const text = String(value);
  if (!/^[\x21-\x7e]{1,128}$/.test(text)) throw new Unfit(`${claim} cannot stand in a header`);
  return text;
}

/** A list, or one text with blanks or commas between them. A role with a comma in it would be two. */
function rolesOf(payload) {
  const value = claimOf(payload, sources.roles.claim) ?? [];
  const roles = typeof value === 'string' ? value.split(/[\s,]+/).filter((role) => role !== '') : value;
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string' || !/^[\x21-\x2b\x2d-\x7e]{1,128}$/.test(role)))
    throw new Unfit(`${sources.roles.claim} is no list of roles`);
  return roles.join(',');
}

/** JSON in ASCII: what is beyond it is escaped. */
function claimsOf(payload) {
  const chosen = passed.map((name) => [name, claimOf(payload, name)]).filter(([, value]) => value !== undefined);
  if (chosen.length === 0) return '';
  return JSON.stringify(Object.fromEntries(chosen)).replace(
    /[\u007f-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const NOBODY = { 'X-Org-Id': '', 'X-Project-Id': '', 'X-Space-Id': '', 'X-User-Id': '', 'X-User-Roles': '', 'X-User-Claims': '' };

/** All context headers, always. A Power Token is the service's to check: whoever sends one is nobody until then. */
async function contextOf(headers) {
  const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer === undefined && headers['x-power-token']) return NOBODY;
  if (bearer === undefined) throw new Unfit('there is no bearer token');
  const { payload } = await jwtVerify(bearer, keys, {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp'],
    clockTolerance: 5,
  });
  return {
    'X-Org-Id': textOf(payload, sources.org),
    'X-Project-Id': textOf(payload, sources.project),
    'X-Space-Id': textOf(payload, sources.space),
    'X-User-Id': textOf(payload, sources.user),
    'X-User-Roles': rolesOf(payload),
    'X-User-Claims': claimsOf(payload),
  };
}

/** The keys cannot be had: that is no fault of the token's. */
const isOutage = (error) => error instanceof errors.JWKSTimeout || (!(error instanceof Unfit) && !(error instanceof errors.JOSEError));

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/healthz') return response.writeHead(204).end();
  contextOf(request.headers).then(
    (context) => response.writeHead(204, context).end(),
    (error) => {
      if (isOutage(error)) process.stderr.write(`verifier: the keys cannot be read: ${error.message}\n`);
      // The reason is for whoever holds the token; nothing of it is secret.
      if (isOutage(error)) response.writeHead(503).end();
      else
        response
          .writeHead(401, {
            'WWW-Authenticate': `Bearer error="invalid_token", error_description="${error.message.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`,
          })
          .end();
    },
  );
});
// nginx keeps connections for a minute; whoever closes first must be nginx.
server.keepAliveTimeout = 75_000;
server.listen(Number(env.PORT ?? 9090), env.HOST ?? '127.0.0.1', () => {
  const { address, port } = server.address();
  process.stdout.write(`verifier ready on http://${address}:${port}\n`);
});
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
