/** Errors of the Custom APIs: definitions, calls, Lark modules. */
import { type ErrorEntry, entry, show } from './entry.ts';

export const CUSTOM_ERRORS = {
  // Definitions and Custom calls.
  definition_invalid: entry(400, (problems: string) => `The definition is not valid: ${problems}`),
  definition_code: entry(422, (problems: string) => `The definition's code does not compile: ${problems}`),
  definition_foreign: entry(403, (field: string) => `The ${field} in the document is not the one of the request's context.`),
  definition_exists: entry(
    409,
    (uri: string, method: string, version: string) =>
      `${method} ${show(uri)} has a version ${show(version)} already; raise http.version, or update it with PUT.`,
  ),
  definition_unknown: entry(404, () => 'The definition does not exist in this space.'),
  definition_referenced: entry(
    409,
    (version: string, by: string) => `Version ${show(version)} is the rollback_version of version ${show(by)} and must stay as it is.`,
  ),
  rollback_unknown: entry(
    400,
    (version: string) => `config.rollback_version names ${show(version)}, which is not deployed for this uri and method.`,
  ),
  copy_conflict: entry(
    409,
    (uri: string, method: string, version: string) => `The target space would have ${method} ${show(uri)} version ${show(version)} twice.`,
  ),
  target_unknown: entry(
    404,
    (space: string, known: string) => `The project has no space ${show(space)} to copy to; its spaces are ${known}.`,
  ),
  copy_refused: entry(409, (problems: string) => `The target space cannot accept this: ${problems} Use force to copy it nevertheless.`),
  copy_modules_differ: entry(
    409,
    (modules: string) =>
      `The target space has different modules with these names: ${modules}. Use overwrite to replace them; nothing was copied.`,
  ),
  endpoint_unknown: entry(404, (uri: string) => `The endpoint ${show(uri)} does not exist in this space.`),
  endpoint_version_unknown: entry(
    404,
    (uri: string, version: string) => `The endpoint ${show(uri)} has no version ${show(version)} in this space.`,
  ),
  input_too_large: entry(
    413,
    (most: string) => `The input needs more than ${most} MiB of memory; send less, or raise config.limits.memory_mb.`,
  ),
  input_invalid: entry(400, (problems: string) => `The input is not valid: ${problems}.`),
  input_missing: entry(400, (step: string, name: string) => `Step ${step} needs the input ${show(name)}, which was not given.`),
  author_failed: entry(422, (message: string) => message),
  author_refused: entry(400, (message: string) => message),
  response_invalid: entry(500, (what: string, why: string) => `The definition's response.${what} is not usable: ${why}.`),
  format_not_here: entry(406, () => 'This endpoint returns a file; remove the query parameter format.'),
  step_refused: entry(422, (step: string, detail: string) => `Step ${step} refused the input: ${detail}`),
  step_budget: entry(422, (step: string, detail: string) => `Step ${step} was stopped: ${detail}`),
  step_failed: entry(500, (step: string, detail: string) => `Step ${step} failed: ${detail}`),
  step_unreachable: entry(424, (step: string, detail: string) => `Step ${step} failed: ${detail}`),
  step_timeout: entry(504, (step: string, secs: string) => `Step ${step} ran longer than ${secs} seconds.`),
  step_read_only: entry(403, (step: string) => `Step ${step} failed: it writes, and the database or its entry is read-only.`),
  step_denied: entry(403, (step: string) => `Step ${step} failed: the database user lacks the privilege for it.`),

  result_too_deep: entry(422, () => 'The result is nested deeper than 512 levels and cannot be written; flatten it.'),
  programs_busy: entry(503, () => 'Too many programs are running; try again.'),
  spool_full: entry(503, () => 'Responses to slow readers take too much space; try again, or request less.'),
  memory_busy: entry(503, () => 'Running requests hold too much memory; try again.'),

  // Lark modules.
  module_invalid: entry(400, (problems: string) => `The module is not valid: ${problems}`),
  module_code: entry(422, (problems: string) => `The module's code does not compile: ${problems}`),
  module_cycle: entry(422, (path: string) => `The module would load itself: ${path}.`),
  module_loaded: entry(409, (module: string, by: string) => `The module ${show(module)} is loaded by ${by}; nothing was deleted.`),
  module_unknown: entry(404, (module: string) => `The module ${show(module)} does not exist in this space.`),
} as const satisfies Record<string, ErrorEntry<never>>;
