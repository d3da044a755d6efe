/** Errors of apps: documents, rights, copies. */
import { type ErrorEntry, entry, show } from './entry.ts';

export const APP_ERRORS = {
  app_invalid: entry(400, (problems: string) => `The app is not valid: ${problems}.`),
  app_refused: entry(422, (problems: string) => `The space lacks something that the app needs: ${problems}.`),
  app_copy_refused: entry(
    409,
    (problems: string) => `The target space lacks something that the apps need: ${problems}. Use force to copy them nevertheless.`,
  ),
  app_unknown: entry(404, (app: string) => `The app ${show(app)} does not exist in this space.`),
  app_revision_unknown: entry(404, (revision: string) => `The app has no revision ${show(revision)} in its history.`),
  app_permission: entry(403, (app: string) => `None of your roles may open the app ${show(app)}.`),
  app_format: entry(406, (format: string) => `The format ${show(format)} is not supported for apps; use json or yaml.`),
} as const satisfies Record<string, ErrorEntry<never>>;
