// Verifies the JWT of a request for a gateway (nginx `auth_request` or compatible) and responds
// with the context headers: 204 with all of them, 401 if the token is invalid. Missing claims are
// empty headers, so that values of the client cannot replace them. Stateless, reads no body.
//
//   JWKS_URL=https://id.example.org/.well-known/jwks.json JWT_ISSUER=https://id.example.org/ JWT_AUDIENCE=millrace \
//   ORG_ID=01... PROJECT_ID=01... SPACE_ID=01... node deploy/verifier.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose';

const env = process.env;

/** Asymmetric algorithms only: a public key must never be accepted as a shared secret. */
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

/**
 * Claim of each context value; a dot selects a member of an object (`realm_access.roles`). A fixed
 * id takes precedence.
 */
const sources = {
  org: { claim: env.CLAIM_ORG ?? 'org_id', fixed: env.ORG_ID },
  project: { claim: env.CLAIM_PROJECT ?? 'project_id', fixed: env.PROJECT_ID },
  space: { claim: env.CLAIM_SPACE ?? 'space_id', fixed: env.SPACE_ID },
  user: { claim: env.CLAIM_USER ?? 'sub' },
  roles: { claim: env.CLAIM_ROLES ?? 'roles' },
};
/** Names of the claims passed on for the rules of personas. */
const passed = (env.CLAIMS ?? '').split(',').filter((name) => name !== '');

/** A token with a valid signature whose content cannot be used. */
class Unfit extends Error {}

/** The whole name is tried first, because some providers use URLs as claim names. */
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
  if (!/^[\x21-\x7e]{1,128}$/.test(text)) throw new Unfit(`${claim} is not a valid header value`);
  return text;
}

/** A list, or a string separated by spaces or commas. Roles must not contain commas. */
function rolesOf(payload) {
  const value = claimOf(payload, sources.roles.claim) ?? [];
  const roles = typeof value === 'string' ? value.split(/[\s,]+/).filter((role) => role !== '') : value;
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string' || !/^[\x21-\x2b\x2d-\x7e]{1,128}$/.test(role)))
    throw new Unfit(`${sources.roles.claim} is not a list of roles`);
  return roles.join(',');
}

/** JSON with all characters beyond ASCII escaped. */
function claimsOf(payload) {
  const chosen = passed.map((name) => [name, claimOf(payload, name)]).filter(([, value]) => value !== undefined);
  if (chosen.length === 0) return '';
  return JSON.stringify(Object.fromEntries(chosen)).replace(
    /[\u007f-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const ANONYMOUS = { 'X-Org-Id': '', 'X-Project-Id': '', 'X-Space-Id': '', 'X-User-Id': '', 'X-User-Roles': '', 'X-User-Claims': '' };

/** Always all context headers. With a Power Token they are empty; the service checks that token. */
async function contextOf(headers) {
  const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer === undefined && headers['x-power-token']) return ANONYMOUS;
  if (bearer === undefined) throw new Unfit('the bearer token is missing');
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

/** `true` if the keys could not be fetched, which is not the fault of the token. */
const isOutage = (error) => error instanceof errors.JWKSTimeout || (!(error instanceof Unfit) && !(error instanceof errors.JOSEError));

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/healthz') return response.writeHead(204).end();
  contextOf(request.headers).then(
    (context) => response.writeHead(204, context).end(),
    (error) => {
      if (isOutage(error)) process.stderr.write(`verifier: the keys cannot be fetched: ${error.message}\n`);
      // The reason is sent to the holder of the token; it contains no secrets.
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
// Longer than the keep-alive timeout of nginx (60 s), so that nginx closes connections first.
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
