/** Errors of the service itself. */
import { type ErrorEntry, entry, show } from './entry.ts';

export const SERVICE_ERRORS = {
  store_unavailable: entry(503, () => 'The service cannot reach its own records; try again.'),
  token_unconfirmed: entry(503, () => 'The service cannot reach its own records and cannot confirm the Power Token; try again.'),
  change_unconfirmed: entry(
    503,
    () =>
      'The change is stored, but not every instance of the service has confirmed it; it may take effect with a delay. Do not repeat it.',
  ),
  store_files_gone: entry(
    503,
    () => 'The files of the embedded store were deleted or replaced while the service runs; restore them and restart the service.',
  ),
  shutting_down: entry(503, () => 'The service is shutting down; try again.'),
  record_unreadable: entry(
    500,
    (what: string, id: string) =>
      `The stored password of ${show(what)} cannot be decrypted (record ${id}): its key is missing or the record is damaged; send it again.`,
  ),
  internal: entry(500, (id: string) => `Something went wrong in the service; the log has it under request ${id}.`),
} as const satisfies Record<string, ErrorEntry<never>>;
