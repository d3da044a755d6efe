/** Errors of authentication and authorization. */
import { type ErrorEntry, entry, show } from './entry.ts';

export const CALLER_ERRORS = {
  // Context headers and roles.
  missing_header: entry(400, (name: string) => `The header ${name} is missing; the gateway must send it.`),
  missing_user: entry(401, () => 'The header X-User-Id is missing; authenticate at the gateway.'),
  header_twice: entry(400, (name: string) => `The header ${name} was sent more than once; the gateway must replace it, not append to it.`),
  header_invalid: entry(400, (name: string, why: string) => `The header ${name} is not valid: ${why}.`),
  header_alias: entry(
    400,
    (sent: string, name: string) => `The header ${show(sent)} could be mistaken for ${name}; the gateway must remove it.`,
  ),
  header_not_ulid: entry(400, (name: string) => `The header ${name} is not a ULID (26 characters of Crockford's base 32).`),
  header_not_user_id: entry(400, () => 'The header X-User-Id is neither a ULID nor permitted by MILLRACE_USER_IDS.'),
  bad_roles: entry(400, () => 'The header X-User-Roles has more than 64 roles or one longer than 128 characters.'),
  claims_invalid: entry(400, (name: string, why: string) => `The header ${name} must be one JSON object of at most 4 KiB: ${why}.`),
  gateway_secret: entry(401, () => 'The request did not come through the gateway; the header X-Gateway-Secret is missing or wrong.'),
  server_key: entry(403, () => 'The server key is missing or wrong; send it in the header X-Server-Key.'),
  server_key_invalid: entry(403, () => 'The server key is not valid.'),
  server_key_empty: entry(400, () => 'The body is empty; send the server key as the raw body.'),
  role_needed: entry(403, (roles: string) => `Your roles do not permit this; one of ${roles} is required.`),
  org_unknown: entry(404, () => 'The organization does not exist; check X-Org-Id.'),
  project_unknown: entry(404, () => 'The project does not exist in this organization; check X-Project-Id.'),
  space_unknown: entry(404, () => 'The space does not belong to the project; check X-Space-Id.'),
  path_not_yours: entry(403, () => "The organization or project in the path is not the one of the request's context."),
  mcp_unauthorized: entry(401, (why: string) => `${why} Tools require a Power Token or the context headers.`),
  origin_denied: entry(403, () => 'Pages of this origin may not use the tools; MILLRACE_MCP_ORIGINS lists permitted origins.'),

  // Power Tokens.
  token_incomplete: entry(
    401,
    () =>
      'A Power Token must be sent as Authorization: Bearer, or in the header X-Power-Token and in the query parameter pwt; one of these two is missing.',
  ),
  token_twice: entry(
    400,
    () => 'The request has a Power Token in Authorization and in X-Power-Token or pwt; send it in Authorization only.',
  ),
  token_mismatch: entry(401, () => 'The header X-Power-Token and the query parameter pwt differ; send the same token in both.'),
  token_unknown: entry(404, () => 'The Power Token is invalid, deleted or expired; create a new one.'),
  token_method: entry(403, (keyType: string, method: string) => `The key_type ${keyType} of the Power Token does not permit ${method}.`),
  token_not_admin: entry(403, () => 'A Power Token needs the role admin to use System APIs.'),
  token_bound: entry(403, (persona: string) => `The Power Token acts as the persona ${show(persona)}, which cannot administer anything.`),
  token_scope: entry(403, () => 'A Power Token is limited to its own organization and project.'),
  token_name_taken: entry(
    409,
    (name: string) => `The project already has a token named ${show(name)}; choose another name or delete that one.`,
  ),
  token_space_unknown: entry(404, (space: string) => `The project has no space ${show(space)}; check space_id.`),
  token_id_unknown: entry(404, (id: string) => `The token ${show(id)} does not exist in this project.`),

  // Personas.
  persona_invalid: entry(400, (problems: string) => `The persona is not valid: ${problems}.`),
  persona_refused: entry(422, (problems: string) => `The persona cannot be applied: ${problems}.`),
  persona_unknown: entry(404, (persona: string) => `The persona ${show(persona)} does not exist in this space.`),
  persona_not_yours: entry(403, (persona: string) => `You do not have the persona ${show(persona)} in this space.`),
  persona_claims: entry(
    403,
    () => 'X-Persona-Claims is for callers with the role admin and no persona of their own, together with X-Persona.',
  ),
  persona_none: entry(403, () => 'None of your roles has a persona in this space, so its tables are closed to you.'),
  persona_operation: entry(
    403,
    (persona: string, operation: string) => `The persona ${show(persona)} does not grant the operation ${operation} on this table.`,
  ),
  persona_column: entry(
    403,
    (persona: string, operation: string, column: string) =>
      `The persona ${show(persona)} does not grant the operation ${operation} on the column ${show(column)}.`,
  ),
  persona_claim: entry(
    403,
    (persona: string, name: string, why: string) => `The persona ${show(persona)} needs ${show(name)} of its callers, ${why}.`,
  ),
  persona_broken: entry(
    500,
    (persona: string) =>
      `The persona ${show(persona)} has a rule that cannot be applied to this table as it is now; its author must deploy it again.`,
  ),
  persona_unconfirmed: entry(503, () => 'The service cannot reach its own records and cannot confirm what personas grant; try again.'),
  column_masked: entry(
    400,
    (column: string) => `The values of the column ${show(column)} are masked for you, so they cannot be filtered, sorted or grouped.`,
  ),
} as const satisfies Record<string, ErrorEntry<never>>;
